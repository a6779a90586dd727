"""What a view of the page is: an address, what it shows and what can be done there."""

import importlib
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from types import MappingProxyType

from mi.app.home_context import HomeContext
from mi.kernel.digest import hash_sha256
from mi.kernel.errors import Blocked
from mi.kernel.named_tuple import NamedTuple
from mi.web.background import BackgroundWork


class PageRequest(NamedTuple):
    """One look at a view, or one act on it; the home is opened for it alone."""

    context: HomeContext
    language: str
    params: Mapping[str, str]  # of the address
    query: Mapping[str, str]
    fields: Mapping[str, str]  # of the form, where something is done
    work: BackgroundWork = BackgroundWork()  # what takes longer than a look

    def read(self, name: str) -> str:
        """Return a field of the form without the space around it; '' when it is missing."""
        return self.fields.get(name, "").strip()

    def require_seen(self, *shown: object) -> None:
        """Raise Blocked where what a form is about is no longer what the person saw in it."""
        if self.read("seen") != identify(*shown):
            raise Blocked("changed-since-look")


def identify(*shown: object) -> str:
    """Return a name for what a look shows, another one once any of it changed; it stands in the form as `seen`."""
    return hash_sha256(repr(shown).encode())[:32]


def read_number(value: str, otherwise: int = 0) -> int:
    """Return the number that an address or a form names; of what is none, or longer than any here, `otherwise`."""
    return int(value) if value.isdecimal() and len(value) <= _DIGITS else otherwise


class Download(NamedTuple):
    """What a view may return in place of a model: a file for the person."""

    name: str
    media_type: str
    content: bytes


Show = Callable[[PageRequest], object]  # returns the model that the template is filled with, or a file
Act = Callable[[PageRequest], Iterable[str]]  # returns, line by line, what was done
_DIGITS = 9
_LOADING = Lock()  # of two threads that load what needs each other, one could see the other's module half made
_NONE: Mapping[str, Act] = MappingProxyType({})


class PageView(NamedTuple):
    """What one view shows, and what can be done there."""

    show: Show
    watches: str = ""  # the names of events after which it is drawn anew; {parameters} are filled in
    acts: Mapping[str, Act] = _NONE  # by the name in the form's field `act`; behind a colon there may stand a choice


class ViewPlace(NamedTuple):
    """Where a view lies; its module is `mi.web.views.<name>`, its template `<name>.html`, its title `web.<name>`."""

    name: str
    path: str  # below the page's own place: "/run/{run_id}"
    in_menu: bool = True

    def load(self) -> PageView:
        """Return the view itself; what it needs is loaded when somebody looks, so that the page is there sooner."""
        with _LOADING:
            view: PageView = importlib.import_module(f"mi.web.views.{self.name}").VIEW
        return view
