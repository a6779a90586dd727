"""Archiving older transcripts: gzip into `archive/`, a stub in place of the file; a kill loses neither."""

import gzip
import math
import os
from hashlib import sha256

import msgspec

from mi.kernel import clock, files
from mi.kernel.errors import StorageError
from mi.kernel.home import FILE_MODE, Home, make_dirs
from mi.kernel.locks import lock_folder
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple

STUB = "mi.transcript.archived"
_CHUNK = 1 << 16
_STUB_SIZE = 4096


class Old(NamedTuple):
    """A transcript that can be archived, or was: its size before and, once archived, after."""

    path: str
    size: int
    archive: str
    packed: int = 0


def find_old(folder: str, keep: int, until: float = math.inf) -> list[Old]:
    """Return the transcripts of a folder except the newest `keep`, oldest first; changes nothing.

    One that was written to after the moment `until` is a running agent's.
    """
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found: list[Old] = []
    for name in names[: len(names) - keep] if keep else names:
        path = os.path.join(folder, name)
        stat = os.stat(path)
        if stat.st_mtime < until and not _is_stub(path, stat.st_size):
            found.append(Old(path, stat.st_size, os.path.join(folder, "archive", name + ".gz")))
    return found


def archive_old(home: Home, folder: str, keep: int, until: float = math.inf) -> list[Old]:
    """Archive what `find_old` finds; run again after a kill, it goes on where it was."""
    if not os.path.isdir(folder):
        return []
    with lock_folder(folder):
        found = find_old(folder, keep, until)
        if found:
            make_dirs(os.path.join(folder, "archive"))
            _remove_unfinished(os.path.join(folder, "archive"))
        return [_archive(home, old) for old in found]


def _archive(home: Home, old: Old) -> Old:
    """Write the whole archive, checked and on disk; only then put the stub over the original."""
    unfinished = f"{old.archive}.tmp.{os.getpid()}"
    digest = _pack(old.path, unfinished)
    if _digest_of(unfinished) != digest:
        os.unlink(unfinished)
        raise StorageError("archive-broken", path=unfinished, reason=NestedText("reason.not-read-back"))
    os.replace(unfinished, old.archive)
    files.sync_folder(os.path.dirname(old.archive))
    stub = {
        "type": STUB,
        "v": 1,
        "ts": clock.now(),
        "archived_path": home.relative(old.archive),
        "bytes": old.size,
        "sha256": digest,
    }
    files.write_atomic(old.path, msgspec.json.encode(stub) + b"\n")
    return old._replace(packed=os.path.getsize(old.archive))


def _pack(source: str, target: str) -> str:
    digest = sha256()
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
    with open(source, "rb") as file, open(fd, "wb") as raw:
        with gzip.GzipFile(os.path.basename(source), "wb", 6, raw, 0) as packed:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                packed.write(chunk)
        raw.flush()
        os.fsync(raw.fileno())
    return digest.hexdigest()


def _digest_of(path: str) -> str:
    digest = sha256()
    with gzip.open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _is_stub(path: str, size: int) -> bool:
    if size > _STUB_SIZE:
        return False
    with open(path, "rb") as file:
        return f'"{STUB}"'.encode() in file.readline(_STUB_SIZE)


def _remove_unfinished(folder: str) -> None:
    for name in os.listdir(folder):
        if ".gz.tmp." in name:
            os.unlink(os.path.join(folder, name))
