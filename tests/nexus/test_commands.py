"""`mi plan` and `mi nexus`: the same functions, shapes and words as the tools."""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mi.cli import main
from tests.conftest import Mi, git
from tests.nexus.contract import Case, matches, validate
from tests.nexus.test_memory import WAL, put

PLAN = [
    "plan",
    "start",
    "Move to SQLite",
    "--issue",
    "Which schema?",
    "--issue",
    "Who migrates?",
    "--research",
    "Read it.",
]
TASK = ["nexus", "task", "add", "Write it", "--context", "why"]


@pytest.fixture
def mi(capsys, monkeypatch) -> Mi:
    """The command line in this process: what is proved here is not the start of a program."""

    def run(*args: str, stdin: str = "", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        capsys.readouterr()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            for name, value in (env or {}).items():
                patched.setenv(name, value)
            code = main.run(list(args))
        said = capsys.readouterr()
        return subprocess.CompletedProcess(args, code, said.out, said.err)

    return run


@pytest.fixture
def root(repository, monkeypatch) -> Path:
    path: Path = repository()
    monkeypatch.chdir(path)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "test@example.invalid")
    return path


def events(home) -> list[dict[str, Any]]:
    logs = Path(home.projects).glob("*/evidence.jsonl") if Path(home.projects).exists() else []
    lines = [json.loads(line) for log in logs for line in log.read_text("utf-8").splitlines()]
    return [line for line in lines if line["kind"] == "nexus_event"]


