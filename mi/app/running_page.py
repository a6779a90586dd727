"""The page that is served now, as whoever is told of something may open it."""

import os

import msgspec

from mi.kernel import files
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode


class RunningPage(msgspec.Struct, frozen=True, kw_only=True):
    """`web/server.json`: the page that is served now."""

    pid: int = 0
    port: int = 0
    door: str = ""
    url: str = ""


def find_file(home: Home) -> str:
    """Return where a page notes that it is served."""
    return home.path("web", "server.json")


def read_running(home: Home) -> RunningPage:
    """Return the page that is, or was last, served."""
    try:
        return decode(files.read_bytes(find_file(home)) or b"{}", RunningPage)
    except BadJson:
        return RunningPage()


def find_address(home: Home, item_id: str = "") -> str:
    """Return where a browser that was let in finds the page, or something that waits; '' while none is served.

    It has neither a token nor the path under which the page lies: it may go through others' hands.
    """
    running = read_running(home)
    if not (running.url and running.pid and _is_there(running.pid)):
        return ""
    return f"{running.url}/#{item_id}" if item_id else f"{running.url}/"


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
