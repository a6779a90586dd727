"""The task tools: the file is the authority; what an agent may change in it, and what a person opens."""

import json
from pathlib import Path

import pytest

from mi.contract.memory_tools import WriteInput, memory_write
from mi.contract.proposals import apply_answer, is_yes
from mi.contract.session import Refused
from mi.contract.task_tools import (
    AddInput,
    CompleteInput,
    ListInput,
    UpdateInput,
    task_add,
    task_complete,
    task_list,
    task_update,
)
from mi.evidence.inbox import list_waiting
from mi.kernel.config.types import Contract, ContractTasks
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.tasks.task_list import Conflict, NewTask
from mi.tasks.tinytasks_file import TinyTasks
from tests.contract.conftest import add, code_of, mode, ready, recall, write

DONE = "# Tasks — x\n\n- [x] a\n"


def complete(session, task_id: str = ""):
    recall(session)
    return task_complete(session, CompleteInput(task_id=task_id or session.tasks().pointer))


def ids(session) -> dict[str, str]:
    return {one.title: one.id for one in task_list(session, ListInput()).tasks}


@pytest.mark.req(
    *("tm.r2.create-via-task-add", "ac.tasks.create-proposal", "tm.tmpl.one-step", "tm.tools.tasks-file"),
    *(
        "ac.tool.task-add",
        "ac.tool.task-add-title",
        "ac.tool.task-list",
        "ac.tool.task-complete",
        "tm.def.single-source",
    ),
    *("ac.tool.task-complete-task-id", "ac.tasks.only-authority", "tm.def.mutation-tasks", "ac.tasks.verify-proceed"),
    *("tm.r2.verify-declined", "tm.r2.never-block", "ac.state.pointer-field", "tm.tmpl.unchecked-authorised"),
)
def test_a_list_is_proposed_worked_on_and_finished(session, project):
    ready(session)
    added = add(session, "Ship it", "build", "test")
    assert project.tasks.read_text("utf-8") == "# Tasks — Ship it\n\n- [ ] Ship it\n  - [ ] build\n  - [ ] test\n"
    assert project.tasks.stat().st_mode & 0o777 == 0o644
    assert (added.pointer, added.remaining, added.awaiting) == (added.subtask_ids[0], 2, "")
    assert write(session).id
    assert session.state.pointer == added.pointer
    first = complete(session)
    assert (first.pointer, first.remaining) == (added.subtask_ids[1], 1)
    second = complete(session)
    assert (second.pointer, second.remaining) == ("", 0)
    assert project.tasks.read_text("utf-8") == "# Tasks — Ship it\n\n- [x] Ship it\n  - [x] build\n  - [x] test\n"
    listed = task_list(session, ListInput())
    assert (listed.authority, listed.exists, listed.goal, listed.pointer) == ("tinyTasks.md", True, "Ship it", "")
    assert [one.checked for one in listed.tasks] == [True, True, True]


@pytest.mark.req("ac.tasks.ids-content", "ac.tasks.ids-kept", "ac.tasks.ids-insert")
def test_ids_stay_with_their_tasks(session, opened, project):
    project.tasks.write_text("- [ ] a\n  - [ ] x\n- [ ] b\n  - [ ] x\n- [ ] write the docs\n", "utf-8")
    before = [one.id for one in task_list(session, ListInput()).tasks]
    assert len(set(before)) == 5
    project.tasks.write_text("- [ ] new\n- [ ] b\n  - [ ] x\n- [x] a\n  - [ ] x\n- [ ] write all the docs\n", "utf-8")
    after = {(one.title, one.parent): one.id for one in task_list(session, ListInput()).tasks}
    a, ax, b, bx, docs = before
    assert (after["a", ""], after["b", ""], after["x", a], after["x", b]) == (a, b, ax, bx)
    assert after["write all the docs", ""] == docs
    assert after["new", ""] not in before
    assert ids(opened("other")) == ids(session)
    Path(session.place.folder, "tasks.json").unlink()
    assert ids(session)["a"] == a  # by the same words


