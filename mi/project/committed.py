"""Files as a commit holds them: whether one in the work tree is still the committed one, without asking git again."""

import hashlib
import os
from collections.abc import Sequence

from mi.kernel import git
from mi.kernel.files import read_bytes

_SHA1 = 40  # hex digits of a blob's name in most repositories


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


def is_committed(root: str, path: str, blobs: dict[str, str]) -> bool:
    """Return whether a file is the one that was committed, byte for byte or with the line ends git may write."""
    blob = blobs.get(os.path.relpath(path, root))
    data = read_bytes(path) if blob else None
    if blob is None or data is None:
        return False
    return blob in (_name_blob(form, len(blob)) for form in (data, data.replace(b"\r\n", b"\n")))


def _name_blob(data: bytes, length: int) -> str:
    digest = hashlib.new("sha1" if length == _SHA1 else "sha256", b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()
