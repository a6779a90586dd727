"""Program text as tokens: comments and layout gone, strings whole; and statements by brackets or by indentation."""

import re
from collections.abc import Iterator
from functools import cache

from mi.kernel.named_tuple import NamedTuple

_OPEN, _CLOSE = "([{", ")]}"
# Comments that a compiler or a runner obeys.
_OBEYED = re.compile(
    r"//\s*(?:go:|\+build)|@(?:jest|vitest)-environment|@ts-nocheck|#!|@(?:test|dataProvider|depends)\b"
)
_HASH_COMMENTS = frozenset({"rb", "ex", "exs", "py", "pyi", "sh", "bash", "bats"})
_DASH_COMMENTS = frozenset({"lua"})
_INDENTED = frozenset({"rb", "ex", "exs", "lua", "bats", "feature"})
_NO_SINGLE = frozenset({"rs"})  # a single quote may begin a lifetime


class Token(NamedTuple):
    """One word, number, string or mark; `line` counts from 0, `first`: nothing stands before it on its line."""

    text: str
    line: int
    column: int
    first: bool


class CodeStatement(NamedTuple):
    """A statement or declaration, with the tokens of what stands above it (annotations)."""

    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line of it."""
        return self.tokens[0].line, self.tokens[-1].line + self.tokens[-1].text.count("\n")


@cache
def _pattern(language: str) -> re.Pattern[str]:
    hashes = r"\#[^\n]*" if language in _HASH_COMMENTS else r"//[^\n]*|/\*.*?(?:\*/|\Z)"
    if language == "php":
        hashes += r"|\#(?!\[)[^\n]*"
    if language in _DASH_COMMENTS:
        hashes = r"--[^\n]*"
    single = r"'(?:\\.|[^'\\\n])'" if language in _NO_SINGLE else r"'(?:\\.|[^'\\\n])*'"
    tall = r'"""(?:\\.|[^\\])*?"""' + r"|'''(?:\\.|[^\\])*?'''"
    raw = r'r(?P<hashes>\#*)".*?"(?P=hashes)' if language == "rs" else r"(?!)"
    regex = (
        r"(?<=[(,=:\[!&|?{};\n])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*"
        if language in SCRIPTED
        else r"(?!)"
    )
    return re.compile(
        rf"(?P<comment>{hashes})|(?P<string>{raw}|{tall}|`(?:\\.|[^`\\])*`|\"(?:\\.|[^\"\\\n])*\"|{single})"
        rf"|(?P<regex>{regex})|(?P<word>[\w$@]+(?:[!?](?=[\s(]))?)|(?P<mark>=>|->|::|:=|==|!=|<=|>=|&&|\|\||\S)",
        re.DOTALL,
    )


SCRIPTED = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"})


def tokens_of(text: str, language: str) -> list[Token]:
    """Return the tokens of a text; comments go but for those that a compiler or a runner obeys."""
    found: list[Token] = []
    line, at, line_of_last = 0, 0, -1
    for match in _pattern(language).finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        word = match[0]
        if match.lastgroup == "comment" or match["comment"]:
            if not _OBEYED.search(word):
                continue
            word = " ".join(word.split())
        elif match["string"]:
            word = _plain_string(word)
        elif match["regex"]:
            word = word.strip()
        column = at - (text.rfind("\n", 0, at) + 1)
        found.append(Token(word, line, column, line != line_of_last))
        line_of_last = line + word.count("\n")
    return _without_trailing_commas(found)


def _plain_string(word: str) -> str:
    """Return a string with the usual quotes: which ones a formatter prefers says nothing."""
    if word[:1] == "'" and word[1:2] != "'" and '"' not in word and "\\" not in word and len(word) > 2:
        return f'"{word[1:-1]}"'
    return word


def _without_trailing_commas(tokens: list[Token]) -> list[Token]:
    after = [token.text for token in tokens[1:]] + [""]
    closes = (")", "]", "}")
    return [
        token
        for token, following in zip(tokens, after[: len(tokens)], strict=True)
        if token.text not in (",", ";") or following not in closes
    ]


def statements_of(tokens: list[Token], language: str) -> list[CodeStatement]:
    """Return the statements of a stretch of program, each with the annotations above it."""
    split = _by_indentation if language in _INDENTED else _by_brackets
    return list(_joined(split(tokens), language))


_CLOSES_BLOCK = frozenset("end } ) ] else elsif rescue ensure when in . after catch".split())
_GOES_ON_AFTER = frozenset("= => -> + - * / && || ? : , . :: ( [ { |".split())
_GOES_ON_WITH = frozenset(". ) ] } ? : && || { => + else catch finally |".split()) | {"?."}


def _by_brackets(tokens: list[Token]) -> Iterator[list[Token]]:
    current: list[Token] = []
    depth = 0
    for token in tokens:
        begins = token.first and not depth and current
        if begins and current[-1].text not in _GOES_ON_AFTER and token.text not in _GOES_ON_WITH:
            yield current
            current = []
        if token.text == ";" and not depth:
            if current:
                yield current
            current = []
            continue
        if token.text in _OPEN:
            depth += 1
        elif token.text in _CLOSE:
            depth = max(0, depth - 1)
        current.append(token)
    if current:
        yield current


def _by_indentation(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield a line with all that is indented below it, and what closes it at its own depth."""
    current: list[Token] = []
    for token in tokens:
        is_deeper = current and token.column > current[0].column
        if token.first and current and not is_deeper and token.text not in _CLOSES_BLOCK:
            yield current
            current = []
        current.append(token)
    if current:
        yield current


