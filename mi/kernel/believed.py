"""State files by which MI judges and acts: what it writes into them is noted, so that another's change is noticed."""

import os
from collections.abc import Iterator
from hashlib import sha256

from mi.kernel import files, jsonl
from mi.kernel.home import Home, find_root
from mi.kernel.jsontext import BadJson, decode, encode
from mi.kernel.locks import is_held
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.seal import find_foreign, replace_log

_LARGEST = 256 * 1024  # bytes of the journal; then only the last line about each file stays
_ASIDE = ".unconfirmed."


class Written(NamedTuple):
    """A line of the journal: MI wrote a file with this content, or took it away ('')."""

    path: str
    digest: str


class ForeignChange(NamedTuple):
    """A state file that somebody else changed; `aside` is where their content is kept, '' when they removed it."""

    path: str
    aside: str


def note_written(path: str, content: bytes | None) -> None:
    """Say that MI is about to write a state file, or to take it away."""
    root = find_root(path)
    if not root:
        return
    home = Home(root)
    line = {"kind": "written", "path": home.relative(path), "digest": _digest(content)}
    jsonl.append(home.written, encode(line), sealed=True)
    if jsonl.measure_size(home.written) > _LARGEST and not _is_watched(home):
        _shorten(home.written)


def _is_watched(home: Home) -> bool:
    """Return whether a run goes on: to it, a journal that another process shortens is one that was cut."""
    return any(map(is_held, home.list_run_locks()))


def remove(path: str) -> None:
    """Take a state file away, if it is there."""
    if os.path.lexists(path):
        note_written(path, None)
        files.remove_if_there(path)


class StateWatch:
    """The state files of a home and a project as they were, and what MI wrote into them since."""

    def __init__(self, home: Home, project_id: str) -> None:
        self._home = home
        self._project_id = project_id
        self._start = jsonl.measure_size(home.written)
        self._known = dict(self._read())
        self._times = {path: _time(path) for path in self._known}

    def look(self) -> list[ForeignChange]:
        """Put back what somebody else changed; their content is kept beside it until the person accepts it."""
        times = {path: _time(path) for path in {*self._known, *self._paths()}}
        changed = [path for path, time in times.items() if time != self._times.get(path)]
        if not changed:
            return []
        own = set(self._written())
        found = []
        for path in sorted(changed):
            content = files.read_bytes(path)
            if _digest(content) == _digest(self._known.get(path)) or (path, _digest(content)) in own:
                self._known[path] = content
            else:
                found.append(self._put_back(path, content))
            self._times[path] = _time(path)
        return found

    def _put_back(self, path: str, content: bytes | None) -> ForeignChange:
        aside = files.make_stamped_path(path + _ASIDE) if content is not None else ""
        if content is not None:
            files.write_atomic(aside, content)
        former = self._known.get(path)
        if former is None:
            remove(path)
        else:
            files.write_atomic(path, former)
        return ForeignChange(path, aside)

    def _read(self) -> Iterator[tuple[str, bytes | None]]:
        return ((path, files.read_bytes(path)) for path in self._paths())

    def _paths(self) -> list[str]:
        place = self._home.project(self._project_id)
        found = [self._home.config, self._home.permissions, self._home.hub, place.trust, place.checks, place.overlay]
        for folder in (self._home.workflows, place.workflows):
            names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
            found += [os.path.join(folder, name) for name in names if files.is_state(name)]
        return found

    def _written(self) -> Iterator[tuple[str, str]]:
        """Yield what MI wrote since; a line that is not sealed is not MI's."""
        size = jsonl.measure_size(self._home.written)
        foreign = find_foreign(self._home.written)
        for line in jsonl.read_forward(self._home.written, self._start if size >= self._start else 0):
            if any(one.start <= line.offset < one.end for one in foreign):
                continue
            try:
                written = decode(line.data, dict[str, str])
                yield self._home.path(written["path"]), written["digest"]
            except (BadJson, KeyError):
                continue


def find_aside(home: Home) -> list[str]:
    """Return what was set aside and waits for the person's word."""
    folders = [home.root, os.path.dirname(home.permissions), home.workflows]
    for project in map(home.project, home.project_ids()):
        folders += [project.root, project.workflows]
    names = ((folder, name) for folder in folders if os.path.isdir(folder) for name in sorted(os.listdir(folder)))
    return [os.path.join(folder, name) for folder, name in names if _ASIDE in name]


def accept_aside(aside: str) -> str:
    """Put what was set aside in its file's place, and return that file."""
    path = aside.rpartition(_ASIDE)[0]
    files.write_atomic(path, files.read_bytes(aside) or b"")
    files.remove_if_there(aside)
    return path


def _digest(content: bytes | None) -> str:
    return "" if content is None else sha256(content).hexdigest()


def _time(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_ctime_ns


def _shorten(path: str) -> None:
    with jsonl.keep_writers_out(path):
        latest: dict[str, bytes] = {}
        for line in jsonl.read_forward(path):
            try:
                latest[decode(line.data, dict[str, str])["path"]] = line.data
            except (BadJson, KeyError):
                continue
        temporary = f"{path}.tmp.{os.getpid()}"
        files.write_atomic(temporary, b"".join(line + b"\n" for line in latest.values()))
        replace_log(path, temporary)