def test_ids_of_equal_titles_differ_and_last(session, project):
    project.tasks.write_text("- [ ] a\n- [ ] a\n- [ ] a\n", "utf-8")
    first = [one.id for one in task_list(session, ListInput()).tasks]
    assert len(set(first)) == 3
    project.tasks.write_text("- [x] a\n- [ ] a\n- [ ] a\n- [ ] b\n", "utf-8")
    assert [one.id for one in task_list(session, ListInput()).tasks][:3] == first


@pytest.mark.req("ac.tasks.skip-violation", "tm.r3.no-skip", "tm.r3.no-invented-progress")
def test_no_task_is_skipped(session, project):
    ready(session)
    added = add(session, "Ship it", "build", "test")
    before = project.tasks.read_bytes()
    assert code_of(lambda: complete(session, added.subtask_ids[1])) == "TASK_SKIPPED"
    for wrong in ("tk_nothing", "", "x" * 101):
        with pytest.raises((NotFound, UsageError)):
            task_complete(session, CompleteInput(task_id=wrong))
    with pytest.raises(UsageError, match="when its subtasks are"):
        complete(session, added.task_id)
    assert project.tasks.read_bytes() == before
    complete(session)
    with pytest.raises(UsageError, match="done already"):
        complete(session, added.subtask_ids[0])
    assert [one.code for one in project.events("violation")] == ["TASK_SKIPPED"]


@pytest.mark.req("ac.tasks.reorder-violation", "tm.r3.no-reorder")
def test_no_task_is_put_before_the_current_one(session, project):
    project.tasks.write_text("## A\n\n- [x] a\n\n## B\n\n- [ ] b\n", "utf-8")
    ready(session)
    assert code_of(lambda: add(session, "new", section="A")) == "TASK_REORDERED"
    assert [one.code for one in project.events("violation")] == ["TASK_REORDERED"]
    add(session, "later", section="B")
    add(session, "last", section="C")
    assert project.tasks.read_text("utf-8").endswith("- [ ] b\n- [ ] later\n\n## C\n\n- [ ] last\n")
    assert list(ids(session)) == ["a", "b", "later", "last"]


@pytest.mark.req(
    *("ac.code.task-redefined", "ac.tool.update-retitle-own", "ac.tool.update-adds-subtasks", "tm.r3.no-redefine"),
    *("ac.tasks.redefine-violation", "ac.tool.task-update", "ac.tool.task-update-task-id"),
    *("ac.tool.task-update-title", "ac.tool.task-update-subtasks"),
)
def test_whose_words_they_are(session, opened, project):
    def retitle(by, task_id: str, title: str = "other words"):
        return code_of(lambda: task_update(by, UpdateInput(task_id=task_id, title=title)))

    ready(session)
    added = add(session, "Ship it", "build", "test")
    build, test = added.subtask_ids
    assert retitle(session, build, "build it") == "ok"
    assert ids(session)["build it"] == build
    assert retitle(session, build, "build it all") == "ok"
    other = ready(opened("other"))
    assert retitle(other, test) == "TASK_REDEFINED"
    # A person edited it, ticked it, or wrote it: no longer the session's own.
    text = project.tasks.read_text("utf-8")
    project.tasks.write_text(text.replace("[ ] test", "[ ] test it") + "- [ ] by hand\n", "utf-8")
    assert retitle(session, test) == "TASK_REDEFINED"
    assert retitle(session, ids(session)["by hand"]) == "TASK_REDEFINED"
    complete(session)
    recall(session)
    assert retitle(session, build) == "TASK_REDEFINED"
    assert retitle(session, added.task_id) == "TASK_REDEFINED"
    assert {one.code for one in project.events("violation")} == {"TASK_REDEFINED"}
    # Subtasks: of open tasks, at the end, two levels only.
    hand = ids(session)["by hand"]
    done = task_update(session, UpdateInput(task_id=hand, subtasks=["x", "y"]))
    assert project.tasks.read_text("utf-8").endswith("- [ ] by hand\n  - [ ] x\n  - [ ] y\n")
    assert len(done.subtask_ids) == 2
    with pytest.raises(UsageError, match="two levels"):
        task_update(session, UpdateInput(task_id=done.subtask_ids[0], subtasks=["z"]))
    with pytest.raises(UsageError, match="title or subtasks"):
        task_update(session, UpdateInput(task_id=hand))


