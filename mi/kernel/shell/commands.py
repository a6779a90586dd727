"""Every simple command of a shell text, however it is nested or wrapped, with the folder it runs in."""

import itertools
import os
from collections.abc import Iterator

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.shell.grammar import parse
from mi.kernel.shell.state import State, bends
from mi.kernel.shell.tree import CommandGroup, Pipeline, Redirect, Script, Word, Work, WrittenCommand
from mi.kernel.shell.wrappers import inner_texts, inner_words, moves, printed_texts, without_prefixes

_MAX_DEPTH = 40  # of brackets, substitutions and texts that commands run …
_TEXT_DEPTH = 4  # … which count for more
_WRITES = frozenset((">", ">>", ">|", "<>", "&>", "&>>"))
_READS = frozenset(("<", "<>"))
_NOT_FOLLOWED = frozenset(("(", "((", "coproc"))  # run in a shell of their own
_PLAIN_GROUPS = frozenset(("(", "{", "((", "[["))  # surely run
_SURE = frozenset(("cd", "pushd", "mkdir", "export", "set", "echo", "printf", "true", ":", "source", "."))

Place = tuple[int, int]


class Simple(NamedTuple):
    """One simple command: its words after prefixes, the prefixes it stood behind, and its place in a pipeline."""

    argv: tuple[str, ...]  # with the values of variables that the text itself sets; `$()` stands for a substitution
    prefixes: tuple[str, ...]
    pipeline: int  # commands with the same number are one pipeline …
    place: int  # … in this order
    writes: tuple[str, ...] = ()  # files its redirections write, `> file`
    reads: tuple[str, ...] = ()  # files its redirections read, `< file`
    within: tuple[Place, ...] = ()  # pipeline and place of the commands it runs inside of, outermost first
    folder: str | None = ""  # where it runs, as State has it
    documents: tuple[str, ...] = ()  # texts that it reads: here-documents, here-strings, what `echo` pipes into it
    settings: tuple[str, ...] = ()  # `NAME=value` before it

    @property
    def name(self) -> str:
        return os.path.basename(self.argv[0])

    def feeds(self, other: "Simple") -> bool:
        """Return whether what it prints goes into the other: by a pipe, or because it stands in the other's words."""
        first = dict[int, int]()  # of each pipeline that it is in, its first place
        for pipeline, place in (*self.within, self._at):
            first[pipeline] = min(place, first.get(pipeline, place))
        others = (*other.within, other._at)
        return other._at in self.within or any(first.get(pipeline, place) < place for pipeline, place in others)

    @property
    def _at(self) -> Place:
        return self.pipeline, self.place


class Commands(list[Simple]):
    """The simple commands of a text; when it is not `readable`, there may be others that nobody can tell."""

    readable = True
    steps = 0


class Statement(NamedTuple):
    """A command of a shell's own list, and whether it surely succeeded when the text did."""

    command: Simple
    decides: bool
    settings: tuple[str, ...]
    sourced: tuple[str, ...]


class Scope:
    """One shell and its list of commands: `bent` when it is unknown what runs, or whose exit code is seen."""

    def __init__(self, begin: int) -> None:
        self.begin = begin  # the number of statements before it
        self.bent = False


class CommandPlace(NamedTuple):
    """Where in a text a command stands."""

    state: State
    scope: Scope | None = None  # None where it runs inside of words
    within: tuple[Place, ...] = ()
    depth: int = 0
    decides: bool = False  # whether the text can only succeed if it does
    is_grouped: bool = False

    def inside(self, at: Place, state: State | None = None, depth: int = 1) -> "CommandPlace":
        """Return the place of what runs inside of a command."""
        return CommandPlace(state or self.state.copy(), None, (*self.within, at), self.depth + depth)


def simple_commands(text: str, folder: str = "", values: dict[str, str] | None = None) -> Commands:
    """Return every simple command in a shell text, nested ones included; of other text, what can be read.

    `folder` is where the text runs, `values` are variables that it finds set.
    """
    walk = Walk()
    walk.text(text, CommandPlace(State(folder, values)))
    walk.found.readable, walk.found.steps = walk.readable, walk.work.steps + walk.visits.steps
    return walk.found


