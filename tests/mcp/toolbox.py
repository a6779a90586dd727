"""A toolset for the tests of the door itself: every shape of input, output and failure."""

import os
import sys
from types import ModuleType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from mi.app.home_context import HomeContext
from mi.kernel.errors import NotFound
from mi.kernel.home import Home
from mi.mcp.dispatch import Dispatcher
from mi.mcp.registry import Definitions, Offer
from mi.mcp.schema import render_definitions
from mi.mcp.session import ToolSession
from mi.mcp.tool import Resource, Resources, ResourceTemplate, Text, Tool, ToolFailure
from tests.waiting import wait_until

INSTRUCTIONS = "Look before you write."
Json = dict[str, Any]


class Part(Struct, frozen=True, kw_only=True):
    """A part of it."""

    kind: Literal["a", "b"]
    note: str = ""


class Ask(Struct, frozen=True, kw_only=True):
    """What is asked."""

    query: Annotated[str, Meta(description="Words to look for.", min_length=1)]
    limit: int = 10
    parts: list[Part] = []


class Found(Struct, frozen=True, kw_only=True):
    """What was found."""

    query: str
    limit: int
    client: str
    parts: list[Part] = []


class Nothing(Struct, frozen=True, kw_only=True):
    """No arguments, no result."""


def _find(session: ToolSession, asked: Ask) -> Found:
    return Found(query=asked.query, limit=asked.limit, client=session.client, parts=asked.parts)


def _refuse(session: ToolSession, asked: Nothing) -> Nothing:
    raise ToolFailure("RECALL_REQUIRED", "Recall comes before change.", next={"tool": "memory_query"})


def _lose(session: ToolSession, asked: Nothing) -> Nothing:
    raise NotFound("no-such-folder", field="--cd", value="x", path="/x")


def _break(session: ToolSession, asked: Nothing) -> Nothing:
    raise ZeroDivisionError("division by zero")


def _shout(session: ToolSession, asked: Nothing) -> Nothing:
    print("a library prints something")
    session.context.notices.add("state-broken", "/some/file", reason="because")
    return Nothing()


class Wait(Struct, frozen=True, kw_only=True):
    """A file that ends the call when it is there."""

    path: str


def _wait(session: ToolSession, asked: Wait) -> Nothing:
    wait_until(lambda: os.path.exists(asked.path))
    return Nothing()


TOOLS: tuple[Tool[Any, Any], ...] = (
    Tool(name="find", title="Find", description="Finds.", input=Ask, output=Found, call=_find, read_only=True),
    Tool(name="refuse", title="Refuse", description="Refuses.", input=Nothing, output=Found, call=_refuse),  # type: ignore[arg-type]
    Tool(name="lose", title="Lose", description="Fails.", input=Nothing, output=Nothing, call=_lose, destructive=True),
    Tool(name="break", title="Break", description="Breaks.", input=Nothing, output=Nothing, call=_break),
    Tool(name="wait", title="Wait", description="Waits.", input=Wait, output=Nothing, call=_wait),
    Tool(name="shout", title="Shout", description="Prints.", input=Nothing, output=Nothing, call=_shout),
)
RESOURCES = Resources(
    list=lambda session: [Resource(uri="box:///one", name="one", mime_type="text/plain")],
    read=lambda session, uri: Text(uri=uri, text="the one") if uri == "box:///one" else None,
    templates=(ResourceTemplate(uri_template="box:///{name}", name="box"),),
)


def offer() -> Offer:
    """What a server with this toolset alone offers."""
    module: ModuleType = sys.modules[__name__]
    return Offer({"box": msgspec.json.decode(render_definitions(module), type=Definitions)}, lambda name: module)


def dispatcher(home: Home) -> Dispatcher:
    return Dispatcher(ToolSession(HomeContext(home).for_agent()), offer())


def exchange(door: Dispatcher, **message: Any) -> Any:
    """What a message is answered."""
    return raw_exchange(door, msgspec.json.encode({"jsonrpc": "2.0", **message}))


def raw_exchange(door: Dispatcher, data: bytes) -> Any:
    reply = door.receive(data).run()
    return None if reply is None else msgspec.json.decode(reply)


def initialize(door: Dispatcher, version: str = "2025-11-25", client: str = "tester") -> Json:
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
    answer: Json = exchange(door, id=0, method="initialize", params=about)
    exchange(door, method="notifications/initialized")
    return answer["result"]  # type: ignore[no-any-return]


def call(door: Dispatcher, name: str, **arguments: Any) -> Json:
    answer = exchange(door, id="c", method="tools/call", params={"name": name, "arguments": arguments})
    return answer["result"]  # type: ignore[no-any-return]
