"""The live transcript: every line an agent prints, stored as it comes, whole, however long."""

import codecs
import os
import re
import tempfile
from collections.abc import Sequence
from typing import IO

import msgspec

from mi.kernel import clock, files
from mi.kernel.home import FILE_MODE, make_place
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import decode

LONG_LINE = 1 << 20  # longer lines go through a file beside the transcript, not through memory
_ENDS = 1 << 15  # bytes kept of either end of a long line, for whoever interprets it
_COPY = 1 << 16
# An escape of JSON that the cut would leave unfinished: an odd backslash, or one that begins a code of four digits.
_ESCAPE_CUT = re.compile(rb"(?<=[^\\])\\(?:\\\\)*(?:u[0-9A-Fa-f]{0,3})?\Z")


class TranscriptHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="mi.transcript.header"):
    """The first line of a transcript."""

    v: int = 1
    ts: str
    kind: str
    cwd: str
    argv: tuple[str, ...]
    thread_id: str | msgspec.UnsetType = msgspec.UNSET


class Captured(NamedTuple):
    """A line as the rest of MI sees it: `data` is cut in the middle when the line was long."""

    stream: str
    data: bytes
    text: str
    is_cut: bool = False


class Transcript:
    """Writes one transcript file; each line of the agent is in the file before anybody acts on it."""

    def __init__(self, path: str, header: TranscriptHeader) -> None:
        make_place(path)
        self.path = path
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._fd = os.open(path, flags, FILE_MODE)
        self._encoder = msgspec.json.Encoder()
        self._write(self._encoder.encode(header) + b"\n")

    def lines(self, stream: str, lines: Sequence[bytes]) -> list[Captured]:
        """Store whole lines; they come back decoded."""
        start, encode = self._start(stream), self._encoder.encode
        captured = [Captured(stream, line, decode(line)) for line in lines]
        self._write(b"".join([start + encode(line.text) + b"}\n" for line in captured]))
        return captured

    def note(self, text: str) -> None:
        """Store a remark of MI's own."""
        self.lines("meta", [text.encode()])

    def long_line(self, stream: str, content: IO[bytes]) -> None:
        """Store a line that is too long for memory, read from the start of an open file."""
        content.seek(0)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._write(self._start(stream) + b'"')
        while chunk := content.read(_COPY):
            self._write(self._encoder.encode(decoder.decode(chunk))[1:-1])
        self._write(self._encoder.encode(decoder.decode(b"", True))[1:-1] + b'"}\n')

    def close(self) -> None:
        """Make it survive a power cut."""
        os.fsync(self._fd)
        os.close(self._fd)

    def _start(self, stream: str) -> bytes:
        return f'{{"v":1,"ts":"{clock.now()}","stream":"{stream}","line":'.encode()

    def _write(self, content: bytes) -> None:
        try:
            files.write_all(self._fd, content)
        except OSError as error:
            error.filename = self.path
            raise


class StreamLines:
    """Cuts one stream's bytes into lines and stores them; holds at most one `LONG_LINE` of an unfinished line."""

    def __init__(self, stream: str, transcript: Transcript) -> None:
        self._stream = stream
        self._transcript = transcript
        self._rest = b""
        self._long: _LongLine | None = None

    def feed(self, data: bytes) -> list[Captured]:
        """Return the lines that these bytes complete."""
        done: list[Captured] = []
        if self._long is not None:
            end, newline, data = data.partition(b"\n")
            self._long.add(end)
            if not newline:
                return done
            done.append(self._end_long(self._long))
        head, newline, rest = data.rpartition(b"\n")
        if newline:
            done += self._transcript.lines(self._stream, (self._rest + head).split(b"\n"))
            self._rest = rest
        else:
            self._rest += rest
        if len(self._rest) > LONG_LINE:
            self._long = _LongLine(self._transcript.path, self._rest)
            self._rest = b""
        return done

    def end(self) -> list[Captured]:
        """Return the last line, if no newline ended it."""
        if self._long is not None:
            return [self._end_long(self._long)]
        rest, self._rest = self._rest, b""
        return self._transcript.lines(self._stream, [rest]) if rest else []

    def close(self) -> None:
        """Let go of an unfinished long line's file."""
        if self._long is not None:
            self._long.file.close()
            self._long = None

    def _end_long(self, long: "_LongLine") -> Captured:
        self._transcript.long_line(self._stream, long.file)
        self.close()
        data = long.shortened()
        return Captured(self._stream, data, decode(data), True)


class _LongLine:
    """An unfinished line on its way through a file that has no name, so that no kill leaves it behind."""

    def __init__(self, beside: str, start: bytes) -> None:
        self.file = tempfile.TemporaryFile(dir=os.path.dirname(beside))  # noqa: SIM115 - lives as long as the line
        self._head = start[:_ENDS]
        self._tail = start[-_ENDS:]
        self.file.write(start)

    def add(self, data: bytes) -> None:
        self.file.write(data)
        self._tail = (self._tail + data)[-_ENDS:]

    def shortened(self) -> bytes:
        """Return both ends of the line; of a JSON line with one huge string in it, still JSON."""
        head = _ESCAPE_CUT.sub(b"", self._head)
        start = next((at + 1 for at, byte in enumerate(self._tail) if byte != ord("\\")), 0)
        return head + " … ".encode() + self._tail[start:]
