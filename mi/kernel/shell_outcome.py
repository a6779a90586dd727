"""What the exit code 0 of a shell text proves: which of its commands surely ran and succeeded, and where."""

import os
import re
from typing import NamedTuple

from mi.kernel.shell import (
    ASSIGNMENT,
    KEYWORDS,
    MAX_DEPTH,
    WRITES,
    Word,
    inner_texts,
    redirected,
    stripped,
    take_heredocs,
    words_of,
)

_BRANCHING = (*KEYWORDS, "for", "case", "select", "function")
_BENDING = frozenset("exit return exec trap alias break continue kill unset source . enable hash popd ssh".split())
_NOT_WAITED_FOR = frozenset(("setsid", "xargs", "watch", "command", "builtin", "exec", "caffeinate"))
_STRICTNESS = re.compile(r"[-+][euxo]+|pipefail|errexit|nounset|xtrace")
_TOP = re.compile(r"\s*git rev-parse --show-toplevel\s*(?:2>\s*/dev/null)?\s*")
TOP = "\ue001"  # stands for the top of the repository


class Decisive(NamedTuple):
    """A command that surely ran and succeeded."""

    argv: tuple[str, ...]
    folder: str | None  # relative to where the text began, or absolute; None when it cannot be told
    settings: tuple[str, ...]  # `NAME=value` that held for it
    sourced: tuple[str, ...]  # files the shell had read in before
    followed: tuple[tuple[str, ...], ...]  # the commands of the text that ran beside or after it
    writes: tuple[str, ...]  # files that redirections of the text write


class _Command(NamedTuple):
    argv: list[str]
    prefixes: list[str]
    words: list[Word]

    @property
    def name(self) -> str:
        return os.path.basename(self.argv[0]) if self.argv else ""

    @property
    def sources(self) -> str:
        """The file of a virtual environment that it reads into the shell."""
        is_one = self.name in ("source", ".") and len(self.argv) == 2 and self.argv[1].endswith("bin/activate")
        return self.argv[1] if is_one else ""

    @property
    def bends(self) -> bool:
        """Whether with this command it is unknown what runs, or whose exit code is seen."""
        if self.sources:
            return False
        if self.name == "set" and not all(_STRICTNESS.fullmatch(word) for word in self.argv[1:]):
            return True
        first = self.words[0].text
        branches = first in _BRANCHING and first != "time"
        return branches or self.name in _BENDING or bool(_NOT_WAITED_FOR.intersection(self.prefixes))

    def settings(self) -> list[str]:
        """The assignments before it, also those of `env`."""
        end = next((at for at, word in enumerate(self.words) if word.text == (self.argv or [""])[0]), len(self.words))
        return [word.text for word in self.words[:end] if ASSIGNMENT.match(word.text)]


class _Place(NamedTuple):
    """The state of the shell at one point of a text."""

    folder: str | None = ""
    pipefail: bool = False
    errexit: bool = False
    settings: tuple[str, ...] = ()
    sourced: tuple[str, ...] = ()

    def after(self, command: _Command) -> "_Place":
        match command.name:
            case "cd" | "pushd":
                return self._replace(folder=_folder(self.folder, command))
            case "set":
                on = _switched(command.argv[1:])
                return self._replace(pipefail=on.get("pipefail", self.pipefail), errexit=on.get("e", self.errexit))
            case "export":
                given = tuple(word for word in command.argv[1:] if ASSIGNMENT.match(word))
                return self._replace(settings=(*self.settings, *given))
            case "" if command.words:
                return self._replace(settings=(*self.settings, *command.settings()))
        return self._replace(sourced=(*self.sourced, command.sources)) if command.sources else self


class _Seen(NamedTuple):
    command: _Command
    place: _Place
    order: int
    decides: bool


def decisive_commands(text: str) -> list[Decisive]:
    """The commands that were run and succeeded whenever the text ends with exit code 0; [] where that cannot be told.

    In `a; b && c | d` these are b and d: a may have failed, and c, too, unless under pipefail. Under `set -e` a
    succeeded as well. Branches, `||`, background jobs, functions, and words that end or bend the shell leave nothing
    to be told.
    """
    return _decisive(text, _Place(), 0)


def _decisive(text: str, place: _Place, depth: int) -> list[Decisive]:
    words = _joined(words_of(take_heredocs(text)[0]))
    if depth > MAX_DEPTH or _is_uncertain(words):
        return []
    seen = _walk(words, place)
    if any(one.command.bends for one in seen):
        return []
    writes = tuple(file for one in seen for file in redirected([word.text for word in one.command.words], WRITES))
    found = []
    for one in seen:
        if one.decides:
            followed = tuple(tuple(other.command.argv) for other in seen if other.order > one.order)
            found += _unwrapped(one, followed, writes, depth)
    return found


