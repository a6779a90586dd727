"""What the exit code 0 of a shell text proves: which of its commands surely ran and succeeded, and where."""

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.shell.commands import CommandPlace, Scope, Simple, Walk
from mi.kernel.shell.state import State
from mi.kernel.shell.wrappers import inner_texts

_MOST = 100  # that are told of one text


class Decisive(NamedTuple):
    """A command that surely ran and succeeded."""

    argv: tuple[str, ...]
    folder: str | None  # relative to where the text began, or absolute; None when it cannot be told
    settings: tuple[str, ...]  # `NAME=value` that held for it
    sourced: tuple[str, ...]  # files the shell had read in before
    followed: tuple[tuple[str, ...], ...]  # the commands of the text that ran beside or after it
    writes: tuple[str, ...]  # files that redirections of the text write


def decisive_commands(text: str) -> list[Decisive]:
    """Return the commands that ran and succeeded whenever the text ends with exit code 0; [] where nobody can tell.

    In `a; b && c | d` these are b and d: a may have failed, and c, too, unless under pipefail. Under `set -e` a
    succeeded as well. Branches, `||`, background jobs, functions, and words that end or bend the shell leave nothing
    to be told, nor does a text that cannot be read.
    """
    walk = Walk()
    walk.text(text, CommandPlace(State(), Scope(0), decides=True))
    if not walk.readable:
        return []
    ran = [one.command.argv for one in walk.statements]
    writes = tuple(file for one in walk.statements for file in one.command.writes)
    places = [at for at, one in enumerate(walk.statements) if one.decides and not _runs_text(one.command)]
    return [
        Decisive(ran[at], one.command.folder, one.settings, one.sourced, (*ran[at + 1 :],), writes)
        for at in places[-_MOST:]
        for one in (walk.statements[at],)
    ]


def _runs_text(command: Simple) -> bool:
    """Return whether what decides stands in the text that a command hands to a shell."""
    return bool(inner_texts(command.argv, command.documents))
