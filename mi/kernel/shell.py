"""Shell text as the commands it would run: quotes, pipelines, lists, nested shells and prefixes understood."""

import itertools
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_OPERATORS = ("&&", "||", "|&", ";;", "|", "&", ";", "\n", "(", ")")
_PLAIN = re.compile(r"[\w./=:,@%+~^-]+")  # what always belongs to a word
_REDIRECT = re.compile(r"\d*(?:>>|>\||<<<|<>|>&|<&|&>>|&>|>|<)")
WRITES = re.compile(r"\d*(?:>>|>\||<>|&>>|&>|>)")
READS = re.compile(r"\d*<>?")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_HEREDOC = re.compile(r"<<(-?)\s*(\\?)(['\"]?)([A-Za-z_]\w*)\3")
SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "ash", "fish")
KEYWORDS = ("if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "fi", "done", "esac")
# Words that run the command after them, with those of their options that take a value.
_PREFIXES = {
    "env": ("-u", "--unset", "-C", "--chdir", "-S"),
    "sudo": ("-u", "--user", "-g", "--group", "-h", "-p", "-C", "-D", "-r", "-t"),
    "doas": ("-u", "-C"),
    "nohup": (),
    "command": (),
    "builtin": (),
    "exec": ("-a",),
    "time": ("-f", "-o"),
    "nice": ("-n",),
    "ionice": ("-c", "-n"),
    "setsid": (),
    "stdbuf": ("-i", "-o", "-e"),
    "timeout": ("-s", "--signal", "-k", "--kill-after"),
    "xargs": ("-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a"),
    "watch": ("-n",),
    "caffeinate": (),
}
# Of git itself, before its subcommand.
GIT_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
MAX_DEPTH = 5
_HERE = "\ue000"  # stands where a here-document was taken out


class Simple(NamedTuple):
    """One simple command: its words after prefixes, the prefixes it stood behind, and its place in a pipeline."""

    argv: tuple[str, ...]
    prefixes: tuple[str, ...]
    pipeline: int  # commands with the same number are one pipeline …
    place: int  # … in this order
    writes: tuple[str, ...] = ()  # files its redirections write, `> file`
    reads: tuple[str, ...] = ()  # files its redirections read, `< file`
    within: tuple[tuple[int, int], ...] = ()  # pipeline and place of the commands it runs inside of, outermost first

    @property
    def name(self) -> str:
        return os.path.basename(self.argv[0])

    def feeds(self, other: "Simple") -> bool:
        """Whether what it prints goes into the other: by a pipe, or because it stands in the other's words."""
        mine, others = (*self.within, self._at), (*other.within, other._at)
        return other._at in self.within or any(
            before[0] == after[0] and before[1] < after[1] for before in mine for after in others
        )

    @property
    def _at(self) -> tuple[int, int]:
        return self.pipeline, self.place


class Word(NamedTuple):
    """A word of shell text, or an operator between words."""

    text: str
    operator: bool
    nested: tuple[str, ...]  # texts of $(…), `…` and <(…) inside the word


def simple_commands(text: str) -> list[Simple]:
    """Every simple command in a shell text, nested ones included; of other text, what can be read."""
    found: list[Simple] = []
    _collect(text, found, (), itertools.count())
    return found


def _collect(text: str, found: list[Simple], within: tuple[tuple[int, int], ...], numbers: Iterator[int]) -> None:
    if len(within) > MAX_DEPTH:
        return
    text, bodies = take_heredocs(text)
    pipeline, place, words = next(numbers), 0, list[Word]()
    for word in [*words_of(text), Word("\n", True, ())]:
        if not word.operator:
            words.append(word)
            continue
        argv, made = _simple(words, (pipeline, place), within)
        found += made
        for inner in inner_texts(argv, words, bodies):
            _collect(inner, found, (*within, (pipeline, place)), numbers)
        place += len(made)
        if words and word.text not in ("|", "|&"):
            pipeline, place = next(numbers), 0
        words = []


def _simple(
    words: list[Word], at: tuple[int, int], within: tuple[tuple[int, int], ...]
) -> tuple[list[str], list[Simple]]:
    """The words that really run, and the simple command they are, if they are one."""
    texts = [word.text for word in words]
    argv, prefixes = stripped(texts)
    if not argv and not (argv := _bare_write(texts)):
        return argv, []
    writes, reads = redirected(texts, WRITES), redirected(texts, READS)
    return argv, [Simple(tuple(argv), tuple(prefixes), *at, writes, reads, within)]


def inner_texts(argv: list[str], words: list[Word], bodies: list[str]) -> list[str]:
    """The shell texts that a command runs in turn."""
    inner = [text for word in words for text in word.nested]
    name = os.path.basename(argv[0]) if argv else ""
    if name in SHELLS or name == "su":
        flags = [at for at, word in enumerate(argv) if re.fullmatch(r"-[a-z]*c|--command", word)]
        inner += [word for at in flags[:1] for word in argv[at + 1 :] if word != "--"][:1]
        inner += [text.text for sign, text in itertools.pairwise(words) if sign.text == "<<<"]
        if any(word.text == _HERE for word in words):
            inner += bodies
    elif name == "eval":
        inner.append(" ".join(argv[1:]))
    elif name == "ssh":
        inner.append(" ".join(argv[2:]))
    return inner


def stripped(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of the command that really runs, and the names of the prefixes before it."""
    prefixes: list[str] = []
    rest, at = _without_redirects(words), 0
    while at < len(rest):
        name = os.path.basename(rest[at])
        if rest[at] in KEYWORDS or ASSIGNMENT.match(rest[at]):
            at += 1
        elif name in _PREFIXES and at + 1 < len(rest):
            prefixes.append(name)
            at = _after_options(rest, at + 1, _PREFIXES[name])
            at += name == "timeout"  # the duration
        else:
            break
    return rest[at:], prefixes


def _after_options(words: list[str], at: int, with_value: tuple[str, ...]) -> int:
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        if words[at] == "--":
            return at + 1
        at += 2 if words[at] in with_value else 1
    return at


def _without_redirects(words: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif redirect := _REDIRECT.match(word):
            skip = redirect.end() == len(word)
        elif word != _HERE:
            kept.append(word)
    return kept


def redirected(words: list[str], way: re.Pattern[str]) -> tuple[str, ...]:
    """The files that redirections of a kind among the words name."""
    pairs = itertools.pairwise(words)
    return tuple(target for sign, target in pairs if way.fullmatch(sign) and not target.startswith("/dev/"))


def _bare_write(words: list[str]) -> list[str]:
    """`> file` alone empties the file: as if `:` had been written before it."""
    return [":"] if redirected(words, WRITES) else []


def take_heredocs(text: str) -> tuple[str, list[str]]:
    """The text without the bodies of its here-documents, which are data unless a shell reads them."""
    bodies: list[str] = []
    if "<<" not in text:
        return text, bodies
    lines, kept = deque(text.split("\n")), list[str]()
    while lines:
        line = lines.popleft()
        marks = list(_HEREDOC.finditer(line))
        for mark in marks:
            body: list[str] = []
            while lines and (lines[0].lstrip("\t") if mark[1] else lines[0]) != mark[4]:
                body.append(lines.popleft())
            if lines:
                lines.popleft()
            bodies.append("\n".join(body))
        kept.append(_HEREDOC.sub(f" {_HERE} ", line) if marks else line)
    return "\n".join(kept), bodies


class _Words:
    """The words that were read so far, and the one that is still open."""

    def __init__(self) -> None:
        self.all: list[Word] = []
        self.is_open = False
        self._text: list[str] = []
        self._nested: list[str] = []

    def add(self, text: str, nested: Iterable[str] = ()) -> None:
        self._text.append(text)
        self._nested += nested
        self.is_open = True

    def end(self) -> None:
        if self.is_open:
            self.all.append(Word("".join(self._text), False, tuple(self._nested)))
        self._text, self._nested, self.is_open = [], [], False

    def operator(self, text: str) -> None:
        self.end()
        self.all.append(Word(text, True, ()))


def words_of(text: str) -> list[Word]:
    """Words and operators; quotes removed, nested shell texts kept beside their word."""
    words = _Words()
    at = 0
    while at < len(text):
        at = _read(text, at, words)
    words.end()
    return words.all


def _read(text: str, at: int, words: _Words) -> int:
    """Take in what begins at a place; returns where it ends."""
    char = text[at]
    if char in " \t\r":
        words.end()
        return at + 1
    if char == "#" and not words.is_open:
        return _until(text, at, "\n")
    if char in "\\'\"`" or text.startswith(("$(", "<(", ">("), at):
        return _read_quoted(text, at, words)
    if (not words.is_open or char in "<>") and (redirect := _REDIRECT.match(text, at)):
        words.end()
        words.add(redirect[0])
        if redirect[0][-1] != "&":  # `2>&1` is one word
            words.end()
        return redirect.end()
    if operator := next((one for one in _OPERATORS if text.startswith(one, at)), ""):
        words.operator(operator)
        return at + len(operator)
    plain = _PLAIN.match(text, at)
    words.add(plain[0] if plain else char)
    return plain.end() if plain else at + 1


def _read_quoted(text: str, at: int, words: _Words) -> int:
    match text[at]:
        case "\\":
            if text[at + 1 : at + 2] != "\n":
                words.add(text[at + 1 : at + 2])
            return at + 2
        case "'":
            end = _until(text, at + 1, "'")
            words.add(text[at + 1 : end])
            return end + 1
        case '"':
            quoted, inner, end = _double_quoted(text, at + 1)
            words.add(quoted, inner)
            return end
        case _:
            nested, end = _substitution(text, at)
            words.add("$()", [nested])
            return end


def _until(text: str, start: int, mark: str) -> int:
    found = text.find(mark, start)
    return len(text) if found < 0 else found


def _double_quoted(text: str, at: int) -> tuple[str, list[str], int]:
    out: list[str] = []
    nested: list[str] = []
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            out.append(text[at + 1 : at + 2] if text[at + 1 : at + 2] in '"\\$`' else text[at : at + 2])
            at += 2
        elif text[at] == "`" or text.startswith("$(", at):
            inner, at = _substitution(text, at)
            nested.append(inner)
            out.append("$()")
        else:
            out.append(text[at])
            at += 1
    return "".join(out), nested, at + 1


def _substitution(text: str, at: int) -> tuple[str, int]:
    """The text inside `…`, $(…) or <(…), and where it ends."""
    if text[at] == "`":
        end = _until(text, at + 1, "`")
        return text[at + 1 : end], end + 1
    depth, start, at = 1, at + 2, at + 2
    while at < len(text) and depth:
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "'":
            at = _until(text, at + 1, "'")
        elif char == '"':
            at = _double_quoted(text, at + 1)[2] - 1
        elif char in "()":
            depth += 1 if char == "(" else -1
        at += 1
    return text[start : at - 1 if depth == 0 else at], at
