"""What is sought in the files of a project: a name that a task asks for."""

from collections.abc import Callable

from mi.kernel.named_tuple import NamedTuple

UNREACHED = "is defined where nothing can reach it"
EMPTY = "has an empty body"
Fault = str | None  # None: the file does not define the name; '': it does; else what is wrong with it, in words


class SoughtName(NamedTuple):
    """A name that a task asks to add, and how it speaks of it."""

    name: str
    is_called: bool = False  # as something to be called, which is more than to be mentioned
    is_exported: bool = False  # as something that others import
    may_be_inside: bool = False  # a helper of what is there is enough
    may_be_idle: bool = False  # it may only print, or do nothing
    in_prose: bool = False  # it is to stand in a document
    task: str = ""

    @property
    def is_option(self) -> bool:
        return self.name.startswith("--")


Read = Callable[[str], str]  # the text of another file of the project; '' where there is none
