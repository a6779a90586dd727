"""Whether a call that looks like a check works in the project and with the real program."""

import os
import re
import tempfile

from mi.kernel.files import read_bytes
from mi.kernel.shell import TOP, simple_commands
from mi.kernel.shell.outcome import Decisive
from mi.project.checks.forms import common_name

_INTERPRETED = re.compile(r"\b(?:java|python|node|ruby|php)", re.IGNORECASE)
_FUNCTION = re.compile(r"^[ \t]*(?:function\s+)?([\w.-]+)\s*\(\)|^[ \t]*alias\s", re.MULTILINE)
_REPORT = (".xml", ".json", ".log", ".txt", ".html", ".lcov", ".info", ".out", ".junit")
_LOG = (".log", ".txt", ".out", ".err", ".xml", ".tap", "")
_HEAD = 64 << 10
# After a check these change no file of the work.
_HARMLESS = frozenset(
    "echo printf true : cat tail head grep rg ls wc pwd date sort uniq cut tr less more diff time which nl".split()
)
_GIT_LOOKS = frozenset("status diff log show rev-parse ls-files branch blame add commit".split())


def place_of(folder: str | None, root: str) -> str | None:
    """Return a folder as a path inside the project; None when it lies elsewhere or cannot be told."""
    if folder is None or not folder:
        return folder
    if folder.startswith(TOP):
        folder = folder[len(TOP) :].lstrip("/") or "."
    if os.path.isabs(folder):
        folder = os.path.relpath(os.path.realpath(folder), os.path.realpath(root)) if root else ".."
    path = os.path.normpath(folder)
    return None if path == ".." or path.startswith("../") else "" if path == "." else path


def works_here(call: Decisive, folder: str, root: str) -> bool:
    """Return whether what a call names, and what its environment adds, lies in the project or where programs live."""
    for name, _, value in (one.partition("=") for one in call.settings):
        if name.rstrip("+") == "PATH" and not all(_is_usual(part) for part in value.split(":")):
            return False
        if name.rstrip("+") == "PYTHONPATH" and not all(_is_inside(part, folder, root) for part in value.split(":")):
            return False
    if root and not all(_activates(os.path.join(root, folder, os.path.expanduser(one))) for one in call.sourced):
        return False
    named = [word for word in call.argv[1:] if word.startswith(("/", "../", "~")) and not word.startswith("//")]
    return all(word.endswith(_REPORT) or _is_inside(word, folder, root) for word in named)


def _is_usual(part: str) -> bool:
    """Return whether programs usually live there; not a folder that was made for the occasion."""
    if part in ("$PATH", "${PATH}", "$()"):
        return part != "$()"
    temporary = (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")
    return part.startswith(("/", "$HOME", "~", "${HOME}")) and not part.startswith(temporary)


def _is_inside(path: str, folder: str, root: str) -> bool:
    if not path or path.startswith(("$PYTHONPATH", "${PYTHONPATH", "$PWD", "${PWD")):
        return True
    full = os.path.expanduser(path)
    return place_of(full if os.path.isabs(full) else os.path.join(folder, full) or ".", root) is not None


def _activates(path: str) -> bool:
    """Return whether a file is what a virtual environment has for its shell, and puts nothing in a program's place."""
    text = _head(path).decode("utf-8", "replace")
    return "VIRTUAL_ENV" in text and {found[1] for found in _FUNCTION.finditer(text)} <= {"deactivate", "pydoc"}


def is_itself(call: Decisive, program: str, folder: str, root: str, changed: frozenset[str]) -> bool:
    """Return whether a program that is called by its path is what its name says, as far as a look at it can tell."""
    path = next((word for at, word in enumerate(call.argv[:6]) if "/" in word and _is_program(at, word, program)), "")
    if not root or not path:
        return True
    full = os.path.normpath(os.path.join(root, folder, os.path.expanduser(path)))
    if os.path.relpath(full, root) in changed:
        return False
    head = _head(full)
    first, _, _ = head.partition(b"\n")
    if b"\0" in head[:1024] or program.endswith(".sh"):
        return True  # compiled, or a script of the project itself
    if not first.startswith(b"#!"):
        return False
    text = head.decode("utf-8", "replace")
    if b"python" in first and program not in ("python", "script", "manage.py"):
        return bool(re.search(rf"\b(?:from|import)\s+_?{re.escape(program)}", text))
    return bool(_INTERPRETED.search(text))


def _is_program(at: int, word: str, program: str) -> bool:
    """Return whether a word is the program, or what a runner of programs was given as one."""
    return at == 0 or common_name(word) == program


def _head(path: str) -> bytes:
    try:
        return (read_bytes(path) or b"")[:_HEAD] if os.path.isfile(path) else b""
    except OSError:
        return b""


def logs_of(call: Decisive) -> set[str]:
    """Return the names of the files that a call writes its own output to."""
    teed = [word for one in call.followed if one[:1] == ("tee",) for word in one[1:] if not word.startswith("-")]
    return {os.path.basename(file) for file in (*call.writes, *teed) if os.path.splitext(file)[1] in _LOG}


def leaves_alone(call: Decisive) -> bool:
    """Return whether nothing that ran beside or after a check in the same text can have changed the work."""
    return all(_is_harmless(one, call) for one in call.followed)


def changes_nothing(text: str) -> bool:
    """Return whether a shell text only looks at the work."""
    commands = simple_commands(text)
    return commands.readable and all(
        _only_looks(one.argv) and all(file == "/dev/null" for file in one.writes) for one in commands
    )


def _is_harmless(argv: tuple[str, ...], call: Decisive) -> bool:
    if argv and os.path.basename(argv[0]) == "tee":
        return all(word.startswith("-") or os.path.basename(word) in logs_of(call) for word in argv[1:])
    return _only_looks(argv)


def _only_looks(argv: tuple[str, ...]) -> bool:
    name = os.path.basename(argv[0]) if argv else ""
    if name == "git":
        return next((word for word in argv[1:] if not word.startswith("-")), "") in _GIT_LOOKS
    return name in _HARMLESS or not name
