"""A hook event of a host, read leniently: what a host leaves out or adds never stops the answer."""

from typing import Any, Literal

from msgspec import Struct

from mi.kernel.errors import MiError
from mi.kernel.jsontext import BadJson, decode_stored

EventName = Literal[
    "session-start",
    "prompt",
    "pre-tool",
    "post-tool",
    "subagent-start",
    "subagent-stop",
    "compact",
    "stop",
    "session-end",
]
# Our name of an event → the name both hosts use.
EVENTS: dict[EventName, str] = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "subagent-start": "SubagentStart",
    "subagent-stop": "SubagentStop",
    "compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
Json = dict[str, Any]


class HookEvent(Struct, frozen=True, kw_only=True):
    """What happened in a host; `raw` is everything it said."""

    host: str  # of mi.hosts.adapters.HOOK_HOSTS
    event: EventName
    session_id: str = ""
    turn_id: str = ""
    cwd: str = ""
    transcript_path: str = ""
    permission_mode: str = ""
    tool_name: str = ""
    tool_use_id: str = ""
    tool_input: Json = {}
    tool_response: Any = None
    prompt: str = ""
    stop_hook_active: bool = False
    last_message: str = ""
    agent_id: str = ""
    agent_type: str = ""
    source: str = ""
    raw: Json = {}


def parse(host: str, event: EventName, data: bytes) -> HookEvent:
    """Return the event in the host's JSON; MiError when it is no object at all."""
    try:
        raw = decode_stored(data, Json)
    except BadJson as error:
        raise MiError("hook-input", reason=error.reason) from None
    text = {field: _text(raw, *names) for field, names in _TEXTS.items()}
    tool_input = raw.get("tool_input")
    return HookEvent(
        host=host,
        event=event,
        tool_input=tool_input if isinstance(tool_input, dict) else {},
        tool_response=raw.get("tool_response"),
        stop_hook_active=raw.get("stop_hook_active") is True,
        raw=raw,
        **text,
    )


# Our field → the names hosts have for it.
_TEXTS = {
    "session_id": ("session_id", "thread_id"),
    "turn_id": ("turn_id", "prompt_id"),
    "cwd": ("cwd",),
    "transcript_path": ("transcript_path",),
    "permission_mode": ("permission_mode",),
    "tool_name": ("tool_name",),
    "tool_use_id": ("tool_use_id",),
    "prompt": ("prompt",),
    "last_message": ("last_assistant_message",),
    "agent_id": ("agent_id",),
    "agent_type": ("agent_type",),
    "source": ("source", "trigger", "reason"),
}


def _text(raw: Json, *names: str) -> str:
    return next((found for name in names if isinstance(found := raw.get(name), str)), "")
