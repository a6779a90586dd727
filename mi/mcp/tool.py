"""What a tool is: a name, typed input and output, and the function that a call leads to."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from msgspec import Struct

from mi.mcp.session import ToolSession

I = TypeVar("I", bound=Struct)  # noqa: E741
O = TypeVar("O", bound=Struct)  # noqa: E741
Json = dict[str, Any]


class Tool(Struct, Generic[I, O], frozen=True, kw_only=True):
    """One tool; its schemas come from the two types, the hints tell the host what a call may do."""

    name: str
    title: str
    description: str
    input: type[I]
    output: type[O]
    call: Callable[[ToolSession, I], O]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    parse: Callable[[Json], Any] | None = None  # a contract that words its own refusals reads its own arguments
    person_only: bool = False  # a person's word: nobody who calls tools may say it
    plain_error: bool = False  # its refusals are a text and a code, not an object
    redacted: bool = False  # its output hides secrets itself; others are searched for them

    @classmethod
    def of(
        cls, call: Callable[[ToolSession, I], O], name: str, title: str, description: str, **hints: Any
    ) -> "Tool[I, O]":
        """Return a tool whose input and output are the types that its function declares."""
        _, given, answer = call.__annotations__.values()
        return cls(name=name, title=title, description=description, input=given, output=answer, call=call, **hints)


class ToolFailure(Exception):
    """A call that was understood and refused: a result with isError, a machine code and what to do next."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def content(self) -> Json:
        """Return the structured content of the result."""
        return {"error": {"code": self.code, "message": self.message, **self.details}}


class Resource(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Something an agent may read by its address."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime_type: str = ""


class ResourceTemplate(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A family of addresses."""

    uri_template: str
    name: str
    title: str = ""
    description: str = ""
    mime_type: str = ""


class Text(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What stands at an address."""

    uri: str
    text: str
    mime_type: str = ""


class Resources(Struct, frozen=True, kw_only=True):
    """What a toolset offers to read; `read` answers None for an address that is not its own."""

    list: Callable[[ToolSession], list[Resource]]
    read: Callable[[ToolSession, str], Text | None]
    templates: tuple[ResourceTemplate, ...] = ()
