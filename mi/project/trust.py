"""Which repositories the person trusts: what one says is run by MI only after that, and only as it was shown."""

from collections.abc import Iterable

from msgspec import Struct

from mi.kernel import clock, files
from mi.kernel.jsontext import BadJson, decode, encode

VERSION = "v1"


class Trusted(Struct, frozen=True, kw_only=True):
    """What the person said about one repository's commands: those they trust, and those they do not want."""

    version: str = VERSION
    commands: list[str] = []
    refused: list[str] = []
    team: bool = False  # its team files bind as they were committed
    at: str = ""


def read_trust(path: str) -> Trusted | None:
    """Return what the person trusted; None where they did not, or where it cannot be read any more."""
    data = files.read_bytes(path)
    try:
        return decode(data, Trusted) if data else None
    except BadJson:
        return None


def write_trust(path: str, commands: Iterable[str], refused: Iterable[str] = (), *, team: bool = False) -> Trusted:
    """Keep the commands that the person trusts from now on, and those that they do not want to be asked about again."""
    wanted = sorted(set(commands))
    trusted = Trusted(commands=wanted, refused=sorted(set(refused) - set(wanted)), team=team, at=clock.now())
    files.write_atomic(path, encode(trusted))
    return trusted


def find_untrusted(trusted: Trusted | None, commands: Iterable[str]) -> list[str]:
    """Return the commands that the person does not trust."""
    known = set(trusted.commands) if trusted else set()
    return [command for command in dict.fromkeys(commands) if command not in known]


def find_unasked(trusted: Trusted | None, commands: Iterable[str]) -> list[str]:
    """Return the commands that the person neither trusted nor refused."""
    refused = set(trusted.refused) if trusted else set()
    return [command for command in find_untrusted(trusted, commands) if command not in refused]
