"""The words of a shell text: quotes, variables, substitutions, here-documents."""

import re

from mi.kernel.shell.tree import Redirect, Script, Variable, Word, Work

_MAX_NESTING = 30
ENDS_WORD = r"(?=[ \t\r\n;|&()<>]|\Z)"
BLANKS = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_LINES = re.compile(r"(?:[ \t\r]|\\\r?\n|#[^\n]*)+")
_SPACE = re.compile(r"(?:[ \t\r\n]|\\\r?\n|#[^\n]*)+")
_PLAIN = re.compile(r"[^ \t\r\n\\'\"`$()<>|&;]+")
_WHOLE = re.compile(_PLAIN.pattern + r"(?=[ \t\r\n;|&)]|\Z)")  # a word of nothing but plain characters
_QUOTED = re.compile(r"[^\"\\$`]+")
_BRACED = re.compile(r"[^}\\$`'\"]+")
_UNEXPANDED = re.compile(r"[^\\$`]+")
_COUNTED = re.compile(r"[^()\\$`'\"]+")
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*+)(`?)", re.DOTALL)
_NAMED = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|[0-9@*#?$!-])", re.ASCII)
_PARENTHESES = re.compile(r"\\.|'[^']*'|\"(?:[^\"\\]|\\.)*+\"|[()]", re.DOTALL)
_LONGEST_ARITHMETIC = 4_000
_ASSIGNS = re.compile(r"[A-Za-z_]\w*(?:\[[^]\n]{0,200}\])?\+?=", re.ASCII)
_REDIRECT = re.compile(r"(?:\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<>|<&|<(?!\()|>>|>&|>\||>(?!\())|(&>>|&>)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_ANSI = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)
_ANSI_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*+)('?)", re.DOTALL)


class _Parts:
    """A word that is being read."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.length = 0
        self.nested: list[Script] = []
        self.variables: list[Variable] = []

    def add(self, text: str) -> None:
        self.texts.append(text)
        self.length += len(text)

    def substitution(self, script: Script) -> None:
        self.add("$()")
        self.nested.append(script)

    def word(self, bare: bool = False, assigns: bool = False) -> Word:
        return Word("".join(self.texts), tuple(self.nested), tuple(self.variables), bare, assigns)


class WordReader:
    """Reads words from a place in a text on; the grammar reads the lists in substitutions for it."""

    def __init__(self, text: str, work: Work, nesting: int) -> None:
        self.text = text
        self.at = 0
        self.work = work
        self.nesting = nesting
        self.documents: list[tuple[Redirect, bool, bool]] = []  # those whose text begins after the next line break

    def script(self, closers: frozenset[str], may_be_empty: bool = True) -> Script:
        raise NotImplementedError

    def whole(self) -> Script:
        raise NotImplementedError

    # What stands at the place

    def sees(self, mark: str) -> bool:
        return self.text.startswith(mark, self.at)

    def skips(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go behind what matches here."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def takes(self, mark: str) -> bool:
        """Go behind a mark; a missing one is a mistake."""
        if not self.sees(mark):
            self.work.readable = False
            return False
        self.at += len(mark)
        return True

    def nest(self) -> None:
        """Go one bracket deeper, if there is not too much already."""
        self.nesting += 1
        if self.nesting > _MAX_NESTING or not self.work.step():
            self.give_up()

    def give_up(self) -> None:
        self.work.readable = False
        self.at = len(self.text)

    def skip_lines(self) -> None:
        """Go behind blanks, comments and line breaks; here-documents begin after a line break."""
        while self.skips(_LINES if self.documents else _SPACE) or self.sees("\n"):
            if self.sees("\n"):
                self.at += 1
                self.read_documents()

    def skip_line(self) -> None:
        """Go behind blanks and a comment."""
        self.skips(BLANKS)
        if self.sees("#") and (self.at == 0 or self.text[self.at - 1] in " \t\r\n;&|()"):
            self.skips(_LINES)

    # Redirections and here-documents

    def redirect(self) -> Redirect | None:
        found = self.skips(_REDIRECT)
        if not found:
            return None
        sign = found[1] or found[2]
        self.skips(BLANKS)
        start = self.at
        if self.at >= len(self.text) or self.text[self.at] in "\n;&|)(" or _REDIRECT.match(self.text, self.at):
            self.work.readable = False
            return Redirect(sign, Word(""))
        redirect = Redirect(sign, self.word())
        if sign in ("<<", "<<-"):
            quoted = any(char in self.text[start : self.at] for char in "'\"\\")
            self.documents.append((redirect, quoted, sign == "<<-"))
        return redirect

    def read_documents(self) -> None:
        """Read the texts of the here-documents that the last line announced."""
        documents, self.documents = self.documents, []
        for redirect, quoted, dashed in documents:
            lines = list[str]()
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                line = self.text[self.at : end if end >= 0 else len(self.text)]
                self.at += len(line) + 1
                line = line.lstrip("\t") if dashed else line
                if line == redirect.target.text:
                    break
                lines.append(line)
            self.at = min(self.at, len(self.text))
            redirect.document = self.document("\n".join(lines), quoted)

    def document(self, text: str, quoted: bool) -> Word:
        if quoted:
            return Word(text, bare=False)
        reader, parts = type(self)(text, self.work, self.nesting), _Parts()
        while reader.at < len(text) and self.work.step():
            if not reader.expansion(parts, _UNEXPANDED, quoted=True):
                reader.at += 1
        return parts.word()

    # Words

    def word(self, in_array: bool = False) -> Word:
        start = self.at
        assigns = not in_array and bool(_ASSIGNS.match(self.text, start))
        if plain := _WHOLE.match(self.text, start):
            self.at = plain.end()
            return Word(plain[0], (), (), True, assigns)
        parts = _Parts()
        while self.at < len(self.text) and self.work.step() and self.part(parts, assigns):
            pass
        if self.at == start:
            self.work.readable = False
            self.at += 1
        return parts.word(self.at - start == parts.length and not parts.variables and not parts.nested, assigns)

    def part(self, parts: _Parts, assigns: bool) -> bool:
        """Read the next part of a word; False at its end."""
        match self.text[self.at]:
            case "'":
                self.single_quoted(parts)
            case '"':
                self.double_quoted(parts)
            case "<" | ">" if self.text.startswith("(", self.at + 1):
                self.at += 1
                self.nested_list(parts)
            case "(" if assigns and parts.texts and parts.texts[-1].endswith("="):
                self.array(parts)
            case _:
                return self.expansion(parts, _PLAIN, quoted=False)
        return True

    def array(self, parts: _Parts) -> None:
        self.at += 1
        found = list[Word]()
        self.skip_lines()
        while self.is_word() and self.work.step():
            found.append(self.word(in_array=True))
            self.skip_lines()
        self.takes(")")
        parts.add(f"({' '.join(word.text for word in found)})")
        parts.nested += [script for word in found for script in word.nested]

    def single_quoted(self, parts: _Parts) -> None:
        end = self.text.find("'", self.at + 1)
        parts.add(self.text[self.at + 1 : end if end >= 0 else len(self.text)])
        self.at = end + 1
        if end < 0:
            self.give_up()

    def double_quoted(self, parts: _Parts) -> None:
        self.at += 1
        parts.add("")
        while not self.sees('"'):
            if self.at >= len(self.text) or not self.work.step():
                return self.give_up()
            self.expansion(parts, _QUOTED, quoted=True)
        self.at += 1
        return None

    def expansion(self, parts: _Parts, plain: re.Pattern[str], quoted: bool) -> bool:
        """Read plain characters, an escaped one, a variable or a substitution; False when none of them is here."""
        if found := self.skips(plain):
            parts.add(found[0])
        elif self.sees("\\"):
            self.escaped(parts, quoted)
        elif self.sees("`"):
            self.backticks(parts, quoted)
        elif self.sees("$"):
            self.dollar(parts, quoted)
        else:
            return False
        return True

    def escaped(self, parts: _Parts, quoted: bool) -> None:
        char = self.text[self.at + 1 : self.at + 2]
        self.at = min(self.at + 2, len(self.text))
        if char != "\n":
            parts.add(char if char and (not quoted or char in '"\\$`') else f"\\{char}")

    def backticks(self, parts: _Parts, quoted: bool) -> None:
        found = _BACKTICKS.match(self.text, self.at)
        if not found:
            return self.give_up()
        self.at = found.end()
        self.work.readable = self.work.readable and bool(found[2])
        inner = re.sub(r'\\([$`\\"])' if quoted else r"\\([$`\\])", r"\1", found[1])
        parts.substitution(type(self)(inner, self.work, self.nesting).whole())
        return None

    def dollar(self, parts: _Parts, quoted: bool) -> None:
        if self.sees("$((") and (end := self.arithmetic_end(self.at + 2)):
            inner = self.arithmetic(self.at + 3, end)
            parts.add("$(())")
            parts.nested += inner.nested
        elif self.sees("$("):
            self.at += 1
            self.nested_list(parts)
        elif found := self.skips(_NAMED):
            if name := found[1] or found[2]:
                parts.variables.append(Variable(name, parts.length, parts.length + len(found[0]), quoted))
            parts.add(found[0])
        elif self.sees("${"):
            self.parameter(parts, quoted)
        elif not quoted and (ansi := self.skips(_ANSI_QUOTED)):
            self.work.readable = self.work.readable and bool(ansi[2])
            parts.add(_ANSI.sub(_unescaped, ansi[1]))
        elif not quoted and self.sees('$"'):
            self.at += 1
        else:
            self.at += 1
            parts.add("$")

    def parameter(self, parts: _Parts, quoted: bool) -> None:
        """Read `${…}`: its text stays as it is, what it substitutes is found."""
        start, inner = self.at, _Parts()
        self.at += 2
        self.nest()
        while self.at < len(self.text) and not self.sees("}") and self.work.step():
            if self.expansion(inner, _BRACED, quoted):
                continue
            if self.sees('"'):
                self.double_quoted(inner)
            elif self.sees("'") and not quoted:
                self.single_quoted(inner)
            else:
                self.at += 1
        self.takes("}")
        self.nesting -= 1
        parts.add(self.text[start : self.at])
        parts.nested += inner.nested

    def nested_list(self, parts: _Parts) -> None:
        self.at += 1
        documents, self.documents = self.documents, []
        parts.substitution(self.script(frozenset((")",))))
        self.documents = documents + self.documents
        self.takes(")")

    def arithmetic_end(self, inner: int) -> int:
        """Return where `((…))` ends whose inner parenthesis is given; 0 when it is a command in parentheses."""
        depth = 0
        for found in _PARENTHESES.finditer(self.text, inner, inner + _LONGEST_ARITHMETIC):
            depth += {"(": 1, ")": -1}.get(found[0], 0)
            if depth == 0 and found[0] == ")":
                return found.start() if self.text.startswith("))", found.start()) else 0
        return 0

    def arithmetic(self, start: int, end: int) -> Word:
        """Read what stands between double parentheses for the commands that it runs."""
        parts = _Parts()
        self.at = start
        while self.at < end:
            if not self.expansion(parts, _COUNTED, quoted=True):
                parts.add(self.text[self.at])
                self.at += 1
        self.at = max(self.at, end + 2)
        return parts.word()

    def is_word(self) -> bool:
        return self.at < len(self.text) and self.text[self.at] not in "\n;&|()#"


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code or found[4]:
        number = int(code, 16) if code else int(found[4], 8)
        return chr(number) if number < 0x110000 else ""
    return _ESCAPES.get(found[5], found[5] if found[5] in "\\'\"?" else f"\\{found[5]}")
