"""Sockets without a file between processes of this machine, where the system tells which process speaks."""

import os
import socket
import struct
import sys

_CREDENTIALS = struct.Struct("3i")  # process, user, group


def listen_for_peers(prefix: str) -> tuple[socket.socket, str] | None:
    """Return a socket under a new name that begins so, and the rest of the name; None where peers cannot be told."""
    if sys.platform != "linux" or not os.path.isdir("/proc/self"):
        return None
    listener, name = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET), os.urandom(16).hex()
    try:
        listener.bind(f"\0{prefix}{name}")  # of the kernel's own names: no file, gone with the process
        listener.listen(128)
    except OSError:  # a sandbox without such sockets
        listener.close()
        return None
    return listener, name


def connect_to_peer(prefix: str, name: str, patience_s: float) -> socket.socket:
    """Return a connection to a process that listens under a name; OSError when none does."""
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        peer.settimeout(patience_s)
        peer.connect(f"\0{prefix}{name}")
    except OSError:
        peer.close()
        raise
    return peer


def find_peer(peer: socket.socket) -> int:
    """Return the process at the other end; 0 when it is not seen, or another user's."""
    if sys.platform != "linux":
        return 0
    found = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, user, _ = _CREDENTIALS.unpack(found)
    return max(pid, 0) if user in (0, os.geteuid()) else 0
