"""Learning outside a run: `mi claim mine` looks at the latest stretch of work when it is told to."""

from typing import TypeVar

from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_back
from mi.evidence.records.base import Record
from mi.evidence.records.run import RunStart
from mi.evidence.records.thoughts import ClaimMining
from mi.kernel.errors import NotFound
from mi.learning.knowledge import Knowledge
from mi.learning.mind_calls import Judge, ask_recorded
from mi.learning.mining import mine
from mi.learning.segments import Segment, is_of_run
from mi.learning.suggestions import Learner
from mi.mind.mind import Judgement
from mi.mind.prompt import Prompt
from mi.mind.views import CitableText

R = TypeVar("R", bound=Record)
Input = TypeVar("Input")
Output = TypeVar("Output")
_MOST = 400  # records of a run that are looked at


class CommandHand:
    """A command's hand in the log."""

    def __init__(self, evidence: EvidenceWriter, judge: Judge) -> None:
        self._evidence = evidence
        self._judge = judge

    def append(self, record: R, *, note: str = "", batch_id: str = "") -> R:
        """Store a record; nothing comes later that a note would be for."""
        return self._evidence.append(record, sync=True)

    def judge(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        """Return a Mind's answer; a failure is recorded."""
        return ask_recorded(self._judge, prompt, given, self._evidence)


def find_latest_run(knowledge: Knowledge) -> Segment:
    """Return the latest run of the project as one stretch; NotFound when there was none."""
    records: list[Record] = []
    run_id = ""
    for event in read_back(knowledge.place.evidence, knowledge.notices):
        own = event.head.run_id.startswith("run_") and event.head.run_id == (run_id or event.head.run_id)
        if not own and event.head.kind != "user_input":
            continue
        run_id = run_id or (event.head.run_id if own else "")
        record = event.record()
        if record is not None:
            records.append(record)
        if (own and isinstance(record, RunStart)) or len(records) >= _MOST:
            break
    if not run_id:
        raise NotFound("no-run", path=knowledge.place.evidence)
    records = [record for record in records if is_of_run(knowledge.place.evidence, run_id, record)]
    start = records[-1]
    task = (
        CitableText(id=start.event_id, text=start.task) if isinstance(start, RunStart) else CitableText(id="", text="")
    )
    return Segment("", run_id, task, records[::-1])


def mine_latest(knowledge: Knowledge, evidence: EvidenceWriter, judge: Judge) -> ClaimMining:
    """Mine the latest run for claims; returns the record of it."""
    learner = Learner(knowledge, None, evidence.run_id)
    return mine(learner, CommandHand(evidence, judge), find_latest_run(knowledge))
