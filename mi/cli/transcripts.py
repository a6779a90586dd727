"""Showing raw transcripts: what the agent printed, without secrets unless the stored lines are asked for."""

from itertools import islice
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args
from mi.cli.output import Output, flush, shorten_gist
from mi.kernel import jsonl
from mi.kernel.errors import NotFound
from mi.kernel.secrets import find_secrets, redact

if TYPE_CHECKING:
    from mi.evidence.transcripts import TranscriptEntry

_LINES = 200
_LONGEST_KEY = 120  # lines of a private key …
_LINE_OF_KEY = 200  # … and characters of one of them


def show_latest(context: HomeContext, out: Output, args: Args, kind: str) -> None:
    """Print the end of the project's latest transcript of a kind, and with -f what comes."""
    from mi.evidence.transcripts import find_latest

    folder = context.project_home.hands_transcripts if kind == "hands" else context.project_home.mind_transcripts
    path = find_latest(folder)
    if path is None:
        raise NotFound("no-transcript", path=folder)
    context.note_last()
    show(out, args, path)


def show(out: Output, args: Args, path: str) -> None:
    """Print the end of one transcript, and with -f what comes."""
    from mi.evidence.transcripts import tail

    if getattr(args, "follow", False):
        _show_coming(out, args, path)
    count = _LINES if args.count is None else args.count
    veil = Veil()
    read = [(entry, veil.hide(entry.line)) for entry in tail(path, count + _LONGEST_KEY)]
    entries = read[max(0, len(read) - count) :]
    if args.json:
        out.json([_fields(entry, line) for entry, line in entries])
        return
    for entry, line in entries:
        _print(out, args, entry, line)


def _show_coming(out: Output, args: Args, path: str) -> None:
    """Print the last lines and then those that come, none left out and none twice."""
    from mi.evidence.transcripts import parse_entry

    veil = Veil()
    count = _LINES if args.count is None else args.count
    lines = list(islice(jsonl.read_backward(path), count + _LONGEST_KEY))[::-1]
    start = lines[0].offset if lines else jsonl.measure_size(path)
    unseen = max(0, sum(line.complete for line in lines) - count)
    for number, line in enumerate(jsonl.follow(path, start)):
        entry = parse_entry(line.data)
        shown = veil.hide(entry.line)
        if number >= unseen:
            _print(out, args, entry, shown)
            flush()


def _print(out: Output, args: Args, entry: "TranscriptEntry", line: str) -> None:
    if getattr(args, "jsonl", False):
        out.raw(_raw(entry, line) if args.redact else entry.raw, args.redact)
    elif args.json:
        out.json_line(_fields(entry, line))
    else:
        out.line(f"{shorten_gist(entry.ts[11:19], 8)} {shorten_gist(entry.stream, 6):<6} {shorten_gist(line, 2000)}")


def _fields(entry: "TranscriptEntry", line: str) -> dict[str, Any]:
    """Return the stored object, its line made safe; of a stored line that is none, the line."""
    from mi.kernel.jsontext import BadJson, decode

    try:
        stored = decode(entry.raw, dict[str, Any])
    except BadJson:
        return {"line": line}
    return stored | ({"line": line} if "line" in stored else {})


def _raw(entry: "TranscriptEntry", line: str) -> bytes:
    if line == entry.line:
        return entry.raw
    import msgspec

    return msgspec.json.encode(_fields(entry, line))


class Veil:
    """Hides secrets in lines that come one by one, also a private key that is printed over many of them."""

    def __init__(self) -> None:
        self._lines: list[str] = []  # since one that may begin a key
        self._inside = False

    def hide(self, line: str) -> str:
        """Return the line as it may be shown."""
        if not self._lines and not _begins_key(line):
            return redact(line)
        self._lines.append(line[-_LINE_OF_KEY:])
        joined = "\n".join(self._lines)
        start = len(joined) - len(self._lines[-1])
        keys = [found for found in find_secrets(joined) if found.kind == "private-key" and found.end > start]
        if keys and keys[0].start < start:
            self._inside = True
            return "[redacted:private-key]"
        if self._inside or len(self._lines) > _LONGEST_KEY:
            self._lines, self._inside = [], False
        return redact(line)


def _begins_key(line: str) -> bool:
    return any(begin in line for begin in ("PRIVATE KEY", "PuTTY-User-Key-File")) and "-----END" not in line
