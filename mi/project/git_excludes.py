"""MI's own blocks in a repository's `info/exclude`: what git shows nobody as new, in any of its work trees."""

import os
from collections.abc import Iterable
from contextlib import nullcontext

from mi.kernel import files, git
from mi.kernel.locks import lock_folder

_END = "# mi: end"


def write_block(top: str, title: str, patterns: Iterable[str], *, apply: bool = True) -> str:
    """Let the block of this title hold these patterns, none: no block; return the file if it changes, or would."""
    info = git.run(top, "rev-parse", "--path-format=absolute", "--git-path", "info").output.strip()
    wanted = sorted(set(patterns))
    if not info or not (wanted or os.path.isdir(info)):
        return ""
    place = os.path.join(info, "exclude")
    if apply:
        os.makedirs(info, exist_ok=True)
    with lock_folder(info) if apply else nullcontext():
        old = files.read_bytes(place) or b""
        new = _put_block(os.fsdecode(old), f"# mi: {title}", wanted)
        if os.fsencode(new) == old:
            return ""
        if apply:
            files.write_atomic(place, os.fsencode(new), 0o644)
        return place


def _put_block(text: str, begin: str, wanted: list[str]) -> str:
    lines = text.split("\n")
    if begin in lines and _END in lines[lines.index(begin) :]:
        first = lines.index(begin)
        del lines[first : lines.index(_END, first) + 1]
        text = "\n".join(lines)
    if not wanted:
        return text
    block = "".join(f"{line}\n" for line in (begin, *wanted, _END))
    return text + block if text.endswith("\n") else block + text  # taken out, the last line is as it was
