"""One client's session: its state, its project, and the gate in front of every mutation it makes."""

import os
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from mi.contract import gate
from mi.contract import state as states
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.base import Record
from mi.evidence.records.governed import CheckItem, Gate, Violation
from mi.kernel import ids
from mi.kernel.config.types import Contract as Settings
from mi.kernel.errors import Blocked
from mi.kernel.messages import text as message
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.tasks.authority import find_authority
from mi.tasks.task_list import TaskList, TaskStore
from mi.tasks.tinytasks_file import TinyTasks

if TYPE_CHECKING:  # a hook judges an edit without any of it
    from mi.contract.always_recalled import Shelf
    from mi.contract.fact_evidence import Checker
    from mi.contract.fact_recheck import FactRecheck
    from mi.contract.fact_status import Truths
    from mi.knowledge.search.backend import Hit, Query
    from mi.knowledge.search.documents import Document
    from mi.knowledge.thoughts.store import ThoughtStore
    from mi.knowledge.thoughts.stores import CombinedStores

Boundary = Literal["mcp", "cli", "hook"]
# What an agent must not even try; other refusals are no misconduct (no evidence found, another authority …).
_VIOLATIONS = frozenset(
    """RECALL_REQUIRED MODE_NOT_SET MODE_TOO_LOW TASKS_REQUIRED TASKS_UNVERIFIED NO_UNCHECKED_TASK TASK_NOT_CURRENT
    TASK_REDEFINED TASK_SKIPPED TASK_REORDERED EVIDENCE_REQUIRED RATIONALE_REQUIRED""".split()
)


def allow(request: gate.MutationRequest) -> gate.Permission:
    """Return the answer where no rules were given."""
    return gate.Permission()


class ContractPlace(NamedTuple):
    """The project a session works on, and what it works with; handed in from above."""

    root: str
    folder: str  # projects/<id>/contract
    log: str
    open_log: Callable[[], EvidenceWriter]
    thoughts: "ThoughtStore"
    read_thoughts: "Callable[[], CombinedStores]"
    search: "Callable[[Query], list[Hit]]"
    project_id: str
    settings: Callable[[], Settings]
    notices: Notices
    language: str = "en"
    permission: Callable[[gate.MutationRequest], gate.Permission] = allow
    team: "TeamKnowledge | None" = None  # what the team wrote down in files


class TeamKnowledge(Protocol):
    """What the team wrote down: what must be known whatever is asked, and which documents bind here."""

    unseen: int  # how many more must be known than were looked at

    def find_binding(self, documents: "Iterable[Document]") -> frozenset[str]:
        """Return the ids of those that bind here."""
        ...

    def list_binding(self) -> "list[Document]": ...

    def list_always_known(self) -> "list[Document]": ...

    def list_newest(self, count: int) -> "list[Document]": ...

    def stamp(self, shown: Iterable[str] = ()) -> int:
        """Return what changes whenever something that must be known could; what is shown is looked at itself."""
        ...


class Refused(Blocked):
    """The gate said no: which rule, the whole checklist, and the next call that is allowed."""

    def __init__(self, verdict: gate.GateVerdict, details: str = "", proposal: str = "") -> None:
        super().__init__("refused", code=verdict.code, why=details or verdict.detail)
        self.verdict = verdict
        self.why = details or verdict.detail
        self.proposal = proposal  # the question in the inbox that this refusal left

    def line(self, language: str = "en") -> str:
        said = message("gate." + self.verdict.code, language, why=self.why)
        return f"{self.verdict.code}: {said}"

    def told(self) -> dict[str, Any]:
        """Return the checklist, what of it is missing, and the next call, as every door shows them."""
        shown: dict[str, Any] = msgspec.to_builtins(self.verdict._asdict())
        missing = [one.item for one in self.verdict.checklist if not one.done]
        found = {"checklist": shown["checklist"], "missing": missing, "next": shown["next"]}
        return found | ({"proposal": self.proposal} if self.proposal else {})


