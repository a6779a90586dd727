"""The grammar of bash: a shell text as a tree of lists, pipelines, commands and words, read once from left to right.

What bash would refuse, or what is nested or long beyond all use, leaves `Work.readable` False: it cannot be told what
such a text does. Reading goes on behind a mistake, so that the commands after it are seen.
"""

import re

from mi.kernel.shell.tree import CommandGroup, Pipeline, Redirect, Script, Word, Work, WrittenCommand
from mi.kernel.shell.words import BLANKS, ENDS_WORD, WordReader

_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|&|;|\n")
_RESERVED = re.compile(
    rf"(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|coproc|time|!|\{{|\}}|\[\[){ENDS_WORD}"
)
_FUNCTION = re.compile(r"[ \t]*\([ \t]*\)")
_IN = re.compile(rf"in{ENDS_WORD}")
_TIME_OPTION = re.compile(rf"-p{ENDS_WORD}")
_ENDS_TEST = re.compile(rf"\]\]{ENDS_WORD}")
_COPROCESS_NAME = re.compile(r"[A-Za-z_]\w*[ \t]+(?=[({]|(?:while|until|if|for|case|select)\b)")
_CLOSERS = frozenset(("then", "elif", "else", "fi", "do", "done", "esac", "}"))
_CASE_ENDS = frozenset((";;", "esac"))


def parse(text: str, work: Work) -> Script:
    """Return a text as a tree; `work` tells afterwards whether all of it could be read."""
    return _Reader(text, work, 0).whole()


