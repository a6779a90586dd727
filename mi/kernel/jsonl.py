"""Append-only logs of JSON lines: whole lines or none, repaired when torn, read from either end in bounded memory."""

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mi.kernel import files, locks
from mi.kernel.home import FILE_MODE, make_place, note_new
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.seal import AppendSeal, prepare_seal

MAX_LINE = 1 << 20  # longer lines are handed out cut: what shows or indexes them needs no more
_CHUNK = 1 << 16
_NEWLINE = 10
_PIECE = 1 << 22  # of a log that is searched, not read


class Line(NamedTuple):
    """One line of a log; `data` is cut at the reader's limit, `length` is the whole."""

    offset: int
    length: int
    data: bytes
    complete: bool  # False: the last line, and no newline ends it

    @property
    def cut(self) -> bool:
        return self.length > len(self.data)


class Repair(NamedTuple):
    """A torn last line that an append found: completed in place, or set aside in the file `kept_in`."""

    log: str
    size: int
    kept_in: str


class Appended(NamedTuple):
    """Where the first of the appended lines begins, and what was repaired before it."""

    offset: int
    repair: Repair | None


def append(path: str, *lines: bytes, sync: bool = False, sealed: bool = False) -> Appended:
    """Add lines at the end in one write under the log's lock; all of them or, with an OSError, none.

    With `sealed` the log's seal says that they are MI's.
    """
    if any(b"\n" in line for line in lines):
        raise ValueError("a log line cannot hold a newline")
    if sealed:
        prepare_seal(path)
    fd = _open_locked(path)
    try:
        repair = _repair_torn_end(fd, path)
        offset = os.fstat(fd).st_size
        content = b"".join(line + b"\n" for line in lines)
        if sealed:
            _write_sealed(fd, path, content, offset, sync)
        else:
            _write_or_take_back(fd, path, content, offset, sync)
        return Appended(offset, repair)
    finally:
        os.close(fd)


def _write_sealed(fd: int, path: str, content: bytes, offset: int, sync: bool) -> None:
    seal = AppendSeal(path, fd)
    try:
        seal.begin(content, sync)
        _write_or_take_back(fd, path, content, offset, sync)
        seal.finish()
    except OSError as error:
        error.filename = error.filename or path
        raise
    finally:
        seal.close()


