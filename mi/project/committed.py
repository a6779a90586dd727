"""Files as a commit holds them: whether one in the work tree is still the committed one, without asking git again."""

import hashlib
import os
import time
from collections.abc import Sequence

from mi.kernel import git
from mi.kernel.files import read_bytes

_SHA1 = 40  # hex digits of a blob's name in most repositories
_SETTLED_NS = 100_000_000  # a file that changed just now may change again within the same tick of the clock
_Stamp = tuple[int, ...]


def read_committed(root: str, folders: Sequence[str], commit: str = "HEAD") -> dict[str, str]:
    """Return the blobs of a commit below some folders, by path from the root; {} without a commit."""
    top = git.find_toplevel(root)
    if top is None:
        return {}
    wanted = [os.path.relpath(os.path.join(root, one), top) for one in folders]
    found = {}
    for entry in git.run(top, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *wanted).output.split("\0"):
        head, _, path = entry.partition("\t")
        kind = head.split()
        if len(kind) == 3 and kind[1] == "blob":
            found[os.path.relpath(os.path.join(top, path), root)] = kind[2]
    return found


class CommittedFiles:
    """Tells of files whether they are the ones that were committed; each is read again only when it changed."""

    def __init__(self, root: str, blobs: dict[str, str]) -> None:
        self._root = root
        self._blobs = blobs
        self._known: dict[str, tuple[_Stamp, bool]] = {}

    def holds(self, path: str) -> bool:
        """Return whether a file is as committed, byte for byte or with the line ends git may write."""
        blob = self._blobs.get(path.removeprefix(self._root + os.sep))
        stamp = _stamp(path) if blob else None
        if blob is None or stamp is None:
            return False
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = stamp, _is_blob(blob, read_bytes(path))
            if time.time_ns() - stamp[0] > _SETTLED_NS:
                self._known[path] = known
        return known[1]


def _stamp(path: str) -> _Stamp | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino


def _is_blob(blob: str, data: bytes | None) -> bool:
    forms = () if data is None else (data, data.replace(b"\r\n", b"\n"))
    return any(blob == _name_blob(form, len(blob)) for form in forms)


def _name_blob(data: bytes, length: int) -> str:
    digest = hashlib.new("sha1" if length == _SHA1 else "sha256", b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()