# what was done before, the command, its JSON, a word of its plain output, its requirement
COMMANDS = [
    (
        [],
        PLAN,
        {"created": True, "plan_id": 1, "topic": "Move to SQLite", "issueCount": 2, "previousArchived": False},
        "Plan 1",
        "plan-start",
    ),
    (
        [PLAN],
        ["plan", "status"],
        {
            "active": True,
            "plan_id": 1,
            "topic": "Move to SQLite",
            "issues": ["$any", "$any"],
            "research_summary": "Read it.",
            "summary": {"total": 2, "pending": 2, "decided": 0},
        },
        "0 of 2 decided",
        "plan-status",
    ),
    ([], ["plan", "status"], {"active": False}, "No active plan", "plan-status"),
    (
        [PLAN],
        ["plan", "add", "More?"],
        {"added": True, "issue": {"id": 3, "title": "More?", "status": "pending"}},
        "Question 3",
        "plan-add",
    ),
    ([PLAN], ["plan", "remove", "2"], {"removed": True, "issue": {"id": 2}}, "Question 2", "plan-remove"),
    (
        [PLAN],
        ["plan", "edit", "2", "New?"],
        {"edited": True, "issue": {"id": 2, "title": "New?"}},
        "Question 2",
        "plan-edit",
    ),
    (
        [PLAN],
        ["plan", "reopen", "1"],
        {"reopened": True, "issue": {"id": 1, "title": "Which schema?", "status": "pending"}},
        "open again",
        "plan-reopen",
    ),
    (
        [PLAN],
        ["plan", "decide", "1", "One table.", "--how-agent", "architect"],
        {
            "decided": True,
            "issue": "Which schema?",
            "allComplete": False,
            "remaining": [{"id": 2, "title": "Who migrates?", "status": "pending"}],
        },
        "Decided",
        "plan-decide",
    ),
    (
        [],
        TASK,
        {
            "task": {
                "id": 1,
                "title": "Write it",
                "context": "why",
                "status": "pending",
                "deps": [],
                "created_at": "$time",
            }
        },
        "Task 1",
        "task-add",
    ),
    (
        [TASK],
        [
            *TASK,
            "--dep",
            "1",
            "--approach",
            "a",
            "--acceptance",
            "b",
            "--risk",
            "r",
            "--plan-issue",
            "2",
            "--goal",
            "G",
            "--decision",
            "d",
            "--owner",
            "engineer",
            "--owner-agent-id",
            "x",
            "--owner-reuse-policy",
            "fresh",
        ],
        {
            "task": {
                "id": 2,
                "title": "Write it",
                "context": "why",
                "status": "pending",
                "deps": [1],
                "approach": "a",
                "acceptance": "b",
                "risk": "r",
                "plan_issue": 2,
                "owner": "engineer",
                "owner_agent_id": "x",
                "owner_reuse_policy": "fresh",
                "created_at": "$time",
            }
        },
        "Task 2",
        "task-add",
    ),
    (
        [TASK],
        ["nexus", "task", "list"],
        {
            "goal": "Write it",
            "tasks": ["$any"],
            "summary": {"total": 1, "completed": 0, "pending": 1, "blocked": 0, "ready": [1]},
        },
        "Can be begun: 1",
        "task-list",
    ),
    ([], ["nexus", "task", "list"], {"exists": False}, "No tasks", "task-list"),
    ([TASK], ["nexus", "task", "update", "1", "in_progress"], {"task": "$any"}, "in_progress", "task-update"),
    (
        [TASK],
        ["nexus", "task", "targets", "1", "a.py", "b.py", "--generated", "dist/c.js"],
        {"id": 1, "target_files": ["a.py", "b.py"], "generated_files": ["dist/c.js"]},
        "a.py, b.py",
        "task-targets",
    ),
    (
        [PLAN, TASK],
        ["nexus", "task", "close"],
        {
            "closed": True,
            "cycle": "$time",
            "branch": "main",
            "archived": {"plan": True, "decisions": 0, "tasks": 1},
            "deleted": ["plan.json", "tasks.json"],
            "total_cycles": 1,
            "incomplete_count": 1,
            "memoryHint": "$any",
        },
        "Not completed: 1",
        "task-close",
    ),
    (
        [PLAN, ["nexus", "task", "close"]],
        ["nexus", "history", "SQLITE", "-n", "1"],
        {
            "total": 1,
            "showing": 1,
            "cycles": [
                {"completed_at": "$time", "branch": "main", "topic": "Move to SQLite", "decisions": [], "task_count": 0}
            ],
        },
        "1 of 1 cycle\n",
        "history",
    ),
    (
        [TASK],
        ["nexus", "context"],
        {
            "branch": "main",
            "activeMode": "team",
            "goal": "Write it",
            "tasksSummary": {"total": 1, "completed": 0, "pending": 1},
            "decisions": [],
        },
        "Branch: main",
        "context",
    ),
    (
        [],
        ["nexus", "artifact", "write", "r.md", "--text", "hello"],
        {"success": True, "path": "$root/state/artifacts/r.md"},
        "artifacts/r.md",
        "artifact-write",
    ),
    ([], ["nexus", "memory", "list"], {"files": []}, "No memory files", "memory-list"),
    (
        [],
        ["nexus", "memory", "add", WAL, "--name", "wal-time", "--category", "empirical"],
        {
            "name": "empirical-wal-time.md",
            "path": "$root/memory/empirical-wal-time.md",
            "merged": False,
            "changed": True,
        },
        "Kept in",
        "memory-add",
    ),
    (
        [["nexus", "memory", "add", WAL, "--name", "wal-time"]],
        ["nexus", "memory", "show", "wal-time"],
        {"name": "wal-time", "text": "$like halves"},
        "halves",
        "memory-show",
    ),
    (
        [["nexus", "memory", "add", WAL, "--name", "wal-time"]],
        ["nexus", "memory", "gc"],
        {"candidates": ["$any"], "merges": [], "applied": False},
        "Nothing was deleted",
        "memory-gc",
    ),
    ([], ["nexus", "memory", "lint"], {"ok": True, "findings": []}, "Nothing to complain", "memory-lint"),
    ([], ["nexus", "init"], {"folder": "$root", "index": "$any", "placed": {}}, "Set up", "init"),
    ([], ["nexus", "validate"], {"ok": True, "findings": []}, "valid", "validate"),
]


