"""The command line of a hook in a host's settings: hosts let a call pass whose hook fails, so the line itself closes.

It is read by whatever shell the person has, fish among them: no braces and no `if`.
"""

import re
import shlex
from collections.abc import Sequence

_LINE = re.compile(r"command -v .+? >/dev/null \|\| (?:! echo '[^']*' >&2 \|\| exit 2|exit 0); (.+?)(?: \|\| exit 2)?")


def build_hook_line(words: Sequence[str], refusal: str = "") -> str:
    """Return the line that runs a hook.

    Without its program it ends 2 with the `refusal`, and 2 as well where the program was killed or broke; with no
    refusal given, it ends 0 and lets pass.
    """
    there, call = f"command -v {shlex.quote(words[0])} >/dev/null", shlex.join(words)
    if not refusal:
        return f"{there} || exit 0; {call}"
    return f"{there} || ! echo '{refusal.replace(chr(39), '’')}' >&2 || exit 2; {call} || exit 2"


def read_hook_line(line: str) -> list[str]:
    """Return the words of the hook that a line runs, also of a line that is nothing else; none of any other."""
    found = _LINE.fullmatch(line)
    call = found[1] if found else line
    try:
        words = shlex.split(call)
    except ValueError:
        return []
    if found and (shlex.join(words) != call or not line.startswith(f"command -v {shlex.quote(words[0])} >")):
        return []
    return words
