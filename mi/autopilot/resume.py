"""Going on with a run that stopped: where it stands, from its own events."""

import os
from collections.abc import Container, Iterator
from itertools import islice

import msgspec

from mi.agents.events import ThreadStarted
from mi.agents.leftovers import mark_of
from mi.agents.registry import AGENTS, load
from mi.agents.transcript import Captured
from mi.autopilot.limit_answers import Refusal, read_wish
from mi.autopilot.limits import find_own_limits, measure_work
from mi.autopilot.loop_guard import RepetitionGuard, signature
from mi.autopilot.questions import find_place
from mi.autopilot.state import NOTHING, EarlierProof, RunState
from mi.evidence.reader import read_back, read_on
from mi.evidence.records.base import Record
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import CheckPlan, DecideNext
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import BatchEnd, LimitRaised, RunEnd, RunStart
from mi.evidence.records.thoughts import CrossProjectRecall
from mi.evidence.records.trees import TreeSnapshot
from mi.evidence.run_words import RunWords
from mi.kernel import files
from mi.kernel.consent import begins_with_yes
from mi.kernel.errors import MiError, NotFound
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.mind.views import BatchView, read_batch
from mi.project.checks.recognition import Check, planned

_LOOKED_AT = 400  # records about batches, of all runs, in which a thread is looked for


class Resumed(NamedTuple):
    """How a run goes on: with an answer, or by judging again the batch it had finished."""

    state: RunState
    checks: list[Check]  # that the project had when the run began
    began: bool  # whether anything was sent to the agent yet
    cut: HandsInput | None = None  # the last batch never ended: it must be recorded as cut
    judge: BatchView | None = None
    question: Question | None = None  # the run stopped at it
    answer: str | None = None
    risk_settled: bool = False


def latest_run_id(log: str, notices: Notices, but: Container[str] = ()) -> str:
    """Return the run that wrote last, `but` not one of these."""
    runs = (event.head.run_id for event in read_back(log, notices) if event.head.run_id.startswith("run_"))
    found = next((run_id for run_id in runs if run_id not in but), "")
    if not found:
        raise NotFound("no-run", path=log)
    return found


def resume(log: str, run_id: str, notices: Notices) -> Resumed:
    """Return the state of a run from its events; one that is done cannot go on."""
    begins_at = find_beginning(log, run_id, notices)
    records = _read_from(log, run_id, begins_at, notices)
    if not records or not isinstance(records[0], RunStart):
        raise NotFound("not-a-run", run_id=run_id, path=log)
    last_end = next((record for record in reversed(records) if isinstance(record, RunEnd)), None)
    batches = [record for record in records if isinstance(record, HandsInput | BatchEnd)]
    cut = batches[-1] if batches and isinstance(batches[-1], HandsInput) else None
    told = (record for record in batches if isinstance(record, HandsInput) and record is not cut)
    heard = {word for record in told for word in record.words}
    is_done = last_end is not None and last_end.status == "done"
    if is_done and not RunWords(log, run_id, lambda log, offset: True, begins_at, heard).take():
        raise MiError("run-done", run_id=run_id)
    state = restore_state(records[0], records)
    state.begins_at, state.heard_words = begins_at, heard
    answers = _answers(log, records, notices)
    paused = state.limit_question
    if paused and paused.limit and isinstance(read_wish(answers.get(paused.id, ""), paused.limit), Refusal):
        state.limit_question = msgspec.structs.replace(paused, id="")  # whoever goes on all the same is asked anew
    for record in records:
        if isinstance(record, Question) and record.about in ("rules", "review"):
            place = find_place(record)
            state.waiting[place] = record
            if record.id in answers:
                state.answered[place] = answers[record.id]
        if isinstance(record, Question) and record.about == "judges" and record.id in answers:
            decided = state.accepted_judges if begins_with_yes(answers[record.id]) else state.refused_judges
            decided.update(record.judges)
    checks = [Check(check.kind, tuple(check.argv), check.source, check.folder) for check in records[0].checks]
    if not batches:
        return Resumed(state, checks, began=False)
    if cut is not None:
        state.thread_id = cut.thread_id or _thread_in(log, cut.transcript_path, records[0].hands)
        return Resumed(state, checks, began=True, cut=cut)
    last = batches[-1]
    assert isinstance(last, BatchEnd)  # it was not cut
    after = records[records.index(last) + 1 :]
    asked = (record for record in after if isinstance(record, Question) and record.blocks)
    questions = [question for question in asked if question.about != "limit"]  # those are asked where they hold
    if not questions and any(isinstance(record, RunEnd) for record in after):
        state.told = {}
        state.checks_requested = 0  # it ended for want of a proof; whoever goes on wants the agent asked once more
    return Resumed(
        state,
        checks,
        began=True,
        judge=read_batch(last.seen) if last.outcome == "ended" else None,
        question=questions[-1] if questions else None,
        answer=answers.get(questions[-1].id) if questions else None,
        risk_settled=any(question.about == "risk" and question.id in answers for question in questions),
    )


def records_of(log: str, run_id: str, notices: Notices) -> list[Record]:
    """Return all records of a run, in order; the log is read back only as far as the run's start."""
    return _read_from(log, run_id, find_beginning(log, run_id, notices), notices)


def find_beginning(log: str, run_id: str, notices: Notices) -> int:
    """Return where a run begins in a log, which is read back as far as that."""
    start = 0
    for event in read_back(log, notices):
        if event.head.run_id == run_id:
            start = event.offset
            if event.head.kind == "run_start" and event.head.seq == 1:
                break
    return start