def test_a_finished_task_is_not_reopened(session, project):
    project.tasks.write_text("- [x] a\n- [ ] b\n", "utf-8")
    ready(session)
    refused = code_of(lambda: task_update(session, UpdateInput(task_id=ids(session)["a"], subtasks=["more"])))
    assert refused == "TASK_REDEFINED"


@pytest.mark.req(
    *("ac.tasks.none-add-code", "ac.tasks.none-add-inbox", "ac.tasks.none-legal-calls", "tm.enforce.none-unchecked"),
    *("ac.tasks.open-by-answer", "tm.r3.none-unchecked-stop"),
)
@pytest.mark.parametrize(("answer", "opens"), [("yes", True), ("好的", True), ("no, later", False)])
def test_after_the_last_task_a_person_decides(mi, session, project, answer, opens):
    project.tasks.write_text(DONE, "utf-8")
    ready(session)
    assert code_of(lambda: write(session)) == "NO_UNCHECKED_TASK"
    refusals = []
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            add(session, "More", "x", "y")
        refusals.append(refused.value)
    assert {one.verdict.code for one in refusals} == {"NO_UNCHECKED_TASK"}
    assert project.tasks.read_text("utf-8") == DONE
    (found,), _ = list_waiting(project.home, project.context.evidence_index, {}, project.context.notices)
    assert {one.proposal for one in refusals} == {found.item.id}
    assert "- More\n  - x\n  - y" in found.item.question
    assert found.item.kind == "proposal"
    assert (found.item.project_root, [one.key for one in found.item.options]) == (str(project.root), ["yes", "no"])
    assert found.item.default == "no task is added"
    assert [one.code for one in project.events("violation")] == ["NO_UNCHECKED_TASK"]  # the write; asking is none
    recall(session)
    mode(session, "STRICT")
    done = json.loads(mi("answer", found.item.id, answer, "--json").stdout)
    assert done["tasks"] == ("added" if opens else "declined")
    recall(session)
    more = "- [ ] More\n  - [ ] x\n  - [ ] y\n"
    assert project.tasks.read_text("utf-8") == DONE + (more if opens else "")
    code = code_of(lambda: write(session, task_id=session.tasks().pointer))
    assert code == ("ok" if opens else "NO_UNCHECKED_TASK")
    assert list_waiting(project.home, project.context.evidence_index, {}, project.context.notices) == ([], True)


@pytest.mark.req("ac.tasks.open-by-file")
def test_a_person_opens_the_way_in_the_file(session, project):
    project.tasks.write_text(DONE, "utf-8")
    ready(session)
    assert code_of(lambda: write(session)) == "NO_UNCHECKED_TASK"
    project.tasks.write_text(DONE + "- [ ] b\n", "utf-8")
    assert write(session).id


@pytest.mark.req("ac.tasks.open-by-task-add", "ac.tasks.task-add-terminal")
def test_a_person_adds_completes_and_rewords_as_they_like(opened, session, project):
    project.tasks.write_text(DONE, "utf-8")
    person = opened("person", person=True)
    added = add(person, "b", "x", "y")
    task_complete(person, CompleteInput(task_id=added.subtask_ids[1]))
    task_update(person, UpdateInput(task_id=added.task_id, title="c"))
    add(person, "first", section="Before")
    assert project.tasks.read_text("utf-8") == DONE + ("- [ ] c\n  - [ ] x\n  - [x] y\n\n## Before\n\n- [ ] first\n")
    assert project.events("violation") == []
    ready(session)
    assert write(session).id


