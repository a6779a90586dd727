"""Damage in a home that can be mended without losing anything: found by looking, mended only when asked."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

from mi.kernel import files, jsonl, layout
from mi.kernel.home import DIR_MODE, FILE_MODE, Home
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.marker import NAME as MARKER
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.view_seal import remove_view

_TEMPORARY = re.compile(r".+\.tmp\.(?P<pid>\d+)")


class Damage(NamedTuple):
    """One thing that is wrong; `key` names its text, `mend` mends it: None where only a person can."""

    key: str
    path: str
    mend: Callable[[], None] | None
    details: dict[str, object] = {}


def find_damage(home: Home) -> Iterator[Damage]:
    """Yield everything that `mi repair` can mend, looking at each file once; nothing is changed."""
    if not home.exists():
        return
    if os.stat(home.root).st_mode & 0o077 and os.path.realpath(home.root) != os.path.realpath(os.path.expanduser("~")):
        yield Damage("open-home", home.root, lambda: os.chmod(home.root, DIR_MODE))
    for folder, folders, names in os.walk(home.root):
        folders[:] = sorted(name for name in folders if _is_looked_into(home.relative(os.path.join(folder, name))))
        for name in sorted(names):
            path = os.path.join(folder, name)
            relative = home.relative(path)
            if os.path.islink(path) or not os.path.isfile(path) or not (relative == MARKER or layout.is_file(relative)):
                continue  # somebody else's file, a pipe, or gone since
            if path != home.config:  # a person's own text: `mi config validate` names the line to mend
                yield from _in_file(path)
            elif _is_open(path):
                yield _closing(path)


def _is_looked_into(relative: str) -> bool:
    """Return whether a folder of the home is MI's and no other home, nor what git keeps there."""
    return layout.is_folder(relative) and not layout.is_opaque(relative) and relative != "demo"


def _in_file(path: str) -> Iterator[Damage]:
    name = os.path.basename(path)
    temporary = _TEMPORARY.fullmatch(name)
    if _is_open(path) and name.endswith((".jsonl", ".json", ".sqlite")):
        yield _closing(path)
    if temporary:
        if not _alive(int(temporary["pid"])):
            yield Damage("left-temporary", path, lambda: os.unlink(path))
    elif name.endswith(".jsonl"):
        if _ends_torn(path):
            yield Damage("torn-end", path, lambda: _complete(path))
    elif name.endswith(".json"):
        if _is_broken_json(path):
            yield Damage("broken-state", path, lambda: os.replace(path, files.make_stamped_path(f"{path}.corrupt.")))
    elif name.endswith(".sqlite") and name != "queue.sqlite" and _is_broken_database(path):
        yield Damage("broken-index", path, lambda: _discard(path))


def _is_open(path: str) -> bool:
    try:
        return bool(os.stat(path).st_mode & 0o077)
    except FileNotFoundError:  # a run that goes on removed it since
        return False


def _closing(path: str) -> Damage:
    return Damage("open-file", path, lambda: os.chmod(path, FILE_MODE))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _ends_torn(path: str) -> bool:
    size = jsonl.measure_size(path)
    return size > 0 and jsonl.read_range(path, size - 1, size) != b"\n"


def _complete(path: str) -> None:
    """Complete a torn line by appending nothing: a whole record stays, anything else is set aside."""
    jsonl.append(path)


def _is_broken_json(path: str) -> bool:
    try:
        decode(files.read_bytes(path) or b"", dict)
    except BadJson:
        return True
    return False


def _is_broken_database(path: str) -> bool:
    try:
        with closing(sqlite3.connect(files.read_only_uri(path), uri=True)) as db:
            return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.DatabaseError as error:  # one that is gone since, or long written to, is not broken
        return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _discard(path: str) -> None:
    remove_view(path)
    for suffix in ("-wal", "-shm"):
        files.remove_if_there(path + suffix)
