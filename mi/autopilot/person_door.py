"""The person's door to a running run: a process that writes to the home says so, and the run looks who it is.

A line in a log does not show who wrote it: a program of the agent can call MI's own library. So the run listens.
Whoever writes for the person names the append before it is made; the run counts it when a person stands above that
process.
"""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode, encode
from mi.kernel.peers import connect_to_peer, find_peer, listen_for_peers
from mi.kernel.seal import Append, digest_bytes, digest_file, hear_appends

_PREFIX = "mi-run-"
_PATIENCE_S = 2.0
_LONGEST = 8192


class PersonDoor:
    """What may count in a running run of all that is written to the home: by the run itself, or by a person."""

    def __init__(self, home: Home, is_persons: Callable[[int], bool]) -> None:
        """`is_persons` tells of a process whether a person speaks through it."""
        self._home = home
        self._is_persons = is_persons
        self._is_open = False
        self._seen: dict[str, int] = {}  # by log: what stands before was looked at
        self._heard: dict[str, list[Append]] = {}
        self._rewritten: dict[str, Append] = {}
        self._is_clean: Callable[[str], bool] = lambda _: False

    @contextmanager
    def open(self) -> Iterator[str]:
        """Listen, and yield the name under which it does; '' where the system does not tell who speaks."""
        found = listen_for_peers(_PREFIX)
        if found is None:
            yield ""
            return
        listener, name = found
        self._is_open = True
        stop_hearing = hear_appends(self._take)
        thread = threading.Thread(target=self._serve, args=(listener,), daemon=True)
        thread.start()
        try:
            yield name
        finally:
            stop_hearing()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(_PATIENCE_S)
            listener.close()

    def lets_in(self, log: str, offset: int) -> bool:
        """Return whether the line at an offset was there before, or came by the run itself or a person."""
        if not self._is_open or offset < self._seen.get(log, 0):
            return True
        for said in reversed(self._heard.get(log, [])):
            if said.start <= offset < said.end:
                return digest_bytes(jsonl.read_range(log, said.start, said.end)) == said.digest
        return False

    def note_seen(self, log: str, upto: int) -> None:
        """Note how much of a log was looked at: whatever does not count there is marked as such."""
        self._seen[log] = upto
        self._heard[log] = [one for one in self._heard.get(log, []) if one.end > upto]

    def check_rewrites(self, is_clean: Callable[[str], bool]) -> None:
        """Hear of a rewritten log only while the old one is clean: what was not looked at must not be hidden by it."""
        self._is_clean = is_clean

    def is_rewritten(self, log: str) -> bool:
        """Return whether the rewritten log that was announced stands in a log's place; what it holds counts then."""
        said = self._rewritten.get(log)
        if said is None or not _stands(said):
            return False
        del self._rewritten[log]
        self._seen[log] = said.end
        return True

    def _take(self, said: Append) -> bool:
        """Note what is about to be written; return whether it counts."""
        if said.start or not jsonl.measure_size(said.log):
            self._heard.setdefault(said.log, []).append(said)
            return True
        if not self._is_clean(said.log):
            return False
        self._rewritten[said.log] = said
        return True

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:  # the run is over
                return
            with peer:
                try:
                    peer.sendall(b"+" if self._hear(peer) else b"-")
                except (OSError, BadJson):
                    continue

    def _hear(self, peer: socket.socket) -> bool:
        """Take down what a process says it writes, if a person speaks through it."""
        peer.settimeout(_PATIENCE_S)
        pid = find_peer(peer)
        if not pid or not self._is_persons(pid):
            return False
        said = Append(*decode(peer.recv(_LONGEST), tuple[str, int, int, str]))
        return self._take(said._replace(log=self._home.path(said.log)))


def _stands(said: Append) -> bool:
    """Return whether a log holds what was said of it; its lock is held."""
    fd = os.open(said.log, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.fstat(fd).st_size >= said.end and digest_file(fd, said.end) == said.digest
    finally:
        os.close(fd)


def tell_run(door: str, said: Append) -> bool:
    """Tell a run what is about to be written to a log, named relative to the home; return whether it counts."""
    try:
        with connect_to_peer(_PREFIX, door, _PATIENCE_S) as run:
            run.sendall(encode([said.log, said.start, said.end, said.digest]))
            return run.recv(1) == b"+"
    except OSError:
        return False
