"""Sessions: whose state it is, who takes it up, and that nothing is lost or let through when something breaks."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.contract import host_session
from mi.contract.diagnostics import (
    ClaimInput,
    NoInput,
    memory_claim_success,
    memory_doctor,
    memory_health,
    memory_run_metadata,
    memory_stats,
)
from mi.contract.session import ContractSession, Refused
from mi.contract.state import clean_client_name
from mi.contract.task_tools import CompleteInput, ListInput, task_complete, task_list
from tests.contract.conftest import add, code_of, mode, ready, recall, write


@pytest.mark.req(
    "ac.state.key", "ac.state.slot-lowest", "ac.state.path", "ac.state.two-clients", "tm.modes.exactly-one"
)
def test_two_clients_at_once(opened, project):
    one, two, other = opened("codex"), opened("codex"), opened("claude-code")
    assert (one.name, two.name, other.name) == ("codex-0", "codex-1", "claude-code-0")
    assert one.state_file.path == os.path.join(project.context.project_home.root, "contract", "codex-0.json")
    ready(one)
    mode(two, "PASSIVE")
    assert [session.state.mode for session in (one, two, other)] == ["GUARDED", "PASSIVE", None]
    assert write(one).id
    assert code_of(lambda: write(two)) == "MODE_TOO_LOW"
    assert code_of(lambda: write(other)) == "RECALL_REQUIRED"
    one.close()
    assert opened("codex").name == "codex-0"


@pytest.mark.req("ac.state.restart", "ac.state.mode-field")
def test_a_restarted_server_goes_on(opened, project):
    first = ready(opened("codex"), "STRICT")
    added = add(first, "Ship it", "build", "test")
    first.close()
    second = opened("codex")
    assert (second.name, second.state.mode, second.state.pointer) == ("codex-0", "STRICT", added.pointer)
    assert write(second, task_id=added.pointer).id


@pytest.mark.parametrize(
    "name", ["codex", "Claude Code", "", "../../x", "a/b", "名字", "x" * 500, "a-b", ".", "codex\n"]
)
def test_names_of_clients_are_safe_in_paths(opened, project, name):
    session = opened(name)
    assert os.path.dirname(session.state_file.path) == session.place.folder
    assert len(session.name) < 60


def test_names_of_clients_stay_apart():
    names = ["codex", "Codex", "codex ", "co/dex", "co_dex", "co-dex", "codex-0", "host_codex-s1", "名", "字", "", "-"]
    assert len({clean_client_name(one) for one in names}) == len(names)
    assert clean_client_name("host_codex-s1") != "host_codex-s1"  # the name of a state that a host's hooks keep


@pytest.mark.req("tm.r6.fail-closed")
@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"mode": "ROOT"}', b'{"receipts": 3}', b"\xff\xfe"])
def test_a_broken_state_asks_for_everything_again(session, opened, project, damage):
    ready(session)
    write(session)
    path = Path(session.state_file.path)
    path.write_bytes(damage)
    health = memory_health(session, NoInput())
    assert not health.ok
    assert code_of(lambda: write(session)) == "RECALL_REQUIRED"
    ready(session)
    assert write(session).id
    assert list(path.parent.glob("codex-0.json.corrupt.*"))
    assert memory_doctor(session, NoInput()).ok


def test_a_home_that_cannot_be_written(opened, project, monkeypatch):
    session = ready(opened())
    monkeypatch.setattr(os, "fsync", _full)
    with pytest.raises(OSError, match="No space"):
        write(session)
    monkeypatch.undo()
    monkeypatch.setenv("MI_HOME", project.home.root)
    assert write(session).id
    assert len(recall(session, "note")) == 1


def _full(fd: int) -> None:
    raise OSError(28, "No space left on device")


KILLED = """
import os, signal, sys
from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.contract.session import ContractSession
from mi.contract.memory_tools import *
from mi.contract.task_tools import *
from mi.kernel.home import Home

session = ContractSession.open(build_contract(HomeContext(Home(sys.argv[1]), cd=sys.argv[2])), "codex", "mcp")
memory_recent(session, RecentInput())
memory_set_mode(session, ModeInput(mode="GUARDED"))
written, real = [0], os.write