@pytest.mark.req("nx.cli.same-functions")
@pytest.mark.parametrize(
    ("before", "command", "fields", "word"),
    [
        pytest.param(*row[:4], id=f"{row[4]}-{number}", marks=pytest.mark.req(f"nx.cli.{row[4]}"))
        for number, row in enumerate(COMMANDS)
    ],
)
def test_commands(mi, root: Path, home, before, command, fields, word):
    for one in before:
        assert mi(*one).returncode == 0
    recorded = len(events(home))
    done = mi(*command, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert matches(fields, json.loads(done.stdout), root), done.stdout
    nexus = root / ".nexus"
    state = (
        {str(path.relative_to(nexus)): path.read_bytes() for path in nexus.rglob("*.json")} if nexus.exists() else {}
    )
    validate(Case("", {}), state)
    writes = set("start add remove edit reopen decide update close targets write init".split()) & set(command)
    assert len(events(home)) - recorded == (1 if writes else 0)
    shutil.rmtree(nexus, ignore_errors=True)
    for one in before:
        mi(*one)
    assert word in mi(*command).stdout


# what is refused, its words, its exit code
REFUSED = [
    ([], ["plan", "add", "x"], "No active plan session", 1),
    ([PLAN], ["plan", "decide", "9", "x"], "Issue 9 not found", 1),
    ([], ["nexus", "task", "update", "1", "completed"], "tasks.json not found", 1),
    ([TASK], ["nexus", "task", "update", "7", "completed"], "Task id 7 not found", 1),
    ([TASK], ["nexus", "task", "update", "1", "done"], "status of task_update cannot be used", 2),
    ([], ["nexus", "task", "targets", "1", "a.py"], "tasks.json not found", 1),
    ([TASK], ["nexus", "task", "targets", "1", "../a.py"], "target '../a.py'", 2),
    ([TASK], ["nexus", "task", "targets", "1", "a.py", "--generated", "/etc/hosts"], "target '/etc/hosts'", 2),
    ([], ["nexus", "artifact", "write", "../x", "--text", "y"], "without `..`", 2),
    ([], ["nexus", "artifact", "write", "x"], "--text", 2),
    ([], ["nexus", "memory", "show", "nothing"], "no memory file nothing.md", 1),
    ([], ["nexus", "memory", "gc", "nothing"], "no memory file nothing.md", 1),
    ([], ["nexus", "memory", "add", "接口每分钟最多一百次请求"], "no file name can be made", 2),
    ([], ["nexus", "memory", "add", "def f():\n    return 1"], "mostly code", 3),
    ([], ["nexus", "memory", "add", "gemessen am Montag", "--name", "a-2026-01-01"], "holds a date", 2),
    ([], ["nexus", "memory", "restore", "never-there"], "no deletion of never-there.md", 1),
    ([], ["nexus", "memory", "merge-access", "missing.jsonl"], "no access log", 1),
    ([], ["nexus", "event", "teatime"], "no event 'teatime'", 2),
    ([], ["nexus", "event", "session_start", "--input", "[1"], "cannot be used", 2),
    ([], ["plan", "lint"], "tasks.json not found", 1),
    ([], ["plan", "start", "x"], "--research", 2),
]


@pytest.mark.req("nx.cli.same-functions", "nx.memory.admission-refused", "nx.event.types")
@pytest.mark.parametrize(
    ("before", "command", "said", "code"),
    REFUSED,
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, list) else None,
)
def test_refusals_are_one_line(mi, root: Path, before, command, said, code):
    for one in before:
        mi(*one)
    done = mi(*command)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_refusals_in_chinese_keep_the_contracts_words(mi, root: Path):
    done = mi("plan", "add", "x", env={"MI_LANG": "zh"})
    assert "没有进行中的计划" in done.stderr
    assert "No active plan session" in done.stderr


@pytest.mark.req("nx.cli.plan-lint")
def test_lint_fails_with_findings(mi, root: Path):
    mi(*TASK, "--owner", "engineer", "--acceptance", "it runs")
    done = mi("plan", "lint", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"ok": False, "findings": [{"rule": "pair-tester", "tasks": [1], "detail": ""}]}
    mi("nexus", "task", "add", "Check it", "--context", "c", "--owner", "tester", "--dep", "1")
    assert mi("plan", "lint").returncode == 0


@pytest.mark.req(
    *("nx.cli.memory-gc", "nx.memory.gc-apply", "nx.memory.gc-shows", "nx.cli.memory-restore", "nxs.life.gc-manual"),
    *("nx.cli.memory-merge-access", "nx.memory.observe-show"),
)
def test_forgetting_waits_for_a_word_and_can_be_taken_back(mi, root: Path, home):
    from mi.nexus.layout import NexusLayout
    from mi.nexus.store import Store

    path = put(Store(NexusLayout(str(root))), "wal-time.md", WAL, days=400)
    assert mi("nexus", "memory", "show", "wal-time", "--reader", "me").returncode == 0
    access = root / ".nexus/state/mi/memory-access.jsonl"
    merged = mi("nexus", "memory", "merge-access", str(access), str(access))
    assert json.loads(merged.stdout)["access_count"] == 2
    assert "wal-time.md" not in mi("nexus", "memory", "gc").stdout  # it was read today
    access.unlink()
    assert "signals 2/3: 400 days" in mi("nexus", "memory", "gc").stdout
    assert path.exists()
    assert json.loads(mi("nexus", "memory", "gc", "--apply", "--json").stdout)["deleted"] == []
    done = json.loads(mi("nexus", "memory", "gc", "--apply", "wal-time", "--json").stdout)
    assert done["deleted"] == ["wal-time.md"]
    assert not path.exists()
    assert "Restore: git checkout" in git(root, "log", "-1", "--format=%B")
    assert mi("nexus", "memory", "restore", "wal-time").returncode == 0
    assert path.read_text("utf-8") == WAL
    assert [one["event"] for one in events(home)] == ["memory_gc", "memory_gc", "memory_restore"]


