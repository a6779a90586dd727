"""`mi web link`: a person's process asks the running page for another one-time link."""

import os
import socket
import threading
from collections.abc import Callable

from mi.app.running_page import RunningPage, find_file, read_running
from mi.app.speaker import is_persons_process
from mi.kernel import files
from mi.kernel.errors import MiError, NotFound
from mi.kernel.home import Home, make_dirs
from mi.kernel.jsontext import encode
from mi.kernel.peers import connect_to_peer, find_peer, listen_for_peers

_PREFIX = "mi-web-"
_PATIENCE_S = 5.0
_LONGEST = 4096


class LinkDoor:
    """Makes links for processes through which a person speaks, as long as the page is served."""

    def __init__(self, home: Home, url: str, make_link: Callable[[], str]) -> None:
        self._home = home
        self._url = url
        self._make_link = make_link
        self._file = find_file(home)
        self._listener: socket.socket | None = None

    def __enter__(self) -> "LinkDoor":
        found, door = listen_for_peers(_PREFIX), ""
        if found is not None:
            self._listener, door = found
            threading.Thread(target=self._serve, args=(self._listener,), daemon=True).start()
        make_dirs(os.path.dirname(self._file))
        running = RunningPage(pid=os.getpid(), port=int(self._url.rpartition(":")[2]), door=door, url=self._url)
        files.write_atomic(self._file, encode(running))
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
