"""The files that agents read, in `memory/`, `context/` and `rules/`: listing them is no reading."""

import os

from mi.kernel.named_tuple import NamedTuple
from mi.nexus.store import Store

KNOWLEDGE = ("memory", "context", "rules")
_MAX_BYTES = 1 << 20  # of one file that is shown or compared


class KnowledgeFile(NamedTuple):
    """A file that agents read."""

    name: str
    path: str
    title: str
    size: int
    modified: float  # seconds since the epoch


def list_files(store: Store, folder: str) -> list[KnowledgeFile]:
    """Return the files of `memory`, `context` or `rules`, by name; a listing, which is no reading."""
    place = store.place.knowledge(folder)
    found = []
    for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
        path = os.path.join(place, name)
        if name.endswith(".md") and os.path.isfile(path) and not os.path.islink(path):
            stat = os.stat(path)
            found.append(KnowledgeFile(name, path, _title(path, name), stat.st_size, stat.st_mtime))
    return found


def _title(path: str, name: str) -> str:
    """Return the first heading or line of a file."""
    for line in read_text(path, 2048).splitlines():
        if line.strip(" #\t"):
            return line.strip(" #\t")
    return name.removesuffix(".md")


def read_text(path: str, limit: int = _MAX_BYTES) -> str:
    """Return the text of a file, as much of it as anyone needs."""
    with open(path, "rb") as file:
        return file.read(limit).decode("utf-8", "replace")
