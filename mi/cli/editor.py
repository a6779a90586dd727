"""Letting the person write a text in their own editor."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mi.kernel import files
from mi.kernel.errors import MiError, UsageError
from mi.kernel.messages import NestedText
from mi.kernel.notices import Notices
from mi.kernel.text import decode

_CUT = "# ------------------------ >8 ------------------------"


@contextmanager
def edit_text(text: str, hint: str, name: str, notices: Notices) -> Iterator[str]:
    """Yield the text as the person left it.

    When it then cannot be stored, a changed draft stays where a notice says.
    """
    import tempfile

    editor = _chosen_editor()
    folder = tempfile.mkdtemp(prefix="mi-")
    path = os.path.join(folder, name)
    try:
        given = _write(path, text, hint)
        _run_editor(editor, path)
        with open(path, "rb") as file:
            said = decode(file.read()).replace("\r\n", "\n")
        yield _without_hint(said)
    except MiError:
        if os.path.exists(path) and files.read_bytes(path) != given:
            notices.add("draft-kept", path)
        else:
            _remove(folder, path)
        raise
    _remove(folder, path)


def _remove(folder: str, path: str) -> None:
    files.remove_if_there(path)
    with suppress(OSError):  # the editor left files of its own in it
        os.rmdir(folder)


def _write(path: str, text: str, hint: str) -> bytes:
    below = "".join(f"# {line}\n" for line in hint.splitlines())
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    content = f"{text.rstrip()}\n\n{_CUT}\n{below}".encode("utf-8", "replace")
    with open(fd, "wb") as file:
        file.write(content)
    return content


def _chosen_editor() -> list[str]:
    """Return the person's editor and its arguments."""
    import shlex

    wished = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        argv = shlex.split(wished)
    except ValueError:
        argv = []
    if not argv:
        raise UsageError("no-editor", value=wished)
    return argv


def _run_editor(argv: list[str], path: str) -> None:
    import subprocess

    name = " ".join(argv)
    try:
        done = subprocess.run([*argv, path], check=False)
    except OSError as error:
        raise MiError("editor-failed", editor=name, reason=error.strerror or str(error)) from error
    if done.returncode:
        raise MiError("editor-failed", editor=name, reason=NestedText("reason.exit", code=done.returncode))


def _without_hint(text: str) -> str:
    """Return what stands above the line; an editor may have changed the line's end."""
    kept: list[str] = []
    for line in text.split("\n"):  # not at other ends of lines: they may stand within a text
        if line.strip() == _CUT:
            break
        kept.append(line)
    return "\n".join(kept).strip()