class ContractSession:
    """What one client may do, and what it did."""

    def __init__(
        self, place: ContractPlace, state: states.StateFile, boundary: Boundary, *, person: bool = False
    ) -> None:
        self.place = place
        self.state_file = state
        self.boundary = boundary
        self.person = person
        self.written = 0  # memories, by this session
        self._shelf: Shelf | None = None

    @classmethod
    def open(
        cls, place: ContractPlace, client: str, boundary: Boundary, *, wait: bool = False, person: bool = False
    ) -> "ContractSession":
        """Return the session of a client, with the state that an earlier one in the same slot left."""
        return cls(place, states.take_slot(place.folder, client, place.notices, wait=wait), boundary, person=person)

    @property
    def name(self) -> str:
        """Client and slot."""
        return self.state_file.name

    @property
    def state(self) -> states.SessionState:
        return self.state_file.read()

    @cached_property
    def log(self) -> EvidenceWriter:
        """Everything the session does is written under one run id."""
        return self.place.open_log()

    @cached_property
    def tiny_tasks(self) -> TinyTasks:
        return TinyTasks(self.place.root, self.place.folder, self.place.notices)

    @cached_property
    def truths(self) -> "Truths":
        from mi.contract.fact_status import Truths

        return Truths(self.place.log, os.path.join(self.place.folder, "facts.sqlite"))

    @cached_property
    def fact_recheck(self) -> "FactRecheck":
        from mi.contract.fact_recheck import FactRecheck

        return FactRecheck()

    @property
    def checker(self) -> "Checker":
        from mi.contract.fact_evidence import Checker

        return Checker(self.place.root, self.place.settings().evidence)

    def tasks(self) -> TaskList:
        """Return the tasks, from the one authority there is."""
        return self.task_store().look()

    def task_store(self) -> TaskStore:
        """Return where the project keeps its tasks now."""
        return find_authority(self.place.root, self.tiny_tasks)

    def shelf(self, thoughts: "CombinedStores") -> "Shelf":
        """Return what is always recalled; filled anew when it could have changed."""
        from mi.contract.always_recalled import fill_shelf, stamp_of

        stamp = stamp_of(self, thoughts, self._shelf)
        if self._shelf is None or self._shelf.stamp != stamp:
            self._shelf = fill_shelf(self, thoughts, stamp)
        return self._shelf

    def close(self) -> None:
        """Let go of the slot and of what is open."""
        self.state_file.close()
        if "truths" in self.__dict__:
            self.truths.close()

    def append(self, record: Record, *, sync: bool = False) -> str:
        """Write an event; returns its id."""
        return self.log.append(record, sync=sync).event_id

    def judge(self, request: gate.MutationRequest) -> gate.GateVerdict:
        """Return what the gate says now; the pointer is taken from the task file first."""
        tasks = self.sync_pointer()
        settings = self.place.settings()
        limits = (settings.receipt_max_age_s, self.place.permission(request), settings.least_mode)
        moment = gate.GateMoment(time.time(), *limits)
        return gate.decide(request._replace(person=self.person), self.state, tasks, moment)

    def sync_pointer(self) -> TaskList:
        """Take over which task is current; returns the tasks."""
        tasks = self.tasks()
        current = tasks.find(tasks.pointer)
        if current is not None and not self.person:
            self.state_file.update(lambda old: states.set_pointer(old, current.id, current.parent))
        return tasks

    def pass_gate(self, request: gate.MutationRequest) -> gate.GateVerdict:
        """Let a mutation through, or raise Refused and keep a record of it."""
        if request.steps > 1:
            self.state_file.update(lambda old: states.set_steps(old, request.steps))
        verdict = self.judge(request)
        if not verdict.passed:
            raise self.refusal(verdict, request)
        return verdict

    def refusal(
        self,
        verdict: gate.GateVerdict,
        request: gate.MutationRequest,
        details: str = "",
        proposal: str = "",
        *,
        misconduct: bool = True,
    ) -> Refused:
        """Record that a mutation was refused, and whether it should not have been tried; returns what to raise."""
        why = details or verdict.detail
        self._record(verdict, request, "blocked", why)
        if verdict.code in _VIOLATIONS and misconduct and not self.person:
            self.violation(verdict.code, request.tool, "blocked", why)
        self.state_file.update(lambda old: states.count_call(old, "blocked"))
        return Refused(verdict, why, proposal)

    def refuse(self, code: gate.Code, request: gate.MutationRequest, details: str, passed: gate.GateVerdict) -> Refused:
        """Return a refusal for a reason that shows only after the gate let the request through."""
        return self.refusal(self.fail_verdict(code, request, details, passed), request, details)

    def fail_verdict(
        self, code: gate.Code, request: gate.MutationRequest, details: str, passed: gate.GateVerdict
    ) -> gate.GateVerdict:
        """Return a verdict that passed as one that does not, for a reason that shows only now."""
        checks = tuple(
            msgspec.structs.replace(one, done=False, detail=details) if one.rule == _RULE_OF.get(code, "") else one
            for one in passed.checklist
        )
        return gate.GateVerdict(code, checks, gate.suggest_call(code, request, self.tasks()), details)

    def protected(self, request: gate.MutationRequest, path: str) -> Refused:
        """Return a file that no tool of an agent's may change: record the refusal; returns what to raise."""
        verdict = gate.GateVerdict(
            "PROTECTED_FILE", self.judge(request).checklist, gate.AllowedCall(tool="task_list"), path
        )
        self.violation(verdict.code, request.tool, "blocked", path)
        return self.refusal(verdict, request, path)

    def violation(self, code: str, tool: str, outcome: str, details: str) -> str:
        """Record a violation for the audit; returns its id."""
        violation_id = ids.make_id("vi")
        mode = self.state.mode or ""
        self.append(
            Violation(
                id=violation_id,
                code=code,
                boundary=self.boundary,
                mode=mode,
                outcome=outcome,
                details=details,
                tool=tool,
                client=self.name,
            )
        )
        self.state_file.update(lambda old: states.count_violation(old, violation_id, code))
        return violation_id

    def passed(self, verdict: gate.GateVerdict, request: gate.MutationRequest, details: str) -> str:
        """Record that a mutation was made; returns the event's id."""
        event_id = self._record(verdict, request, "done", details)
        self.state_file.update(lambda old: states.count_call(old, "mutations"))
        return event_id

    def _record(self, verdict: gate.GateVerdict, request: gate.MutationRequest, outcome: str, details: str) -> str:
        checks = [CheckItem(item=one.item, done=one.done, detail=one.detail) for one in verdict.checklist]
        return self.append(
            Gate(
                code=verdict.code,
                tool=request.tool,
                checklist=checks,
                client=self.name,
                mode=self.state.mode or "",
                task_id=self.state.pointer,
                boundary=self.boundary,
                outcome=outcome,
                details=details,
            )
        )


_RULE_OF = {
    **dict.fromkeys(("EVIDENCE_FAILED", "EVIDENCE_UNCERTAIN", "KEY_HOLDS_FACT"), "R5"),
    **dict.fromkeys(("TASK_REDEFINED", "TASK_SKIPPED", "TASK_REORDERED", "NO_UNCHECKED_TASK"), "R3"),
}