ASK = Contract(tasks=ContractTasks(verify="ask"))


@pytest.mark.req(
    *("ac.tasks.verify-ask", "ac.tasks.verify-setting", "mi.config.contract-tasks-verify", "tm.r2.verify-wait"),
    *("tm.r2.verify-optional",),
)
@pytest.mark.parametrize("by", ["answer", "edit"])
def test_a_list_that_a_person_wants_to_see_first(mi, opened, project, by):
    assert Contract().tasks.verify == "proceed"
    session = ready(opened(settings=lambda: ASK))
    added = add(session, "Ship it", "build", "test")
    assert added.awaiting.startswith("qu_")
    assert code_of(lambda: write(session)) == "TASKS_UNVERIFIED"
    assert code_of(lambda: complete(session)) == "TASKS_UNVERIFIED"
    assert code_of(lambda: add(session, "more")) == "TASKS_UNVERIFIED"
    (found,), _ = list_waiting(project.home, project.context.evidence_index, {}, project.context.notices)
    assert found.item.id == added.awaiting
    again = opened("later", settings=lambda: ASK)
    assert task_list(again, ListInput()).awaiting == added.awaiting
    if by == "answer":
        assert json.loads(mi("answer", added.awaiting, "not yet", "--json").stdout)["tasks"] == "unverified"
        assert code_of(lambda: write(session)) == "TASKS_UNVERIFIED"
        project.tasks.write_text(project.tasks.read_text("utf-8") + "- [ ] mine\n", "utf-8")
    else:
        assert json.loads(mi("answer", added.awaiting, "ok", "--json").stdout)["tasks"] == "verified"
    assert write(session).id


@pytest.mark.parametrize(
    ("answer", "yes"),
    [
        *[
            ("yes", True),
            ("Yes, please", True),
            ("OK.", True),
            ("no", False),
            ("", False),
            ("not ok", False),
            ("y", True),
        ],
        *[
            ("好", True),
            ("可以，加上吧", True),
            ("不要", False),
            ("是否再等等？", False),
            ("没问题", True),
            ("okra", False),
        ],
    ],
)
def test_what_counts_as_yes(answer, yes):
    assert is_yes(answer) == yes


def in_nexus(project, *tasks: dict) -> Path:
    """A list of a harness, as another tool would have written it."""
    path = project.root / ".nexus/state/tasks.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = {"context": "", "status": "pending", "deps": []}
    listed = [plain | {"id": number} | task for number, task in enumerate(tasks, 1)]
    path.write_text(json.dumps({"goal": "g", "decisions": [], "tasks": listed}), "utf-8")
    return path


def stored(path: Path) -> dict[int, dict]:
    return {task["id"]: task for task in json.loads(path.read_text("utf-8"))["tasks"]}


@pytest.mark.req("ac.tool.nexus-authority", "mi.product.one-task-authority", "one.list.write-through", "one.list.rules")
def test_where_a_harness_keeps_the_tasks_the_same_tools_change_them(session, project):
    project.tasks.write_text("- [ ] not the authority\n", "utf-8")
    path = in_nexus(project, {"title": "a", "status": "completed"}, {"title": "b", "deps": [3]}, {"title": "c"})
    listed = task_list(session, ListInput())
    assert (listed.authority, listed.pointer) == (".nexus/state/tasks.json", "3")
    assert [one.title for one in listed.tasks] == ["a", "b", "c"]
    assert code_of(lambda: add(session, "d")) == "RECALL_REQUIRED"
    ready(session)
    added = add(session, "d", "build", "test", section="Later")
    assert (added.task_id, added.subtask_ids, added.pointer) == ("4", ["5", "6"], "3")
    tasks = stored(path)
    assert (tasks[4]["context"], tasks[4]["deps"], tasks[5]["context"]) == ("Later", [5, 6], "d")
    assert code_of(lambda: task_complete(session, CompleteInput(task_id="2"))) == "TASK_SKIPPED"
    assert complete(session, "3").pointer == "2"
    assert stored(path)[3]["status"] == "completed"
    recall(session)
    assert code_of(lambda: task_update(session, UpdateInput(task_id="2", title="x"))) == "TASK_REDEFINED"
    task_update(session, UpdateInput(task_id="4", title="deploy it"))
    assert task_update(session, UpdateInput(task_id="2", subtasks=["look"])).subtask_ids == ["7"]
    tasks = stored(path)
    assert (tasks[4]["title"], tasks[2]["deps"], tasks[7]["context"]) == ("deploy it", [3, 7], "b")
    assert project.tasks.read_text("utf-8") == "- [ ] not the authority\n"
    with pytest.raises(UsageError, match="done already"):
        task_complete(session, CompleteInput(task_id="3"))
    with pytest.raises(NotFound, match="no task '9'"):
        task_complete(session, CompleteInput(task_id="9"))


