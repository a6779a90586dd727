"""The home's list of work trees: which run has which, where, with what it shares and which ports."""

import os
import socket
from collections.abc import Callable, Iterable
from zlib import crc32

import msgspec
from msgspec import Struct

from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state

_FIRST_PORT, _LAST_PORT = 21000, 32000  # below those that systems give away by themselves


class WorkTree(Struct, frozen=True, kw_only=True):
    """A work tree that MI made for a run, as the home lists it."""

    path: str  # its top
    run_id: str
    project_id: str = ""
    main: str = ""  # the top of the person's own tree
    folder: str = ""  # the project's folder in it; '' is the top
    begun_in: str = ""  # the linked tree of the person's that it was begun from; '' is the main one
    branch: str = ""
    base: str = ""  # the commit that the work begins at
    made_at: str = ""
    links: list[str] = []  # folders that it shares with the person's tree
    copies: list[str] = []  # files that it was given
    shown: list[str] = []  # of both, what git would show as new if MI did not hide it
    ready: bool = False  # its set-up is through: an agent may have worked in it
    made: dict[str, int] = {}  # new files that the set-up made, and when
    ports: int = 0  # the first of its block
    port_count: int = 0
    teardown: list[str] = []  # the person's commands for its end, as they were when it was made
    seconds: float = 600.0  # that each of them may take

    @property
    def root(self) -> str:
        """Return the project's root in this tree."""
        return os.path.join(self.path, self.folder) if self.folder else self.path


class TreeList(Struct, frozen=True, kw_only=True):
    """The work trees that MI made, by run."""

    version: str = "v1"
    trees: dict[str, WorkTree] = {}


class TreeRegistry:
    """Reads and changes the home's list of work trees."""

    def __init__(self, home: Home, notices: Notices) -> None:
        self.home = home
        self._notices = notices

    def read(self) -> dict[str, WorkTree]:
        """Return the work trees by run."""
        return read_state(self.home.work_trees, TreeList, self._notices).trees

    def find(self, run_id: str) -> WorkTree | None:
        """Return the work tree of a run."""
        return self.read().get(run_id) if os.path.exists(self.home.work_trees) else None

    def put(self, tree: WorkTree) -> WorkTree:
        """List a work tree; it goes before the one that is listed for the run."""
        return self._change(lambda trees: trees | {tree.run_id: tree})[tree.run_id]

    def put_with_ports(self, tree: WorkTree, count: int) -> WorkTree:
        """List a work tree with a block of ports that no other has and nobody listens on."""
        if not count:
            return self.put(tree)

        def give(trees: dict[str, WorkTree]) -> dict[str, WorkTree]:
            taken = [(other.ports, other.port_count) for other in trees.values() if other.run_id != tree.run_id]
            first = choose_ports(count, taken, self.home.root)
            return trees | {tree.run_id: msgspec.structs.replace(tree, ports=first, port_count=count)}

        return self._change(give)[tree.run_id]

    def list_shown(self, main: str) -> list[str]:
        """Return what git must not show in any work tree of a repository."""
        return [path for tree in self.read().values() if tree.main == main for path in tree.shown]

    def remove(self, run_id: str) -> None:
        """List the work tree of a run no longer."""
        self._change(lambda trees: {key: tree for key, tree in trees.items() if key != run_id})

    def _change(self, change: Callable[[dict[str, WorkTree]], dict[str, WorkTree]]) -> dict[str, WorkTree]:
        def replaced(old: TreeList) -> TreeList:
            return msgspec.structs.replace(old, trees=change(old.trees))

        return update_state(self.home.work_trees, TreeList, replaced, self._notices).trees


def choose_ports(count: int, taken: Iterable[tuple[int, int]], home: str) -> int:
    """Return the first port of a block that is nobody's; MiError where there is none left.

    Each home begins elsewhere: what another one on this machine has given away can be told only while it is used.
    """
    blocks, places = list(taken), list(range(_FIRST_PORT, _LAST_PORT - count, count))
    begin = crc32(os.fsencode(home)) % len(places)
    for first in places[begin:] + places[:begin]:
        is_given = any(first < start + size and start < first + count for start, size in blocks)
        if not is_given and all(_is_free(port) for port in range(first, first + count)):
            return first
    raise MiError("tree-no-ports", count=count)


def _is_free(port: int) -> bool:
    with socket.socket() as asked:
        asked.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            asked.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
