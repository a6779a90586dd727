"""What an agent does, whichever agent it is: one closed union of small frozen records."""

from typing import Literal

from msgspec import Struct

from mi.kernel.secrets import redact

EXCERPT = 4000  # characters of an output or message that travel with an event; the transcript has it all
State = Literal["started", "ended"]


class ThreadStarted(Struct, frozen=True, kw_only=True, gc=False, tag="thread_started"):
    """The agent named its conversation; with this id it can be resumed."""

    thread_id: str


class AgentMessage(Struct, frozen=True, kw_only=True, gc=False, tag="message"):
    """Something the agent says; `reasoning` is what it thinks on the way."""

    text: str
    reasoning: bool = False


class Command(Struct, frozen=True, kw_only=True, gc=False, tag="command"):
    """A shell command: seen when it starts and when it ends; an unknown exit code is null, never 0."""

    id: str
    state: State
    text: str
    exit_code: int | None = None
    output: str = ""
    refused: bool = False  # by its result it did not run; only `Denied` is certain of it


class Denied(Struct, frozen=True, kw_only=True, gc=False, tag="denied"):
    """A command that never ran, for the agent's permissions or a hook forbade it: the client's own word."""

    id: str


class FileChange(Struct, frozen=True, kw_only=True, gc=False, tag="file_change"):
    """A file the agent says it changed; the repository is the second witness."""

    path: str
    kind: Literal["add", "update", "delete"]


class ToolCall(Struct, frozen=True, kw_only=True, gc=False, tag="tool_call"):
    """Any other tool, e.g. of an MCP server."""

    id: str
    state: State
    name: str
    failed: bool = False
    detail: str = ""


class AgentQuestion(Struct, frozen=True, kw_only=True, gc=False, tag="question"):
    """The agent asks the person; the answer goes in with the next batch."""

    id: str
    text: str
    options: tuple[str, ...] = ()


class AgentUsage(Struct, frozen=True, kw_only=True, gc=False, tag="usage"):
    """What was spent; null is unknown. `is_total`: over the whole thread, not this batch."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    is_total: bool = False
    model: str = ""  # that the agent names, or several; '': it does not tell


class Error(Struct, frozen=True, kw_only=True, gc=False, tag="error"):
    """Something went wrong; a transient one may still be overcome by the agent."""

    message: str
    transient: bool = False


class VendorLimit(Struct, frozen=True, kw_only=True, gc=False, tag="limit"):
    """The vendor's own limit was reached; `resets_at` is RFC 3339, empty when it was not said."""

    message: str
    resets_at: str = ""


class AgentEnd(Struct, frozen=True, kw_only=True, gc=False, tag="end"):
    """The agent's own last word: the only sign of success. `cut`: it ended in the middle of an answer."""

    ok: bool
    message: str = ""
    cut: bool = False


Event = (
    ThreadStarted
    | AgentMessage
    | Command
    | Denied
    | FileChange
    | ToolCall
    | AgentQuestion
    | AgentUsage
    | Error
    | VendorLimit
    | AgentEnd
)


def cut_excerpt(text: str, limit: int = EXCERPT) -> str:
    """Beginning and end of a long text: errors stand at the end, what was run at the beginning."""
    if len(text) <= limit or len(text := redact(text)) <= limit:  # a secret is hidden before it is cut in two
        return text
    head = limit // 3
    return f"{text[:head]}\n… {len(text) - limit} more characters …\n{text[head - limit :]}"
