"""Files that agents produce on the way: below `state/artifacts/`, and nowhere else."""

import os

from msgspec import Struct

from mi.kernel.errors import UsageError
from mi.nexus.plan import Answer
from mi.nexus.store import Store


class ArtifactWrite(Struct, frozen=True, kw_only=True):
    filename: str
    content: str


def write(store: Store, asked: ArtifactWrite) -> Answer:
    """Write an artifact; a name that leads out of the folder is refused."""
    path = _inside(store, asked.filename)
    with store.lock():
        store.write(path, asked.content.encode("utf-8", "replace"))
    return {"success": True, "path": path}


def _inside(store: Store, filename: str) -> str:
    parts = filename.replace("\\", "/").split("/")
    named = parts[-1] not in ("", ".")
    if not named or "\0" in filename or ".." in parts or os.path.isabs(filename):
        raise UsageError("artifact-name", value=filename)
    folder = os.path.join(os.path.realpath(store.place.folder), "state", "artifacts")
    path = os.path.join(folder, filename)
    if os.path.realpath(path) != os.path.normpath(path):  # a link on the way, to wherever
        raise UsageError("artifact-link", value=filename)
    if os.path.isdir(path):
        raise UsageError("artifact-name", value=filename)
    return os.path.normpath(path)
