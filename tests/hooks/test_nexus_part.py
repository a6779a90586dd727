"""The nexus part of the hooks: Claude Code's and Codex's events become the events of a session."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mi.app.home_context import HomeContext
from mi.hooks.event import EVENTS
from mi.hooks.main import reply_to
from mi.kernel.home import Home

HOSTS = ("claude-code", "codex")
BOUND = {"claude-code": "nx.duty.bound-claude", "codex": "nx.duty.bound-codex"}
both = pytest.mark.parametrize("host", [pytest.param(host, marks=pytest.mark.req(BOUND[host])) for host in HOSTS])


@pytest.fixture
def root(repository) -> Path:
    path: Path = repository()
    return path


class Bench:
    """A host's events in one repository."""

    def __init__(self, home: Home, root: Path, host: str) -> None:
        self.home, self.root, self.host = home, root, host

    def __call__(self, event: str, **fields: Any) -> dict[str, Any]:
        data = {"session_id": "s", "cwd": str(self.root), "hook_event_name": EVENTS[event], **fields}  # type: ignore[index]
        reply = reply_to(HomeContext(self.home), self.host, event, ("nexus",), msgspec.json.encode(data))  # type: ignore[arg-type]
        assert (reply.code, reply.stderr) == (0, ""), reply
        answer: dict[str, Any] = json.loads(reply.stdout)
        return answer

    def context(self, event: str, **fields: Any) -> str:
        return str(self(event, **fields).get("hookSpecificOutput", {}).get("additionalContext", ""))

    def file(self, name: str) -> Any:
        return json.loads((self.root / ".nexus" / name).read_text("utf-8"))

    def put(self, name: str, content: Any) -> None:
        path = self.root / ".nexus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")

    @property
    def recorded(self) -> list[str]:
        (log,) = Path(self.home.projects).glob("*/evidence.jsonl")
        return [
            one["event"]
            for line in log.read_text("utf-8").splitlines()
            if (one := json.loads(line))["kind"] == "nexus_event"
        ]


TASK = {
    "id": 1,
    "title": "Build it",
    "context": "c",
    "status": "in_progress",
    "deps": [],
    "owner": "engineer",
    "acceptance": "it runs",
}


@pytest.mark.req(
    "ac.hook.enforce-nexus", "mi.kind.nexus-event-written", "nx.duty.start-index", "nx.duty.end-clear-tracker"
)
@both
def test_a_whole_session(home: Home, root: Path, host):
    bench = Bench(home, root, host)
    bench.put("memory/wal-time.md", "# WAL halves it\n")
    bench.put("state/tasks.json", {"goal": "G", "decisions": [], "tasks": [TASK]})
    opening = bench.context("session-start", source="startup")
    assert "Tasks are left over: G" in opening
    assert ".nexus/memory/wal-time.md: WAL halves it" in opening
    bench("subagent-start", agent_id="a1", agent_type="engineer")
    assert [one["status"] for one in bench.file("state/mi/agent-tracker.json")] == ["running"]
    edit = (
        {"tool_name": "Edit", "tool_input": {"file_path": str(root / "src/a.py")}}
        if host == "claude-code"
        else {
            "tool_name": "apply_patch",
            "tool_input": {"command": "*** Begin Patch\n*** Update File: src/a.py\n*** Add File: src/b.py\n"},
        }
    )
    assert bench("pre-tool", agent_id="a1", agent_type="engineer", **edit) == {}
    bench("post-tool", agent_id="a1", **edit, tool_response={"ok": True})
    stopped = bench("subagent-stop", agent_id="a1", agent_type="engineer", last_assistant_message="done")
    assert "Task 1 (Build it)" in stopped["systemMessage"]  # it has an acceptance that nobody looks at
    (entry,) = bench.file("state/mi/agent-tracker.json")
    assert (entry["status"], entry["last_message"]) == ("completed", "done")
    assert entry["files_touched"] == ["src/a.py"] + (["src/b.py"] if host == "codex" else [])
    assert bench.file("state/tasks.json")["tasks"][0]["status"] == "completed"
    bench("compact", trigger="auto")
    bench("session-end", reason="exit")
    assert bench.file("state/mi/agent-tracker.json") == []
    assert not (root / ".nexus/state/tool-log.jsonl").exists()
    names = "session_start subagent_spawn pre_tool_use post_tool_use subagent_complete context_compact session_end"
    assert list(dict.fromkeys(bench.recorded)) == names.split()


