"""What would have been decided: stored batches judged again, by the thoughts of their time and other values.

No agent works, nobody is asked and nothing is stored: the loop's own `decide` runs with nobody around it.
"""

import os
import tempfile
from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast

import msgspec

from mi.agents.protocol import BatchInput, BatchResult, Observer
from mi.agents.signals import StopFlag
from mi.autopilot.asking import NobodyThere
from mi.autopilot.loop import Loop
from mi.autopilot.outcomes import EndRun, Next
from mi.autopilot.resume import restore_state
from mi.autopilot.run_context import KnownPerson
from mi.autopilot.run_parts import RunParts
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.base import Record
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import AutoAnswer, DecideNext
from mi.evidence.records.questions import Question
from mi.evidence.records.run import BatchEnd, RunEnd, RunStart
from mi.kernel import clock
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.context import Context
from mi.knowledge.thoughts.kinds import TESTLESS, VALUES, Scope
from mi.knowledge.thoughts.records import Claim
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.store_state import Reading, Thought
from mi.knowledge.thoughts.stores import CombinedStores
from mi.knowledge.thoughts.view import View
from mi.learning.text_overlap import opposes
from mi.learning.values_patch import value_tags
from mi.mind.views import BatchView, CitableText, read_batch
from mi.project.checks.recognition import Check

R = TypeVar("R", bound=Record)
Kind = Literal["answered", "asked", "done", "blocked", "sent"]
NEW = "new_"  # what the ids of values begin with that nobody said yet
_QUOTED = " The person "  # behind it stand the words that an answer of the rules rests on


class DecisionOutcome(NamedTuple):
    """What came of judging a batch: what the agent was told, what the person was asked, or how the run ended."""

    kind: Kind
    text: str
    cited_ids: tuple[str, ...] = ()

    def is_like(self, other: "DecisionOutcome") -> bool:
        """Return whether the same would have happened; what an end or an answer rests on may differ."""
        if self.kind != other.kind:
            return False
        return self.kind in ("done", "blocked") or self._reply() == other._reply()

    def _reply(self) -> list[str]:
        return [line.partition(_QUOTED)[0] for line in self.text.splitlines()]


class StoredBatch(NamedTuple):
    """A batch of a past run: the run's records up to its end, what it showed, and what the run made of it."""

    records: list[Record]
    end: BatchEnd
    seen: BatchView
    outcome: DecisionOutcome

    @property
    def start(self) -> RunStart:
        """Return the run's first record."""
        return cast(RunStart, self.records[0])


def find_batches(records: list[Record]) -> list[StoredBatch]:
    """Return the batches of one run that ended and were judged, as far as they can still be read."""
    if not records or not isinstance(records[0], RunStart):
        return []
    found = []
    for place, record in enumerate(records, 1):
        if isinstance(record, BatchEnd) and record.outcome == "ended" and record.seen:
            outcome, seen = read_outcome(records[place:]), _read_seen(record)
            found += [StoredBatch(records[:place], record, seen, outcome)] if outcome and seen else []
    return found


def _read_seen(end: BatchEnd) -> BatchView | None:
    try:
        return read_batch(end.seen)
    except msgspec.ValidationError:
        return None  # of a version that saw something else


def read_outcome(records: list[Record]) -> DecisionOutcome | None:
    """Return what followed a batch; None where nothing did, or the run was cut."""
    last = next((number for number, one in enumerate(records) if isinstance(one, HandsInput | RunEnd)), None)
    if last is None:
        return None
    made, end = records[:last], records[last]
    for one in made:
        if isinstance(one, Question) and one.about not in ("limit", "rules", "review"):
            return DecisionOutcome("asked", one.text, tuple(one.would.cited_ids) if one.would else ())
    if isinstance(end, HandsInput):
        for one in made:
            if isinstance(one, AutoAnswer) and one.auto_answer.should_answer:
                answer = one.auto_answer
                return DecisionOutcome("answered", answer.hands_answer_input, tuple(answer.cited_ids))
        return DecisionOutcome("sent", end.input)
    if not isinstance(end, RunEnd) or end.status not in ("done", "blocked"):
        return None
    decided = [one for one in made if isinstance(one, DecideNext)]
    cited = decided[-1].decision.get("cited_ids", []) if decided else []
    return DecisionOutcome("done" if end.status == "done" else "blocked", end.reason, tuple(cited))


# the thoughts of that time


class StoreThen(ThoughtStore):
    """A store as it was at a time (milliseconds)."""

    def __init__(self, store: ThoughtStore, then: int) -> None:
        self.scope = store.scope
        self._store = store
        self._then = then

    def read(self, as_of: int | None = None, *, save: bool = True) -> Reading:
        return self._store.read(self._then)

    def close(self) -> None:
        """Leave the store open: it is not this one's."""


