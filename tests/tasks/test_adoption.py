"""`mi task` over both stores, and the way from one to the other."""

import json
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from mi.kernel.errors import NotFound, UsageError
from mi.nexus.layout import NexusLayout
from mi.nexus.state import Tasks
from mi.nexus.store import Store
from mi.tasks.adoption import adopt_tasks
from mi.tasks.authority import find_authority
from mi.tasks.task_list import NewTask, TaskRun
from mi.tasks.tinytasks_file import TinyTasks
from tests.conftest import MI
from tests.terminals import Terminal

TEXT = """\
# Tasks — Ship

- [x] think
- [ ] build it
  - context: with make
  - acceptance: make test passes
  - [x] one
  - [ ] two
prose stays
- [ ] rest
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "tinyTasks.md").write_text(TEXT, "utf-8")
    return made


def tiny(root: Path, notices) -> TinyTasks:
    return TinyTasks(str(root), str(root.parent / "state"), notices)


@pytest.mark.req("one.list.adopt")
def test_open_tasks_are_carried_over_with_what_is_known_about_them(root: Path, notices):
    tiny_tasks, folder = tiny(root, notices), str(root.parent / "state")
    before = tiny_tasks.look()
    tiny_tasks.note_run(before.pointer, TaskRun(run_id="run_1", status="blocked", reason="asked"))
    adopted = adopt_tasks(tiny_tasks, Store(NexusLayout(str(root))), folder)
    assert adopted.carried == 4
    assert Path(adopted.copy).read_text("utf-8") == TEXT
    assert (root / "tinyTasks.md").read_text("utf-8") == "# Tasks — Ship\n\n- [x] think\nprose stays\n"
    after = find_authority(str(root), tiny_tasks).look()
    assert (after.authority, after.goal) == (".nexus/state/tasks.json", "Ship")
    assert [(one.title, one.checked) for one in after.tasks] == [
        *(("build it", False), ("one", True), ("two", False), ("rest", False)),
    ]
    build, _, two, _ = after.tasks
    assert (build.context, build.acceptance, two.run) == (
        *("with make", "make test passes"),
        TaskRun(run_id="run_1", status="blocked", reason="asked"),
    )
    assert after.pointer == two.id
    own = json.loads((root / ".nexus/state/mi/tasks.extension.json").read_text("utf-8"))["task_extensions"]
    assert own[two.id]["adopted_id"] == before.pointer
    msgspec.json.decode((root / ".nexus/state/tasks.json").read_bytes(), type=Tasks)


def test_a_move_that_was_killed_between_the_files_carries_nothing_twice(root: Path, notices):
    tiny_tasks, store = tiny(root, notices), Store(NexusLayout(str(root)))
    adopt_tasks(tiny_tasks, store, str(root.parent / "state"))
    (root / "tinyTasks.md").write_text(TEXT, "utf-8")
    assert adopt_tasks(tiny_tasks, store, str(root.parent / "state")).carried == 0
    found = store.tasks()
    assert found is not None
    assert len(found.tasks) == 4
    with pytest.raises(NotFound, match="no open task"):
        adopt_tasks(tiny_tasks, store, str(root.parent / "state"))


@pytest.mark.req("one.list.fields")
def test_what_tiny_tasks_has_no_place_for_is_refused(root: Path, notices):
    tiny_tasks = tiny(root, notices)
    with pytest.raises(UsageError, match="mi task adopt"):
        tiny_tasks.add(tiny_tasks.look(), NewTask("x", deps=["tk_1"]))


@pytest.mark.req("one.list.fields", "one.list.one", "one.list.adopt")
def test_a_person_uses_one_list_under_both_names(mi, tmp_path: Path):
    """At a terminal of their own: the contract is for agents."""
    work = tmp_path / "work"

    def typed(*words: str, code: int = 0) -> str:
        with closing(Terminal([str(MI), *words], work)) as terminal:
            return terminal.finish(code)

    typed("task", "add", "Ship it", "--subtask", "build", "--acceptance", "make test passes")
    typed("nexus", "task", "add", "Rest", "--context", "after work", "--owner", "ana")
    assert (work / "tinyTasks.md").read_text("utf-8") == (
        "# Tasks — Ship it\n\n- [ ] Ship it\n  - acceptance: make test passes\n  - [ ] build\n"
        "- [ ] Rest\n  - context: after work\n  - owner: ana\n"
    )
    assert "Rest" in mi("nexus", "task", "list").stdout
    assert "mi task adopt" in mi("nexus", "task", "update", "1", "completed").stderr
    assert "3 tasks moved" in typed("task", "adopt")
    typed("task", "add", "More", "--dep", "3", "--context", "c")
    tasks = json.loads(mi("nexus", "task", "list", "--json").stdout)["tasks"]
    assert [task["title"] for task in tasks] == ["Ship it", "build", "Rest", "More"]
    assert (tasks[0]["acceptance"], tasks[0]["deps"], tasks[3]["deps"]) == ("make test passes", [2], [3])
    assert "there is no task '9'" in typed("task", "add", "x", "--dep", "9", code=1)
    assert "its ids are numbers" in typed("task", "add", "x", "--dep", "nine", code=2)


@pytest.mark.req("one.list.adopt")
def test_a_move_that_was_killed_before_the_tasks_were_written_loses_none(root: Path, notices, monkeypatch):
    tiny_tasks, store, folder = tiny(root, notices), Store(NexusLayout(str(root))), str(root.parent / "state")
    save = store.save

    def killed(path: str, value: object, shape: object = None) -> None:
        if path == store.place.tasks:
            raise KeyboardInterrupt
        save(path, value, shape)

    monkeypatch.setattr(store, "save", killed)
    with pytest.raises(KeyboardInterrupt):
        adopt_tasks(tiny_tasks, store, folder)
    assert (root / "tinyTasks.md").read_text("utf-8") == TEXT
    monkeypatch.undo()
    assert adopt_tasks(tiny_tasks, store, folder).carried == 4
    found = store.tasks()
    assert found is not None
    assert [task.title for task in found.tasks] == ["build it", "one", "two", "rest"]


@pytest.mark.req("one.list.adopt")
def test_a_second_move_keeps_the_first_copy_and_carries_a_finished_task_once_more(root: Path, notices):
    tiny_tasks, store, folder = tiny(root, notices), Store(NexusLayout(str(root))), str(root.parent / "state")
    first = adopt_tasks(tiny_tasks, store, folder)
    nexus = find_authority(str(root), tiny_tasks)
    nexus.complete(nexus.look(), "4")
    (root / "tinyTasks.md").write_text("- [ ] rest\n", "utf-8")
    second = adopt_tasks(tiny_tasks, store, folder)
    assert second.carried == 1
    assert [(one.title, one.checked) for one in nexus.look().tasks][3:] == [("rest", True), ("rest", False)]
    assert Path(first.copy).read_text("utf-8") == TEXT
    assert Path(second.copy).read_text("utf-8") == "- [ ] rest\n"


ANOTHER_WRITER = {
    '\ufeff{"goal": "g", "tasks": [{"id": 1, "title": "a"}]}': ("1  a", ""),
    '{"goal": "g", "tasks": [{"id": "1", "title": "a", "deps": null}, {"id": "2", "deps": ["1"]}]}': ("1  a", ""),
    '{"goal": "g", "tasks": [{"id": "T-1", "title": "a"}]}': ("", "without a usable `id`"),
    '{"goal": "g", "tasks": [{"id": 99999999999999999999999, "title": "a"}]}': ("99999999999999999999999  a", ""),
    '{"goal": "g", "tasks": [{"id": 1, "status": "completed"}, {"id": 1}]}': ("", "two tasks have the id 1"),
    "[]": ("", "malformed"),
    "": ("", "malformed"),
}


@pytest.mark.req("one.list.one", "one.list.status")
@pytest.mark.parametrize("text", ANOTHER_WRITER)
def test_a_list_of_another_writer_is_shown_as_it_can_be_changed_or_not_at_all(mi, tmp_path: Path, text: str):
    work = tmp_path / "work"
    (work / ".nexus/state").mkdir(parents=True)
    path = work / ".nexus/state/tasks.json"
    path.write_text(text, "utf-8")
    expected, problem = ANOTHER_WRITER[text]
    shown = mi("task", "next").stdout
    with closing(Terminal([str(MI), "task", "add", "more"], work)) as terminal:
        said = " ".join(terminal.finish(2 if problem else 0).split())
    if not problem:
        assert shown == f"{expected}\n"
        assert json.loads(path.read_text("utf-8"))["tasks"][-1]["title"] == "more"
        return
    assert problem in shown
    assert problem in said
    assert path.read_text("utf-8") == text
