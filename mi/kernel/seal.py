"""The seal of a log: a chain of digests beside it, by which lines that MI did not write are noticed.

`<log>.seal` has lines of one width. Each says where the log ends after an append, with the digest of all lines up to
there. It is written before the append, so that a kill between the two is not taken for somebody's change. The next
append replaces the last line, unless the log was synced with it. What was found to be not MI's is marked by a line of
its own until the person accepts it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from mi.kernel import files, locks
from mi.kernel.home import FILE_MODE, SEAL, find_root, make_place, read_marker
from mi.kernel.named_tuple import NamedTuple

try:
    from _blake2 import blake2b  # without OpenSSL, whose loading takes a fifth of Python's own start
except ImportError:
    from hashlib import blake2b

SUFFIX = SEAL
_WIDTH = 384
_PIECE = 1 << 20
_SIZE = 24  # bytes of a digest
_START = "00" * _SIZE
_own: "dict[str, SealedEnd]" = {}  # by log: where it ended after this process wrote to it
_keep = getattr(os, "fdatasync", os.fsync)  # macOS has the second one only

_hearers: "list[Callable[[Append], object]]" = []

StretchKind = Literal["added", "changed", "cut", "unsealed"]


class Append(NamedTuple):
    """What is about to be written to a log; `digest` is that of the very bytes. A rewritten log begins at 0."""

    log: str
    start: int
    end: int
    digest: str
    content: bytes = b""  # the bytes themselves, unless it is a rewritten log


class SealedEnd(NamedTuple):
    """Where a log ends, and the digest of its lines up to there."""

    end: int = 0
    digest: str = _START


class Stretch(NamedTuple):
    """A part of a log that is not as MI wrote it."""

    kind: StretchKind
    start: int
    end: int


class SealLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a log was MI's own at one moment, or a part of it that is not."""

    end: int
    digest: str = _START
    since: int = 0  # where the append, or the part that is not MI's, began
    before: str = _START  # the digest up to there
    file: str = ""  # inode, size and time of change when the append was through; '' while it goes on
    kept: bool = False  # stays when the next one is written
    unsure: bool = False  # the log was touched meanwhile: only reading all of it tells whether it is the same
    found: StretchKind | None = None
    open: int = 0  # how many lines with `found` there are
    instead: SealedEnd | None = None  # the whole of a rewritten log that takes the log's place

    @property
    def head(self) -> SealedEnd:
        return SealedEnd(self.end, self.digest)

    @property
    def former(self) -> SealedEnd:
        return SealedEnd(self.since, self.before)


