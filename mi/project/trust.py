"""Which repositories the person trusts: what one says is run by MI only after that, and only as it was shown."""

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from mi.kernel import clock, files
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.notices import Notices
from mi.kernel.state import update_state

VERSION = "v1"


class Trusted(Struct, frozen=True, kw_only=True):
    """What the person said about one repository's commands: those they trust, and those they do not want."""

    version: str = VERSION
    commands: list[str] = []
    refused: list[str] = []
    team: bool = False  # its team files bind as they were committed
    unbound: dict[str, str] = {}  # but not these: a run brought them, and nobody said yes since; paths by blob
    at_work: dict[str, dict[str, str]] = {}  # HEAD and branches where a run began that goes on, by its work tree
    at: str = ""


def read_trust(path: str) -> Trusted | None:
    """Return what the person trusted; None where they did not, or where it cannot be read any more."""
    data = files.read_bytes(path)
    try:
        return decode(data, Trusted) if data else None
    except BadJson:
        return None


def change_trust(path: str, notices: Notices, change: Callable[[Trusted], Trusted]) -> None:
    """Keep what is trusted from now on."""
    update_state(path, Trusted, lambda former: replace(change(former), at=clock.now()), notices)


def find_untrusted(trusted: Trusted | None, commands: Iterable[str]) -> list[str]:
    """Return the commands that the person does not trust."""
    known = set(trusted.commands) if trusted else set()
    return [command for command in dict.fromkeys(commands) if command not in known]


def find_unasked(trusted: Trusted | None, commands: Iterable[str]) -> list[str]:
    """Return the commands that the person neither trusted nor refused."""
    refused = set(trusted.refused) if trusted else set()
    return [command for command in find_untrusted(trusted, commands) if command not in refused]
