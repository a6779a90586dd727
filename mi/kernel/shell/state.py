"""What a shell knows at one point of a text: its folder, its variables, its options."""

import os
import re

from mi.kernel.shell.tree import Pipeline, Script, Word, WrittenCommand
from mi.kernel.shell.wrappers import shell_options

TOP = "\ue001"  # stands for the top of the repository
_BETWEEN = "\ue002"
_MOST_VALUES = 500
_LONGEST_VALUE = 4_000
_SETS = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL | re.ASCII)
_DECLARES = frozenset(("export", "declare", "typeset", "local", "readonly"))
_BENDING = frozenset("exit return exec trap alias break continue kill unset source . enable hash popd ssh".split())
_NOT_WAITED_FOR = frozenset(("setsid", "xargs", "watch", "command", "builtin", "exec", "caffeinate"))
_STRICTNESS = re.compile(r"[-+][euxo]+|pipefail|errexit|nounset|xtrace")
_FORGETS = frozenset(("unset", "read", "mapfile", "readarray", "let", "getopts"))


class State:
    """The state of a shell; `folder` is relative to where the text began or absolute, None when it cannot be told."""

    def __init__(self, folder: str | None = "", values: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.before: list[str | None] = []  # folders to come back to
        self.last: str | None = None  # where `cd -` goes
        self.values = dict(values or {})
        self.settings: list[str] = []  # every `NAME=value` so far
        self.sourced: tuple[str, ...] = ()
        self.pipefail = False
        self.errexit = False

    def copy(self) -> "State":
        """Return the state of a subshell that begins here."""
        new = State(self.folder, self.values)
        new.before, new.last, new.settings = [*self.before], self.last, [*self.settings]
        new.sourced, new.pipefail, new.errexit = self.sourced, self.pipefail, self.errexit
        return new

    def of_child(
        self, folder: str | None, argv: tuple[str, ...] = (), text: str = "", settings: tuple[str, ...] = ()
    ) -> "State":
        """Return the state in which a command runs a text, in a shell with the options before it."""
        new = self.copy()
        on = shell_options(argv[1 : argv.index(text)] if text in argv else ())
        new.folder, new.pipefail, new.errexit = folder, on.get("pipefail", False), on.get("e", False)
        new.settings += settings
        return new

    @property
    def is_full(self) -> bool:
        """Whether there are more variables than are followed."""
        return len(self.settings) > _MOST_VALUES

    def words(self, word: Word) -> list[str]:
        """Return what a word becomes with the variables whose values are known: usually itself."""
        if not word.variables:
            return [word.text]
        parts, at = list[str](), 0
        for name, start, end, quoted in word.variables:
            value = self._value(name)
            shown = word.text[start:end] if value is None else value if quoted else re.sub(r"\s+", _BETWEEN, value)
            parts += [word.text[at:start], shown]
            at = end
        filled = "".join([*parts, word.text[at:]])
        return [part for part in filled.split(_BETWEEN) if part] if _BETWEEN in filled else [filled]

    def text(self, word: Word) -> str:
        """Return a word that is not split, as that of an assignment or a redirection."""
        return " ".join(self.words(word))

    def _value(self, name: str) -> str | None:
        if name == "PWD" and self.folder is not None and os.path.isabs(self.folder):
            return self.folder
        return self.values.get(name)

    def assign(self, text: str) -> None:
        """Take in `NAME=value`."""
        self.settings.append(text)
        if found := _SETS.fullmatch(text):
            value = (self.values.get(found[1], f"${found[1]}") if found[2] else "") + found[3]
            self.values[found[1]] = value
            if len(value) > _LONGEST_VALUE:
                del self.values[found[1]]

    def assign_each(self, name: str, values: tuple[str, ...]) -> None:
        """Take in the variable of a loop: known when it has one value only."""
        self.values.pop(name, None)
        if len(values) == 1:
            self.values[name] = values[0]

    def run(self, argv: tuple[str, ...], nested: list[Script]) -> None:
        """Take in what a command does to the shell itself."""
        name, words = argv[0], argv[1:]
        if name in ("cd", "pushd"):
            self._go(self._target(words, nested), keep=name == "pushd")
        elif name == "popd":
            self._go(self.before.pop() if self.before else None)
        elif name == "set":
            on = shell_options(words)
            self.pipefail, self.errexit = on.get("pipefail", self.pipefail), on.get("e", self.errexit)
        elif name in _DECLARES:
            for word in words:
                if _SETS.fullmatch(word):
                    self.assign(word)
        elif name in _FORGETS:
            for word in words:
                self.values.pop(word, None)
        elif name in ("source", ".") and words:
            self.sourced = (*self.sourced, words[0])

    def _go(self, folder: str | None, keep: bool = False) -> None:
        if keep:
            self.before.append(self.folder)
        self.last, self.folder = self.folder, folder

    def _target(self, words: tuple[str, ...], nested: list[Script]) -> str | None:
        plain = [word for word in words if word not in ("--", "-P", "-L")]
        if plain == ["-"]:
            return self.last
        if not plain:
            return os.path.expanduser("~")
        if plain == ["$()"] and nested and _is_top(nested[0]):
            return TOP
        if len(plain) != 1 or re.search(r"[$*?`]", plain[0]):
            return None
        target = os.path.expanduser(plain[0])
        return target if os.path.isabs(target) else None if self.folder is None else os.path.join(self.folder, target)

    def merge(self, other: "State") -> None:
        """Take in a state that may have come about instead: what differs cannot be told any more."""
        self.folder = self.folder if self.folder == other.folder else None
        self.settings = max(self.settings, other.settings, key=len)
        for name in {*self.values, *other.values} if self.values != other.values else ():
            value = other.values.get(name, self.values.get(name, ""))
            if self.values.setdefault(name, value) != value:
                del self.values[name]
        self.sourced = self.sourced if self.sourced == other.sourced else (*self.sourced, *other.sourced)


def _is_top(script: Script) -> bool:
    match script:
        case (Pipeline((WrittenCommand(words),)),):
            return [word.text for word in words] == ["git", "rev-parse", "--show-toplevel"]
    return False


def bends(name: str, argv: tuple[str, ...], prefixes: tuple[str, ...]) -> bool:
    """Return whether with a command it is unknown what runs, or whose exit code is seen."""
    if name in ("source", ".") and len(argv) == 2 and argv[1].endswith("bin/activate"):
        return False
    if name == "set" and not all(_STRICTNESS.fullmatch(word) for word in argv[1:]):
        return True
    return name in _BENDING or bool(_NOT_WAITED_FOR.intersection(prefixes))
