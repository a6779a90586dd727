"""The queue: what the person wrote down for later, and what they took out again."""

from msgspec import Struct

from mi.evidence.records.base import Record, Say


class QueuedRun(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A task that a worker takes up, and the run that it becomes."""

    run_id: str
    task: str
    root: str = ""  # of the person's own tree
    agent: str = ""
    priority: int = 0
    not_before: float = 0.0  # seconds since the epoch
    after: list[str] = []
    lock: str = ""
    list_task: str = ""
    options: str = ""  # what else the run was asked for, as JSON


class TasksQueued(Record, frozen=True, kw_only=True, tag="tasks_queued"):
    """The person queues tasks; written before they are in the queue."""

    said_by = "person"
    is_landmark = True

    tasks: list[QueuedRun] = []

    def headline(self, say: Say = str) -> str:
        return "; ".join(f"{one.run_id} {one.task}" for one in self.tasks[:3])


class QueueCancelled(Record, frozen=True, kw_only=True, tag="queue_cancelled"):
    """The person takes tasks out of the queue."""

    said_by = "person"
    is_landmark = True

    run_ids: list[str] = []

    def headline(self, say: Say = str) -> str:
        return " ".join(self.run_ids)
