"""The door of hooks: events read, answers joined and rendered, failures answered by on_error."""

import sys
from types import ModuleType
from typing import Any

import msgspec
import pytest

from mi.app.home_context import HomeContext
from mi.hooks import enforce
from mi.hooks.answer import HookAnswer, choose_strictest
from mi.hooks.event import EVENTS, parse
from mi.hooks.main import reply_to
from mi.kernel.errors import MiError
from mi.kernel.home import Home

NONE, ALLOW, ASK, DENY = (HookAnswer(one, one) for one in ("none", "allow", "ask", "deny"))


@pytest.mark.req("ac.hook.strictest-wins", "ac.hook.reasons-joined", "ac.hook.answers")
@pytest.mark.parametrize(
    ("answers", "decision", "reason"),
    [
        ([], "none", ""),
        ([NONE, ALLOW], "allow", "allow"),
        ([ALLOW, ASK], "ask", "ask"),
        ([ASK, DENY, ALLOW], "deny", "ask\ndeny"),
        ([HookAnswer("deny", "a"), HookAnswer("deny", "a"), HookAnswer("deny", "b")], "deny", "a\nb"),
    ],
)
def test_strictest_answer_wins(answers, decision, reason):
    assert (choose_strictest(answers).decision, choose_strictest(answers).reason) == (decision, reason)
    assert choose_strictest([*answers, HookAnswer(context="look")]).context == "look"


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch):
    """Parts that answer as told, in a host with a person before it."""
    monkeypatch.delenv("CLAUDE_CODE_ENTRYPOINT", raising=False)

    def make(on_error: str = "closed", **answers: Any) -> tuple[str, ...]:
        for name, answer in answers.items():
            module = ModuleType(f"mi.hooks.parts.{name}")

            def say(event, context, answer=answer):
                if isinstance(answer, Exception):
                    raise answer
                return answer

            module.answer = say  # type: ignore[attr-defined]
            module.on_error = lambda event, context: on_error  # type: ignore[attr-defined]
            monkeypatch.setitem(sys.modules, module.__name__, module)
        return tuple(answers)

    return make


def asked(home: Home, event: str, enforced: tuple[str, ...], host: str = "claude-code", **fields: Any):
    data = msgspec.json.encode({"session_id": "s1", "hook_event_name": EVENTS[event], **fields})  # type: ignore[index]
    reply = reply_to(HomeContext(home), host, event, enforced, data)  # type: ignore[arg-type]
    return reply, msgspec.json.decode(reply.stdout) if reply.stdout else None


PRE = {"tool_name": "Bash", "tool_input": {"command": "rm -rf build"}}


def specific(event: str, **fields: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


@pytest.mark.req("ac.hook.exit-zero")
@pytest.mark.parametrize(
    ("event", "answer", "shown"),
    [
        ("pre-tool", DENY, specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="deny")),
        ("pre-tool", ASK, specific("PreToolUse", permissionDecision="ask", permissionDecisionReason="ask")),
        ("pre-tool", ALLOW, {}),
        ("pre-tool", NONE, {}),
        ("pre-tool", HookAnswer(context="c"), specific("PreToolUse", additionalContext="c")),
        ("prompt", DENY, {"decision": "block", "reason": "deny"}),
        ("prompt", HookAnswer(context="c"), specific("UserPromptSubmit", additionalContext="c")),
        ("post-tool", DENY, {"decision": "block", "reason": "deny"}),
        ("post-tool", HookAnswer(context="c"), specific("PostToolUse", additionalContext="c")),
        ("stop", DENY, {"decision": "block", "reason": "deny"}),
        ("stop", HookAnswer(context="c"), {}),
        ("subagent-stop", DENY, {"decision": "block", "reason": "deny"}),
        ("subagent-start", HookAnswer(context="c"), specific("SubagentStart", additionalContext="c")),
        ("session-start", HookAnswer(context="c"), specific("SessionStart", additionalContext="c")),
        ("session-end", DENY, {}),
        ("compact", DENY, {}),
    ],
)
def test_answers_in_the_hosts_words(home, parts, event, answer, shown):
    reply, said = asked(home, event, parts(contract=answer), **PRE)
    assert (reply.code, said, reply.stderr) == (0, shown, "")


