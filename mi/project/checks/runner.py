"""What a check runner is: one entry says how it is found, how it is called, what bends it and what it proves."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.folder import ProjectFolder

Kind = Literal["test", "build", "lint"]
# How the words of a call that are no options pick tests: files and folders, patterns that paths contain, modules,
# folders of which `...` means everything below, names of tests; or they pick none.
Picking = Literal["files", "patterns", "modules", "folders", "names", ""]
Argv = tuple[str, ...]


class Check(NamedTuple):
    """One kind of check: the words a command begins with, the file that told us, and the folder it is run in."""

    kind: Kind
    argv: Argv
    source: str
    folder: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.argv)

    @property
    def command(self) -> str:
        """What to type at the project's root."""
        return f"cd {self.folder} && {self.text}" if self.folder else self.text


class Form(NamedTuple):
    """A call in its plain form, and the folder it was told to work in ('': none)."""

    words: Argv
    folder: str = ""


Reading = Callable[[Argv], list[Form]]  # what a whole call may mean
ReadFile = Callable[[str], str]  # what a file of the call's folder holds


class Runner(NamedTuple):
    """A program that runs checks. Patterns are regular expressions."""

    name: str  # that every installation has in common
    also: tuple[str, ...] = ()  # other names of the same program
    language: str = ""  # whose tests it runs; '' where that is for a recipe to say
    kind: Kind = "test"
    is_module: bool = False  # `python -m <name>` is the same call

    # How a project is seen to have it.
    marks: tuple[str, ...] = ()  # files that only the root of a project of its own has
    looked_for: tuple[str, ...] = ()  # files for which a folder is looked at, though it may be no project of its own
    brings: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # by file the checks there are, as `test cargo test`
    finds: Callable[[ProjectFolder], Iterable[Check]] | None = None  # where the presence of a file does not tell

    # How it is called.
    plain: Callable[[Argv, Reading], list[Form]] | None = None  # what the words after its name may mean
    bent_by: str = ""  # words that make it look only, leave all out, go by other settings, or call a failure a success
    bends: Callable[[Argv], bool] | None = None  # the same, where one word does not tell
    obeys: str = ""  # variables that change what it does without a word on its line

    # What of a package it runs.
    tests: str = ""  # how the words after its name begin where it runs tests; '' when it always does
    narrowed_by: str = ""  # words that leave tests out
    keeps: str = ""  # words for itself, which what a recipe runs never sees
    picks_by: Picking = ""  # what its words that are no options do
    with_value: tuple[str, ...] = ()  # options that take the word after them
    reaches_below: bool | Callable[[Argv, ReadFile], bool] = (
        False  # it also runs the tests of packages in folders below
    )

    # What it proves.
    by_recipe: bool = False  # what it runs stands in a file of its folder: the same words elsewhere are another check
    counts_when_new: bool = False  # also where the agent set it up: it runs what is there, not what a recipe says
    in_recipe: str = ""  # how a recipe that runs it begins
    defined_in: tuple[str, ...] = ()  # files that say what it runs …
    promises: Callable[[str, str], dict[str, str]] | None = None  # … and, by a name for people, what a file's text says
    recipe: Callable[[Argv, dict[str, str]], str] | None = None  # which of these a call runs, where its name differs
    configured_by: str = ""  # files that only tell it how to run
    shadowed_by: tuple[str, ...] = ()  # modules of the project that would be run in its place
    nothing: str = ""  # what its output says where it had nothing to run, which to many runners is a success …
    something: str = ""  # … and where it did run something
