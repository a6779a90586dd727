"""A shell text as a tree: lists of pipelines of commands, made of words; and how much work reading it took."""

from mi.kernel.named_tuple import NamedTuple

MAX_STEPS = 20_000


class Work:
    """How much was read so far, and whether all of it could be."""

    def __init__(self, limit: int = MAX_STEPS) -> None:
        self.steps = 0
        self.limit = limit
        self.readable = True

    def step(self) -> bool:
        """Count one step; False when there were too many."""
        self.steps += 1
        if self.steps > self.limit:
            self.readable = False
        return self.steps <= self.limit

    def spend(self, steps: int) -> bool:
        """Count work that takes so many steps; False when they are too many."""
        self.steps += steps - 1
        return self.step()

    def stop(self) -> None:
        """Let nothing more be read."""
        self.steps = self.limit + 1
        self.readable = False


class Variable(NamedTuple):
    """A variable in the text of a word, between two places."""

    name: str
    start: int
    end: int
    quoted: bool


class Word(NamedTuple):
    """A word without its quotes; `$()` stands for each substitution in it."""

    text: str
    nested: tuple["Script", ...] = ()  # what $(…), `…` and <(…) in it run
    variables: tuple[Variable, ...] = ()
    bare: bool = True  # nothing in it is quoted or substituted
    assigns: bool = False  # NAME=value


class Redirect:
    """A redirection: its sign without the number before it, its target, and the text of a here-document."""

    def __init__(self, sign: str, target: Word) -> None:
        self.sign = sign
        self.target = target
        self.document: Word | None = None


class WrittenCommand(NamedTuple):
    """A simple command as it is written."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()


class CommandGroup(NamedTuple):
    """Lists of commands between brackets or reserved words; `kind` is the first of them."""

    kind: str
    scripts: tuple["Script", ...]
    words: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()


class Pipeline(NamedTuple):
    """Commands that feed each other, and the operator behind the last."""

    commands: tuple[WrittenCommand | CommandGroup, ...]
    negated: bool
    operator: str


Script = tuple[Pipeline, ...]