def _walk(words: list[Word], place: _Place) -> list[_Seen]:
    """Every command in order, with the state of the shell it ran in and whether its success is certain."""
    seen: list[_Seen] = []
    outer: list[_Place] = []
    parts = _parts(words)
    for number, (opens, closes, part) in enumerate(parts):
        outer += [place] * opens
        pipelines = [[_command(one) for one in _split(pipeline, ("|", "|&"))] for pipeline in _split(part, ("&&",))]
        is_last = number == len(parts) - 1
        for pipeline in pipelines:
            decides = is_last or (place.errexit and len(pipelines) == 1 and not outer)
            for at, command in enumerate(pipeline):
                counts = decides and (place.pipefail or at == len(pipeline) - 1)
                seen.append(_Seen(command, place, len(seen), counts))
            if len(pipeline) == 1:
                place = place.after(pipeline[0])
        for _ in range(min(closes, len(outer))):
            place = outer.pop()
    return seen


def _parts(words: list[Word]) -> list[tuple[int, int, list[Word]]]:
    """The lists between `;`, lines and parentheses, each with how many parentheses open before and close after it."""
    parts: list[tuple[int, int, list[Word]]] = []
    opens = 0
    current: list[Word] = []

    def finish() -> None:
        nonlocal opens
        if current:
            parts.append((opens, 0, list(current)))
            opens = 0
        current.clear()

    for word in words:
        if not word.operator or word.text not in (";", "\n", "(", ")"):
            current.append(word)
            continue
        finish()
        if word.text == "(":
            opens += 1
        elif word.text == ")" and parts:
            before, closes, part = parts[-1]
            parts[-1] = (before, closes + 1, part)
    finish()
    return parts


def _joined(words: list[Word]) -> list[Word]:
    """The words without the line breaks that only continue a list."""
    kept: list[Word] = []
    for word in words:
        continues = kept and kept[-1].operator and kept[-1].text in ("&&", "|", "|&")
        if not (word.operator and word.text == "\n" and continues):
            kept.append(word)
    return kept


def _is_uncertain(words: list[Word]) -> bool:
    """Whether a part may be left out, run beside the rest, or be a function of that name."""
    before = [Word("\n", True, ()), *words]
    return any(
        word.operator and (word.text in ("&", ";;", "||") or (word.text == "(" and not last.operator))
        for last, word in zip(before, words, strict=False)
    )


def _command(words: list[Word]) -> _Command:
    return _Command(*stripped([word.text for word in words]), words)


def _unwrapped(
    one: _Seen, followed: tuple[tuple[str, ...], ...], writes: tuple[str, ...], depth: int
) -> list[Decisive]:
    """The command, or what decides in the text it hands to a shell."""
    command, place = one.command, one.place
    settings = (*place.settings, *command.settings())
    inner = inner_texts(command.argv, [], [])
    if inner:
        flags = _switched(command.argv[1 : command.argv.index(inner[0])] if inner[0] in command.argv else [])
        begun = _Place(place.folder, flags.get("pipefail", False), flags.get("e", False), settings, place.sourced)
        found = _decisive(inner[0], begun, depth + 1)
        return [each._replace(followed=(*each.followed, *followed), writes=(*each.writes, *writes)) for each in found]
    if not command.argv:
        return []
    folder = None if _moves_elsewhere(command) else place.folder
    return [Decisive(tuple(command.argv), folder, settings, place.sourced, followed, writes)]


def _moves_elsewhere(command: _Command) -> bool:
    words = [word.text for word in command.words]
    return "env" in command.prefixes and any(word == "-C" or word.startswith("--chdir") for word in words)


def _switched(words: list[str]) -> dict[str, bool]:
    """Which of the shell's options words such as `-euo pipefail` turn on or off."""
    found: dict[str, bool] = {}
    on = True
    for word in words:
        if word[:1] in ("-", "+"):
            on = word[0] == "-"
            found |= {"e": on} if "e" in word[1:] else {}
        elif word in ("pipefail", "errexit"):
            found["e" if word == "errexit" else word] = on
    return found


def _folder(before: str | None, command: _Command) -> str | None:
    words = [word for word in command.argv[1:] if word != "--"]
    nested = [text for word in command.words for text in word.nested]
    if nested and words == ["$()"] and _TOP.fullmatch(nested[0]):
        return TOP
    if len(words) != 1 or words[0] == "-" or re.search(r"[$*?`]", words[0]):
        return None
    target = os.path.expanduser(words[0])
    return target if os.path.isabs(target) else None if before is None else os.path.join(before, target)


def _split(words: list[Word], operators: tuple[str, ...]) -> list[list[Word]]:
    """The parts between these operators that hold anything."""
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.operator and word.text in operators:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]
