"""What a home that was made for one run of the hub's queue knows of its claim."""

import os

from msgspec import Struct

from mi.fleet.queue import QueuedTask
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state


class HubClaim(Struct, frozen=True, kw_only=True):
    """The file `hub_claim.json` of such a home."""

    version: str = "v1"
    task: QueuedTask | None = None
    token: str = ""
    member: str = ""  # whose run it is
    epoch: int = 0  # how often the run was claimed, by whomever; older claims are nobody's
    worker_home: str = ""  # the home of the worker that runs it
    ready: bool = False  # what others recorded of the run is here, and what it was sent with
    begins_anew: bool = False  # the work of former batches is not in its tree


def read_claim(home: Home, notices: Notices) -> HubClaim:
    """Return the claim that a home was made for; an empty one for any other home."""
    place = _path_of(home)
    return read_state(place, HubClaim, notices) if os.path.exists(place) else HubClaim()


def keep_claim(home: Home, claim: HubClaim, notices: Notices) -> None:
    """Write down which claim a home is for."""
    update_state(_path_of(home), HubClaim, lambda old: claim, notices)


def _path_of(home: Home) -> str:
    return home.path("hub_claim.json")