@pytest.mark.req("ac.tool.nexus-authority", "one.list.rules")
def test_the_gate_asks_the_list_of_a_harness(session, project):
    path = in_nexus(project, {"title": "a"})
    ready(session)
    assert write(session).id
    complete(session)
    recall(session)
    assert code_of(lambda: write(session)) == "NO_UNCHECKED_TASK"
    assert code_of(lambda: add(session, "invented")) == "NO_UNCHECKED_TASK"
    (question,) = [one for one in project.events("question") if "invented" in one.text]
    apply_answer(session.place.folder, question.id, "yes", session.place.notices)
    assert [task["title"] for task in stored(path).values()] == ["a", "invented"]
    path.write_text("{", "utf-8")
    recall(session)
    assert code_of(lambda: write(session)) == "TASKS_UNCERTAIN"


def test_a_change_of_the_harness_list_at_the_same_moment_loses_nothing(session, project):
    path = in_nexus(project, {"title": "a"})
    store = session.task_store()
    seen = store.look()
    in_nexus(project, {"title": "a"}, {"title": "mine"})
    before = path.read_bytes()
    for change in (
        lambda: store.add(seen, NewTask("x")),
        lambda: store.complete(seen, "1"),
        lambda: store.revise(seen, "1", "y", []),
    ):
        with pytest.raises(Conflict, match="at the same moment"):
            change()
    assert path.read_bytes() == before


@pytest.mark.req("one.list.confirmed")
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_list_that_a_person_confirmed_is_extended_only_below_its_tasks(opened, project, by_hand):
    asks = Contract(tasks=ContractTasks(verify="ask"))
    session = ready(opened(settings=lambda: asks))
    top = add(session, "Ship it", "build")
    (question,) = project.events("question")
    if by_hand:
        project.tasks.write_text(project.tasks.read_text("utf-8").replace("build", "build all"), "utf-8")
    else:
        apply_answer(session.place.folder, question.id, "yes", session.place.notices)
    recall(session)
    with pytest.raises(Refused) as refused:
        add(session, "Also rewrite the docs")
    assert (refused.value.verdict.code, bool(refused.value.proposal)) == ("TASK_REDEFINED", True)
    assert code_of(lambda: task_update(session, UpdateInput(task_id=top.task_id, title="x"))) == "TASK_REDEFINED"
    task_update(session, UpdateInput(task_id=top.task_id, subtasks=["test"]))
    complete(session)
    assert "rewrite" not in project.tasks.read_text("utf-8")
    apply_answer(session.place.folder, refused.value.proposal, "yes", session.place.notices)
    assert "- [ ] Also rewrite the docs" in project.tasks.read_text("utf-8")


