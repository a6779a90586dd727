"""Several harnesses in one tree: no update is lost, no reader sees half a file."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mi.kernel.errors import UsageError
from mi.nexus import extensions
from mi.nexus.layout import NexusLayout
from mi.nexus.store import Store
from mi.nexus.tasks import TaskAdd, TaskUpdate, add, set_targets, update
from mi.nexus.toolset import call
from tests.nexus.contract import SCHEMAS

_ADDING = """
import os, sys
os.fsync = lambda fd: None  # what is proved is the order of writes, not the disk
from mi.nexus.layout import NexusLayout
from mi.nexus.store import Store
from mi.nexus.toolset import call
store = Store(NexusLayout(sys.argv[1], sys.argv[2]))
for number in range(200):
    call(store, "task_add", {"title": f"{sys.argv[2]} {number}", "context": "c"})
"""


def still_running(worker: "subprocess.Popen[bytes]") -> bool:
    """Waits a little for its end: a reader that never rests would take the writers' time."""
    try:
        worker.wait(timeout=0.05)
    except subprocess.TimeoutExpired:
        return True
    return False


@pytest.mark.req("nx.layout.write-lock", "nx.layout.write-atomic", "nx.task-add.id")
def test_two_processes_adding_200_tasks_each_lose_none(tmp_path: Path):
    args = [sys.executable, "-c", _ADDING, str(tmp_path)]
    workers = [subprocess.Popen([*args, name], stderr=subprocess.PIPE) for name in ("mi", "other")]
    seen = 0
    while any(still_running(worker) for worker in workers):
        answer = call(Store(NexusLayout(str(tmp_path))), "task_list", {})  # never half a file, never fewer than before
        count = answer.get("summary", {}).get("total", 0)
        assert count >= seen
        seen = count
    assert [worker.communicate()[1] for worker in workers] == [b"", b""]
    tasks = json.loads((tmp_path / ".nexus/state/tasks.json").read_text("utf-8"))["tasks"]
    assert [task["id"] for task in tasks] == list(range(1, 401))
    for name in ("mi", "other"):
        assert [task["title"] for task in tasks if task["title"].startswith(name)] == [
            f"{name} {n}" for n in range(200)
        ]
    assert sorted(path.name for path in (tmp_path / ".nexus/state").iterdir()) == ["tasks.json"]


@pytest.mark.req("nx.layout.write-atomic")
def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch):
    store = Store(NexusLayout(str(tmp_path)))
    add(store, TaskAdd(title="a", context="c"))
    before = (tmp_path / ".nexus/state/tasks.json").read_bytes()

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space"):
        add(store, TaskAdd(title="b", context="c"))
    assert (tmp_path / ".nexus/state/tasks.json").read_bytes() == before
    assert [path.name for path in (tmp_path / ".nexus/state").iterdir()] == ["tasks.json"]


@pytest.mark.req(
    *("nx.pairing.targets-file", "nx.ext.task-extensions", "nxs.outputs.ext-tasks", "nx.ext.extends"),
    *("nx.ext.issue-extensions", "nx.ext.plan-id", "nxs.outputs.ext-plan", "nx.ext.no-base-fields"),
)
def test_extensions_lie_beside_the_common_files(tmp_path: Path):
    store = Store(NexusLayout(str(tmp_path)))
    call(store, "plan_start", {"topic": "t", "issues": ["q"], "research_summary": "r"})
    add(store, TaskAdd(title="a", context="c"))
    set_targets(store, 1, ["src/a.py"])
    with store.lock():
        extensions.extend_issue(store, 1, 1, {"priority": 2})
        for extend, fields in ((extensions.extend_task, {"status": "x"}), (extensions.extend_task, {"title": "x"})):
            with pytest.raises(UsageError, match="repeat"):
                extend(store, 1, fields)
        with pytest.raises(UsageError, match="decision"):
            extensions.extend_issue(store, 1, 1, {"decision": "x"})
    own = tmp_path / ".nexus/state/mi"
    assert json.loads((own / "tasks.extension.json").read_text()) == {
        "extends": "tasks.json",
        "task_extensions": {"1": {"target_files": ["src/a.py"]}},
    }
    assert json.loads((own / "plan.extension.json").read_text()) == {
        "extends": "plan.json",
        "extension_for_plan_id": 1,
        "issue_extensions": {"1": {"priority": 2}},
    }
    for code, call_it in (("nx-no-task", lambda: set_targets(store, 9, ["x"])),):
        with pytest.raises(Exception, match="Task id 9 not found") as raised:
            call_it()
        assert raised.value.code == code
    update(store, TaskUpdate(id=1, status="completed"))
    assert "target_files" not in (tmp_path / ".nexus/state/tasks.json").read_text()


