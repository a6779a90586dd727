"""The hosts that MI can place things into: a name, and how each kind of wish looks there."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from mi.hosts.artefacts import Artefact, Wish
from mi.kernel.errors import UsageError

if TYPE_CHECKING:
    from mi.hosts.adapters.host import Host

Scope = Literal["project", "user"]
HOSTS = ("openclaw", "claude-code", "codex")


def adapter(name: str) -> "Host":
    """The host of a name; UsageError when MI knows none."""
    if name not in HOSTS:
        raise UsageError("unknown-host", name=name, known=", ".join(HOSTS))
    from importlib import import_module

    host: Host = import_module(f"mi.hosts.adapters.{name.replace('-', '_')}").HOST
    return host


def artefacts(host: str, wishes: Iterable[Wish], scope: Scope = "project") -> list[Artefact]:
    """What to place so that the host sees each wish: in the workspace, or below the user's home."""
    chosen = adapter(host)
    return [one for wish in wishes for one in chosen.artefacts(wish, scope)]
