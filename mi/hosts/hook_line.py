"""The command line of a hook in a host's settings: hosts let a call pass whose hook fails, so the line itself closes.

It is read by whatever shell the person has, fish among them: no braces and no `if`.
"""

import re
import shlex
from collections.abc import Sequence

# A program of the name `mi` that lies below the project, or is found by a relative path, is the repository's own.
_PORTABLE = """command -v mi | grep '^/' | grep -qvF "$PWD/\""""
_THERE = rf"(?:command -v .+? >/dev/null|{re.escape(_PORTABLE)})"
_LINE = re.compile(_THERE + r" \|\| (?:! echo '[^']*' >&2 \|\| exit 2|exit 0); (.+?)(?: \|\| exit 2)?")


def build_hook_line(words: Sequence[str], refusal: str = "") -> str:
    """Return the line that runs a hook.

    Without its program it ends 2 with the `refusal`, and 2 as well where the program was killed or broke; with no
    refusal given, it ends 0 and lets pass.
    """
    there, call = _find_program(words[0]), shlex.join(words)
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
    tests = (_find_program(words[0]), f"command -v {shlex.quote(words[0])} >/dev/null") if words else ()
    if found and (shlex.join(words) != call or not line.startswith(tuple(f"{one} ||" for one in tests))):
        return []
    return words


def _find_program(program: str) -> str:
    """Return the test that the program is there; a bare `mi` is whatever the PATH has, but nothing of the project's."""
    return _PORTABLE if program == "mi" else f"command -v {shlex.quote(program)} >/dev/null"
