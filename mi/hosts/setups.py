"""Which projects were set up for which hosts, and by which profile."""

import os

from msgspec import Struct

from mi.kernel.config.profiles import find_strictest
from mi.kernel.files import remove_if_there
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state


class Setups(Struct, frozen=True, kw_only=True):
    """Profiles by project root and host."""

    projects: dict[str, dict[str, str]] = {}


def read_setups(home: Home, notices: Notices) -> dict[str, dict[str, str]]:
    """Return the profile of each host, by project root."""
    return read_state(_file(home), Setups, notices).projects if os.path.exists(_file(home)) else {}


def note_setup(home: Home, root: str, host: str, profile: str, notices: Notices) -> None:
    """Keep that a project is set up for a host; '' that it is no longer."""

    def change(now: Setups) -> Setups:
        hosts = {name: one for name, one in now.projects.get(root, {}).items() if name != host}
        hosts |= {host: profile} if profile else {}
        others = {name: one for name, one in now.projects.items() if name != root}
        return Setups(projects=others | ({root: hosts} if hosts else {}))

    update_state(_file(home), Setups, change, notices)


def find_set_up(home: Home, root: str, notices: Notices) -> str:
    """Return the profile that a project was set up with, the strictest of its hosts'; '' where nobody did."""
    return find_strictest(*read_setups(home, notices).get(root, {}).values())


def is_any_set_up(home: Home) -> bool:
    """Return whether a project was ever set up; cheap, for it is asked with every configuration."""
    return os.path.exists(_file(home))


def forget_setups(home: Home) -> None:
    """Keep of no project that it is set up."""
    remove_if_there(_file(home))


def _file(home: Home) -> str:
    return home.path("hosts", "setups.json")
