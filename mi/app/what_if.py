"""Past runs of a project under other values: which of their decisions would have been other ones."""

from typing import TypeVar

from mi.agents.signals import StopFlag
from mi.app.home_context import HomeContext
from mi.app.learning import build_mind
from mi.app.recall import build_recall
from mi.app.thoughts import build_thoughts
from mi.autopilot.person_door import PersonDoor
from mi.autopilot.run_parts import Reporter, RunParts
from mi.autopilot.what_if import (
    NEW,
    DecisionOutcome,
    ImaginedValues,
    Nobody,
    PastPerson,
    StoredBatch,
    StoreThen,
    find_batches,
    replay,
)
from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_back, read_on
from mi.evidence.records.base import Record
from mi.evidence.records.run import BatchEnd, RunEnd, RunLearned, RunStart, RunUsage
from mi.kernel import clock
from mi.kernel.config.types import SnapshotConfig
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import split_statements
from mi.knowledge.thoughts.kinds import Scope
from mi.knowledge.thoughts.stores import CombinedStores
from mi.learning.mind_calls import Rules
from mi.learning.values import compile_text
from mi.mind.mind import Judgement, Mind
from mi.mind.prompt import Prompt

Input = TypeVar("Input")
Output = TypeVar("Output")


class Flip(NamedTuple):
    """A decision that would have been another one."""

    batch: StoredBatch
    was: DecisionOutcome
    would: DecisionOutcome


class Compared(NamedTuple):
    """What came of judging past decisions again; `unlike` ones are judged otherwise even by the values of the time."""

    runs: int
    decisions: int
    flips: list[Flip]
    unlike: int


class ReplayCost(NamedTuple):
    """What judging all decisions once takes."""

    calls: int
    characters: int
    cost_usd: float | None = None  # as its calls cost in those runs; None where nobody told


class CountingMind(Mind):
    """Judges by the rules and counts what a model would be asked."""

    calls = 0
    characters = 0

    def ask(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        self.calls += 1
        self.characters += len(prompt.system()) + len(prompt.user(given))
        return Judgement(prompt.rules(given), "ok", "rules")


class WhatIf:
    """Judges the decisions of a project's latest runs again."""

    def __init__(self, context: HomeContext, imagined: ImaginedValues, runs: int) -> None:
        self._context = context
        self._imagined = imagined
        self._runs = _read_runs(context, runs)
        self._batches = [batch for run in self._runs for batch in find_batches(run)]
        self._thoughts = build_thoughts(context)
        self._find = build_recall(context).find_earlier_thoughts

    def measure(self, name: str) -> ReplayCost:
        """Return what a model of this name would be asked, and about what that costs, without asking it."""
        mind = CountingMind(self._context.home, "", None)
        for batch in self._batches:
            self._judge(mind, batch, self._imagined)
        price = _find_price(self._runs, name)
        return ReplayCost(mind.calls, mind.characters, None if price is None else price * mind.calls)

    def compare(self, mind: Mind) -> Compared:
        """Return the decisions that this Mind would make otherwise by the imagined values."""
        flips, unlike = [], 0
        for batch in self._batches:
            would = self._judge(mind, batch, self._imagined)
            if would is None or (mind.name != "rules" and would.kind == batch.outcome.kind != "answered"):
                continue  # a model is asked a second time only where something may have changed
            was = self._judge(mind, batch, None)
            if was is None or was.kind != batch.outcome.kind:
                unlike += 1
            elif not was.is_like(would):
                flips.append(Flip(batch, was, would))
        return Compared(len(self._runs), len(self._batches), flips, unlike)

    def _judge(self, mind: Mind, batch: StoredBatch, imagined: ImaginedValues | None) -> DecisionOutcome | None:
        def build_parts(batch: StoredBatch, log: EvidenceWriter) -> RunParts:
            return _build_parts(self._context, mind, self._past_person(batch, imagined), log)

        return replay(batch, build_parts, self._context.notices)

    def _past_person(self, batch: StoredBatch, imagined: ImaginedValues | None) -> PastPerson:
        context, then = self._context, int(clock.parse(batch.end.ts) * 1000)
        own, shared = (StoreThen(store, then) for store in (self._thoughts.own, self._thoughts.shared))
        remembers = context.config.runtime.thought_db.enabled
        person = PastPerson(context.home, context.project, own, shared, self._find, context.notices, remembers)
        person.imagined = imagined
        return person


def imagine_values(text: str, scope: Scope, adds: bool) -> ImaginedValues:
    """Return a text as values to try, in place of those of the time or beside them (`adds`).

    An empty text, or one with a secret, is refused as when it is set.
    """
    compile_text(text, Rules())
    return ImaginedValues(list(dict.fromkeys(split_statements(text))), scope, adds)


def cite_outcome(thoughts: CombinedStores, imagined: ImaginedValues, outcome: DecisionOutcome) -> list[dict[str, str]]:
    """Return what an outcome rests on, each with its words."""
    cited = []
    for one in outcome.cited_ids:
        if one.startswith(NEW):
            text = imagined.texts[int(one.removeprefix(NEW)) - 1]
        else:
            known = thoughts.get(one)
            text = str(known.raw.get("text") or known.raw.get("title") or "") if known else ""
        cited.append({"id": one, "text": text})
    return cited


def _find_price(runs: list[list[Record]], mind: str) -> float | None:
    """Return what a call of a Mind cost on the average in runs that it judged; None where its vendor tells nothing."""
    total = RunUsage(input_tokens=0, output_tokens=0, cost_usd=0.0, seconds=0.0, calls=0)
    for run in runs:
        ends = [record for record in run if isinstance(record, RunEnd | RunLearned)]
        if isinstance(run[0], RunStart) and run[0].mind == mind and sum(isinstance(one, RunEnd) for one in ends) == 1:
            bills = [(one.spent, 1) for one in ends] + [(one.usage, -1) for one in run if isinstance(one, BatchEnd)]
            for bill, sign in bills:
                total = total.plus(bill, sign)
    return total.cost_usd / total.calls if total.cost_usd is not None and total.calls else None


def build_judge(context: HomeContext, configured: bool) -> Mind:
    """Return who judges again: the configured Mind, or the rules."""
    return build_mind(context) if configured else Mind(context.home, "", None)


def _build_parts(context: HomeContext, mind: Mind, thoughts: PastPerson, log: EvidenceWriter) -> RunParts:
    nobody = Nobody()
    return RunParts(
        home=context.home,
        project=context.project,
        runtime=context.config.runtime,
        hands=nobody,
        mind=mind,
        thoughts=thoughts,
        evidence=log,
        asker=nobody,
        waiter=nobody,
        reporter=Reporter(),
        notifier=nobody,
        stop=StopFlag(),
        notices=context.notices,
        door=PersonDoor(context.home, lambda process: True),
        snapshot=SnapshotConfig(enabled=False),
        language=context.language,
    )


def _read_runs(context: HomeContext, runs: int) -> list[list[Record]]:
    """Return the records of the latest runs, run by run, oldest first."""
    log, start, found = context.project_home.evidence, None, 0
    for event in read_back(log, context.notices):
        if event.head.kind == "run_start" and event.head.seq == 1:
            start, found = event.offset, found + 1
            if found == runs:
                break
    if start is None:
        return []
    by_run: dict[str, list[Record]] = {}
    for event in read_on(log, start, context.notices):
        record = event.record() if event.head.run_id.startswith("run_") else None
        if record is not None and (event.head.run_id in by_run or event.head.seq == 1):
            by_run.setdefault(event.head.run_id, []).append(record)
    return list(by_run.values())
