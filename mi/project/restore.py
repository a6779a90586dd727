"""Putting a work tree back as a snapshot kept it: each file at once, never through a link, no program of git's run."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from mi.kernel import files, git
from mi.kernel.named_tuple import NamedTuple
from mi.project.large_files import fill_pointers
from mi.project.restore_plan import Difference, KeptTree, LeftAlone
from mi.project.tree_paths import find_obstacle
from mi.project.tree_store import find_store, make_repository
from mi.project.tree_writer import TreeWriter, name_attributes, quote_path

_WRITE_S = 600.0
_STAGING = ".mi-restore-"

Looks = dict[str, tuple[int, ...]]


class Restored(NamedTuple):
    """What was done, and what was left because it changed in the very moment."""

    put_back: list[str]
    removed: list[str]
    left: list[LeftAlone]


def look_at(top: str, paths: Iterable[str]) -> Looks:
    """Return how files and links look from outside: whoever writes to one changes that."""
    return {path: look for path in paths if not find_obstacle(top, path) and (look := _look(os.path.join(top, path)))}


def _look(place: str) -> tuple[int, ...]:
    try:
        status = os.lstat(place)
    except OSError:
        return ()
    if stat.S_ISDIR(status.st_mode):
        return ()
    return (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@contextmanager
def make_ready(writer: TreeWriter, kept: KeptTree, paths: Iterable[str]) -> Iterator[str]:
    """Yield a folder with the files to put back, on the disk of the work tree: one that is full is noticed here."""
    staging = _open_staging(writer.top)
    try:
        yield _check_out(writer, kept, paths, staging)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def put_back(top: str, ready: str, wanted: Difference, looks: Looks) -> Restored:
    """Put paths back and remove others; one that no longer looks as it did when it was kept is left alone."""
    done = Restored([], [], [])
    for path in reversed(wanted.removed):  # what lies in a folder before the folder
        why = _remove(top, path, looks.get(path, ()))
        done.left.append(why) if why else done.removed.append(path)
    for path in wanted.put_back:
        why = _replace(top, path, os.path.join(ready, path), looks.get(path, ()))
        done.left.append(why) if why else done.put_back.append(path)
    return done


def _open_staging(top: str) -> str:
    """Return a new folder on the disk of the work tree, inside of `.git` where that is there.

    What a killed process left there goes.
    """
    store = find_store(top) if git.find_toplevel(top) else None
    folder = store.git_dir if store and os.stat(store.git_dir).st_dev == os.stat(top).st_dev else top
    for name in os.listdir(folder):
        if name.startswith(_STAGING) and not _is_alive(name.removeprefix(_STAGING).partition("-")[0]):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{_STAGING}{os.getpid()}-", dir=folder)


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        pass  # another user's
    return True


def _check_out(writer: TreeWriter, kept: KeptTree, paths: Iterable[str], staging: str) -> str:
    """Write some files of a tree below a folder, by the rules it was kept by and without any program."""
    private, folder = os.path.join(staging, "git"), os.path.join(staging, "files")
    os.mkdir(folder)
    make_repository(private, {})
    shutil.copyfile(os.path.join(writer.folder, "config"), os.path.join(private, "config"))
    files.write_atomic(name_attributes(private), kept.attributes.encode(), sync=False)
    env = dict(writer.read_env) | {"GIT_DIR": private, "GIT_WORK_TREE": folder}
    if kept.objects:
        env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] += os.pathsep + quote_path(kept.objects)
    names = b"\0".join(map(os.fsencode, paths))
    _run(folder, env, "read-tree", kept.tree.tree_id)
    if names:
        _run(folder, env, "checkout-index", "-f", "-q", "-z", "--stdin", stdin=names)
    fill_pointers(kept.tree, writer.top, folder)
    return folder


def _run(folder: str, env: dict[str, str], *args: str, stdin: bytes = b"") -> None:
    settings = {"core.fsync": "none"}
    answer = git.run_bytes(folder, *args, stdin=stdin, timeout_s=_WRITE_S, settings=settings, env=env, umask=-1)
    if answer.code != 0:
        raise OSError(0, answer.error or f"git {args[0]}", folder)


def _find_hindrance(top: str, path: str, look: tuple[int, ...]) -> LeftAlone | None:
    """Return why a path must be left alone: a link or file is on the way, or it is not as it was looked at."""
    if find_obstacle(top, path):
        return LeftAlone(path, "in-the-way")
    return LeftAlone(path, "changed") if _look(os.path.join(top, path)) != look else None


def _remove(top: str, path: str, look: tuple[int, ...]) -> LeftAlone | None:
    """Remove a file and the folders that are empty without it; return what was left alone instead."""
    place = os.path.join(top, path)
    if hindered := _find_hindrance(top, path, look):
        return hindered
    try:
        os.unlink(place)
    except OSError as error:
        return LeftAlone(path, "refused", error.strerror or str(error))
    folder = os.path.dirname(path)
    while folder:
        try:
            os.rmdir(os.path.join(top, folder))
        except OSError:
            break  # something is left in it
        folder = os.path.dirname(folder)
    return None


def _replace(top: str, path: str, ready: str, look: tuple[int, ...]) -> LeftAlone | None:
    """Put a file that was made ready in its place; return what was left alone instead."""
    place = os.path.join(top, path)
    if hindered := _find_hindrance(top, path, look):
        return hindered
    try:
        if look and not os.path.islink(place) and not os.path.islink(ready):
            _keep_rights(place, ready)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.replace(ready, place)
    except IsADirectoryError:
        return LeftAlone(path, "in-the-way")
    except OSError as error:
        return LeftAlone(path, "refused", error.strerror or str(error))
    return None


def _keep_rights(place: str, ready: str) -> None:
    """Give a file the rights of the one that it replaces, apart from whether it may be run."""
    had, wanted = (stat.S_IMODE(os.stat(one).st_mode) for one in (place, ready))
    runs = (had & 0o444) >> 2 if wanted & 0o100 else 0  # whoever may read it
    os.chmod(ready, (had & ~0o111) | runs)
