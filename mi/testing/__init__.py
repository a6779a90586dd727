"""For tests: real agents against a scripted model, scripted agents, and temporary homes and repositories."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mi.testing.environments import KEY, claude_environment, codex_environment
    from mi.testing.replies import (
        Usage,
        answer_json,
        ask,
        call_tool,
        cut,
        edit,
        fail,
        hang,
        patch,
        read,
        run,
        say,
        slow,
        stream_error,
        think,
        turn,
        write,
    )
    from mi.testing.requests import Request, ToolOutput
    from mi.testing.server import ScriptedServer
    from mi.testing.servers import chat_server, messages_server, responses_server
    from mi.testing.wire import ScriptError

__all__ = [
    "KEY",
    "Request",
    "ScriptError",
    "ScriptedServer",
    "ToolOutput",
    "Usage",
    "answer_json",
    "ask",
    "call_tool",
    "chat_server",
    "claude_environment",
    "codex_environment",
    "cut",
    "edit",
    "fail",
    "hang",
    "messages_server",
    "patch",
    "read",
    "responses_server",
    "run",
    "say",
    "slow",
    "stream_error",
    "think",
    "turn",
    "write",
]

# A name is loaded when it is first used: a test that only needs a temporary home pays for no web server.
_ROOMS = {
    "environments": ("KEY", "claude_environment", "codex_environment"),
    "requests": ("Request", "ToolOutput"),
    "server": ("ScriptedServer",),
    "servers": ("chat_server", "messages_server", "responses_server"),
    "wire": ("ScriptError",),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = next((room for room, names in _ROOMS.items() if name in names), "replies")
    return getattr(importlib.import_module(f"{__name__}.{room}"), name)
