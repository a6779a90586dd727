"""A run that works on a handoff: the agent is told so, and the sender sees that it is done, and by which run."""

from mi.autopilot.steps.protocol import RunPlace, RunRecorder, RunSteps
from mi.evidence.records.base import Record
from mi.evidence.records.governed import Handoff
from mi.evidence.records.run import RunEnd
from mi.kernel.errors import MiError
from mi.kernel.messages import text
from mi.persona.handoffs import Deliverable, move, read
from mi.persona.place import PersonaView


class HandoffSteps(RunSteps):
    """Moves the handoff to done once the run is; otherwise it stays with its receiver."""

    def __init__(self, place: RunPlace, persona: PersonaView, handoff_id: str) -> None:
        self._place = place
        self._persona = persona
        self._id = handoff_id

    def opening(self, recorder: RunRecorder, task: str) -> str:
        return text("run.handoff", self._place.language, id=self._id)

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        if not isinstance(end, RunEnd) or end.status != "done":
            return
        try:
            one = read(self._persona, self._id)
            delivered = Deliverable(type="report", path=end.run_id, description=" ".join(end.reason.split()))
            done = move(self._persona, one.id, "done", one.receiver, delivered=[*one.deliverables, delivered])
        except (MiError, OSError) as error:
            self._place.notices.add("handoff-not-settled", self._persona.root, id=self._id, reason=str(error))
            return
        recorder.append(
            Handoff(id=done.id, sender=done.sender, receiver=done.receiver, status=done.status, task=done.task)
        )