@pytest.mark.req("nx.memory.gc-apply", "nxs.life.three-signals")
def test_what_takes_another_file_in_is_not_forgotten(mi, root: Path, home):
    """The large twin was never read, the small one is in use: both in one file, which stays."""
    from mi.nexus.layout import NexusLayout
    from mi.nexus.store import Store

    store = Store(NexusLayout(str(root)))
    (root / ".nexus").mkdir()
    cycles = [
        {"completed_at": f"2026-01-0{day}T00:00:00Z", "branch": "", "plan": None, "tasks": []} for day in range(1, 8)
    ]
    (root / ".nexus/history.json").write_text(json.dumps({"cycles": cycles}), "utf-8")
    small, large = put(store, "wal-time.md", WAL), put(store, "wal-write-time.md", f"{WAL}\nTwice.", days=4000)
    twins = (
        put(store, "rate-limits.md", "One hundred a minute.", 4000),
        put(store, "rate-limit-day.md", "One hundred a minute.", 4000),
    )
    mi("nexus", "memory", "show", "wal-time")
    done = json.loads(mi("nexus", "memory", "gc", "--apply", "--json").stdout)
    assert [one["source"] for one in done["merged"]] == ["wal-time.md"]
    assert (small.exists(), large.exists()) == (False, True)
    assert sorted(done["deleted"]) == ["rate-limit-day.md", "rate-limits.md"]  # twins of whom both are forgotten
    assert not any(path.exists() for path in twins)


@pytest.mark.req(
    *("nx.cli.event", "nx.event.stdin", "nx.event.stdout", "mi.kind.nexus-event-written"),
    *("nx.event.harness-precedence", "one.list.spawn-count"),
)
def test_events_by_command(mi, root: Path, home):
    given = {"type": "subagent_spawn", "params": {"agent_name": "engineer", "agent_id": "a", "harness_id": "other-one"}}
    done = mi("nexus", "event", "agent_spawn", stdin=json.dumps(given))
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert (answer["type"], answer["harness_id"]) == ("subagent_spawn", "other-one")
    (tracked,) = json.loads((root / ".nexus/state/other-one/agent-tracker.json").read_text("utf-8"))
    assert tracked["resume_count"] == 0
    assert json.loads(mi("nexus", "event", "session_end", stdin="").stdout)["warnings"] == []
    assert [(one["event"], one["harness_id"]) for one in events(home)] == [
        ("agent_spawn", "other-one"),
        ("session_end", "mi"),
    ]


@pytest.mark.req("mi.config.nexus-harness-id", "nx.event.harness-precedence")
def test_the_configured_harness(mi, root: Path, home):
    Path(home.root).mkdir()
    Path(home.config).write_text(json.dumps({"nexus": {"harness_id": "house-two"}}), "utf-8")
    assert json.loads(mi("nexus", "event", "session_start", stdin="{}").stdout)["harness_id"] == "house-two"
    Path(home.config).write_text(json.dumps({"nexus": {"harness_id": "No Good"}}), "utf-8")
    done = mi("nexus", "task", "list")
    assert done.returncode == 2
    assert "'No Good'" in done.stderr


@pytest.mark.req("mi.product.files-cards-recall", "nx.memory.recall-indexed")
def test_memory_files_and_cycles_are_found(mi, root: Path):
    mi("nexus", "memory", "add", WAL, "--name", "wal-time")
    mi("nexus", "memory", "add", "接口每分钟最多一百次请求", "--name", "api-rate-limit")
    mi(*PLAN)
    mi("nexus", "task", "close")
    for query, kind in (
        ("laptops evidence write time", "memory_file"),
        ("请求 接口", "memory_file"),
        ("schema migrates", "cycle"),
    ):
        hits = json.loads(mi("memory", "search", query, "--json", "--kind", kind).stdout)
        assert kind in json.dumps(hits), (query, hits)
    (root / ".nexus/memory/wal-time.md").unlink()
    left = mi("memory", "search", "laptops", "--json", "--kind", "memory_file").stdout
    assert "laptops" not in left.replace('"laptops"', "")