@pytest.mark.req(
    *("nxs.outputs.ns-no-foreign-write", "nxs.outputs.ns-no-foreign-read", "nxs.outputs.ns-no-common-names"),
    *("nx.layout.no-root-files", "nxs.outputs.no-legacy-root", "nxs.outputs.shared-names"),
    *("nxs.outputs.shared-registration", "nxs.guide.layout-no-root-trackers"),
)
def test_another_harness_is_left_alone(tmp_path: Path):
    """What lies in its folder is no JSON at all: whoever read it would fail."""
    from mi.kernel.config.types import MemoryGc
    from mi.nexus.memory_gc import find_stale
    from mi.nexus.session_event import handle

    other = tmp_path / ".nexus/state/other"
    other.mkdir(parents=True)
    for name in ("agent-tracker.json", "memory-access.jsonl", "tasks.extension.json"):
        (other / name).write_text("not for us", "utf-8")
    before = {path.name: path.read_bytes() for path in other.iterdir()}
    memory = tmp_path / ".nexus/memory"
    memory.mkdir()
    (memory / "a-b.md").write_text("x", "utf-8")
    for event, params in (
        ("session_start", {}),
        ("subagent_spawn", {"agent_name": "engineer", "agent_id": "a"}),
        ("post_tool_use", {"tool": "Read", "tool_input": {"file_path": ".nexus/memory/a-b.md"}}),
        ("subagent_complete", {"agent_id": "a"}),
        ("session_end", {}),
    ):
        handle(str(tmp_path), event, {"params": params}, "mi")
    store = Store(NexusLayout(str(tmp_path)))
    call(store, "plan_start", {"topic": "t", "issues": [], "research_summary": ""})
    call(store, "task_add", {"title": "a", "context": "c"})
    call(store, "task_close", {})
    find_stale(store, MemoryGc())
    assert {path.name: path.read_bytes() for path in other.iterdir()} == before
    state = tmp_path / ".nexus/state"
    assert {path.name for path in state.iterdir()} == {"artifacts", "mi", "other"}
    assert {path.name for path in (state / "mi").iterdir()} == {"agent-tracker.json", "memory-access.jsonl"}


_KILLED = """
import os, signal, sys
from mi.nexus.layout import NexusLayout
from mi.nexus.store import Store
from mi.nexus.toolset import call

left, real = int(sys.argv[1]), os.unlink

def unlink(path, **more):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    real(path, **more)

os.unlink = unlink
call(Store(NexusLayout(sys.argv[2])), "task_close", {})
"""


@pytest.mark.parametrize("removed", range(4))
def test_a_close_that_was_killed_is_finished_by_the_next_one(tmp_path: Path, removed: int):
    """The history is written, and so many of the four files are removed: the cycle is archived once all the same."""
    store = Store(NexusLayout(str(tmp_path)))
    call(store, "plan_start", {"topic": "t", "issues": ["a"], "research_summary": ""})
    call(store, "task_add", {"title": "a", "context": "c"})
    with store.lock():
        extensions.extend_issue(store, 1, 1, {"note": "of the issue"})
        extensions.extend_task(store, 1, {"note": "of the task"})
    done = subprocess.run([sys.executable, "-c", _KILLED, str(removed), str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    (cycle,) = store.cycles()
    answer = call(store, "task_close", {})
    assert store.cycles() == [cycle]
    assert (answer["cycle"], answer["total_cycles"]) == (cycle["completed_at"], 1)
    assert answer["archived"] == {"plan": True, "decisions": 0, "tasks": 1}
    own = json.loads(Path(store.place.extension("history")).read_text("utf-8"))["cycle_extensions"]
    assert own == [
        {
            "completed_at": cycle["completed_at"],
            "issue_extensions": {"1": {"note": "of the issue"}},
            "task_extensions": {"1": {"note": "of the task"}},
        }
    ]
    assert (store.plan(), store.tasks()) == (None, None)


def test_cycles_that_read_the_same_are_two(tmp_path: Path):
    """Tasks that say nowhere when they were made, closed twice, were worked on twice."""
    store = Store(NexusLayout(str(tmp_path)))
    tasks = {"goal": "g", "decisions": [], "tasks": [{"id": 1, "title": "a", "context": "c", "status": "completed"}]}
    for count in (1, 2):
        Path(store.place.tasks).parent.mkdir(parents=True, exist_ok=True)
        Path(store.place.tasks).write_text(json.dumps(tasks), "utf-8")
        assert call(store, "task_close", {})["total_cycles"] == count
    assert call(store, "task_close", {})["total_cycles"] == 3  # nothing active makes an empty cycle
    assert call(store, "task_close", {})["total_cycles"] == 4


@pytest.mark.req(
    *("nx.layout.state-not-committed", "nxs.outputs.tracker-untracked", "nxs.outputs.access-untracked"),
    *("nxs.outputs.artifacts-ephemeral", "nxs.layout.memory-tracked", "nx.layout.context-dir", "nx.layout.rules-dir"),
    *(
        "nxs.guide.life-tracker",
        "nxs.guide.life-tool-log",
        "nxs.layout.history-append-only",
        "nxs.guide.life-tasks-created",
    ),
)
def test_git_sees_history_and_knowledge_and_no_state(repository):
    from mi.nexus.session_event import handle
    from tests.conftest import git

    root = repository()
    store = Store(NexusLayout(str(root)))
    handle(str(root), "session_start", {}, "mi")
    for folder in ("memory", "context", "rules"):
        (root / f".nexus/{folder}/a-b.md").write_text("x", "utf-8")
    handle(str(root), "post_tool_use", {"params": {"tool": "Read", "file": ".nexus/memory/a-b.md"}}, "mi")
    call(store, "plan_start", {"topic": "t", "issues": [], "research_summary": ""})
    call(store, "artifact_write", {"filename": "a.md", "content": "x"})
    call(store, "task_close", {})
    call(store, "task_add", {"title": "a", "context": "c"})
    git(root, "add", "-A")
    staged = git(root, "diff", "--cached", "--name-only").splitlines()
    kept = [".gitignore", "context/a-b.md", "history.json", "memory/a-b.md", "rules/a-b.md"]
    assert staged == [f".nexus/{name}" for name in kept]
    assert (root / ".nexus/state/mi/memory-access.jsonl").exists()


@pytest.mark.req("nx.state.schemas-generated", "nx.state.schemas-shipped", "nxs.access-schema.shipped")
def test_the_shipped_schemas_are_those_of_the_types():
    from mi.nexus import schemas

    made = schemas.render_schemas()
    assert {name: Path(schemas.FOLDER, name).read_bytes() for name in made} == made
    assert (SCHEMAS / "memory-access.schema.json").exists()
    assert all(json.loads(data)["$schema"].endswith("2020-12/schema") for data in made.values())