@pytest.mark.req("ac.hook.prompt-codex", "ac.hook.prompt-nobody", "ac.hook.prompt-inbox")
@pytest.mark.parametrize(
    ("host", "mode", "entrypoint"),
    [("codex", "default", "cli"), ("claude-code", "default", "sdk-cli"), ("claude-code", "dontAsk", "cli")],
)
def test_nobody_to_ask_is_a_denial_that_waits_in_the_inbox(home, mi, parts, monkeypatch, host, mode, entrypoint):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", entrypoint)
    enforced = parts(permissions=HookAnswer("ask", "Deleting files needs a look."))
    for _ in range(2):  # asked twice, it waits once
        reply, said = asked(home, "pre-tool", enforced, host, permission_mode=mode, **PRE)
        answer = said["hookSpecificOutput"]
        assert (reply.code, answer["permissionDecision"]) == (0, "deny")
        assert "Deleting files needs a look." in answer["permissionDecisionReason"]
    waiting = msgspec.json.decode(mi("inbox", "--json").stdout)
    assert len(waiting) == 1
    assert waiting[0]["id"] in answer["permissionDecisionReason"]
    assert "rm -rf build" in waiting[0]["question"]


@pytest.mark.parametrize("entrypoint", ["cli", "claude-vscode"])
def test_a_person_at_the_host_is_asked(home, parts, monkeypatch, entrypoint):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", entrypoint)
    _, said = asked(home, "pre-tool", parts(permissions=ASK), permission_mode="acceptEdits", **PRE)
    assert said["hookSpecificOutput"]["permissionDecision"] == "ask"


@pytest.mark.parametrize("error", [MiError("interrupted"), OSError(28, "No space left"), ZeroDivisionError("x")])
@pytest.mark.req("ac.hook.on-error-closed", "ac.hook.on-error-open")
def test_a_failure_is_answered_by_on_error(home, parts, error):
    reply, said = asked(home, "pre-tool", parts("closed", contract=error, nexus=ALLOW), **PRE)
    assert (reply.code, said) == (2, None)
    assert reply.stderr.startswith("contract: ")
    assert "\n" not in reply.stderr
    reply, said = asked(home, "pre-tool", parts("open", contract=error, nexus=DENY), **PRE)
    assert reply.code == 0
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    reply, said = asked(home, "post-tool", parts("closed", contract=error), **PRE)
    assert (reply.code, said) == (0, {})


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff"])
@pytest.mark.parametrize(("on_error", "code"), [("closed", 2), ("open", 0)])
def test_unreadable_input(home, parts, data, on_error, code):
    reply = reply_to(HomeContext(home), "codex", "pre-tool", parts(on_error, contract=DENY), data)
    assert reply.code == code
    assert "JSON" in reply.stderr


def test_a_part_that_cannot_be_loaded_is_closed(home, monkeypatch):
    monkeypatch.setitem(sys.modules, "mi.hooks.parts.contract", None)
    reply, _ = asked(home, "pre-tool", ("contract",), **PRE)
    assert reply.code == 2


def test_parts_by_name():
    assert enforce.check(("contract", "contract", "nexus")) == ("contract", "nexus")
    with pytest.raises(MiError, match="contracts"):
        enforce.check(("contracts",))


def test_events_are_read_leniently():
    event = parse("codex", "pre-tool", b'{"session_id":5,"tool_input":"x","tool_name":"Bash","new":1,"turn_id":"t"}')
    assert (event.session_id, event.tool_input, event.tool_name, event.turn_id) == ("", {}, "Bash", "t")
    assert event.raw["new"] == 1


@pytest.mark.req("mi.door.hook-project", "mi.door.never-pinned")
def test_the_project_is_where_the_agent_works(home, repository, parts, tmp_path, mi):
    pinned, work = repository("pinned"), repository("work2")
    mi("project", "pin", cwd=pinned)
    (work / "deep").mkdir()
    seen = []

    def remember(event, context):
        seen.append(context.project.root)
        return NONE

    parts(contract=NONE)
    sys.modules["mi.hooks.parts.contract"].answer = remember  # type: ignore[attr-defined]
    asked(home, "pre-tool", ("contract",), cwd=str(work / "deep"))
    asked(home, "pre-tool", ("contract",), cwd=str(tmp_path / "user"))
    assert seen == [str(work), str(tmp_path / "user")]