def sync(path: str) -> None:
    """Make everything appended so far survive a power cut."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _open_locked(path: str) -> int:
    while True:
        fd = _open_for_append(path)
        try:
            note_new(path)  # an append may be the first write to a home of 0.1
            locks.acquire(fd, path)
            if locks.is_still(fd, path):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)  # compacted and replaced while we waited: the lock was the old file's


@contextmanager
def keep_writers_out(path: str) -> Iterator[None]:
    """Hold the lock of a log that is there; who waits for it finds the file that is there afterwards."""
    while True:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            locks.acquire(fd, path)
            if locks.is_still(fd, path):
                yield
                return
        finally:
            os.close(fd)


def _open_for_append(path: str) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        make_place(path)
        fd = os.open(path, flags | os.O_CREAT, FILE_MODE)
        files.sync_folder(os.path.dirname(path))
        return fd


def _write_or_take_back(fd: int, path: str, content: bytes, offset: int, sync: bool = False) -> None:
    """Write and, if wished, sync; whatever stops it (full disk, Ctrl-C), the log is as it was before."""
    try:
        files.write_all(fd, content)
        if sync:
            os.fsync(fd)
    except BaseException as error:
        os.ftruncate(fd, offset)
        if isinstance(error, OSError):
            error.filename = path
        raise


def _repair_torn_end(fd: int, path: str) -> Repair | None:
    """End the last line if a writer was killed in it: a whole record is completed, anything else set aside."""
    size = os.fstat(fd).st_size
    if size == 0 or os.pread(fd, 1, size - 1) == b"\n":
        return None
    start = _start_of_last_line(fd, size)
    if _is_record(os.pread(fd, size - start, start)):
        _write_or_take_back(fd, path, b"\n", size)
        return Repair(path, size - start, "")
    kept_in = files.make_stamped_path(f"{path}.torn.")
    _copy(fd, start, size, kept_in)
    os.ftruncate(fd, start)
    return Repair(path, size - start, kept_in)


def _start_of_last_line(fd: int, end: int) -> int:
    for newline in _newlines_before(fd, end):
        return newline + 1
    return 0


def _is_record(data: bytes) -> bool:
    try:
        decode_stored(data, dict)
    except BadJson:
        return False
    return True


def _copy(fd: int, start: int, end: int, path: str) -> None:
    out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        for offset in range(start, end, _CHUNK):
            files.write_all(out, os.pread(fd, min(_CHUNK, end - offset), offset))
        os.fsync(out)
    except OSError as error:
        files.remove_if_there(path)  # half a copy of what is still in the log helps nobody
        error.filename = path
        raise
    finally:
        os.close(out)
    files.sync_folder(os.path.dirname(path))


def _newlines_before(fd: int, end: int) -> Iterator[int]:
    """Offsets of the newlines before `end`, last first."""
    while end > 0:
        start = max(0, end - _CHUNK)
        chunk = os.pread(fd, end - start, start)
        at = chunk.rfind(b"\n")
        while at >= 0:
            yield start + at
            at = chunk.rfind(b"\n", 0, at)
        end = start


def read_backward(path: str, max_line: int = MAX_LINE) -> Iterator[Line]:
    """Yield the lines of a log, last first, reading no more of the file than is asked for; no file: no lines."""
    fd = open_to_read(path)
    if fd is None:
        return
    try:
        end = size = os.fstat(fd).st_size
        for newline in _newlines_before(fd, size):
            if newline + 1 < end:
                yield _line_at(fd, newline + 1, end, size, max_line)
            end = newline + 1
        if end > 0:
            yield _line_at(fd, 0, end, size, max_line)
    finally:
        os.close(fd)


def _line_at(fd: int, start: int, end: int, size: int, max_line: int) -> Line:
    complete = end < size or os.pread(fd, 1, end - 1) == b"\n"
    length = end - start - complete
    return Line(start, length, os.pread(fd, min(length, max_line), start), complete)


def find_lines_holding(path: str, *needles: bytes, start: int = 0) -> Iterator[bytes]:
    """Yield the whole lines in which one of some texts stands, in order, from the line at an offset on.

    Looked for in large pieces, most of a log is not split.
    """
    fd = open_to_read(path)
    if fd is None:
        return
    wanted = re.compile(b"|".join(map(re.escape, sorted(needles))))
    with open(fd, "rb", buffering=0) as file:
        file.seek(start)
        rest = b""
        while piece := file.read(_PIECE):
            piece = rest + piece
            end = piece.rfind(b"\n") + 1
            rest = piece[end:]
            if wanted.search(piece, 0, end):
                yield from (line for line in piece[:end].split(b"\n") if wanted.search(line))


def read_forward(path: str, start: int = 0, max_line: int = MAX_LINE) -> Iterator[Line]:
    """Yield the lines of a log from a byte offset on, in bounded memory; no file: no lines."""
    fd = open_to_read(path)
    if fd is None:
        return
    try:
        yield from lines(fd, start, max_line)
    finally:
        os.close(fd)


def lines(fd: int, start: int = 0, max_line: int = MAX_LINE) -> Iterator[Line]:
    """Yield the lines of an open log from a byte offset on, in bounded memory."""
    with open(fd, "rb", buffering=_CHUNK, closefd=False) as file:
        file.seek(start)
        offset = start
        while data := file.readline(max_line + 1):
            length, last = len(data), data
            if data[-1] == _NEWLINE:
                yield Line(offset, length - 1, data[:-1], True)
                offset += length
                continue
            while last[-1] != _NEWLINE and (more := file.readline(_CHUNK)):
                last = more
                length += len(last)  # too long to hand out whole: the rest is only counted
            complete = last[-1] == _NEWLINE
            yield Line(offset, length - complete, data[:max_line], complete)
            offset += length


class Tail:
    """The lines that are completed after an offset; each look reads only what is new."""

    def __init__(self, path: str, start: int) -> None:
        self._path = path
        self._offset = start

    def read(self) -> Iterator[Line]:
        """Yield what was completed since the last time; a replaced log is taken up from its start."""
        size = measure_size(self._path)
        if size + 1 < self._offset:  # by one: a last line was shown before its newline came
            self._offset = 0
        if size <= self._offset:
            return
        for line in read_forward(self._path, self._offset):
            if not line.complete:
                return
            self._offset = line.offset + line.length + 1
            yield line


def follow(path: str, start: int, poll_s: float = 0.25, goes_on: Callable[[], bool] = lambda: True) -> Iterator[Line]:
    """Yield the lines after an offset as they are completed, while it goes on."""
    tail = Tail(path, start)
    while True:
        is_last_look = not goes_on()
        yield from tail.read()
        if is_last_look:
            return
        time.sleep(poll_s)


def measure_size(path: str) -> int:
    """Return how long a log is; 0 when there is none."""
    try:
        return os.stat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def read_line(path: str, offset: int) -> bytes | None:
    """Return the whole line that begins at an offset, however long; None past the end."""
    fd = open_to_read(path)
    if fd is None:
        return None
    with open(fd, "rb", buffering=_CHUNK) as file:
        file.seek(offset)
        data = file.readline()
    return data.removesuffix(b"\n") if data else None


def read_range(path: str, start: int, end: int) -> bytes:
    """Return the bytes between two offsets, as far as there are any."""
    fd = open_to_read(path)
    if fd is None:
        return b""
    try:
        return os.pread(fd, end - start, start)
    finally:
        os.close(fd)


def open_to_read(path: str) -> int | None:
    """Open a log; None when there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):  # said here, where the path is known
        os.close(fd)
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.ESPIPE
        raise OSError(number, os.strerror(number), path)
    return fd