@pytest.mark.req("nx.duty.compact-reread", "nxs.guide.min-session-end-warn")
@both
def test_after_a_compaction_and_at_the_end(home: Home, root: Path, host):
    bench = Bench(home, root, host)
    issue = {"id": 1, "title": "Which store?", "status": "decided", "decision": "SQLite"}
    bench.put("state/plan.json", {"id": 1, "topic": "T", "issues": [issue], "created_at": "2026-01-02T03:04:05Z"})
    bench.put("state/tasks.json", {"goal": "G", "decisions": [], "tasks": [TASK]})
    bench.put("memory/wal-time.md", "# WAL halves it\n")
    bench.put("state/mi/agent-tracker.json", [{"harness_id": "mi", "started_at": "2026-01-02T03:04:05Z"}])
    told = bench.context("session-start", source="compact")
    for word in ("SQLite", "Build it", "it runs", ".nexus/memory/wal-time.md: WAL halves it"):
        assert word in told
    assert "left over" not in told
    assert len(bench.file("state/mi/agent-tracker.json")) == 1
    assert "unfinished tasks: 1" in bench("session-end", reason="exit")["systemMessage"]


@pytest.mark.req("nx.resume.persistent", "nx.resume.no-mechanism", "nxs.guide.complete-reminder")
@both
def test_handing_work_to_an_agent(home: Home, root: Path, host):
    bench = Bench(home, root, host)
    asked = TASK | {"id": 2, "owner": "architect", "status": "pending"}
    bench.put("state/tasks.json", {"goal": "G", "decisions": [], "tasks": [TASK | {"status": "completed"}, asked]})
    bench("subagent-start", agent_id="a1", agent_type="architect")
    bench("subagent-stop", agent_id="a1", agent_type="architect")
    hands = {"tool_name": "Agent", "tool_input": {"subagent_type": "architect", "prompt": "think"}}
    expected = {"claude-code": "The same agent goes on. (a1)", "codex": "A new agent: this host cannot resume one."}
    assert bench.context("pre-tool", **hands) == expected[host]
    told = bench.context("post-tool", tool_name="Agent", tool_input={"subagent_type": "engineer"})
    assert "Task 1 (Build it)" in told
    assert bench("pre-tool", tool_name="Agent", tool_input={"subagent_type": "writer"}) == {}


@pytest.mark.req("nx.memory.observe-hook", "nxs.outputs.access-upsert-on-read", "nxs.life.scan-not-observation")
@both
def test_a_read_memory_is_counted(home: Home, root: Path, host):
    bench = Bench(home, root, host)
    bench.put("memory/wal-time.md", "x")
    path = str(root / ".nexus/memory/wal-time.md")
    reads = {
        "claude-code": {"tool_name": "Read", "tool_input": {"file_path": path}, "tool_response": {"file": {}}},
        "codex": {
            "tool_name": "Bash",
            "tool_input": {"command": "sed -n 1,50p .nexus/memory/wal-time.md"},
            "tool_response": "x",
        },
    }
    for _ in range(2):
        bench("post-tool", **reads[host])
    bench("post-tool", tool_name="Grep", tool_input={"path": path})
    bench("post-tool", tool_name="Write", tool_input={"file_path": path})
    (line,) = (root / ".nexus/state/mi/memory-access.jsonl").read_text("utf-8").splitlines()
    assert (json.loads(line)["path"], json.loads(line)["access_count"]) == (path, 2)


