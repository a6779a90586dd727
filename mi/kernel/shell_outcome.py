"""What the exit code 0 of a shell text proves: which of its commands surely ran and succeeded."""

import os
import re
from typing import NamedTuple

from mi.kernel.shell import KEYWORDS, MAX_DEPTH, Simple, Word, inner_texts, stripped, take_heredocs, words_of

_BRANCHING = (*KEYWORDS, "for", "case", "select", "function")
_BENDING = frozenset("exit return exec trap alias break continue kill unset source . enable hash".split())
_NOT_WAITED_FOR = frozenset(("setsid", "xargs", "watch", "command", "builtin", "exec", "caffeinate"))
_STRICTNESS = re.compile(r"[-+][euxo]+|pipefail|errexit|nounset|xtrace")


class _Command(NamedTuple):
    argv: list[str]
    prefixes: list[str]
    first: str

    @property
    def bends(self) -> bool:
        """Whether with this command it is unknown what runs, or whose exit code is seen."""
        name = os.path.basename(self.argv[0]) if self.argv else ""
        if name == "set" and not all(_STRICTNESS.fullmatch(word) for word in self.argv[1:]):
            return True
        branches = self.first in _BRANCHING and self.first != "time"
        return branches or name in _BENDING or bool(_NOT_WAITED_FOR.intersection(self.prefixes))


def decisive_commands(text: str, depth: int = 0) -> list[Simple]:
    """The commands that were run and succeeded whenever the text ends with exit code 0; [] where that cannot be told.

    In `a; b && c | d` these are b and d: a may have failed, and c, too, unless under pipefail. Branches, `||`,
    background jobs, functions, and words that end or bend the shell leave nothing to be told.
    """
    words = words_of(take_heredocs(text)[0])
    if depth > MAX_DEPTH or _is_uncertain(words):
        return []
    lists = [
        [[_command(one) for one in _split(pipeline, ("|", "|&"))] for pipeline in _split(part, ("&&",))]
        for part in _split(words, (";", "\n", "(", ")"))
    ]
    every = [one for part in lists for pipeline in part for one in pipeline]
    if not every or any(one.bends for one in every):
        return []
    pipefail = any(one.argv[:1] == ["set"] and "pipefail" in one.argv for one in every)
    decisive = [one for pipeline in lists[-1] for one in (pipeline if pipefail else pipeline[-1:])]
    return [simple for number, one in enumerate(decisive) for simple in _unwrapped(one, number, depth)]


def _is_uncertain(words: list[Word]) -> bool:
    """Whether a part may be left out, run beside the rest, or be a function of that name."""
    before = [Word("\n", True, ()), *words]
    return any(
        word.operator and (word.text in ("&", ";;", "||") or (word.text == "(" and not last.operator))
        for last, word in zip(before, words, strict=False)
    )


def _command(words: list[Word]) -> _Command:
    texts = [word.text for word in words]
    return _Command(*stripped(texts), texts[0])


def _unwrapped(command: _Command, number: int, depth: int) -> list[Simple]:
    """The command, or what decides in the text it hands to a shell."""
    inner = inner_texts(command.argv, [], [])
    if inner:
        return decisive_commands(inner[0], depth + 1)
    return [Simple(tuple(command.argv), tuple(command.prefixes), number, 0)] if command.argv else []


def _split(words: list[Word], operators: tuple[str, ...]) -> list[list[Word]]:
    """The parts between these operators that hold anything."""
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.operator and word.text in operators:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]
