"""Whole files, written so that a kill or a full disk leaves the old content or the new, never a mixture."""

import os

from mi.kernel import clock
from mi.kernel.home import FILE_MODE, make_dirs, note_new

_STATE = ("config.json", "permissions.json", "trust.json", "checks.toml", "overlay.json", "hub.json")  # what MI acts by


def read_bytes(path: str) -> bytes | None:
    """Return the content of a file, None when there is none."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:  # a pipe in a file's place has nobody to wait for
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def read_only_uri(path: str) -> str:
    """Return a database's path as SQLite opens it for reading alone; unescaped, `?` and `#` would name another file."""
    return "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=ro"


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def write_atomic(path: str, content: bytes, mode: int = FILE_MODE, *, sync: bool = True) -> None:
    """Replace a file's content at once; the folder is made when missing. With `sync` it survives a power cut."""
    folder = os.path.dirname(path)
    make_dirs(folder)
    note_new(path)
    if is_state(os.path.basename(path)):
        from mi.kernel.believed import note_written

        note_written(path, content)
    temporary = f"{path}.tmp.{os.getpid()}"
    try:
        _write(temporary, content, mode, sync)
        os.replace(temporary, path)
    except OSError as error:
        remove_if_there(temporary)
        error.filename = path  # the person knows this name, not the temporary one
        raise
    if sync:
        sync_folder(folder)


def is_state(name: str) -> bool:
    """Return whether a file of this name in a home is one that MI judges and acts by."""
    return name in _STATE or (name.startswith("wf_") and name.endswith(".json"))


def make_stamped_path(before: str, after: str = "") -> str:
    """Return a path with the present moment in its name that nothing has yet: what is set aside replaces nothing."""
    stamp = clock.filename_stamp()
    path, number = f"{before}{stamp}{after}", 1
    while os.path.lexists(path):
        number += 1
        path = f"{before}{stamp}-{number}{after}"
    return path


def _write(path: str, content: bytes, mode: int, sync: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        fd = os.open(path, flags, mode)
    except FileExistsError:  # of a killed writer, or a link that a repository brought along: its target is not ours
        os.unlink(path)
        fd = os.open(path, flags, mode)
    try:
        write_all(fd, content)
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, content: bytes) -> None:
    """Write every byte; the system may take a large buffer in pieces."""
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]


def sync_folder(path: str) -> None:
    """Make a created or renamed file survive a power cut."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def remove_if_there(path: str) -> None:
    """Clean up after a failure."""
    try:
        os.unlink(path)
    except OSError:
        pass  # it was never made, or the disk refuses everything: the first error is the one to report
