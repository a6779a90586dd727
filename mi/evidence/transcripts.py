"""Reading raw transcripts: the latest one of a folder, its end, and archived ones behind their stub."""

import gzip
import os
import re
import zlib
from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from mi.kernel import jsonl, text
from mi.kernel.errors import NotFound, StorageError
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.named_tuple import NamedTuple

_SHOWN_LINE = 1 << 18
_CUT = re.compile(rb'\{"ts": ?"([^"\\]{0,64})", ?"stream": ?"(\w{0,16})", ?"line": ?"')


class _Entry(Struct):
    """Any line of a transcript: the header, an output line, or the stub of an archived file."""

    type: str = ""
    ts: str = ""
    stream: str = ""
    line: str = ""
    kind: str = ""
    archived_path: str = ""


class TranscriptEntry(NamedTuple):
    """One line of a transcript as it is shown; `raw` is the stored line."""

    ts: str
    stream: str
    line: str
    raw: bytes


def find_latest(folder: str) -> str | None:
    """Return the transcript of a folder that was written last, by its time-ordered name."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    return os.path.join(folder, names[-1]) if names else None


def tail(path: str, count: int) -> list[TranscriptEntry]:
    """Return the last entries of a transcript, oldest first; archives are read through their stub."""
    if not os.path.isfile(path):
        raise NotFound("no-transcript", path=path)
    if path.endswith(".gz"):
        lines = list(deque(_unzipped(path), maxlen=count))
    else:
        lines = [line.data for line, _ in zip(jsonl.read_backward(path, _SHOWN_LINE), range(count), strict=False)][::-1]
    entries = [parse_entry(line) for line in lines]
    if len(entries) == 1 and (archive := _archive_of(lines[0], path)):
        return tail(archive, count)
    return entries


def parse_entry(raw: bytes) -> TranscriptEntry:
    """Return a stored line as it is shown; what is no transcript line is shown as it stands."""
    try:
        entry = decode_stored(raw, _Entry)
    except BadJson:
        return _parse_cut(raw)
    if entry.type:
        return TranscriptEntry(entry.ts, "meta", f"{entry.type} {entry.kind}".strip(), raw)
    return TranscriptEntry(entry.ts, entry.stream, entry.line if entry.line or entry.stream else text.decode(raw), raw)


def _parse_cut(raw: bytes) -> TranscriptEntry:
    """Return an output line too long to be read whole, with its time and stream; anything else as it stands."""
    if start := _CUT.match(raw):
        shown = raw[start.end() :]
        escape = shown.rfind(b"\\", -12)  # the cut may have hit an escape sequence, or a pair of them
        shown = shown[:escape].rstrip(b"\\") if escape >= 0 else shown
        try:
            return TranscriptEntry(start[1].decode(), start[2].decode(), decode_stored(b'"' + shown + b'"', str), raw)
        except (BadJson, UnicodeDecodeError):
            pass
    return TranscriptEntry("", "", text.decode(raw), raw)


def _archive_of(raw: bytes, stub: str) -> str | None:
    """Return where the content went; a stub may only point below its own folder."""
    try:
        entry = decode_stored(raw, _Entry)
    except BadJson:
        return None
    if entry.type != "mi.transcript.archived":
        return None
    folder = os.path.realpath(os.path.join(os.path.dirname(stub), "archive"))
    archive = os.path.join(folder, os.path.basename(entry.archived_path))
    if not os.path.isfile(archive):
        raise NotFound("no-transcript", path=archive)
    return archive


def _unzipped(path: str) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            while line := file.readline(_SHOWN_LINE):
                yield line.removesuffix(b"\n")
                while not line.endswith(b"\n") and (line := file.readline(_SHOWN_LINE)):
                    pass  # the rest of a line too long to be shown whole
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise StorageError("archive-broken", path=path, reason=str(error)) from None
