"""Command-line arguments: argparse with one-line errors, the flags all commands share, and an example in every help."""

import argparse
import os
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NoReturn

from mi.cli.output import flush, measure_terminal
from mi.kernel.errors import UsageError
from mi.kernel.messages import choose_language, help_text, text
from mi.kernel.text import width, wrap

USAGE_HINT = "mi --help"
_EXAMPLE = "example:\n  "
_PLACES = ("DIR", "FILE", "PATH", "file", "folder", "path")  # metavars of what is looked for on the disk
_MAY_BE_EMPTY = ("VALUE", "answer", "ref")  # of an empty one their command itself says what to do
ALL = 1_000_000_000
# Whether a command is a person's word, which no agent may say: always, or in this home with these arguments.
PersonOnly = bool | Callable[[Any, "Args"], bool]
_WIDEST = 100  # columns of a help: longer lines are hard to read
# Help is translated by _Help; argparse would look for files of translations for every parser, and there are none.
vars(argparse)["_"] = str


class _Help(argparse.RawDescriptionHelpFormatter):
    """argparse makes one for every argument; asking shutil for the width would import half the library for it."""

    language: ClassVar[Callable[[], str]]

    def __init__(self, prog: str) -> None:
        told = os.environ.get("COLUMNS", "")
        columns = int(told) if told.isdecimal() else min(measure_terminal() or _WIDEST, _WIDEST)
        super().__init__(prog, max_help_position=28, width=max(columns, 40))

    def add_argument(self, action: argparse.Action) -> None:
        """Leave room for the indented names of subcommands, which argparse forgets."""
        super().add_argument(action)
        for inner in self._iter_indented_subactions(action):
            length = len(self._format_action_invocation(inner)) + self._current_indent
            self._action_max_length = max(self._action_max_length, length)

    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, prefix or f"{self._said('usage')}: ")

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        """Write the usage with room for what a Chinese word takes more: argparse counts letters."""
        more = width(prefix) - len(prefix)
        self._width -= more
        text = super()._format_usage(usage, actions, groups, prefix)
        self._width += more
        return text.replace("\n ", "\n " + " " * more)

    def start_section(self, heading: str | None) -> None:
        super().start_section(self._said(heading or ""))

    def add_text(self, text: str | None) -> None:
        label, example, rest = (text or "").partition(_EXAMPLE)
        super().add_text(f"{self._said('example')}:\n  {rest}" if example else text and self._said(label))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        kept = ((line,) if line.startswith("  ") else wrap(line, width) for line in text.splitlines())  # an example
        return "\n".join(part for lines in kept for part in lines)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(text, width)

    def _expand_help(self, action: argparse.Action) -> str:
        return self._said(super()._expand_help(action))

    def _said(self, english: str) -> str:
        return help_text(english, type(self).language())


def speak_help(language: Callable[[], str]) -> None:
    """Set the language of every help that is printed from now on; it is asked for only then."""
    _Help.language = staticmethod(language)