class _Reader(WordReader):
    def whole(self) -> Script:
        found = [*self.script(frozenset())]
        while self.at < len(self.text) and self.work.step():  # a mistake: what follows is read as a text of its own
            self.work.readable = False
            self.at += 1
            found += self.script(frozenset())
        return tuple(found)

    def takes_word(self, word: str) -> bool:
        found = _RESERVED.match(self.text, self.at)
        if found and found[0] == word:
            self.at = found.end()
            return True
        self.work.readable = False
        return False

    # Lists, pipelines, commands

    def script(self, closers: frozenset[str], may_be_empty: bool = True) -> Script:
        """Read a list up to a closing word or operator, which is left there."""
        self.nest()
        found: list[Pipeline] = []
        self.skip_lines()
        while self.at < len(self.text) and not self.closes(closers):
            start = self.at
            found.append(self.pipeline(closers))
            if self.at == start:
                self.work.readable = False
                found.pop()
                if self.text[start] == ")" or not self.skips(_OPERATOR):
                    break
            self.skip_lines()
        if not found and not may_be_empty:
            self.work.readable = False
        self.nesting -= 1
        return tuple(found)

    def closes(self, closers: frozenset[str]) -> bool:
        if self.sees(")") or self.sees(";;") or self.sees(";&"):
            return ")" in closers if self.sees(")") else ";;" in closers
        found = _RESERVED.match(self.text, self.at)
        return bool(found) and found[0] in closers  # type: ignore[index]

    def pipeline(self, closers: frozenset[str]) -> Pipeline:
        begin, negated = self.at, False
        while (found := _RESERVED.match(self.text, self.at)) and found[0] in ("!", "time") and self.work.step():
            negated = negated or found[0] == "!"
            self.at = found.end()
            self.skip_line()
            if found[0] == "time" and self.skips(_TIME_OPTION):
                self.skip_line()
        empty = self.at == begin
        commands = self.piped(closers)
        self.skip_line()
        if empty and not commands:
            self.work.readable = False
        return Pipeline(commands, negated, self.operator(closers))

    def piped(self, closers: frozenset[str]) -> tuple[WrittenCommand | CommandGroup, ...]:
        found: list[WrittenCommand | CommandGroup] = []
        while True:
            start = self.at
            command = self.command(closers)
            if self.at > start:
                found.append(command)
            elif found:
                self.work.readable = False  # nothing behind the pipe
            self.skip_line()
            if self.sees("||") or not self.sees("|") or not self.work.step():
                return tuple(found)
            if self.at == start:
                self.work.readable = False
            self.at += 2 if self.sees("|&") else 1
            self.skip_lines()

    def operator(self, closers: frozenset[str]) -> str:
        """Read what stands behind a pipeline; after `&&` and `||` another has to follow."""
        if self.sees(";;") or self.sees(";&"):
            return ""
        found = self.skips(_OPERATOR)
        if not found:
            if self.at < len(self.text) and not self.closes(closers | _CLOSERS):
                self.work.readable = False
            return ""
        if found[0] == "\n":
            self.read_documents()
        if found[0] in ("&&", "||"):
            self.skip_lines()
            if self.at >= len(self.text) or self.closes(closers):
                self.work.readable = False
        return found[0]

    def command(self, closers: frozenset[str]) -> WrittenCommand | CommandGroup:
        if not self.work.step():
            self.give_up()
        self.skip_line()
        found = _RESERVED.match(self.text, self.at)
        if found and found[0] in _READERS:
            self.at = found.end()
            group = getattr(self, _READERS[found[0]])(found[0], closers)
        elif self.sees("("):
            group = self.parenthesis(closers)
        elif found and found[0] in _CLOSERS:
            self.work.readable = False
            if found[0] not in closers:
                self.at = found.end()
            return WrittenCommand(())
        else:
            return self.simple(closers)
        return self.redirected(group)

    def redirected(self, group: CommandGroup) -> CommandGroup:
        found = list[Redirect]()
        self.skips(BLANKS)
        while redirect := self.redirect():
            found.append(redirect)
            self.skips(BLANKS)
        return group._replace(redirects=(*group.redirects, *found))

    def simple(self, closers: frozenset[str]) -> WrittenCommand | CommandGroup:
        words, redirects = list[Word](), list[Redirect]()
        while self.at < len(self.text) and self.work.step():
            if redirect := self.redirect():
                redirects.append(redirect)
            elif self.text[self.at] in "\n;&|)" or self.sees("#"):
                break
            elif self.sees("("):
                if len(words) == 1 and not redirects and self.skips(_FUNCTION):
                    return self.function_body(words[0], closers)
                self.work.readable = False
                break
            else:
                words.append(self.word())
            if len(words) == 1 and words[0].bare and _FUNCTION.match(self.text, self.at):
                self.skips(_FUNCTION)
                return self.function_body(words[0], closers)
            self.skips(BLANKS)
        if self.work.steps > self.work.limit:
            self.give_up()
        return WrittenCommand(tuple(words), tuple(redirects))

    # Compound commands

    def parenthesis(self, closers: frozenset[str]) -> CommandGroup:
        if self.sees("((") and (end := self.arithmetic_end(self.at + 1)):
            return CommandGroup("((", self.arithmetic(self.at + 2, end).nested)
        self.at += 1
        script = self.script(closers | {")"}, may_be_empty=False)
        self.takes(")")
        return CommandGroup("(", (script,))

    def braces(self, kind: str, closers: frozenset[str]) -> CommandGroup:
        script = self.script(closers | {"}"}, may_be_empty=False)
        self.takes_word("}")
        return CommandGroup(kind, (script,))

    def branch(self, kind: str, closers: frozenset[str]) -> CommandGroup:
        scripts = [self.script(closers | {"then"}, may_be_empty=False)]
        self.takes_word("then")
        while True:
            scripts.append(self.script(closers | {"elif", "else", "fi"}, may_be_empty=False))
            if not (found := self.skips(_RESERVED)) or found[0] not in ("elif", "else", "fi"):
                self.at = found.start() if found else self.at
                self.work.readable = False
                return CommandGroup(kind, tuple(scripts))
            if found[0] == "fi":
                return CommandGroup(kind, tuple(scripts))
            if found[0] == "elif":
                scripts.append(self.script(closers | {"then"}, may_be_empty=False))
                self.takes_word("then")

    def loop(self, kind: str, closers: frozenset[str]) -> CommandGroup:
        condition = self.script(closers | {"do"}, may_be_empty=False)
        return CommandGroup(kind, (condition, self.loop_body(closers)))

    def loop_body(self, closers: frozenset[str]) -> Script:
        found = _RESERVED.match(self.text, self.at)
        opens, closes = ("{", "}") if found and found[0] == "{" else ("do", "done")
        self.takes_word(opens)
        script = self.script(closers | {closes}, may_be_empty=False)
        self.takes_word(closes)
        return script

    def each(self, kind: str, closers: frozenset[str]) -> CommandGroup:
        """Read `for name in words` or `for ((…))`."""
        self.skips(BLANKS)
        words = list[Word]()
        if self.sees("((") and (end := self.arithmetic_end(self.at + 1)):
            words = [self.arithmetic(self.at + 2, end)]
        elif self.is_word():
            words = [self.word()]
            self.skip_lines()
            if self.skips(_IN):
                words += self.plain_words()
        else:
            self.work.readable = False
        self.skip_line()
        if self.sees(";") and not self.sees(";;"):
            self.at += 1
        self.skip_lines()
        return CommandGroup(kind, (self.loop_body(closers),), tuple(words))

    def plain_words(self) -> list[Word]:
        found = list[Word]()
        self.skips(BLANKS)
        while self.is_word() and self.work.step():
            found.append(self.word())
            self.skips(BLANKS)
        return found

    def cases(self, kind: str, closers: frozenset[str]) -> CommandGroup:
        self.skips(BLANKS)
        words, scripts = [self.word() if self.is_word() else Word("")], list[Script]()
        self.skip_lines()
        if not self.skips(_IN):
            self.work.readable = False
        self.skip_lines()
        while self.at < len(self.text) and not self.closes(frozenset(("esac",))) and self.work.step():
            self.patterns(words)
            scripts.append(self.script(closers | _CASE_ENDS))
            if not (self.sees(";;") or self.sees(";&")):
                break
            self.skips(_OPERATOR)
            self.skip_lines()
        self.takes_word("esac")
        return CommandGroup(kind, tuple(scripts), tuple(words))

    def patterns(self, words: list[Word]) -> None:
        if self.sees("("):
            self.at += 1
        while True:
            found = self.plain_words()
            words += found
            if len(found) != 1:
                self.work.readable = False
            if not self.sees("|") or not self.work.step():
                break
            self.at += 1
        self.takes(")")

    def function(self, kind: str, closers: frozenset[str]) -> CommandGroup:
        self.skips(BLANKS)
        name = self.word() if self.is_word() else Word("")
        self.skips(_FUNCTION)
        return self.function_body(name, closers)

    def function_body(self, name: Word, closers: frozenset[str]) -> CommandGroup:
        self.skip_lines()
        script = self.single(closers)
        if isinstance(script[0].commands[0], WrittenCommand):
            self.work.readable = False
        return CommandGroup("function", (script,), (name,))

    def single(self, closers: frozenset[str]) -> Script:
        """Read one command that stands inside of another."""
        self.nest()
        command = self.command(closers)
        self.nesting -= 1
        return (Pipeline((command,), False, ""),)

    def coprocess(self, kind: str, closers: frozenset[str]) -> CommandGroup:
        self.skips(BLANKS)
        if not _RESERVED.match(self.text, self.at):
            self.skips(_COPROCESS_NAME)
        return CommandGroup(kind, (self.single(closers),))

    def test(self, kind: str, closers: frozenset[str]) -> CommandGroup:
        """Read `[[ … ]]`: words between operators of its own."""
        words = list[Word]()
        while self.work.step():
            self.skip_lines()
            if self.at >= len(self.text):
                self.work.readable = False
                break
            if self.skips(_ENDS_TEST):
                break
            if self.text[self.at] in "&|<>();" and not (self.sees("<(") or self.sees(">(")):
                self.at += 1
            else:
                words.append(self.word())
        return CommandGroup(kind, (), tuple(words))


_READERS = {
    "if": "branch",
    "while": "loop",
    "until": "loop",
    "for": "each",
    "select": "each",
    "case": "cases",
    "function": "function",
    "coproc": "coprocess",
    "{": "braces",
    "[[": "test",
}
