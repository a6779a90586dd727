"""Steps of the loop that the team's rules fill: before a task begins, after a batch, and before a run is done.

A harmless run is not asked about and costs no Mind call. What a change needs is what `mi gate diff` says of it. Where
that is a review, no run is done without one: by a reviewer, or by the person; with `irreversible` (profile light) only
at risk 4 and more, once, at the run's end. With `enforce` an unclear task does not begin.
"""

from typing import TYPE_CHECKING

import msgspec

from mi.autopilot.resume import records_of
from mi.autopilot.steps.protocol import Outcome, RunPlace, RunRecorder, RunSteps, SendFirst, Stop
from mi.evidence.records.base import Record
from mi.evidence.records.governed import Override, Preflight, Review, Verification
from mi.evidence.records.run import BatchEnd
from mi.governance.assess import Assessment, assess_task
from mi.governance.challenge import find_tier, give_alert, render_challenge
from mi.governance.impact import ACK, compute_raw_risk, find_facts
from mi.governance.modes import is_obey
from mi.governance.orders import find_final_order
from mi.governance.review_gate import BATCH, Required, is_together, review_gate
from mi.governance.signals import Signals
from mi.governance.spec_gate import SpecGate
from mi.governance.speed import render_marker
from mi.kernel.config.types import Config
from mi.kernel.consent import agrees, refuses
from mi.kernel.language import patterns
from mi.kernel.messages import text
from mi.kernel.secrets import redact
from mi.mind.language import is_inquiry
from mi.mind.views import Case, ChangeSize
from mi.persona.place import PersonaView
from mi.project.change import change_here, weigh
from mi.project.snapshots import list_snapshots, open_store
from mi.review.decisions import collect_decisions, find_signals_for
from mi.review.reviewing import ReviewRequest, list_called, request_human_review, review_change

if TYPE_CHECKING:  # needed where a change is large enough for a review
    from mi.review.reviewing import Reviewed

_DONE_RULE = "a check that passes after the last change"
_LIGHT = "irreversible"