class AppendSeal:
    """The seal of a log during one append, under the log's lock."""

    def __init__(self, path: str, log: int) -> None:
        self._log = log
        self._path = path
        make_place(path + SUFFIX)
        self._file = os.open(path + SUFFIX, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
        self._number = 0
        self._line = SealLine(end=0)

    def begin(self, content: bytes, sync: bool) -> None:
        """Say what is about to be written; what somebody else did to the log's end before is marked."""
        size, number = os.fstat(self._log).st_size, _count(self._file)
        _tell(Append(self._path, size, size + len(content), digest_bytes(content), content))
        last = _read(self._file, number - 1)
        if last is not None and last.instead is not None and _is_instead(self._log, last, size):
            os.ftruncate(self._file, 0)  # whoever replaced the log was stopped before it was sealed
            number, last = 0, SealLine(end=size, digest=last.instead.digest, kept=True)
        head, found = _settle(self._log, last, size)
        if found and found.kind == "unsealed" and not find_root(self._path):
            found = None  # in no home: nobody said that it was ever sealed
        unsure = last is not None and (last.unsure or last.file not in ("", _state(self._log)))
        marked = last.open if last else 0
        if last is not None and not found and (not last.kept or head.end < last.end):  # or it was never written
            number -= 1
        if found:
            marked += 1
            _write(self._file, number, SealLine(end=found.end, since=found.start, found=found.kind, kept=True))
            number += 1
        end, digest = _extend(head, content)
        self._number = number
        self._line = SealLine(
            end=end,
            digest=digest,
            since=head.end,
            before=head.digest,
            kept=sync,
            unsure=unsure and not found,
            open=marked,
        )
        _write(self._file, number, self._line)

    def finish(self) -> None:
        """Say that it is written."""
        _write(self._file, self._number, msgspec.structs.replace(self._line, file=_state(self._log)))
        if self._line.kept:
            _keep(self._file)
        _own[self._path] = self._line.head

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def hear_appends(hear: Callable[[Append], object]) -> Callable[[], None]:
    """Have all that this process writes to sealed logs told before it is written; return what ends that."""
    _hearers.append(hear)
    return lambda: _hearers.remove(hear)


def _tell(said: Append) -> None:
    for hear in _hearers:
        hear(said)


def digest_bytes(content: bytes) -> str:
    """Return the digest by which an append is known."""
    return blake2b(content, digest_size=_SIZE).hexdigest()


def digest_file(fd: int, upto: int | None = None) -> str:
    """Return the digest of a file, or of its beginning, in bounded memory."""
    limit = os.fstat(fd).st_size if upto is None else upto
    at, digest = 0, blake2b(digest_size=_SIZE)
    while at < limit and (piece := os.pread(fd, min(_PIECE, limit - at), at)):
        digest.update(piece)
        at += len(piece)
    return digest.hexdigest()


def prepare_seal(path: str) -> None:
    """Seal all logs of the home that a log lies in as they are, if none was ever sealed there."""
    if os.path.lexists(path + SUFFIX):
        return
    root = find_root(path)
    if root:
        from mi.kernel.adoption import seal_logs

        seal_logs(root)


def replace_log(path: str, temporary: str) -> None:
    """Put a rewritten log in a log's place, and seal it; the caller holds the lock of the old one."""
    fd = os.open(temporary, os.O_RDONLY | os.O_CLOEXEC)
    try:
        locks.acquire(fd, temporary)  # writers that find the new file wait until it is sealed
        _tell(Append(path, 0, os.fstat(fd).st_size, digest_file(fd)))
        _announce(path, _measure(fd))
        os.replace(temporary, path)
        seal_anew(path)
    finally:
        os.close(fd)


def _announce(path: str, head: SealedEnd) -> None:
    """Say in the seal of a log what takes the log's place, lest a kill in between look like somebody's change."""
    fd = os.open(path + SUFFIX, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
    try:
        number = _count(fd)
        last = _read(fd, number - 1) or _describe(path)
        _write(fd, number, msgspec.structs.replace(last, kept=True, instead=head))
        _keep(fd)
    finally:
        os.close(fd)


def seal_anew(path: str, found: Iterable[Stretch] = ()) -> None:
    """Seal a log as it is, but for the parts that are not MI's; the caller holds its lock."""
    marks = [SealLine(end=one.end, since=one.start, found=one.kind, kept=True) for one in found]
    last = _describe(path, len(marks))
    files.write_atomic(path + SUFFIX, b"".join(map(_encode, (*marks, last))))
    _own[path] = last.head


def _describe(path: str, marks: int = 0) -> SealLine:
    """Return the line that seals a log as it is."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        end, digest = _measure(fd)
        return SealLine(end=end, digest=digest, since=end, before=digest, kept=True, file=_state(fd), open=marks)
    finally:
        os.close(fd)


def recall_head(path: str) -> SealedEnd | None:
    """Return where a log ended after this process last wrote to it: no file can tell otherwise."""
    return _own.get(path)


def forget_head(path: str) -> None:
    """Forget where a log ended: another one took its place."""
    _own.pop(path, None)


def read_head(path: str) -> SealedEnd | None:
    """Return where a log ends by its seal; None when it has none."""
    lines = _read_lines(path, only_last=True)
    return lines[-1].head if lines else None


def find_marked(path: str) -> list[Stretch]:
    """Return the parts that were found to be not MI's, and lines after the sealed end."""
    size = _measure_size(path)  # first: a seal is ahead of its log, never behind
    lines = _read_lines(path, only_last=True)
    if not lines:
        return [Stretch("unsealed", 0, size)] if size and _was_sealed(path) else []
    last = lines[-1]
    marked = [Stretch(one.found, one.since, one.end) for one in _read_lines(path) if one.found] if last.open else []
    if last.end and not os.path.lexists(path):
        return [Stretch("cut", 0, last.end)]
    is_longer = size > last.end and last.instead is None
    return [*marked, Stretch("added", last.end, size)] if is_longer else marked


def find_foreign(path: str) -> list[Stretch]:
    """Return where lines stand that do not count: added or changed by somebody else, or no longer sealed."""
    return [one for one in find_marked(path) if one.kind != "cut"]


def _was_sealed(path: str) -> bool:
    """Return whether the home that a log lies in says that each of its logs has a seal."""
    root = find_root(path)
    return bool(root) and read_marker(root).read().sealed


def is_foreign(path: str, offset: int) -> bool:
    """Return whether the line at an offset does not count."""
    return any(one.start <= offset < one.end for one in find_foreign(path))


def find_changes(path: str, held: Sequence[SealedEnd] = (), thorough: bool = False) -> list[Stretch]:
    """Return the parts of a log that are newly found to be not as MI wrote them; the caller holds the log's lock.

    `held` are heads that a process remembers. A log that nobody touched since its last append is not read, unless it
    is to be `thorough`.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        lost = max([one.end for one in (*held, read_head(path)) if one], default=0)
        return [Stretch("cut", 0, lost)] if lost else []
    try:
        lines = _read_lines(path, only_last=True)
        size = os.fstat(fd).st_size
        if lines:
            last = lines[-1]
        elif held:
            last = SealLine(end=held[-1].end, digest=held[-1].digest, kept=True)
        else:
            return [Stretch("unsealed", 0, size)] if size else []
        is_untouched = last.file == _state(fd) and not last.unsure
        if is_untouched and not thorough and all(_leads_to(fd, one, last.head) for one in held):
            return []
        if not held and _is_instead(fd, last, size):
            return []
        return list(_compare(fd, _read_lines(path) or [last], size, held))
    finally:
        os.close(fd)


def _leads_to(fd: int, held: SealedEnd, head: SealedEnd) -> bool:
    """Return whether a log goes on from a remembered head to another one."""
    if held == head:
        return True
    return held.end < head.end and _measure(fd, held, head.end) == head


def _is_instead(fd: int, last: SealLine, size: int) -> bool:
    return last.instead is not None and last.instead.end == size and _measure(fd) == last.instead


def _settle(fd: int, last: SealLine | None, size: int) -> tuple[SealedEnd, Stretch | None]:
    """Return where a log really ends, and what at its end is not MI's."""
    if last is None:
        return _measure(fd), Stretch("unsealed", 0, size) if size else None
    if size == last.end:
        return last.head, None
    if last.since <= size < last.end and not last.file:  # its writer was stopped before the append, or in it
        return _measure(fd, last.former), None
    if size > last.end:
        return _measure(fd, last.head), Stretch("added", last.end, size)
    return _measure(fd), Stretch("cut", size, last.end)


def _compare(fd: int, lines: list[SealLine], size: int, held: Sequence[SealedEnd]) -> Iterator[Stretch]:
    """Yield where a log differs from its seal, or from a remembered head."""
    last = lines[-1]
    marks: dict[int, str] = {}
    for line in lines:
        if line.found == "cut":  # known: what was said of the lost lines tells nothing of those that came instead
            marks = {end: digest for end, digest in marks.items() if end <= line.since}
        elif not line.found:
            marks[line.end] = line.digest
    if last.since <= size < last.end and not last.file:  # its writer was stopped on the way
        marks.pop(last.end)
        marks[last.since] = last.before
        size = last.since
    for one in held:
        if marks.setdefault(*one) != one.digest:  # the seal itself was written anew
            yield Stretch("changed", 0, one.end)
            return
    head = SealedEnd()
    for end in sorted(marks):
        if end > size:
            yield Stretch("cut", size, end)
            return
        if _measure(fd, head, end).digest != marks[end]:
            yield Stretch("changed", head.end, end)
        head = SealedEnd(end, marks[end])
    if size > head.end:
        yield Stretch("added", head.end, size)


def _measure(fd: int, head: SealedEnd = SealedEnd(), upto: int | None = None) -> SealedEnd:  # noqa: B008 - immutable
    """Return the head after the whole lines that follow another one, in bounded memory."""
    limit = os.fstat(fd).st_size if upto is None else upto
    at, end, digest = head.end, head.end, bytes.fromhex(head.digest)
    line = blake2b(digest, digest_size=_SIZE)
    while at < limit and (piece := os.pread(fd, min(_PIECE, limit - at), at)):
        *whole, rest = piece.split(b"\n")
        for part in whole:
            line.update(part)
            digest = line.digest()
            line = blake2b(digest, digest_size=_SIZE)
        line.update(rest)
        at += len(piece)
        end = at - len(rest) if whole else end
    return SealedEnd(end, digest.hex())


def _extend(head: SealedEnd, content: bytes) -> SealedEnd:
    digest = bytes.fromhex(head.digest)
    for line in content.split(b"\n")[:-1]:
        digest = blake2b(digest + line, digest_size=_SIZE).digest()
    return SealedEnd(head.end + len(content), digest.hex())


def _measure_size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _state(fd: int) -> str:
    found = os.fstat(fd)
    return f"{found.st_ino}:{found.st_size}:{found.st_ctime_ns}"


def _read_lines(path: str, only_last: bool = False) -> list[SealLine]:
    """Return the lines of a log's seal that can be read; none when there is no seal."""
    try:
        fd = os.open(path + SUFFIX, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        count = _count(fd)
        read = (_read(fd, number) for number in range(max(0, count - 1) if only_last else 0, count))
        return [line for line in read if line]
    finally:
        os.close(fd)


def _count(fd: int) -> int:
    return os.fstat(fd).st_size // _WIDTH


def _read(fd: int, number: int) -> SealLine | None:
    if number < 0:
        return None
    try:
        return msgspec.json.decode(os.pread(fd, _WIDTH, number * _WIDTH), type=SealLine)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None  # a power cut came in between


def _write(fd: int, number: int, line: SealLine) -> None:
    os.pwrite(fd, _encode(line), number * _WIDTH)


def _encode(line: SealLine) -> bytes:
    return msgspec.json.encode(line).ljust(_WIDTH - 1) + b"\n"
