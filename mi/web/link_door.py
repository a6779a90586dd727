"""`mi web link`: a person's process asks the running page for another one-time link."""

import os
import socket
import threading
from collections.abc import Callable

import msgspec

from mi.app.speaker import is_persons_process
from mi.kernel import files
from mi.kernel.errors import MiError, NotFound
from mi.kernel.home import Home, make_dirs
from mi.kernel.jsontext import BadJson, decode, encode
from mi.kernel.peers import connect_to_peer, find_peer, listen_for_peers

_PREFIX = "mi-web-"
_PATIENCE_S = 5.0
_LONGEST = 4096


class RunningPage(msgspec.Struct, frozen=True, kw_only=True):
    """`web/server.json`: the page that is served now."""

    pid: int = 0
    port: int = 0
    door: str = ""


class LinkDoor:
    """Makes links for processes through which a person speaks, as long as the page is served."""

    def __init__(self, home: Home, port: int, make_link: Callable[[], str]) -> None:
        self._home = home
        self._port = port
        self._make_link = make_link
        self._file = _find_file(home)
        self._listener: socket.socket | None = None

    def __enter__(self) -> "LinkDoor":
        found, door = listen_for_peers(_PREFIX), ""
        if found is not None:
            self._listener, door = found
            threading.Thread(target=self._serve, args=(self._listener,), daemon=True).start()
        make_dirs(os.path.dirname(self._file))
        files.write_atomic(self._file, encode(RunningPage(pid=os.getpid(), port=self._port, door=door)))
        return self

    def __exit__(self, *_: object) -> None:
        if self._listener is not None:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        if read_running(self._home).pid == os.getpid():
            files.remove_if_there(self._file)

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:  # the page is closed
                return
            with peer:
                try:
                    pid = find_peer(peer)
                    peer.sendall(self._make_link().encode() if pid and is_persons_process(self._home, pid) else b"-")
                except OSError:
                    continue


def _find_file(home: Home) -> str:
    return home.path("web", "server.json")


def read_running(home: Home) -> RunningPage:
    """Return the page that is, or was last, served."""
    try:
        return decode(files.read_bytes(_find_file(home)) or b"{}", RunningPage)
    except BadJson:
        return RunningPage()


def ask_link(home: Home) -> str:
    """Return a new link from the running page; an error when none runs, or it does not believe that a person asks."""
    running = read_running(home)
    if running.pid and not running.door:
        raise MiError("no-web-link")
    try:
        with connect_to_peer(_PREFIX, running.door, _PATIENCE_S) as page:
            link = page.recv(_LONGEST).decode()
    except OSError:
        raise NotFound("no-web") from None
    if not link.startswith("http"):
        raise MiError("web-link-refused")
    return link
