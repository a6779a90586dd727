"""What an agent asked of a scripted model, kept for assertions."""

from typing import Any

from mi.kernel.named_tuple import NamedTuple


class ToolOutput(NamedTuple):
    """What a tool call gave back to the model."""

    call_id: str
    text: str
    is_error: bool = False


class RequestParts(NamedTuple):
    """The parts of a request body that tests ask for, whatever the vendor."""

    user_texts: tuple[str, ...]
    tool_outputs: tuple[ToolOutput, ...]
    tool_names: tuple[str, ...]
    schema: dict[str, Any] | None


class Request(NamedTuple):
    """One recorded request: its place in the order of arrival (from 1), headers with small names, parsed body."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    user_texts: tuple[str, ...]
    tool_outputs: tuple[ToolOutput, ...]
    tool_names: tuple[str, ...]
    schema: dict[str, Any] | None

    @property
    def token(self) -> str:
        """The key the agent showed, from either header that carries one."""
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def last_output(self) -> str:
        """What the latest tool call gave back; empty when there was none."""
        return self.tool_outputs[-1].text if self.tool_outputs else ""
