"""Large files that git keeps by pointers (LFS), in files that were written from a tree."""

import os
import shutil
from hashlib import sha256

from mi.kernel import files, git
from mi.project.trees import GitTree

_LFS = b"version https://git-lfs.github.com/spec/"
_POINTER_BYTES = 1024


def fill_pointers(tree: GitTree, top: str, folder: str) -> None:
    """Put large files in the place of git's pointers to them, where they are here."""
    rules = [path for path in tree.paths() if os.path.basename(path) == ".gitattributes"]
    if not any(b"filter=lfs" in (tree.read(path) or b"") for path in rules):
        return
    answer = git.run(top, "rev-parse", "--path-format=absolute", "--git-common-dir")
    store = os.path.join(answer.output.rstrip("\n"), "lfs", "objects")
    for path in tree.paths():
        place = os.path.join(folder, path)
        if os.path.islink(place) or not os.path.isfile(place) or os.path.getsize(place) > _POINTER_BYTES:
            continue
        pointer = files.read_bytes(place) or b""
        if pointer.startswith(_LFS):
            _fill(pointer, place, store, os.path.join(top, path))


def _fill(pointer: bytes, place: str, store: str, here: str) -> None:
    _, _, after = pointer.partition(b"oid sha256:")
    name = after[:64].decode("ascii", "replace")
    kept = os.path.join(store, name[:2], name[2:4], name)
    for source in (kept, here):
        if os.path.isfile(source) and is_pointed_at(pointer, source):  # whoever can write there can change it
            shutil.copyfile(source, place)
            return


def is_pointed_at(pointer: bytes, place: str) -> bool:
    """Return whether a content is a pointer, and names the very file at a place."""
    if not pointer.startswith(_LFS):
        return False
    digest = sha256()
    with open(place, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return f"oid sha256:{digest.hexdigest()}".encode() in pointer
