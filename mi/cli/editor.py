"""Letting the person write a text in their own editor."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from mi.kernel.errors import MiError, UsageError
from mi.kernel.messages import Said
from mi.kernel.notices import Notices
from mi.kernel.text import decode

_CUT = "# ------------------------ >8 ------------------------"


@contextmanager
def edited(text: str, hint: str, name: str, notices: Notices) -> Iterator[str]:
    """The text as the person left it; when it then cannot be stored, the draft stays where a notice says."""
    import tempfile

    folder = tempfile.mkdtemp(prefix="mi-")
    path = os.path.join(folder, name)
    try:
        _write(path, text, hint)
        _run_editor(path)
        with open(path, "rb") as file:
            said = decode(file.read())
        yield _without_hint(said)
    except MiError:
        if os.path.exists(path):
            notices.add("draft-kept", path)
        raise
    os.unlink(path)
    os.rmdir(folder)


def _write(path: str, text: str, hint: str) -> None:
    below = "".join(f"# {line}\n" for line in hint.splitlines())
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(fd, "w", encoding="utf-8") as file:
        file.write(f"{text.rstrip()}\n\n{_CUT}\n{below}")


def _run_editor(path: str) -> None:
    import shlex
    import subprocess

    wished = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        argv = shlex.split(wished)
    except ValueError:
        argv = []
    if not argv:
        raise UsageError("no-editor", value=wished)
    try:
        done = subprocess.run([*argv, path], check=False)
    except OSError as error:
        raise MiError("editor-failed", editor=wished, reason=error.strerror or str(error)) from error
    if done.returncode:
        raise MiError("editor-failed", editor=wished, reason=Said("reason.exit", code=done.returncode))


def _without_hint(text: str) -> str:
    """What stands above the line; an editor may have changed the line's end."""
    kept: list[str] = []
    for line in text.splitlines():
        if line.strip() == _CUT:
            break
        kept.append(line)
    return "\n".join(kept).strip()
