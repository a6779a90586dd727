"""Random walks: nothing changes without its preconditions, looking is always possible, and there is a way out."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.contract import diagnostics, memory_tools, task_tools
from mi.contract.session import ContractSession, Refused
from mi.kernel.errors import MiError
from mi.kernel.home import Home

TOOLS: dict[str, tuple[Any, Any]] = {
    "memory_recent": (memory_tools.memory_recent, memory_tools.RecentInput),
    "memory_query": (memory_tools.memory_query, memory_tools.QueryInput),
    "memory_set_mode": (memory_tools.memory_set_mode, memory_tools.ModeInput),
    "memory_write": (memory_tools.memory_write, memory_tools.WriteInput),
    "memory_doctor": (diagnostics.memory_doctor, diagnostics.NoInput),
    "memory_check_task_authority": (diagnostics.memory_check_task_authority, diagnostics.NoInput),
    "task_list": (task_tools.task_list, task_tools.ListInput),
    "task_add": (task_tools.task_add, task_tools.AddInput),
    "task_complete": (task_tools.task_complete, task_tools.CompleteInput),
}
READS = ("memory_recent", "memory_doctor", "memory_check_task_authority", "task_list")
MODES = st.sampled_from(["PASSIVE", "GUARDED", "STRICT"])
TITLES = st.sampled_from(["build", "test", "ship"])
HAND = st.sampled_from([None, "- [ ] a\n- [ ] b\n", "- [x] a\n", "- [ ] a\n  - [x] b\n  - [ ] c\n", ""])
WRITES = st.sampled_from(
    [
        {"type": "note", "summary": "a note"},
        {"type": "fact", "summary": "a fact", "evidence": ["file_exists::a.py"]},
        {"type": "fact", "summary": "a fact"},
        {"type": "fact", "summary": "not so", "evidence": ["file_exists::b.py"]},
        {"type": "decision", "summary": "decided"},
        {"type": "note", "summary": "keyed", "key": "k"},
        {"type": "fact", "summary": "keyed", "key": "k", "evidence": ["file_exists::a.py"]},
        {"type": "plan", "summary": "plan", "detail": "1. a\n2. b"},
        {"type": "note", "summary": ""},
        {"type": "note", "summary": "x", "evidence": ["nonsense"]},
    ]
)


class Model:
    """What the seed asks for, as plainly as it can be said."""

    def __init__(self) -> None:
        self.recalled = False
        self.mode: str | None = None
        self.steps = 0
        self.pointer = ""

    def look_at(self, tasks: Any) -> None:
        current = tasks.find(tasks.pointer)
        if current is not None and current.id != self.pointer:
            if self.pointer and current.parent != self.pointer:
                self.recalled = False
            self.pointer = current.id

    def may_change(self, tasks: Any, *, propose: bool, steps: int = 0, task_id: str | None = None) -> bool:
        if not self.recalled or self.mode not in ("GUARDED", "STRICT"):
            return False
        if propose and not tasks.exists:
            return True
        if not tasks.exists:
            return self.mode == "GUARDED" and max(steps, self.steps) <= 1
        if not tasks.pointer:
            return False
        return self.mode == "GUARDED" or task_id is None or task_id == tasks.pointer


class Walk(RuleBasedStateMachine):
    """Random calls of one agent, and a person who edits the task file in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.root = self.folder / "project"
        self.root.mkdir()
        (self.root / "a.py").write_text("x\n", "utf-8")
        self.tasks = self.root / "tinyTasks.md"
        self.model = Model()
        self.open()

    def open(self) -> None:
        context = HomeContext(Home(str(self.folder / "home")), cd=str(self.root))
        self.session = ContractSession.open(build_contract(context), "agent", "mcp")

    def teardown(self) -> None:
        self.session.close()
        shutil.rmtree(self.folder)

    def durable(self) -> tuple[Any, ...]:
        """Everything a mutation can change."""
        thoughts = self.session.place.thoughts.files
        paths = (thoughts.claims, thoughts.nodes, thoughts.edges, str(self.tasks))
        return tuple(Path(path).read_bytes() if Path(path).exists() else None for path in paths)

    def attempt(self, tool: str, arguments: dict[str, Any], allowed: bool) -> None:
        """Make a call; it may change something only if it is allowed."""
        call, shape = TOOLS[tool]
        before, mode = self.durable(), self.session.state.mode
        refused: Refused | None = None
        done = False
        try:
            call(self.session, shape(**arguments))
            done = True
        except Refused as error:
            refused = error
        except MiError:
            pass
        assert (done and allowed) or self.durable() == before
        if refused is not None:
            assert refused.verdict.next is not None
            assert refused.verdict.checklist[0].item == "recall"
        if tool != "memory_set_mode":
            assert self.session.state.mode == mode

    @rule(query=st.sampled_from(["", "note", "a:b AND ("]))
    def recall(self, query: str) -> None:
        self.model.look_at(self.session.tasks())
        memory_tools.memory_query(self.session, memory_tools.QueryInput(query=query))
        self.model.recalled = True

    @rule(mode=MODES)
    def set_mode(self, mode: Any) -> None:
        memory_tools.memory_set_mode(self.session, memory_tools.ModeInput(mode=mode))
        if self.model.mode not in (None, mode):
            self.model.recalled = False
        self.model.mode = mode

    @rule(given=WRITES, current=st.booleans())
    def write(self, given: dict[str, Any], current: bool) -> None:
        tasks = self.session.tasks()
        task_id = tasks.pointer if current else ""
        steps = 2 if given["type"] == "plan" else 0
        if given["summary"] and "nonsense" not in given.get("evidence", ()):
            self.model.look_at(tasks)
            self.model.steps = max(self.model.steps, steps)
        allowed = self.model.may_change(tasks, propose=False, steps=steps, task_id=task_id)
        self.attempt("memory_write", given | {"task_id": task_id}, allowed)

    @rule(title=TITLES, subtasks=st.lists(TITLES, max_size=3), section=st.sampled_from(["", "S"]))
    def add(self, title: str, subtasks: list[str], section: str) -> None:
        tasks = self.session.tasks()
        self.model.look_at(tasks)
        allowed = self.model.may_change(tasks, propose=True)
        if tasks.pointer or not tasks.exists:
            self.model.steps = max(self.model.steps, len(subtasks))
        self.attempt("task_add", {"title": title, "subtasks": subtasks, "section": section}, allowed)
        self.model.look_at(self.session.tasks())

    @rule(which=st.integers(0, 3))
    def complete(self, which: int) -> None:
        tasks = self.session.tasks()
        listed = [one.id for one in tasks.tasks]
        task_id = tasks.pointer if which == 0 else listed[which % len(listed)] if listed else "tk_x"
        self.model.look_at(tasks)
        allowed = self.model.may_change(tasks, propose=False) and task_id == tasks.pointer
        self.attempt("task_complete", {"task_id": task_id or "tk_x"}, allowed)
        self.model.look_at(self.session.tasks())

    @rule(text=HAND)
    def person_edits(self, text: str | None) -> None:
        if text is None:
            self.tasks.unlink(missing_ok=True)
        else:
            self.tasks.write_text(text, "utf-8")

    @rule()
    def server_restarts(self) -> None:
        self.session.close()
        self.open()

    @invariant()
    def looking_is_always_possible(self) -> None:
        before = self.durable()
        for tool in ("task_list", "memory_doctor"):
            call, shape = TOOLS[tool]
            call(self.session, shape())
        assert self.durable() == before

    @rule()
    def following_the_next_calls_leads_out(self) -> None:
        """Whoever makes the call that a refusal names can soon write, unless only a person can open the way."""
        given: dict[str, Any] = {"type": "note", "summary": "a way out"}
        for _ in range(8):
            self.model.look_at(self.session.tasks())
            try:
                memory_tools.memory_write(self.session, memory_tools.WriteInput(**given))
                return
            except Refused as refused:
                verdict = refused.verdict
            if verdict.code in ("NO_UNCHECKED_TASK", "TASKS_UNCERTAIN"):
                for tool in READS:  # a person is needed; until then one may look
                    call, shape = TOOLS[tool]
                    call(self.session, shape())
                self.model.recalled = True
                return
            self._make(verdict.next, given)
        raise AssertionError(f"no way out: {verdict}")

    def _make(self, step: Any, given: dict[str, Any]) -> None:
        if step.tool == "memory_write":
            given.update(step.arguments)
            return
        call, shape = TOOLS[step.tool]
        call(self.session, shape(**step.arguments))
        self.model.look_at(self.session.tasks())
        if step.tool == "memory_recent":
            self.model.recalled = True
        if step.tool == "memory_set_mode":
            if self.model.mode not in (None, step.arguments["mode"]):
                self.model.recalled = False
            self.model.mode = step.arguments["mode"]
        if step.tool == "task_add":
            self.model.steps = max(self.model.steps, len(step.arguments["subtasks"]))


@pytest.mark.req(
    *("ac.gate.way-out", "tm.r6.never-guess", "ac.block.next-call", "tm.r4.all-preconditions", "ac.gate.reads-free"),
    *("tm.enforce.no-recall", "tm.enforce.no-intent", "tm.enforce.tasks-missing", "tm.enforce.none-unchecked"),
)
def test_random_walks():
    walks = settings(
        max_examples=25,
        stateful_step_count=15,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    run_state_machine_as_test(Walk, settings=walks)
