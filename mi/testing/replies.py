"""What a scripted model answers: small frozen values, and the plain verbs that build them.

A part is one thing a model does (say, run, edit …); a turn is what it does in one reply; a failure is a reply
that is no turn. The same part is written by each server in the form its agent understands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from mi.testing.requests import Request

Json = dict[str, Any]
Ending = Literal["complete", "broken", "stopped", "hang", "error"]


class Say(Struct, frozen=True):
    """A message to the person."""

    text: str


class Think(Struct, frozen=True):
    """A summary of the model's reasoning."""

    text: str


class Run(Struct, frozen=True):
    """A shell command: exec_command for Codex, Bash for Claude Code."""

    command: str
    wait_ms: int | None = None


class Read(Struct, frozen=True):
    """Looking at a file; Claude Code edits only what it has read."""

    path: str


class Write(Struct, frozen=True):
    """A whole file."""

    path: str
    content: str


class Edit(Struct, frozen=True):
    """Whole lines of a file replaced by others."""

    path: str
    old: str
    new: str


class Delete(Struct, frozen=True):
    """A file removed."""

    path: str


class Patch(Struct, frozen=True):
    """A patch in apply_patch's own words, good or bad; Codex only."""

    text: str


class Ask(Struct, frozen=True):
    """A question with choices to the person; Claude Code only."""

    question: str
    options: tuple[str, ...]
    header: str
    multiple: bool


class AnswerJson(Struct, frozen=True):
    """The structured answer that was asked for by a schema."""

    value: Any


class CallTool(Struct, frozen=True):
    """A call of any tool, of an MCP server when one is named."""

    name: str
    arguments: Json
    server: str = ""


Part = Say | Think | Run | Read | Write | Edit | Delete | Patch | Ask | AnswerJson | CallTool


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one reply, as the vendor's server reports them; `input` includes what was cached."""

    input: int = 100
    cached: int = 0
    output: int = 10
    reasoning: int = 0


class Turn(Struct, frozen=True, kw_only=True):
    """One reply of the model: its parts, and how it ends."""

    parts: tuple[Part, ...]
    usage: Usage = Usage()
    ending: Ending = "complete"
    open_part: bool = False
    stop: str = ""
    code: str = ""
    message: str = ""
    pause_s: float = 0.0


class Failure(Struct, frozen=True, kw_only=True):
    """An HTTP error in place of a reply; without a body it is written in the vendor's form."""

    status: int
    message: str
    kind: str = ""
    body: str | None = None
    headers: dict[str, str] = {}
    resets_at: int | None = None


Reply = Part | Turn | Failure
Script = Sequence["Reply | Answer"] | Callable[["Request"], Reply]
Answer = Callable[["Request"], Reply]


def say(text: str) -> Say:
    """Let the model say something."""
    return Say(text)


def think(text: str) -> Think:
    """Let the model show a summary of its reasoning."""
    return Think(text)


def run(command: str, *, wait_ms: int | None = None) -> Run:
    """Let the agent run a shell command; `wait_ms` is how long it waits (Codex: yield, Claude: time-out)."""
    return Run(command, wait_ms)


def read(path: str) -> Read:
    """Let the agent read a file, really."""
    return Read(path)


def write(path: str, content: str) -> Write:
    """Let the agent write a whole file; the path is relative to its working folder."""
    return Write(path, content)


def edit(path: str, old: str, new: str) -> Edit:
    """Let the agent replace whole lines of a file; for Claude Code `read` it in an earlier turn."""
    return Edit(path, old, new)


def delete(path: str) -> Delete:
    """Let the agent remove a file; Claude Code does it by a shell command."""
    return Delete(path)


def patch(text: str) -> Patch:
    """Codex gets this text as its apply_patch call, word for word."""
    return Patch(text)


def ask(
    question: str, options: Sequence[str] = ("Yes", "No"), *, header: str = "Choice", multiple: bool = False
) -> Ask:
    """Claude Code calls AskUserQuestion."""
    return Ask(question, tuple(options), header, multiple)


def answer_json(value: Any) -> AnswerJson:
    """Return the answer to a request with a schema: JSON text, for Claude Code a StructuredOutput call."""
    return AnswerJson(value)


def call_tool(name: str, arguments: Mapping[str, Any] | None = None, *, server: str = "") -> CallTool:
    """Let the agent call a tool by name, of the MCP server `server` when given."""
    return CallTool(name, dict(arguments or {}), server)


def turn(*parts: Part, usage: Usage | None = None, stop: str = "") -> Turn:
    """Put several parts in one reply, with its usage; `stop` overrides the vendor's reason for stopping."""
    return Turn(parts=parts, usage=usage or Usage(), stop=stop)


def cut(*parts: Part, inside: bool = False, tidy: bool = False) -> Turn:
    """Return the reply stops after these parts: the connection breaks, or with `tidy` ends as if all had been said.

    With `inside` it stops before the last part is closed.
    """
    return Turn(parts=parts, ending="stopped" if tidy else "broken", open_part=inside)


def hang(*parts: Part) -> Turn:
    """After these parts nothing more comes, and the connection stays open until the agent or the server ends."""
    return Turn(parts=parts, ending="hang")


def stream_error(code: str, message: str, *parts: Part) -> Turn:
    """Return a reply that begins well and then reports an error in its stream."""
    return Turn(parts=parts, ending="error", code=code, message=message)


def slow(reply: Part | Turn, pause_s: float) -> Turn:
    """Return the same reply with a pause before each of its events and before its end."""
    return replace(as_turn(reply), pause_s=pause_s)


def fail(
    status: int,
    message: str = "scripted failure",
    *,
    kind: str = "",
    body: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Failure:
    """Return an HTTP error; `kind` is the vendor's error type, `body` replaces the whole body."""
    return Failure(status=status, message=message, kind=kind, body=body, headers=dict(headers or {}))


def usage_limit(resets_at: int, message: str = "The usage limit has been reached") -> Failure:
    """Answer that the account's limit is reached until that moment, in seconds since 1970."""
    wait_s = max(0, resets_at - int(time.time()))
    headers = {"Retry-After": str(wait_s), "anthropic-ratelimit-unified-reset": str(resets_at)}
    return Failure(status=429, message=message, headers=headers, resets_at=resets_at)


def as_turn(reply: Part | Turn) -> Turn:
    """Return a single part as the turn it stands for."""
    return reply if isinstance(reply, Turn) else Turn(parts=(reply,))