def _read_from(log: str, run_id: str, start: int, notices: Notices) -> list[Record]:
    records = (event.record() for event in read_on(log, start, notices) if event.head.run_id == run_id)
    return [record for record in records if record is not None]


def find_heard(log: str, thread_id: str, notices: Notices) -> list[str]:
    """Return the claims that a thread was told, by the latest batch of the run that had it; none where it had another.

    Other runs may have written since.
    """
    run_id = ended = ""
    batches = (event for event in read_back(log, notices) if event.head.kind in ("batch_end", "hands_input"))
    for event in islice(batches, _LOOKED_AT):
        record = event.record() if run_id in ("", event.head.run_id) else None
        if isinstance(record, BatchEnd) and record.thread_id == thread_id:
            run_id, ended = event.head.run_id, thread_id
        if isinstance(record, HandsInput) and (run_id or record.thread_id == thread_id):
            return record.heard if thread_id in (record.thread_id, ended) else []
    return []


def _find_pause(records: list[Record]) -> Question | None:
    """Return the question at which a run is paused: the latest, unless the limit was raised after it."""
    about = [record for record in records if isinstance(record, Question | LimitRaised | HandsInput)]
    last = next((one for one in reversed(about) if not isinstance(one, Question) or one.limit is not None), None)
    return last if isinstance(last, Question) else None


def _answers(log: str, records: list[Record], notices: Notices) -> dict[str, str]:
    """Answers given to the run's questions, in the run or later by `mi answer`."""
    asked = {record.id for record in records if isinstance(record, Question)}
    answers: dict[str, str] = {}
    for event in read_back(log, notices):
        if event.head.event_id == records[0].event_id:
            break
        record = event.record() if event.head.kind == "user_input" else None
        if not isinstance(record, UserInput) or record.dismissed or record.by == "chat":
            continue
        if record.question_id in asked:
            answers[record.question_id] = record.answer  # read back to the first one, which counts
    return answers


def _transcript_lines(path: str) -> Iterator[tuple[str, str]]:
    """Stream and text of each line of a transcript; a torn last line is none."""
    for line in (files.read_bytes(path) or b"").split(b"\n"):
        try:
            entry = msgspec.json.decode(line) if line else {}
        except msgspec.DecodeError:
            continue
        yield entry.get("stream", ""), entry.get("line", "")


def _thread_in(log: str, transcript: str, hands: str) -> str:
    """Return the thread that a batch began before it was cut, from its live transcript."""
    from mi.agents.stream import Interpreter

    home = os.path.dirname(os.path.dirname(os.path.dirname(log)))
    interpreter: Interpreter = load(AGENTS.get(hands, AGENTS["cli"]).events)()
    for stream, text in _transcript_lines(os.path.join(home, transcript)):
        if stream == "stdout":
            found = interpreter.feed(Captured(stream, text.encode(), text))
            started = next((event.thread_id for event in found if isinstance(event, ThreadStarted)), "")
            if started:
                return started
    return ""


def end_orphan(transcript: str) -> int:
    """End the agent of a batch whose MI was killed; returns how many processes there were."""
    started = next((text for stream, text in _transcript_lines(transcript) if stream == "meta"), "")
    pid = started.removeprefix("started pid ")
    mark = mark_of(int(pid)) if pid.isdigit() else None
    return mark.kill() if mark else 0


def restore_state(start: RunStart, records: list[Record]) -> RunState:
    """Return where a run stood after these records, the first of which is its start."""
    state = RunState(task=start.task, run_id=start.run_id, next_input=start.task, list_task=start.list_task)
    state.agent = next((one.agent for one in reversed(records) if isinstance(one, RunStart) and one.agent), "")
    sent: list[HandsInput] = [record for record in records if isinstance(record, HandsInput)]
    ended: list[BatchEnd] = [record for record in records if isinstance(record, BatchEnd)]
    state.number = int(sent[-1].batch_id.removeprefix("b").partition(".")[0]) if sent else 0
    state.thread_id = next((record.thread_id for record in reversed(records) if record.thread_id), "")
    kept = (record for record in records if isinstance(record, TreeSnapshot) and record.of == state.batch_id)
    state.is_kept = any(record.commit for record in kept)
    state.own_limits = find_own_limits(records)
    state.limit_question = _find_pause(records)
    state.started -= measure_work(records)
    state.said = ended[-1].last_message if ended else ""
    state.spent = NOTHING
    for batch in ended:
        state.note_spent(batch.usage, batch.model)
    if ended and ended[-1].seen:
        seen = read_batch(ended[-1].seen)
        state.marks = seen.marks  # but what was verified then is not verified now: files may have changed since
        state.proof = EarlierProof(unsettled=seen.unsettled)
        # and so it must be asked for anew, even if asking brought it then
        state.told = dict(ended[-1].rows_told)
        state.checks_requested = 0 if seen.marks.verified else ended[-1].checks_requested
    state.evidence_ids = [
        record.event_id
        for record in records
        if isinstance(record, DecideNext)
        or (isinstance(record, BatchEnd) and record.seen.get("marks", {}).get("verified"))
    ]
    plans = [record.checks for record in records if isinstance(record, CheckPlan)]
    state.planned = [check for plan in plans if plan.should_run_checks for check in planned(plan.commands_hints)]
    begun = list({record.batch_id: record for record in reversed(sent)}.values())[::-1]  # however often it was tried
    exchanges = zip([batch.last_message for batch in ended], begun[1:], strict=False)
    state.guard = RepetitionGuard([signature(said, following.input) for said, following in exchanges])
    for record in records:
        said = record.headline() if "recent" in record.shown_in else ""
        state.remember(record, record.told() if isinstance(record, CrossProjectRecall) else said)
    return state