def _joined(parts: Iterator[list[Token]], language: str) -> Iterator[CodeStatement]:
    """Yield statements with the annotations that stand above them."""
    above: list[Token] = []
    for part in parts:
        above += part
        if not _is_annotation(part):
            yield CodeStatement(tuple(above))
            above = []
    if above:
        yield CodeStatement(tuple(above))


def _is_annotation(part: list[Token]) -> bool:
    first = part[0].text
    if first.startswith("@") and first != "@":
        return len(part) == 1 or part[1].text == "." or (part[1].text == "(" and part[-1].text == ")")
    if first == "#" and len(part) > 1 and part[1].text == "[":
        return part[-1].text == "]"
    return first == "[" and part[-1].text == "]"


def body_of(statement: CodeStatement, language: str) -> "Body | None":
    """Return what stands before the first body, in it, and behind it; None without one."""
    return _indented_body(statement.tokens) if language in _INDENTED else _bracketed_body(statement.tokens)


class Body(NamedTuple):
    """A statement that holds others."""

    before: tuple[Token, ...]
    inside: tuple[Token, ...]
    behind: tuple[Token, ...]


def _bracketed_body(tokens: tuple[Token, ...]) -> Body | None:
    values = ("(", ",", "=", "[", ":", "return")  # before a brace that begins a value, no body
    braces = [at for at, token in enumerate(tokens) if token.text == "{"]
    start = next((at for at in braces if not at or tokens[at - 1].text not in values), -1)
    if start < 0:
        return None
    depth = 0
    for at in range(start, len(tokens)):
        depth += (tokens[at].text == "{") - (tokens[at].text == "}")
        if not depth:
            return Body(tokens[: start + 1], tokens[start + 1 : at], tokens[at:])
    return None


def _indented_body(tokens: tuple[Token, ...]) -> Body | None:
    column = tokens[0].column
    start = next((at for at, one in enumerate(tokens) if one.first and one.column > column and at), -1)
    if start < 0:
        return None
    end = next(
        (at for at in range(start, len(tokens)) if tokens[at].first and tokens[at].column <= column), len(tokens)
    )
    return Body(tokens[:start], tokens[start:end], tokens[end:])


def without_comments(text: str, language: str) -> str:
    """Return a text with the same lines and columns, but without what its comments say."""
    if language in ("sh", "bash", "bats"):  # `$#` and `${name#…}` begin none
        return re.sub(r"(?m)(?:^|(?<=[\s;]))#[^\n]*", lambda found: " " * len(found[0]), text)
    return _pattern(language).sub(lambda found: re.sub(r"[^\n]", " ", found[0]) if found["comment"] else found[0], text)