class Walk:
    """Goes through a text and through those that it runs; the work for all of them together is limited."""

    def __init__(self) -> None:
        self.work = Work()  # of reading
        self.visits = Work()  # of going through what was read, which is limited, too
        self.found = Commands()
        self.statements: list[Statement] = []
        self.numbers: Iterator[int] = itertools.count()

    @property
    def readable(self) -> bool:
        return self.work.readable and self.visits.readable

    def text(self, text: str, context: CommandPlace) -> None:
        """Go through a text; in a shell of its own, what decides in it is told apart."""
        scope = Scope(len(self.statements)) if context.scope else None
        self.script(parse(text, self.work), context._replace(scope=scope))
        if scope and scope.bent:
            self.statements[scope.begin :] = [one._replace(decides=False) for one in self.statements[scope.begin :]]

    def script(self, script: Script, context: CommandPlace) -> None:
        """Go through a list of pipelines."""
        if context.depth > _MAX_DEPTH:
            self.work.readable = False
            return
        begin = 0
        for at, pipeline in enumerate(script):
            is_last = at == len(script) - 1
            if is_last or pipeline.operator not in ("&&", "||"):
                self._and_list(script[begin : at + 1], context, is_last)
                begin = at + 1

    def _and_list(self, pipelines: Script, context: CommandPlace, is_last: bool) -> None:
        """Go through pipelines between `&&` and `||`; a folder that one of them may not have reached is unknown."""
        operators = [pipeline.operator for pipeline in pipelines]
        state = context.state.copy() if operators[-1] == "&" else context.state
        if context.scope and ({"||", "&"} & {*operators} or any(pipeline.negated for pipeline in pipelines)):
            context.scope.bent = True
        aborts = state.errexit and len(pipelines) == 1 and not context.is_grouped
        decides = context.decides and (is_last or aborts)
        sure = reached = True
        for before, pipeline in zip(["", *operators], pipelines, strict=False):
            there = state.folder
            self._pipeline(pipeline, context._replace(decides=decides, state=state.copy() if before == "||" else state))
            reached = reached and (sure or state.folder == there)
            sure = sure and all(_is_sure(command) for command in pipeline.commands)
        if not reached:
            state.folder = None

    def _pipeline(self, pipeline: Pipeline, context: CommandPlace) -> None:
        number, state, last = next(self.numbers), context.state, len(pipeline.commands) - 1
        fed: tuple[str, ...] = ()
        for place, command in enumerate(pipeline.commands):
            if not self.visits.step():
                return
            own = context._replace(
                state=state.copy() if last else state, decides=context.decides and (place == last or state.pipefail)
            )
            if isinstance(command, CommandGroup):
                self._group(command, own, (number, place))
                fed = ()
            else:
                ran = self._command(command, own, (number, place), fed)
                fed = printed_texts(ran.argv, ran.documents) if ran else ()
        if state.is_full:
            self.visits.stop()

    def _group(self, group: CommandGroup, context: CommandPlace, at: Place) -> None:
        state, kind = context.state, group.kind
        words = tuple(itertools.chain.from_iterable(state.words(word) for word in group.words))
        if kind in ("for", "select", "[["):
            shown = ("[[", *words, "]]") if kind == "[[" else (kind, words[0], "in", *words[1:]) if words else (kind,)
            self._add(Simple(shown, (), *at, within=context.within, folder=state.folder), context)
        if kind in ("for", "select") and words:
            state.assign_each(words[0], words[1:])
        self._nested([*group.words], context, at)
        self._redirects_of_group(group, context, at)
        if context.scope and kind not in _PLAIN_GROUPS:
            context.scope.bent = True
        inner = context._replace(within=(*context.within, at), is_grouped=True, depth=context.depth + 1)
        for script in group.scripts:
            if kind == "{":
                self.script(script, inner)
                continue
            there = state.copy()
            self.script(script, inner._replace(state=there, scope=None if kind == "((" else inner.scope))
            if kind not in _NOT_FOLLOWED:
                state.merge(there)

    def _redirects_of_group(self, group: CommandGroup, context: CommandPlace, at: Place) -> None:
        """Show what a group reads and writes as if `:` did; a here-document of it is read by what is in it."""
        found = _Redirects(group.redirects, context.state)
        if found.writes or found.reads:
            self._add(Simple((":",), (), *at, found.writes, found.reads, context.within, context.state.folder), context)
        self._nested(found.words, context, at)

    def _command(
        self, command: WrittenCommand, context: CommandPlace, at: Place, fed: tuple[str, ...]
    ) -> Simple | None:
        state = context.state
        settings = [*itertools.takewhile(lambda word: word.assigns, command.words)]
        given = tuple(state.text(word) for word in settings)
        words = [text for word in command.words[len(settings) :] for text in state.words(word)]
        self.visits.steps += sum(map(len, words)) // 100
        redirects = _Redirects(command.redirects, state, fed)
        if not words and redirects.writes:
            words = [":"]  # `> file` alone empties the file
        elif not words:
            for text in given:
                state.assign(text)
        ran = self._run(words, context, at, given, redirects)
        self._nested([*command.words, *redirects.words], context, at)
        if ran:
            self._inner(ran, context, at)
            if {"command", "builtin"}.issuperset(ran.prefixes):
                state.run(ran.argv, [script for word in command.words for script in word.nested])
        return ran

    def _run(
        self,
        words: list[str],
        context: CommandPlace,
        at: Place,
        given: tuple[str, ...],
        redirects: "_Redirects",
        runner: tuple[str, ...] = (),
    ) -> Simple | None:
        argv, prefixes, settings = without_prefixes(words)
        if not argv:
            return None
        folder = None if moves(prefixes, words[: len(words) - len(argv)]) else context.state.folder
        files = (redirects.writes, redirects.reads)
        one = Simple(tuple(argv), (*runner, *prefixes), *at, *files, context.within, folder, redirects.documents)
        self._add(one._replace(settings=(*given, *settings)), context)
        return self.found[-1]

    def _add(self, one: Simple, context: CommandPlace) -> None:
        self.found.append(one)
        if context.scope:
            settings = (*context.state.settings, *one.settings) if context.decides else ()
            context.scope.bent = context.scope.bent or bends(one.name, one.argv, one.prefixes)
            self.statements.append(Statement(one, context.decides, settings, context.state.sourced))

    def _inner(self, one: Simple, context: CommandPlace, at: Place) -> None:
        """Go through what a command runs in turn."""
        for runner, words, elsewhere in inner_words(one.argv):
            state = context.state.of_child(None if elsewhere else one.folder)
            inside, place = context.inside(at, state, _TEXT_DEPTH), (next(self.numbers), 0)
            self.visits.steps += len(words)
            ran = self._run(words, inside, place, (), _Redirects((), state), (runner,))
            if inside.depth > _MAX_DEPTH:
                self.work.readable = False
            elif ran:
                self._inner(ran, inside, place)
        for text, elsewhere in inner_texts(one.argv, one.documents):
            state = context.state
            if one.name != "eval":
                state = state.of_child(None if elsewhere else one.folder, one.argv, text, one.settings)
            inside = context.inside(at, state, _TEXT_DEPTH)
            self.text(text, inside._replace(scope=context.scope, decides=context.decides))

    def _nested(self, words: list[Word], context: CommandPlace, at: Place) -> None:
        for word in words:
            for script in word.nested:
                self.script(script, context.inside(at))


class _Redirects:
    """What the redirections of a command mean."""

    def __init__(self, redirects: tuple[Redirect, ...], state: State, fed: tuple[str, ...] = ()) -> None:
        self.words = [word for one in redirects for word in (one.target, one.document) if word]
        files = [(one.sign, state.text(one.target)) for one in redirects]
        self.writes = tuple(name for sign, name in files if _is_file(name) and _writes(sign, name))
        self.reads = tuple(name for sign, name in files if _is_file(name) and sign in _READS)
        strings = [one.document or (one.target if one.sign == "<<<" else None) for one in redirects]
        self.documents = tuple(state.text(word) for word in strings if word) or fed


def _is_file(name: str) -> bool:
    return bool(name) and not name.startswith("/dev/")


def _writes(sign: str, name: str) -> bool:
    return sign in _WRITES or (sign == ">&" and name != "-" and not name.rstrip("-").isdigit())


def _is_sure(command: WrittenCommand | CommandGroup) -> bool:
    """Return whether a command is one that hardly ever fails."""
    if isinstance(command, CommandGroup):
        return False
    return next((word.text for word in command.words if not word.assigns), ":") in _SURE