@pytest.mark.req("nx.tags.in-hook", "nx.tags.d-blocked", "nxs.guide.min-user-message-plan", "nx.duty.user-message-tags")
@both
def test_tags_in_a_prompt(home: Home, root: Path, host):
    bench = Bench(home, root, host)
    assert "Make the tasks" in bench.context("prompt", prompt="[plan] a store")
    assert "neither the code nor the web" in bench.context("prompt", prompt="[m] WAL halves it")
    assert bench("prompt", prompt="plain words") == {}
    assert bench("prompt", prompt="row[d] is wrong, see [d](https://example.invalid)") == {}
    blocked = bench("prompt", prompt="[d] so be it")
    assert blocked["decision"] == "block"
    assert "No active plan session" in blocked["reason"]


@pytest.mark.req(
    "nx.duty.pre-capability-gate", "nx.host.gate-named-only", "nx.duty.pre-profile", "ac.hook.enforce-nexus"
)
@both
def test_capabilities_where_the_agent_is_named(home: Home, root: Path, host):
    bench = Bench(home, root, host)
    bench.put("state/tasks.json", {"goal": "G", "decisions": [], "tasks": []})
    write = {"tool_name": "Write", "tool_input": {"file_path": "a.py"}}
    denied = bench("pre-tool", agent_type="architect", **write)["hookSpecificOutput"]
    assert denied["permissionDecision"] == "deny"
    assert "no_file_edit" in denied["permissionDecisionReason"]
    assert bench("pre-tool", **write) == {}
    assert bench("pre-tool", agent_type="architect", tool_name="mcp__mi__nx_artifact_write", tool_input={}) == {}
    Path(home.root).mkdir(exist_ok=True)
    Path(home.config).write_text(json.dumps({"nexus": {"agent_capabilities": {"tester": ["no_shell_exec"]}}}), "utf-8")
    shell = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    assert "no_shell_exec" in json.dumps(bench("pre-tool", agent_type="tester", **shell))


@pytest.mark.req("nx.duty.pre-unplanned", "one.list.one")
def test_an_edit_for_an_open_task_of_the_list_is_planned(home: Home, root: Path):
    bench = Bench(home, root, "claude-code")
    write = {"tool_name": "Write", "tool_input": {"file_path": "a.py"}}
    (root / "tinyTasks.md").write_text("- [ ] write a.py\n", "utf-8")
    assert bench("pre-tool", **write) == {}
    (root / "tinyTasks.md").write_text("- [x] write a.py\n", "utf-8")
    assert "unplanned edits" in bench.context("pre-tool", **write)


@pytest.mark.req("nx.duty.pre-unplanned", "nx.duty.pre-profile")
def test_unplanned_edits_are_a_remark_or_a_question(home: Home, root: Path, monkeypatch):
    bench = Bench(home, root, "claude-code")
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    write = {"tool_name": "Write", "tool_input": {"file_path": "a.py"}}
    assert "unplanned edits" in bench.context("pre-tool", **write)
    assert "permissionDecision" not in json.dumps(bench("pre-tool", **write))
    Path(home.root).mkdir(exist_ok=True)
    Path(home.config).write_text(json.dumps({"governance": {"profile": "strict"}}), "utf-8")
    assert bench("pre-tool", **write)["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert bench("pre-tool", tool_name="Read", tool_input={"file_path": "a.py"}) == {}
    data = msgspec.json.encode({"cwd": str(root), **write})
    reply = reply_to(HomeContext(home), "claude-code", "pre-tool", (), data)
    assert reply.stdout == b"{}\n"  # a part that is not enforced has no say


def test_nothing_is_made_where_no_repository_is(home: Home, tmp_path: Path):
    folder = tmp_path / "plain"
    folder.mkdir()
    assert Bench(home, folder, "claude-code")("session-start") == {}
    assert list(folder.iterdir()) == []


def test_what_cannot_be_noted_stops_nobody(home: Home, root: Path):
    (root / ".nexus").write_text("in the way", "utf-8")
    data = msgspec.json.encode({"cwd": str(root), "tool_name": "Bash", "tool_input": {"command": "ls"}})
    reply = reply_to(HomeContext(home), "claude-code", "post-tool", ("nexus",), data)
    assert reply.code == 0
    assert reply.stdout == b"{}\n"