@pytest.mark.req("ac.tasks.cas", "ac.tasks.conflict", "ac.tasks.conflict-nothing-lost", "ac.tasks.atomic")
def test_a_person_who_edits_at_the_same_moment_loses_nothing(session, project):
    ready(session)
    add(session, "Ship it", "build", "test")
    tiny_tasks = TinyTasks(str(project.root), session.place.folder, session.place.notices)
    loaded = tiny_tasks.load()
    by_hand = project.tasks.read_text("utf-8") + "- [ ] mine\n"
    project.tasks.write_text(by_hand, "utf-8")
    with pytest.raises(Conflict, match="at the same moment"):
        tiny_tasks.change(loaded, "# gone\n", session.name)
    with pytest.raises(Conflict):
        tiny_tasks.change(None, "# new\n", session.name)
    assert project.tasks.read_text("utf-8") == by_hand
    project.tasks.unlink()
    with pytest.raises((Conflict, FileNotFoundError)):
        tiny_tasks.change(loaded, "# gone\n", session.name)
    assert not project.tasks.exists()
    assert sorted(path.name for path in project.root.iterdir()) == ["a.py"]


@pytest.mark.req("tm.r6.fail-closed", "tm.r6.two-ways-on")
@pytest.mark.parametrize("why", ["too large", "a link that leads out", "a folder"])
def test_a_list_that_cannot_be_relied_on(session, project, tmp_path, why):
    ready(session)
    if why == "too large":
        project.tasks.write_text("- [ ] a\n" * 200_000, "utf-8")
    elif why == "a folder":
        project.tasks.mkdir()
    else:
        (tmp_path / "other.md").write_text("- [ ] a\n", "utf-8")
        project.tasks.symlink_to(tmp_path / "other.md")
    assert code_of(lambda: write(session)) == "TASKS_UNCERTAIN"
    assert code_of(lambda: add(session)) == "TASKS_UNCERTAIN"
    assert task_list(session, ListInput()).unsure
    assert recall(session) == []
    if why == "a link that leads out":
        assert (tmp_path / "other.md").read_text("utf-8") == "- [ ] a\n"


BAD = [
    *[
        {"title": ""},
        {"title": "  "},
        {"title": "a\nb"},
        {"title": "x" * 501},
        {"title": "x\u2028y"},
        {"title": "a\rb"},
    ],
    *[
        {"title": "a", "subtasks": [""]},
        {"title": "a", "subtasks": ["a\n- [x] b"]},
        {"title": "a", "section": "b\n- [ ] c"},
    ],
    *[{"title": "a", "subtasks": ["x"] * 51}, {"title": "token ghp_" + "a1B2" * 9}],
]


@pytest.mark.req("ac.block.bad-arguments-state", "ac.block.bad-arguments-error")
@pytest.mark.parametrize("given", BAD)
def test_bad_titles_change_nothing(session, project, given):
    ready(session)
    before = Path(session.state_file.path).read_bytes()
    with pytest.raises(MiError) as raised:
        task_add(session, AddInput(**given))
    assert not isinstance(raised.value, Refused)
    assert raised.value.code in ("empty-text", "one-line", "too-long", "too-many", "secret-refused")
    assert not project.tasks.exists()
    assert Path(session.state_file.path).read_bytes() == before


@pytest.mark.req("ac.r2.reads-declared-plan", "ac.tasksreq.guarded-steps")
def test_a_plan_that_was_declared_is_remembered(session):
    assert code_of(lambda: add(session, "Ship it", "build", "test")) == "RECALL_REQUIRED"
    assert session.state.steps == 2
    ready(session)
    assert code_of(lambda: write(session)) == "TASKS_REQUIRED"
    add(session, "Ship it", "build", "test")
    assert write(session).id


@pytest.mark.req("ac.tasks.protected-tinytasks", "ac.tasks.protected-home", "tm.r5.tool-only")
def test_memory_cannot_write_files(session, project, home):
    ready(session)
    before = sorted(str(path) for path in project.root.rglob("*"))
    for text in ("tinyTasks.md", str(project.tasks), home.config, "../x"):
        memory_write(session, WriteInput(type="note", summary=text, key=text, source=text, detail=text))
    assert sorted(str(path) for path in project.root.rglob("*")) == before
    assert not Path(home.config).exists()
