"""`mi task`, `mi memory write|query|recent|verify` and `mi contract`: the same gate from the shell."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from mi.contract.guide import TEXT
from tests.conftest import MI, Mi


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "a.py").write_text("def main(): ...\n", "utf-8")
    return root


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command is an agent's: it carries the mark of a host."""
    monkeypatch.setenv("CLAUDECODE", "1")


def at_terminal(*args: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run a command whose standard input is a terminal."""
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(
            [str(MI), *args],
            stdin=follower,
            capture_output=True,
            encoding="utf-8",
            env=os.environ | (env or {}),
            check=False,
            timeout=60,
        )
    finally:
        os.close(leader)
        os.close(follower)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.mark.req(
    *("ac.gate.same-from-cli", "mi.product.one-gate", "mi.cli.memory-query", "mi.cli.memory-recent"),
    *("mi.cli.exit-3", "ac.block.checklist", "ac.block.next-call"),
)
def test_the_same_gate(mi: Mi, project: Path, agent: None):
    note = ("memory", "write", "note", "The cache is warm")
    done = mi(*note)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("mi: RECALL_REQUIRED: recall before you change anything")
    assert "(next: mi memory recent)" in done.stderr
    assert mi("memory", "recent").returncode == 0
    done = mi(*note, "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"], error["next"]["tool"]) == (3, "MODE_NOT_SET", "memory_set_mode")
    assert [one["done"] for one in error["checklist"]] == [True, False, True, True, True, True]
    assert "(next: mi contract mode GUARDED)" in done.stderr
    assert mi("contract", "mode", "guarded").returncode == 0
    kept = json.loads(mi(*note, "--json").stdout)
    found = json.loads(mi("memory", "query", "is", "the", "cache", "warm?", "--json").stdout)
    assert [one["id"] for one in found["results"]] == [kept["id"]]
    assert mi("memory", "query", "cache").stdout.startswith(kept["id"])
    assert mi("memory", "query", "nothing").stdout == "Nothing is remembered about that.\n"
    assert mi("memory", "query", "x", "--limit", "0").returncode == 2


@pytest.mark.req("ac.gate.same-from-cli", "ac.audit.command")
def test_tasks_facts_status_and_audit(mi: Mi, project: Path, agent: None):
    assert mi("task", "list").stdout == "There is no task list here (mi task add begins one).\n"
    assert mi("task", "next").stdout == "There is no task list here (mi task add begins one).\n"
    assert mi("task", "add", "Ship it").returncode == 3
    mi("memory", "recent")
    mi("contract", "mode", "STRICT")
    added = json.loads(mi("task", "add", "Ship it", "--subtask", "build", "--subtask", "test", "--json").stdout)
    assert mi("task", "next").stdout == f"{added['pointer']}  build\n"
    listed = mi("task", "list").stdout.splitlines()
    assert listed[0] == "Tasks — Ship it"
    assert [line.rpartition("  ")[0].strip() for line in listed[1:]] == ["[ ] Ship it", "[>] build", "[ ] test"]
    fact = ("memory", "write", "fact", "main is in a.py", "--evidence", "grep_hit", "def main::a.py")
    done = mi(*fact)
    assert (done.returncode, "TASK_NOT_CURRENT" in done.stderr) == (3, True)
    assert "mi memory write … --task" in done.stderr
    kept = json.loads(mi(*fact, "--task", added["pointer"], "--json").stdout)
    assert kept["truth"] == "verified"
    (project / "a.py").unlink()
    assert "1 checked, 1 stale" in mi("memory", "verify").stdout
    assert "stale" in mi("memory", "query", "main").stdout
    assert mi("task", "complete", added["subtask_ids"][1]).returncode == 3
    assert "Done" in mi("task", "complete", added["pointer"]).stdout
    mi("memory", "recent")
    assert mi("task", "update", added["subtask_ids"][1], "--title", "test it").returncode == 0
    assert mi("task", "update", "tk_x", "--title", "y").returncode == 1
    codes = [one["code"] for one in json.loads(mi("contract", "audit", "--json").stdout)]
    assert codes == ["TASK_SKIPPED", "TASK_NOT_CURRENT", "RECALL_REQUIRED"]
    assert len(mi("contract", "audit", "-n", "1").stdout.splitlines()) == 1
    state = json.loads(mi("contract", "status", "--json").stdout)
    assert state["sessions"]["shell-0"]["mode"] == "STRICT"
    assert (state["tasks"]["open"], state["tasks"]["done"]) == (1, 1)
    assert "shell-0: mode STRICT" in mi("contract", "status").stdout


@pytest.mark.req("ac.tasks.task-add-terminal", "ac.tasks.open-by-task-add")
def test_a_person_at_a_terminal_is_no_agent(mi: Mi, project: Path, monkeypatch: pytest.MonkeyPatch):
    (project / "tinyTasks.md").write_text("- [x] a\n", "utf-8")
    monkeypatch.setenv("CLAUDECODE", "1")
    mi("memory", "recent")
    mi("contract", "mode", "GUARDED")
    assert mi("task", "add", "by an agent").returncode == 3
    monkeypatch.delenv("CLAUDECODE")
    for marked in ("CLAUDECODE", "CODEX_SANDBOX", "AI_AGENT"):
        assert at_terminal("task", "add", "by an agent in a terminal", env={marked: "1"})[0] == 3
    assert (project / "tinyTasks.md").read_text("utf-8") == "- [x] a\n"
    assert at_terminal("task", "add", "by a person", "--subtask", "x", "--subtask", "y")[0] == 0
    assert (project / "tinyTasks.md").read_text("utf-8") == "- [x] a\n- [ ] by a person\n  - [ ] x\n  - [ ] y\n"
    assert at_terminal("memory", "write", "decision", "Use pytest")[0] == 0
    assert mi("memory", "write", "note", "open again").returncode == 0
    monkeypatch.setenv("CLAUDECODE", "1")
    assert mi("memory", "write", "note", "open again").returncode == 0
    assert {one["client"] for one in json.loads(mi("contract", "audit", "--json").stdout)} <= {"shell-0"}


@pytest.mark.req("ac.tasks.open-by-answer")
def test_an_agent_does_not_answer_itself(mi: Mi, project: Path, monkeypatch: pytest.MonkeyPatch):
    (project / "tinyTasks.md").write_text("- [x] a\n", "utf-8")
    monkeypatch.setenv("CLAUDECODE", "1")
    mi("memory", "recent")
    mi("contract", "mode", "GUARDED")
    refused = json.loads(mi("task", "add", "more", "--json").stdout)["error"]
    assert (refused["code"], refused["missing"]) == ("NO_UNCHECKED_TASK", ["task authority"])
    done = mi("answer", refused["proposal"], "yes")
    assert (done.returncode, "person" in done.stderr) == (3, True)
    assert (project / "tinyTasks.md").read_text("utf-8") == "- [x] a\n"
    monkeypatch.delenv("CLAUDECODE")
    assert mi("answer", refused["proposal"], "yes").returncode == 0
    assert "- [ ] more" in (project / "tinyTasks.md").read_text("utf-8")


@pytest.mark.req(
    *("ac.install.markers", "ac.install.install", "ac.install.update", "ac.install.remove", "ac.install.idempotent"),
    *("ac.install.reversible", "ac.fail.agents-text", "ac.fail.r6-stated"),
)
@pytest.mark.parametrize(
    "files", [{}, {"CLAUDE.md": "# Mine\r\n\r\nno newline"}, {"AGENTS.md": "", "CLAUDE.md": "x\n"}]
)
def test_the_text_in_agents_md(mi: Mi, project: Path, files: dict[str, str]):
    for name, content in files.items():
        (project / name).write_bytes(content.encode())
    before = {path.name: path.read_bytes() for path in project.iterdir()}
    assert mi("contract", "update").stdout == "Nothing to change.\n"
    done = json.loads(mi("contract", "install", "--json").stdout)
    assert sorted(done["changed"]) == (sorted(files) or ["AGENTS.md"])
    for name in done["changed"]:
        text = (project / name).read_bytes().decode().replace("\r\n", "\n")
        assert text.startswith(files.get(name, "").replace("\r\n", "\n"))
        assert f"<!-- mi:contract begin -->\n{TEXT}" in text
        assert "<!-- mi:contract end -->" in text
    installed = {path.name: path.read_bytes() for path in project.iterdir() if path.is_file()}
    for again in ("install", "update"):
        assert mi("contract", again).stdout == "Nothing to change.\n"
    assert {path.name: path.read_bytes() for path in project.iterdir() if path.is_file()} == installed
    first = done["changed"][0]
    (project / first).write_bytes(installed[first].replace(b"Observation is free", b"Old words"))
    assert first in mi("contract", "update").stdout
    assert (project / first).read_bytes() == installed[first]
    assert mi("contract", "remove").returncode == 0
    assert {path.name: path.read_bytes() for path in project.iterdir()} == before
    assert mi("contract", "remove").stdout == "Nothing to change.\n"


def test_one_file_under_two_names_gets_the_text_once(mi: Mi, project: Path):
    (project / "AGENTS.md").write_text("# Mine\n", "utf-8")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    mi("contract", "install")
    assert (project / "AGENTS.md").read_text("utf-8").count("mi:contract begin") == 1
    mi("contract", "remove")
    assert (project / "AGENTS.md").read_text("utf-8") == "# Mine\n"


@pytest.mark.req(
    *(
        "tm.scope.governs",
        "tm.scope.repo-related",
        "tm.core.principle",
        "tm.r1.acknowledge",
        "tm.r2.file-tools-fallback",
    ),
    *("tm.r2.no-plan-in-response", "tm.r5.no-false-claim", "tm.enforce.self-enforce", "tm.errors.state-failure"),
    *("tm.errors.retry-twice", "tm.errors.stop-human", "tm.checklist.when-mutation", "tm.checklist.recall"),
    *("tm.checklist.mode", "tm.checklist.task-authority", "tm.checklist.memory-writes", "tm.checklist.no-restate"),
    *("ac.fail.agents-text", "ac.fail.r6-stated", "tm.r6.two-ways-on", "ac.fail.instructions"),
    *("one.list.named-once",),
)
def test_what_the_text_says():
    from mi.contract.guide import MEMORY_INSTRUCTIONS, TASKS_INSTRUCTIONS
    from mi.mcp.toolsets.nexus import INSTRUCTIONS

    text = " ".join(TEXT.split())
    for words in (
        *("governs all repository-related behaviour", "Non-compliance invalidates the response"),
        "code, files, documentation, configuration, architecture, tasks, planning or repository state",
        *("Observation is free. Sequencing is authority. Mutation is explicit.", "acknowledge the result"),
        *("with file tools if MCP is unavailable", "no planning in the response body", "stop and request user input"),
        *("if they decline or do not respond, proceed at once", "Never claim a memory write unless the tool succeeded"),
        *("enforce it yourself", "state the failure, retry up to 2 times, then stop and request human intervention"),
        *("in which you mutated something, confirm", "recall completed in GUARDED/STRICT (R1)", "mode declared (R4)"),
        *("task authority resolved (R2, R3)", "memory writes completed or not required (R5)"),
        *("Do not restate this contract", "observe only, or stop", "Two levels only; order matters"),
    ):
        assert words in text, words
    told = " ".join((MEMORY_INSTRUCTIONS + TASKS_INSTRUCTIONS).split())
    for said in (text, told, " ".join(INSTRUCTIONS.split())):
        assert "one list" in said or "one task list" in said
        assert "tasks.json" not in said
    for words in (
        *("Observation is free. Sequencing is authority. Mutation is explicit.", "say what you found, even if nothing"),
        *("retry up to 2 times, then stop and ask", "recall completed (R1)", "mode declared (R4)", "Never guess"),
        *("task authority resolved (R2, R3)", "memory writes completed or not required (R5)", "Do not restate"),
        *("do not plan in your answer", "do not wait for an answer that may not come", "None unchecked: stop and ask"),
    ):
        assert words in told, words


@pytest.mark.req("ac.tasks.protected-hooks")
@pytest.mark.parametrize("name", ["tinyTasks.md", ".claude/settings.json", ".codex/config.toml", "setup.py", "docs/"])
def test_the_text_goes_into_no_file_of_another_kind(mi: Mi, project: Path, name: str):
    done = mi("contract", "install", "--file", name)
    assert (done.returncode, name in done.stderr) == (2, True)
    assert not (project / name).exists()
    assert mi("contract", "install", "--file", "GEMINI.md").returncode == 0
    assert "R1" in (project / "GEMINI.md").read_text("utf-8")
    assert mi("contract", "remove").returncode == 0