speak_help(lambda: choose_language(""))


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line that says where to look."""

    fill: Callable[["Parser"], None] | None = None  # adds the arguments once they are needed
    _required: list[argparse.Action] = []

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            near = [close for word in unknown if word.startswith("-") for close in _find_near(word, self._list_flags())]
            code = "unknown-arguments-near" if near else "unknown-arguments"
            raise self._mistake(code, names=" ".join(unknown), near=" ".join(near))
        return found

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._fill()
        self._required = [action for action in self._actions if action.required]
        self._require(False)  # looked for below: argparse would only name them inside a sentence
        found, unknown = super().parse_known_args(args, namespace)
        self._require(True)
        missing = [action for action in self._required if getattr(found, action.dest, None) is None]
        missing = [action for action in missing if action.nargs != "*"]  # for argparse none of many is a lack, too
        if any(isinstance(action, argparse._SubParsersAction) for action in missing):
            raise self._mistake("missing-command", known=", ".join(self._list_subcommands()))
        if missing:
            raise self._mistake("missing-arguments", names=", ".join(map(_name_in_messages, missing)))
        return found, unknown

    def _require(self, is_required: bool) -> None:
        for action in self._required:
            action.required = is_required

    def format_help(self) -> str:
        self._fill()
        self._require(True)
        summary, self.description = self.description, self._tell_story()
        try:
            return super().format_help()
        finally:
            self.description = summary

    def _tell_story(self) -> str:
        """Return the summary and, of a group of commands, what it is for."""
        language = _Help.language()
        said = help_text(self.description or "", language)
        try:
            return f"{said}\n\n{text('about.' + self.prog.removeprefix('mi '), language)}"
        except KeyError:
            return said

    def _fill(self) -> None:
        fill, self.fill = self.fill, None
        if fill is not None:
            fill(self)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.nargs == argparse.PARSER:  # the words of a subcommand, whose parser looks at each
            return super()._get_values(action, arg_strings)
        name = action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)
        says = not action.option_strings or action.dest == "task"  # of other flags "" may mean: none
        if says and arg_strings and not "".join(arg_strings).strip() and name not in _MAY_BE_EMPTY:
            raise self._mistake("argument-needs-value", name=name)
        if (action.metavar or action.dest) in _PLACES:
            if "" in arg_strings:  # a shell variable that was not set, and must not mean the default
                raise UsageError("flag-needs-value", flag=name)
        else:  # bytes that are no text cannot be kept as text, nor looked for
            arg_strings = [one.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for one in arg_strings]
        try:
            return super()._get_values(action, arg_strings)
        except argparse.ArgumentError:
            if action.type is None or action.choices:
                raise
            code = "bad-share" if action.type is share else "bad-count"
            raise self._mistake(code, name=name, value=arg_strings[0]) from None

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError:
            if action.nargs is not None:
                raise
            raise self._mistake("argument-needs-value", name=_name_in_messages(action)) from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known, near = ", ".join(map(repr, action.choices)), _find_near(str(value), action.choices)
            group = f"{self.prog} " if isinstance(action, argparse._SubParsersAction) else ""
            told = {"name": _name_in_messages(action), "value": repr(value), "known": known}
            code = "no-such-choice-near" if near else "no-such-choice"
            raise self._mistake(code, **told, near=group + "".join(near))

    def _list_flags(self) -> list[str]:
        """Return the flags of this command, and of the subcommand that was called."""
        inner = [
            parser
            for action in self._actions
            if isinstance(action, argparse._SubParsersAction)
            for parser in action.choices.values()
            if parser.fill is None
        ]
        return [*self._option_string_actions, *(flag for parser in inner for flag in parser._list_flags())]

    def _list_subcommands(self) -> list[str]:
        return [
            name
            for action in self._actions
            if isinstance(action, argparse._SubParsersAction)
            for name in action.choices
        ]

    def _mistake(self, code: str, **details: object) -> UsageError:
        return UsageError(code, **details, hint=f"{self.prog} --help")

    def error(self, message: str) -> NoReturn:
        raise self._mistake("usage", message=message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        flush()
        raise SystemExit(status)


def _find_near(word: str, known: Iterable[object]) -> list[str]:
    """Return the known word that was probably meant, if there is one."""
    from difflib import get_close_matches

    return get_close_matches(word.partition("=")[0], map(str, known), n=1, cutoff=0.7)


def _name_in_messages(action: argparse.Action) -> str:
    """Return how people know an argument: its flags, else the word that stands for it in the help."""
    return "/".join(action.option_strings) or str(action.metavar or action.dest)


def command(
    prog: str,
    summary: str,
    example: str,
    run: Callable[..., int] | None = None,
    person_only: PersonOnly = False,
) -> Parser:
    """Return a parser for one command; `example` is shown at the end of its help."""
    return _finished(Parser(prog=prog, **_described(summary, example)), run, person_only)


class Group:
    """A command with subcommands."""

    def __init__(self, prog: str, summary: str, example: str, alone: Callable[..., int] | None = None) -> None:
        """`alone` is what the command does without a subcommand; one is needed if there is none."""
        self._open(command(prog, summary, example, alone), alone is None)

    def _open(self, parser: Parser, is_required: bool = True) -> None:
        self.parser = parser
        self._subcommands = parser.add_subparsers(
            prog=parser.prog, dest="command", metavar="command", required=is_required, parser_class=Parser
        )

    def add(
        self,
        name: str,
        summary: str,
        example: str,
        run: Callable[..., int],
        fill: Callable[[Parser], None] | None = None,
        person_only: PersonOnly = False,
    ) -> Parser:
        """Return a subcommand; what `fill` adds to it costs nothing while another subcommand is called."""
        built = self._subcommands.add_parser(name, help=summary, **_described(summary, example))
        built.fill = fill
        return _finished(built, run, person_only)

    def add_group(self, name: str, summary: str, example: str) -> "Group":
        """Return a subcommand with subcommands of its own."""
        inner = Group.__new__(Group)
        inner._open(_finished(self._subcommands.add_parser(name, help=summary, **_described(summary, example)), None))
        return inner


def _described(summary: str, example: str) -> dict[str, Any]:
    return {
        "description": summary[0].upper() + summary[1:].rstrip(".") + ".",
        "epilog": _EXAMPLE + example,
        "formatter_class": _Help,
        "allow_abbrev": False,
    }


def _finished(parser: Parser, run: Callable[..., int] | None, person_only: PersonOnly = False) -> Parser:
    parser.add_argument(
        "--home", metavar="DIR", default=argparse.SUPPRESS, help="MI home (default: $MI_HOME, else ~/.mind-incarnation)"
    )
    if run is not None:
        parser.set_defaults(run=run)
    if person_only:
        parser.set_defaults(person_only=person_only, prog=parser.prog)
    return parser


def add_cd(parser: argparse.ArgumentParser) -> None:
    """Add the flag for the project a command works on."""
    parser.add_argument(
        "--cd", metavar="DIR", help="project root: a path, @last, @pinned or @alias (default: inferred)"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Output for programs."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_profile(parser: argparse.ArgumentParser) -> None:
    """How much MI asks and enforces, in one word."""
    from mi.kernel.config.profiles import PROFILES

    parser.add_argument("--profile", choices=tuple(PROFILES), help="how much MI asks and enforces (docs: config)")


def add_redact(parser: argparse.ArgumentParser) -> None:
    """Hide secrets where the stored bytes would be printed as they are."""
    parser.add_argument("--redact", action="store_true", help="hide secrets in raw output, too")


def add_count(parser: argparse.ArgumentParser, text: str) -> None:
    """Add the flag for how many lines to show."""
    parser.add_argument("--lines", "-n", dest="count", metavar="N", type=count, help=text)


def count(value: str) -> int:
    """Return a number of things, 0 or more; what nobody has so many of is simply all."""
    number = int(value)
    if number < 0:
        raise ValueError(value)
    return min(number, ALL)


def share(value: str) -> float:
    """Return a number from 0 to 1."""
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError(value)
    return number


Args = Any  # argparse.Namespace: its attributes are what the parser above declared


def add_keys(action: argparse.Action) -> None:
    """Have completion offer the names of settings for an argument."""
    action.completes = "settings"  # type: ignore[attr-defined]  # argparse has no place for it