@pytest.mark.req("nx.memory.recall-indexed")
def test_a_fresh_clone_brings_what_its_team_remembered(mi, root: Path, home):
    memory = root / ".nexus/memory/wal-time.md"
    memory.parent.mkdir(parents=True)
    memory.write_text(WAL, "utf-8")
    assert "wal-time" in mi("memory", "search", "laptops").stdout
    assert not Path(home.projects).exists()  # looking remembers nothing


@pytest.mark.req("nx.cap.effective-union")
def test_a_capability_that_does_not_exist_is_named(mi, root: Path, home):
    """A bound that a typing mistake took away would be missed only when it is too late."""
    Path(home.root).mkdir(exist_ok=True)
    Path(home.config).write_text(json.dumps({"nexus": {"agent_capabilities": {"tester": ["no_shell"]}}}), "utf-8")
    assert "no_file_edit|no_shell_exec|no_task_create|no_task_update" in mi("config", "validate").stdout


@pytest.mark.req("nx.host.doctor")
def test_doctor_says_what_a_host_cannot_do(mi, root: Path):
    assert "nexus" not in mi("doctor").stdout
    mi("nexus", "init")
    said = mi("doctor").stdout
    assert "no event names one" in said
    assert "cannot be resumed" in said


@pytest.mark.req("nx.authority.tasks-json", "nx.authority.tinytasks-else")
def test_one_task_authority_at_a_time(mi, root: Path):
    from mi.tasks import NEXUS_TASKS, TINY_TASKS, find_list

    assert find_list(str(root)) == ""
    (root / TINY_TASKS).write_text("- [x] Done before\n", "utf-8")
    assert find_list(str(root)) == TINY_TASKS
    (root / TINY_TASKS).unlink()
    mi(*TASK)
    (root / TINY_TASKS).write_text("- [x] Done before\n", "utf-8")
    assert find_list(str(root)) == NEXUS_TASKS
    mi("nexus", "task", "close")
    assert find_list(str(root)) == TINY_TASKS


@pytest.mark.req("nx.state.read-lenient", "nx.state.write-strict", "one.list.foreign-fields")
@pytest.mark.parametrize("command", [("nexus", "task", "update", "1", "completed"), ("task", "complete", "1")])
def test_what_another_writer_added_to_a_task_is_not_lost(mi, root: Path, command: tuple[str, ...]):
    mi(*TASK)
    tasks, own = root / ".nexus/state/tasks.json", root / ".nexus/state/mi/tasks.extension.json"
    raw = json.loads(tasks.read_text("utf-8"))
    raw["tasks"][0]["estimate"] = {"days": 3}
    tasks.write_text(json.dumps(raw), "utf-8")
    for _ in range(2):
        mi(*command)
    assert "estimate" not in tasks.read_text("utf-8")
    kept = json.loads(own.read_text("utf-8"))["task_extensions"]["1"]
    assert kept["foreign_fields"] == {"estimate": {"days": 3}}


class Terminal(io.StringIO):
    """Somebody sits there and types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.req("nx.memory.admission-refused", "nx.memory.add-force")
@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("\n", 3), ("no\n", 3), ("是\n", 0)])
def test_somebody_who_is_there_is_asked_once(root: Path, monkeypatch, capsys, typed, code):
    monkeypatch.setattr(sys, "stdin", Terminal(typed + "y\n" * 3))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main.run(["nexus", "memory", "add", "https://sqlite.org/wal.html", "--name", "wal-page"]) == code
    assert capsys.readouterr().err.count("[y/N]") == 1
    assert (root / ".nexus/memory/wal-page.md").exists() is (code == 0)


@pytest.mark.parametrize(("typed", "closed"), [("y\n", True), ("\n", False)])
def test_closing_a_finished_cycle_is_offered(mi, root: Path, home, monkeypatch, capsys, typed, closed):
    from argparse import Namespace

    from mi.app.home_context import HomeContext
    from mi.cli.output import Output
    from mi.cli.run_tags import offer_close

    mi(*TASK)
    args = Namespace(json=False, quiet=False)
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    offer_close(HomeContext(home), args, Output("en"))
    assert capsys.readouterr().err == ""  # one task is still open
    mi("nexus", "task", "update", "1", "completed")
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    offer_close(HomeContext(home), args, Output("en"))
    assert "The task of 'Write it' is completed" in capsys.readouterr().err
    assert (root / ".nexus/state/tasks.json").exists() is not closed
    assert ("task_close" in [one["event"] for one in events(home)]) is closed
