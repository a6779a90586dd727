"""What a home knows of the hub it joined: where it is, and as whom it goes there."""

import os

import msgspec
from msgspec import Struct

from mi.kernel import files
from mi.kernel.errors import NotFound
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state


class HubState(Struct, frozen=True, kw_only=True):
    """The file `hub.json`; the password is not in it."""

    version: str = "v1"
    hub_id: str = ""
    dsn: str = ""  # of the member's own login, without its password
    member: str = ""
    home_id: str = ""
    mark_key: str = ""  # by which this home recognises what it pushed; it never leaves
    runs_since: str = ""  # runs are shared that began later; "" where they are not
    devices: str = ""  # "on" where all that is known goes to the person's other homes
    owner_dsn: str = ""  # where this home made the hub: for invitations


def is_joined(home: Home) -> bool:
    """Return whether a home takes part in a hub; a look at one file."""
    return os.path.exists(home.hub)


def read_hub(home: Home, notices: Notices) -> HubState:
    """Return what is known of the hub; empty where none was joined."""
    return read_state(home.hub, HubState, notices)


def need_hub(home: Home, notices: Notices) -> HubState:
    """Return the hub that was joined; NotFound with the way out where there is none."""
    state = read_hub(home, notices)
    if not state.dsn:
        raise NotFound("hub-not-joined")
    return state


def change_hub(home: Home, notices: Notices, **fields: str) -> HubState:
    """Write down what changed about the hub."""
    return update_state(home.hub, HubState, lambda old: msgspec.structs.replace(old, **fields), notices)


def keep_password(home: Home, password: str) -> None:
    """Keep the password of this home's login, readable by its owner alone."""
    files.write_atomic(home.hub_password, password.encode() + b"\n")


def read_password(home: Home) -> str:
    """Return the password of this home's login; "" where libpq's own ways are to give it."""
    return (files.read_bytes(home.hub_password) or b"").decode("utf-8", "replace").strip()