class ImaginedValues(NamedTuple):
    """Values that nobody said yet: all there are in their scope, or (`adds`) beside those that stood."""

    texts: list[str]
    scope: Scope = "global"
    adds: bool = False

    def among(self, stood: list[Thought]) -> list[Thought]:
        """Return the values that would have stood: those of other scopes, those said again, and the new ones."""
        others = [one for one in stood if one.scope != self.scope]
        own = {str(one.raw.get("text")): one for one in stood if one.scope == self.scope}
        kept = [text for text in own if self.adds and not any(opposes(new, text) for new in self.texts)]
        wanted = list(dict.fromkeys([*kept, *self.texts]))
        return [*others, *(own.get(text) or self._imagine(text) for text in wanted)]

    def _imagine(self, text: str) -> Thought:
        said = f"{NEW}{self.texts.index(text) + 1}"
        raw = {"claim_id": said, "claim_type": "preference", "text": text, "tags": value_tags(text), "origin": "user"}
        line = _ImaginedLine(raw | {"asserted_ts": clock.now(), "source_refs": [], "confidence": 1.0})
        return Thought("claim", said, self.scope, "preference", "active", True, 0, 0, "", "", cast(View, line))


class _ImaginedLine(NamedTuple):
    """Stands for the view of a store in which one thought would be."""

    fields: dict[str, Any]

    def raw(self, kind: str, offset: int) -> dict[str, Any]:
        return self.fields


class PastPerson(KnownPerson):
    """What was known of the person at a time, with other values where some are imagined."""

    imagined: ImaginedValues | None = None

    def testless_strategy(self) -> CitableText | None:
        """Return what would have counted without tests: a value of the replaced ones says nothing any more."""
        if self.imagined is None:
            return super().testless_strategy()
        for store in (self._own, self._shared):
            replaced = store.scope == self.imagined.scope and not self.imagined.adds
            said = [_as_said(one) for one in store.active(TESTLESS) if not (replaced and VALUES in one.tags)]
            if store.scope == self.imagined.scope:
                new = [one for one in self.imagined.among([]) if TESTLESS in one.raw["tags"]]
                said = [*(CitableText(id=one.id, text=one.raw["text"]) for one in new), *said]
            if said:
                return said[-1]
        return None

    def _thoughts(self, task: str) -> tuple[CombinedStores, Context]:
        stores, context = super()._thoughts(task)
        if self.imagined is not None:
            context = context._replace(values_claims=self.imagined.among(context.values_claims))
        return stores, context


def _as_said(claim: Claim) -> CitableText:
    return CitableText(id=claim.claim_id, text=claim.text)


# judging again


class Nobody(NobodyThere):
    """Stands for all whom a replay does without: the agent, the person, and whoever tells or waits."""

    name = "nobody"

    def can_resume(self, thread_id: str) -> bool:
        return False

    def run(self, batch: BatchInput, observer: Observer | None = None, stop: StopFlag | None = None) -> BatchResult:
        raise AssertionError("a replay runs no agent")

    def tell(self, record: Record, after_s: float = 0.0) -> None:
        """Tell nobody."""

    def settle(self) -> None:
        """Take note of nothing."""

    def finish(self) -> None:
        """Wait for nothing."""

    def wait_until(self, resets_at: str) -> bool:
        return False


class MemoryLog(EvidenceWriter):
    """A log that is forgotten; its folder is one that a question can be waited for in."""

    def __init__(self, folder: str, run_id: str, notices: Notices, last_seq: int) -> None:
        super().__init__(os.path.join(folder, "evidence.jsonl"), run_id, notices, last_seq)
        self.kept: list[Record] = []

    def append(self, record: R, *, sync: bool = False) -> R:
        self._seq += 1
        stamped = self._stamp(record)
        self.kept.append(stamped)
        return stamped


def replay(
    batch: StoredBatch, build_parts: Callable[[StoredBatch, EvidenceWriter], RunParts], notices: Notices
) -> DecisionOutcome | None:
    """Return what the loop decides about a stored batch with these parts."""
    with tempfile.TemporaryDirectory(prefix="mi-what-if-") as folder:
        log = MemoryLog(folder, batch.start.run_id, notices, batch.end.seq)
        checks = [Check(one.kind, tuple(one.argv), one.source, one.folder) for one in batch.start.checks]
        state = restore_state(batch.start, batch.records)
        state.checks_requested = batch.end.checks_requested  # as it was then, whatever was verified
        loop = Loop(build_parts(batch, log), state, checks)
        upcoming = loop.decide(loop.batches.case_of(batch.seen))
        return read_outcome([*log.kept, _as_record(upcoming)])


def _as_record(upcoming: Next) -> Record:
    if isinstance(upcoming, EndRun):
        return RunEnd(status=upcoming.status, reason=upcoming.reason)
    return HandsInput(input=upcoming.text)