class GovernanceSteps(RunSteps):
    """Preflight and review gate of one run; `override` is the person's reason to be asked nothing in it."""

    def __init__(
        self, place: RunPlace, config: Config, persona: PersonaView, override: str = "", is_resumed: bool = False
    ) -> None:
        self._place = place
        self._config = config
        self._mode = config.governance.preflight
        self._persona = persona
        earlier = records_of(place.files.evidence, place.run_id, place.notices) if is_resumed else []
        self._override = override or _find_override(earlier)
        self._reviews = _find_reviews(earlier)
        self._settled: set[str] = set()  # changes of which nothing more is to be said
        self._agreed: Required | None = None  # what the latest yes was for
        self._answers = sum(isinstance(one, Verification) and one.user_action == "modified" for one in earlier)
        self._language = place.language

    # before the task

    def preflight(self, recorder: RunRecorder, task: str) -> Outcome:
        if self._mode == "off" and not self._override:
            return None
        found = self._signals(task)
        assessed = assess_task(task, found=found)
        self._override = self._override or (task if is_obey(task) else "")
        if self._override:
            recorder.append(Override(reason=self._override, scope="run"), note="the person overrides the team's rules")
            self._record(recorder, "override", assessed, "")
            return None
        if assessed.review is None:
            return self._unclear(recorder, assessed)
        advice = self._advice(assessed, found)
        question = "" if is_inquiry(task) else self._first_question(task, assessed, advice)  # one changes nothing
        if not question:
            self._record(recorder, "advise" if advice else "free", assessed, advice)
            return None
        self._record(recorder, "asks", assessed, advice)
        return self._asked(recorder, "preflight", question)

    def _first_question(self, task: str, assessed: Assessment, advice: str) -> str:
        """Return what to ask before the agent starts; with `irreversible` only what the task itself orders counts."""
        if self._mode == "irreversible":
            order = find_final_order(task)
            return text("rules.final", self._language, order=redact(order), advice=advice) if order else ""
        if not assessed.needs_ack:
            return ""
        return text("rules.preflight", self._language, risk=assessed.raw, advice=advice)

    def _signals(self, task: str) -> Signals:
        return find_signals_for(
            task, self._config.governance, collect_decisions(self._persona, self._place.project.root)
        )

    def _unclear(self, recorder: RunRecorder, assessed: Assessment) -> Outcome:
        """Say what is unclear; with `enforce` ask the person, whose answer goes to the agent."""
        said = SpecGate("blocked", assessed.asks).says(self._language)
        if self._mode != "enforce":
            self._record(recorder, "unclear", assessed, said)
            return None
        self._record(recorder, "blocked", assessed, said)
        answer = recorder.ask_once(said)
        return Stop(said) if answer is None or refuses(answer) else SendFirst(answer)

    def _advice(self, assessed: Assessment, found: Signals) -> str:
        """Return what speaks against the task, if anything does."""
        lines = [give_alert(self._language)] if found.secrets else []
        speaking = [trigger for trigger in found.triggers if trigger != "T8"]
        if assessed.tier and assessed.review and (speaking or found.full or assessed.needs_ack):
            level = "required" if assessed.needs_ack else assessed.review.level
            lines += render_challenge(assessed.tier, speaking, level, found.contradicts, self._language).values()
        if found.speed:
            lines.append(render_marker(found.speed, self._language))
        return " ".join(lines)

    def _record(self, recorder: RunRecorder, verdict: str, assessed: Assessment, advice: str) -> None:
        shown = assessed._asdict() | {"review": assessed.review._asdict() if assessed.review else None}
        recorder.append(Preflight(verdict=verdict, assessment=msgspec.to_builtins(shown), advice=advice))

    # after a batch, and before done

    def review(self, recorder: RunRecorder, case: Case) -> Outcome:
        """Have a change reviewed before the work goes on; what the person agreed to already waits for the end."""
        _, needed = find_needed(case.batch.change)
        waits = needed.level != "required" or needed == self._agreed or not case.batch.changed_now
        return None if waits or self._mode == _LIGHT else self.closing(recorder, case)

    def closing(self, recorder: RunRecorder, case: Case) -> Outcome:
        """Let no change count as done that needs a review and had none."""
        change, (raw, needed) = case.batch.change, find_needed(case.batch.change)
        is_off = self._mode == "off" and not self._override
        if is_off or needed.level == "none" or change.id in self._settled:
            return None
        outcome: Outcome = None
        if self._override:
            self._overridden(recorder, change.units, raw, needed)
        elif needed.level == "offer":
            verdict = text("rules.offer", self._language, units=change.units, risk=raw)
            recorder.append(Verification(gate="review", verdict=verdict, user_action="skipped"))
        else:
            outcome = self._required(recorder, case, raw, needed)
        if outcome is None and change.id:
            self._settled.add(change.id)
        return outcome

    def _overridden(self, recorder: RunRecorder, units: int, raw: int, needed: Required) -> None:
        if needed.level == "required":
            scope = f"review of {units} change units at risk {raw}, split {needed.split}"
            recorder.append(Override(reason=self._override, scope=scope))

    def _required(self, recorder: RunRecorder, case: Case, raw: int, needed: Required) -> Outcome:
        """Have the change reviewed by the configured reviewers, else by the person."""
        reviewed = self._review_externally(recorder, case) if self._config.governance.reviewers else None
        verdict = reviewed.verdict if reviewed else "none"
        if reviewed and verdict == "revise":
            return SendFirst(reviewed.instruction())
        matters = self._mode != _LIGHT or raw >= ACK
        by_person = verdict == "none" and matters
        if verdict != "reject" and not by_person and not (needed.needs_person and matters):
            due = text("rules.due", self._language, units=case.batch.change.units, risk=raw)
            if verdict == "none":
                recorder.append(Verification(gate="review", verdict=due, user_action="skipped"))
            return None
        of = f"{case.batch.change.id}.{self._answers}" if case.batch.change.id else ""
        outcome = self._asked(recorder, "review", self._question(case, raw, needed, reviewed), of)
        self._agreed = needed if outcome is None else None
        if by_person and not isinstance(outcome, Stop):
            recorder.append(request_human_review("accept" if outcome is None else "revise"))
        if needed.split == "required" and outcome is None:
            scope = f"split of {case.batch.change.units} change units at risk {raw}"
            recorder.append(Override(reason=text("rules.confirmed", self._language), scope=scope))
        return outcome

    def _review_externally(self, recorder: RunRecorder, case: Case) -> "Reviewed":
        batch, root = case.batch, self._place.project.root
        known = self._reviews.get(batch.change.id, [])  # what was paid for is not asked again
        change = weigh(case.run_diff, "", root) if case.run_diff else change_here(root)
        request = ReviewRequest(
            change,
            batch.task,
            root,
            criteria=[_DONE_RULE],
            checks_passed=True if case.verified else False if batch.failed_checks else None,
            language=self._language,
            known=[list_called(review) for review in known],
        )
        reviewed = review_change(request, self._config, self._place.home, self._place.files.mind_transcripts)
        for record in [] if known else reviewed.records:
            recorder.append(record, note=f"review: {record.headline()}")
        if not reviewed.degraded:
            self._reviews[batch.change.id] = list(reviewed.records)
        return reviewed

    def _question(self, case: Case, raw: int, needed: Required, reviewed: "Reviewed | None") -> str:
        units = case.batch.change.units
        found = reviewed.findings if reviewed else ()
        parts = [text("rules.review", self._language, units=units, risk=raw)]
        if reviewed is None or reviewed.degraded:
            parts.append(text("review.degraded", self._language))
        parts += [f"[{finding.severity}] {finding.title}: {finding.detail}" for finding in found]
        if units > BATCH:
            parts.append(text("gate.over-batch", self._language, units=units, limit=BATCH))
        speaking = ["T1"] if units > BATCH else []
        parts += render_challenge(find_tier(raw, speaking), speaking, "required", (), self._language).values()
        return " ".join([*parts, self._way_back(), text("rules.go-on", self._language)])

    def _way_back(self) -> str:
        """Return how the person gets the files from before the run back."""
        place = self._place
        store = open_store(place.project.root, place.files.snapshots)
        kept = list_snapshots(store, place.run_id) if store else []
        key = "rules.way-back" if kept else "rules.no-way-back"
        return text(key, self._language, run=place.run_id, ref=kept[0].ref if kept else "")

    def _asked(self, recorder: RunRecorder, gate: str, question: str, of: str = "") -> Outcome:
        """Return the person's word: go on, stop, or something the agent must hear first."""
        answer = recorder.ask_once(question, "review" if gate == "review" else "rules", of)
        if answer is None:
            return Stop(text("rules.waits", self._language, gate=gate))
        agreed = agrees(answer, patterns().go_on)
        action = "confirmed" if agreed else "rejected" if refuses(answer) else "modified"
        recorder.append(Verification(gate=gate, verdict=answer, user_action=action, post_result="pending"))
        self._answers += action == "modified"  # whoever did not agree yet is asked anew
        if action == "rejected":
            return Stop(text("rules.stopped", self._language, gate=gate))
        return None if agreed else SendFirst(answer)


def find_needed(change: ChangeSize) -> tuple[int, Required]:
    """Return the risk of a change and what it needs, as `mi gate diff` says it: by the change alone."""
    raw = compute_raw_risk(find_facts(tuple(change.flags), change.lines, change.dirs))
    return raw, review_gate(change.units, raw, is_together(change.files, change.lines))


def _find_reviews(records: list[Record]) -> dict[str, list[Review]]:
    """Return the external reviews that a run has had, by the change they are about."""
    found: dict[str, list[Review]] = {}
    change = ""
    for record in records:
        if isinstance(record, BatchEnd):
            change = record.seen.get("change", {}).get("id", "")
        elif isinstance(record, Review) and not record.degraded:
            found.setdefault(change, []).append(record)
    return found


def _find_override(records: list[Record]) -> str:
    """Return the reason of an override that a run was begun with; '' without one."""
    found = [record for record in records if isinstance(record, Override) and record.scope == "run"]
    return found[-1].reason if found else ""
