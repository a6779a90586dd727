"""The contract in a host's hooks: a session of events, as hosts send them."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.contract.memory_tools import ModeInput, RecentInput, memory_recent, memory_set_mode
from mi.contract.session import ContractSession
from mi.hooks.main import HookReply, reply_to
from mi.kernel.errors import MiError
from mi.kernel.home import Home

Json = dict[str, Any]


class Host:
    """A host that tells every event of one session to the hook."""

    def __init__(self, home: Home, root: Path, name: str = "claude-code", session: str = "s1") -> None:
        self.home, self.root, self.name, self.session = home, root, name, session

    def tell(self, event: str, **fields: Any) -> Json:
        reply = self.reply(event, **fields)
        assert (reply.code, reply.stderr) == (0, ""), reply
        return msgspec.json.decode(reply.stdout)  # type: ignore[no-any-return]

    def reply(self, event: str, **fields: Any) -> HookReply:
        data = msgspec.json.encode({"session_id": self.session, "cwd": str(self.root), **fields})
        return reply_to(HomeContext(self.home), self.name, event, ("contract",), data)  # type: ignore[arg-type]

    def refusal(self, tool: str = "Write", **given: Any) -> str:
        """Why a call is refused; empty when it is not."""
        given = given or {"file_path": str(self.root / "a.py")}
        said = self.tell("pre-tool", tool_name=tool, tool_input=given)
        specific = said.get("hookSpecificOutput", {})
        assert specific.get("permissionDecision") in (None, "deny")
        return str(specific.get("permissionDecisionReason", ""))

    def edited(self) -> None:
        self.tell("post-tool", tool_name="Write", tool_input={"file_path": str(self.root / "a.py")}, tool_response={})

    def called(self, tool: str, result: Any, **given: Any) -> None:
        """Our server answered a call, in the form this host passes results on."""
        text = json.dumps(result)
        forms = {
            "claude-code": text,
            "codex": {"content": [{"type": "text", "text": text}], "structuredContent": result},
        }
        self.tell("post-tool", tool_name=f"mcp__mi__{tool}", tool_input=given, tool_response=forms[self.name])

    def ready(self, mode: str = "GUARDED") -> None:
        self.called("memory_query", {"results": [{"id": "cl_1"}], "event_id": "ev_1"}, query="x")
        self.called("memory_set_mode", {"mode": mode}, mode=mode)


@pytest.fixture(params=["claude-code", "codex"])
def host(request, home, repository) -> Host:
    return Host(home, repository("app"), request.param)


def violations(host: Host) -> list[Json]:
    context = HomeContext(host.home).for_agent(str(host.root))
    path = Path(context.project_home.evidence)
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [one for one in map(json.loads, lines) if one["kind"] == "violation"]


@pytest.mark.req(
    "ac.gate.file-edits", "ac.gate.same-from-hooks", "ac.hook.enforce-contract", "ac.state.hook-session-id"
)
@pytest.mark.req("ac.state.post-hook-copies", "ac.state.hook-gate-asks", "ac.audit.violation-kinds")
@pytest.mark.req("ac.audit.violation-fields", "tm.enforce.audit")
def test_edits_pass_the_gate(host):
    refused = host.refusal()
    assert refused.startswith("RECALL_REQUIRED")
    assert "mcp__mi__memory_recent" in refused
    host.called("memory_recent", {"results": [], "event_id": "ev_1"})
    refused = host.refusal()
    assert refused.startswith("MODE_NOT_SET")
    assert "recall" not in refused.splitlines()[1]
    host.called("memory_set_mode", {"mode": "PASSIVE"}, mode="PASSIVE")
    assert host.refusal().startswith("MODE_TOO_LOW")
    host.ready()
    assert host.refusal().startswith("RECALL_REQUIRED")  # another mode, another recall
    host.ready()
    assert host.refusal() == ""
    found = violations(host)
    assert [one["code"] for one in found] == ["RECALL_REQUIRED", "MODE_NOT_SET", "MODE_TOO_LOW", "RECALL_REQUIRED"]
    for one in found:
        assert (one["boundary"], one["outcome"]) == ("hook", "blocked")
        assert {"mode", "details"} <= set(one)


def test_calls_that_failed_leave_no_receipt(host):
    host.called("memory_query", {"error": {"code": "BAD_ARGUMENTS"}}, query="x")
    host.tell("post-tool", tool_name="mcp__mi__memory_query", tool_input={}, tool_response="broken")
    host.tell("post-tool", tool_name="mcp__other__memory_query", tool_input={}, tool_response="{}")
    assert host.refusal().startswith("RECALL_REQUIRED")


def test_sessions_do_not_share_a_state(host):
    host.ready()
    other = Host(host.home, host.root, host.name, "s2")
    assert host.refusal() == ""
    assert other.refusal().startswith("RECALL_REQUIRED")


@pytest.mark.req("ac.r2.reads-text-in-hooks", "ac.tasksreq.guarded-else")
def test_a_plan_in_the_agents_words_needs_tasks(host, tmp_path):
    host.ready()
    assert host.refusal() == ""
    host.tell("stop", last_assistant_message="Plan:\n1. fix add\n2. run the tests\n3. commit")
    assert host.refusal().startswith("TASKS_REQUIRED")
    (host.root / "tinyTasks.md").write_text("# Tasks — Fix\n\n- [ ] fix add\n- [ ] run the tests\n", "utf-8")
    host.ready()
    assert host.refusal() == ""
    (host.root / "tinyTasks.md").write_text("# Tasks — Fix\n\n- [x] fix add\n- [x] run the tests\n", "utf-8")
    assert host.refusal().startswith("NO_UNCHECKED_TASK")


def test_a_plan_tool_of_the_host_declares_steps(host):
    host.ready()
    tool, field = ("TodoWrite", "todos") if host.name == "claude-code" else ("update_plan", "plan")
    host.tell("post-tool", tool_name=tool, tool_input={field: [{"step": "a"}, {"step": "b"}]}, tool_response="ok")
    assert host.refusal().startswith("TASKS_REQUIRED")


def test_a_plan_in_words_and_tasks_one_by_one_declare_steps(host):
    host.ready()
    host.tell("post-tool", tool_name="TaskCreate", tool_input={"subject": "a"}, tool_response="ok")
    assert host.refusal() == ""
    host.tell("post-tool", tool_name="TaskCreate", tool_input={"subject": "b"}, tool_response="ok")
    assert host.refusal().startswith("TASKS_REQUIRED")
    other = Host(host.home, host.root, host.name, "s2")
    other.ready()
    plan = {"plan": "# Plan\n1. read it\n2. mend it"}
    other.tell("post-tool", tool_name="ExitPlanMode", tool_input=plan, tool_response="ok")
    assert other.refusal().startswith("TASKS_REQUIRED")


@pytest.mark.req("ac.state.post-hook-copies")
def test_our_server_under_another_name_is_known_by_its_events(host):
    context = HomeContext(host.home).for_agent(str(host.root))
    session = ContractSession.open(build_contract(context), "codex", "mcp")
    found = msgspec.to_builtins(memory_recent(session, RecentInput()))
    mode = msgspec.to_builtins(memory_set_mode(session, ModeInput(mode="GUARDED")))
    session.close()

    def told(tool: str, result: Json, **given: Any) -> None:
        host.tell("post-tool", tool_name=f"mcp__memory__{tool}", tool_input=given, tool_response=json.dumps(result))

    told("memory_recent", found | {"event_id": "ev_somebody_elses"})
    assert host.refusal().startswith("RECALL_REQUIRED")
    told("memory_recent", found)
    assert host.refusal().startswith("MODE_NOT_SET")
    told("memory_set_mode", mode, mode="GUARDED")
    assert host.refusal() == ""


@pytest.mark.req("ac.tasks.direct-edit-violation")
@pytest.mark.parametrize(
    "path",
    [
        "tinyTasks.md",
        ".nexus/state/tasks.json",
        ".claude/settings.json",
        ".codex/hooks.json",
        "~/.claude/settings.json",
        "HOME/config.json",
    ],
)
def test_what_nobody_may_edit_directly(host, path):
    host.ready()
    named = path.replace("HOME", host.home.root)
    for tool, given in (("Write", {"file_path": named}), ("Bash", {"command": f"echo x >> {named}"})):
        assert host.refusal(tool, **given).startswith("PROTECTED_FILE")
    assert [one["code"] for one in violations(host)] == ["PROTECTED_FILE"] * 2


@pytest.mark.req("ac.tasks.direct-edit-violation", "ac.tasks.protected-hooks")
@pytest.mark.parametrize(
    "command",
    [
        "sed -Ei s/a/b/ tinyTasks.md",
        "cd sub && echo x > ../tinyTasks.md",
        "echo x > tiny*.md",
        "F=tinyTasks.md; echo x > $F",
        "git checkout -- tinyTasks.md",
        "find . -name tinyTasks.md -delete",
        "rm -rf .claude",
        "cp /etc/settings.json .claude/",
        "python3 -c \"open('tinyTasks.md', 'w')\"",
        "node -e \"fs.appendFileSync('tinyTasks.md', 'x')\"",
        "bash -lc 'cat x > tinyTasks.md'",
        "env -u CLAUDECODE mi hook uninstall claude-code",
        "mi --home x uninstall; mi hook install codex --enforce permissions",
    ],
)
def test_nor_through_the_shell(host, command):
    for name in ("sub", ".claude"):
        (host.root / name).mkdir()
    (host.root / "tinyTasks.md").write_text("- [ ] a\n", "utf-8")
    host.ready()
    assert host.refusal("Bash", command=command).startswith("PROTECTED_FILE")
    assert host.refusal("Bash", command="cat tinyTasks.md; ls .claude") == ""


@pytest.mark.req("tm.def.observation", "ac.hook.opt-in")
def test_looking_is_free_and_files_elsewhere_are_no_concern(host, tmp_path):
    for tool, given in (
        ("Read", {"file_path": str(host.root / "a.py")}),
        ("Bash", {"command": "cat a.py | grep x"}),
        ("Bash", {"command": f"echo x > {tmp_path}/scratch"}),
        ("Grep", {"pattern": "x"}),
        ("mcp__mi__memory_write", {"type": "note", "summary": "x"}),
    ):
        assert host.refusal(tool, **given) == ""
    assert violations(host) == []
    assert not os.path.exists(host.home.root)


@pytest.mark.req(
    "ac.hook.stop-checklist", "ac.hook.stop-once", "ac.hook.stop-no-mutation", "tm.checklist.when-mutation"
)
@pytest.mark.req(
    "tm.checklist.recall", "tm.checklist.mode", "tm.checklist.task-authority", "tm.checklist.memory-writes"
)
@pytest.mark.req("tm.checklist.no-restate")
def test_the_checklist_once_after_a_mutation(host):
    assert host.tell("stop", stop_hook_active=False) == {}
    host.ready()
    assert host.tell("stop") == {}
    host.edited()
    said = host.tell("stop")
    assert said["decision"] == "block"
    lines = said["reason"].splitlines()
    assert [line[-9:] for line in lines[1:]] == ["odes (R1)", "ared (R4)", " (R2, R3)", "ired (R5)"]
    assert "without restating" in lines[0]
    assert host.tell("stop", stop_hook_active=True) == {}
    assert host.tell("stop") == {}
    host.called("memory_write", {"id": "cl_1"}, type="note", summary="x")
    assert host.tell("stop")["decision"] == "block"
    host.called("memory_write", {"error": {}}, type="note", summary="x")
    assert host.tell("stop") == {}
    host.edited()
    host.tell("prompt", prompt="something else")  # the turn was interrupted
    assert host.tell("stop") == {}


def test_a_mutation_leaves_an_event(host):
    host.ready()
    host.edited()
    context = HomeContext(host.home).for_agent(str(host.root))
    records = [json.loads(line) for line in Path(context.project_home.evidence).read_text("utf-8").splitlines()]
    gates = [one for one in records if one["kind"] == "gate"]
    assert [(one["code"], one["outcome"], one["boundary"]) for one in gates] == [("ok", "done", "hook")]


@pytest.mark.req("ac.audit.violation-kinds", "tm.enforce.audit")
def test_an_edit_that_happened_all_the_same_is_a_violation(host):
    """The host went on in spite of the answer, or was not asked: the audit still knows."""
    host.edited()
    host.ready()
    host.edited()
    done = {"tool_name": "Bash", "tool_input": {"command": "echo x >> tinyTasks.md"}, "tool_response": ""}
    host.tell("post-tool", **done)
    found = [(one["code"], one["outcome"]) for one in violations(host)]
    assert found == [("RECALL_REQUIRED", "done"), ("PROTECTED_FILE", "done")]


@pytest.mark.req("mi.kind.gate-written")
def test_a_protected_file_leaves_a_gate_event(host):
    host.ready()
    host.refusal("Write", file_path="tinyTasks.md")
    context = HomeContext(host.home).for_agent(str(host.root))
    records = [json.loads(line) for line in Path(context.project_home.evidence).read_text("utf-8").splitlines()]
    gates = [one for one in records if one["kind"] == "gate"]
    assert [(one["code"], one["outcome"]) for one in gates] == [("PROTECTED_FILE", "blocked")]


@pytest.mark.req("ac.mode.strict-hooks-closed", "tm.r6.fail-closed")
def test_what_cannot_be_judged_does_not_happen(host, monkeypatch):
    host.ready("STRICT")
    look = {"tool_name": "Read", "tool_input": {}}
    change = {"tool_name": "Write", "tool_input": {"file_path": "a.py"}}

    def broken(event):
        raise MiError("interrupted")

    monkeypatch.setattr("mi.hooks.parts.contract.find_changed_files", broken)
    assert host.reply("pre-tool", **change).code == 2
    assert host.reply("pre-tool", **look).code == 2
    assert host.reply("pre-tool", **change).code == 2
    host.ready("GUARDED")
    assert host.reply("pre-tool", **change).code == 2
    assert host.reply("pre-tool", **look).code == 0


@pytest.mark.req("tm.def.observation", "ac.mode.strict-hooks-closed")
def test_a_failure_at_the_prompt_stops_nobody_but_in_strict(host, monkeypatch):
    def broken(event, context):
        raise MiError("interrupted")

    host.ready("GUARDED")
    monkeypatch.setattr("mi.hooks.parts.contract._forget_mutations", broken)
    assert host.reply("prompt", prompt="go on").code == 0
    host.ready("STRICT")
    assert host.reply("prompt", prompt="go on").code == 2


def test_a_project_that_is_not_there_lets_nothing_pass(host):
    change = {"session_id": "s1", "cwd": str(host.root), "tool_name": "Write", "tool_input": {"file_path": "a.py"}}
    context = HomeContext(host.home, cd=str(host.root / "gone"))
    assert reply_to(context, host.name, "pre-tool", ("contract",), msgspec.json.encode(change)).code == 2


def test_a_broken_state_file_counts_as_nothing_done(host):
    host.ready()
    context = HomeContext(host.home).for_agent(str(host.root))
    [state] = Path(context.project_home.contract).glob("host_*.json")
    state.write_text("{ broken", "utf-8")
    reply = host.reply("pre-tool", tool_name="Write", tool_input={"file_path": "a.py"})
    assert reply.code == 0
    assert b"RECALL_REQUIRED" in reply.stdout
    host.reply("post-tool", tool_name="mcp__mi__memory_recent", tool_input={}, tool_response='{"results": []}')
    assert host.refusal().startswith("MODE_NOT_SET")