def write(fd, data):
    written[0] += 1
    if written[0] == int(sys.argv[3]):
        real(fd, bytes(data)[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    return real(fd, data)


os.write = write
task_add(session, AddInput(title="Ship it", subtasks=["build", "test"]))
memory_write(session, WriteInput(type="note", summary="A first note", key="k"))
memory_write(session, WriteInput(type="note", summary="A second note", key="k"))
task_complete(session, CompleteInput(task_id=session.tasks().pointer))
"""


@pytest.mark.req("ac.tasks.atomic", "ac.store.event-first")
@pytest.mark.parametrize("at", [*range(1, 21, 2), 2, 8, 14, 20])
def test_killed_in_the_middle_of_a_write(opened, project, at):
    argv = [sys.executable, "-c", KILLED, project.home.root, str(project.root), str(at)]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    session = opened("codex")
    assert (session.name, session.state.mode) == ("codex-0", "GUARDED")
    whole = "# Tasks — Ship it\n\n- [ ] Ship it\n  - [ ] build\n  - [ ] test\n"
    if project.tasks.exists():
        assert project.tasks.read_text("utf-8") in (whole, whole.replace("- [ ] build", "- [x] build"))
    recall(session)
    if not project.tasks.exists():
        add(session, "Ship it", "build", "test")
    kept = write(session, summary="A third note", key="k")
    found = [one.id for one in recall(session, "note")]
    assert found == [kept.id]  # whatever stood under the key, half written or not
    for line in Path(project.log).read_bytes().splitlines():
        json.loads(line)


@pytest.mark.req(
    *("ac.tool.memory-stats", "ac.tool.memory-health", "ac.tool.memory-doctor", "ac.gate.diagnostics-free"),
    *("ac.tool.memory-run-metadata", "ac.tool.run-metadata-event", "ac.tool.memory-claim-success"),
    *("ac.tool.claim-success-success", "ac.tool.claim-success-enforced", "ac.tool.claim-success-boundary"),
    *("ac.tool.claim-success-details", "ac.tool.claim-success-event", "ac.gate.reads-free", "ac.gate.recall-free"),
    *("ac.gate.set-mode-free", "tm.def.observation", "tm.tools.memory-set-mode", "ac.tool.memory-set-mode-mode"),
)
@pytest.mark.parametrize("name", [None, "PASSIVE", "GUARDED", "STRICT"])
@pytest.mark.parametrize("tasks", [None, "- [ ] a\n", "- [x] a\n"])
def test_looking_is_free_in_every_state(session, project, name, tasks):
    if name:
        mode(session, name)
    if tasks:
        project.tasks.write_text(tasks, "utf-8")
    assert memory_stats(session, NoInput()).memories["fact"] == 0
    assert memory_health(session, NoInput()).ok
    assert memory_doctor(session, NoInput()).ok
    assert memory_run_metadata(session, NoInput()).mode == (name or "")
    said = memory_claim_success(session, ClaimInput(success=True, enforced=True, boundary="mcp", details="all good"))
    assert said.outcome == "success"
    assert task_list(session, ListInput()).exists == bool(tasks)
    assert recall(session) == recall(session, "x") == []
    mode(session, "STRICT")
    events = project.events("gate")
    assert [(one.tool, one.outcome) for one in events] == [
        *(("memory_run_metadata", "recorded"), ("memory_claim_success", "success"))
    ]
    assert (events[1].boundary, events[1].details) == ("mcp", "all good")
    assert project.events("violation") == project.events("memory_write") == []


@pytest.mark.req("ac.tool.memory-claim-success", "tm.enforce.audit")
def test_success_that_nothing_enforced_is_noted(session, project):
    done = memory_claim_success(session, ClaimInput(success=True, enforced=False, details="by hand"))
    (violation,) = project.events("violation")
    assert (violation.id, violation.code, violation.outcome) == (done.violation_id, "UNENFORCED_SUCCESS", "recorded")
    assert memory_claim_success(session, ClaimInput(success=False, enforced=False)).violation_id == ""


@pytest.mark.req("ac.tool.memory-stats")
def test_counting(session, project):
    ready(session)
    write(session, "fact", "main", key="k", evidence=["file_exists::a.py"])
    write(session, "fact", "main again", key="k", evidence=["file_exists::a.py"])
    write(session, "note", "n")
    add(session, "Ship it", "build", "test")
    task_complete(session, CompleteInput(task_id=session.tasks().pointer))
    found = memory_stats(session, NoInput())
    assert {name: count for name, count in found.memories.items() if count} == {"fact": 1, "note": 1}
    assert (found.tasks_open, found.tasks_done, found.other_claims, found.other_nodes) == (1, 1, 0, 0)


@pytest.mark.req("ac.state.hook-session-id", "ac.state.hook-gate-asks", "ac.gate.file-edits", "tm.def.mutation-files")
def test_the_hooks_of_a_host_have_a_state_of_their_own(project):
    place = build_contract(HomeContext(project.home, cd=str(project.root)))

    def hook() -> ContractSession:
        return host_session.open_host_session(place, "claude-code", "5f0c")  # each event is a process of its own

    def edit(*paths: str) -> str:
        return code_of(lambda: host_session.judge_edit(hook(), "Edit", paths, project.home.root))

    assert edit("a.py") == "RECALL_REQUIRED"
    host_session.note_call(hook(), "memory_query", {"query": "x"}, {"error": {"code": "X"}})
    assert edit("a.py") == "RECALL_REQUIRED"
    host_session.note_call(hook(), "memory_query", {"query": "x"}, {"results": [{"id": "cl_1"}]})
    assert edit("a.py") == "MODE_NOT_SET"
    host_session.note_call(hook(), "memory_set_mode", {"mode": "GUARDED"}, {"mode": "GUARDED"})
    assert edit("a.py", "new.py") == "ok"
    host_session.note_plan(hook(), 1)
    assert edit("a.py") == "ok"
    host_session.note_plan(hook(), 2)
    assert edit("a.py") == "TASKS_REQUIRED"
    project.tasks.write_text("- [ ] a\n- [ ] b\n", "utf-8")
    assert edit("a.py") == "ok"
    project.tasks.write_text("- [x] a\n- [ ] b\n", "utf-8")
    assert edit("a.py") == "RECALL_REQUIRED"
    other = host_session.open_host_session(place, "claude-code", "other")
    assert code_of(lambda: host_session.judge_edit(other, "Edit", ["a.py"], project.home.root)) == "RECALL_REQUIRED"
    assert {one.boundary for one in project.events("violation")} == {"hook"}


@pytest.mark.req("ac.tasks.direct-edit-violation", "ac.tasks.protected-hooks")
@pytest.mark.parametrize(
    "path",
    [
        "tinyTasks.md",
        "./sub/../tinyTasks.md",
        ".claude/settings.json",
        ".codex/hooks.json",
        "{home}/config.json",
        "{home}",
        "link.md",
        ".claude",
        "{elsewhere}/settings.json",
        "{elsewhere}/hooks.json",
        "{elsewhere}",
    ],
)
def test_files_that_no_edit_may_touch(project, home, tmp_path, monkeypatch, path):
    elsewhere = tmp_path / "elsewhere"
    for folder in (project.root / ".claude", elsewhere):
        folder.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(elsewhere))
    monkeypatch.setenv("CODEX_HOME", str(elsewhere))
    place = build_contract(HomeContext(home, cd=str(project.root)))
    session = host_session.open_host_session(place, "codex", "1")
    ready(session)
    project.tasks.write_text("- [ ] a\n", "utf-8")
    (project.root / "link.md").symlink_to("tinyTasks.md")
    recall(session)
    with pytest.raises(Refused) as refused:
        host_session.judge_edit(session, "Write", ["a.py", path.format(home=home.root, elsewhere=elsewhere)], home.root)
    assert refused.value.verdict.code == "PROTECTED_FILE"
    assert [one.code for one in project.events("violation")] == ["PROTECTED_FILE"]


def test_folders_around_the_project_are_no_single_file(project, home, monkeypatch):
    monkeypatch.setenv("HOME", str(project.root.parent))
    free = (".", "..", "/", ".claude/agents", "sub", ".claude/agents/a.md", "notes/tinyTasks.md.bak")
    (project.root / ".claude" / "agents").mkdir(parents=True)
    assert list(filter(host_session.ProtectedFiles(str(project.root), home.root).hold, free)) == []
