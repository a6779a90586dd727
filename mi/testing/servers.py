"""The three scripted model servers, by the API they speak."""

from mi.testing.chat import ChatWire
from mi.testing.messages import MessagesWire
from mi.testing.replies import Script
from mi.testing.responses import ResponsesWire
from mi.testing.server import ScriptedServer


def responses_server(script: Script, *, token: str = "") -> ScriptedServer:
    """Return a model for Codex: the Responses API; with `token`, another key gets a 401."""
    return ScriptedServer(ResponsesWire(), script, token=token)


def messages_server(script: Script, *, token: str = "") -> ScriptedServer:
    """Return a model for Claude Code: the Messages API; with `token`, another key gets a 401."""
    return ScriptedServer(MessagesWire(), script, token=token)


def chat_server(script: Script, *, token: str = "") -> ScriptedServer:
    """Return a model for everything else: Chat Completions; with `token`, another key gets a 401."""
    return ScriptedServer(ChatWire(), script, token=token)
