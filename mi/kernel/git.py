"""Looking at a git repository: bounded in time and size, without running anything the repository configures."""

import os
from typing import NamedTuple

from mi.kernel import text

_TIMEOUT_S = 10.0
_MAX_BYTES = 256 * 1024
# A repository's own configuration can name programs; none of them may run because MI looked.
_SAFE = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "diff.external="]
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


class Answer(NamedTuple):
    """What git printed: `code` is None when it was stopped for taking too long or is not installed."""

    code: int | None
    output: str
    cut: bool


class Observation(NamedTuple):
    """The state of a work tree; `incomplete` names what could not be seen in the given time and size."""

    is_repo: bool
    root: str
    head: str
    status: str
    diff_stat: str
    cached_stat: str
    incomplete: tuple[str, ...]


def find_toplevel(path: str) -> str | None:
    """The work tree a folder lies in, found without starting git; None outside of one."""
    folder = os.path.realpath(path)
    while True:
        if _is_git(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _is_git(path: str) -> bool:
    """Whether this is a repository's `.git`; a sandboxed agent that is killed leaves empty folders of that name."""
    return os.path.isfile(path) or os.path.exists(os.path.join(path, "HEAD"))


def run(cwd: str, *args: str, timeout_s: float = _TIMEOUT_S, max_bytes: int = _MAX_BYTES) -> Answer:
    """Run git read-only in a folder and take at most `max_bytes` of its output."""
    import subprocess

    try:
        process = subprocess.Popen(
            ["git", "-C", cwd, *_SAFE, *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | _ENVIRONMENT,
            start_new_session=True,
        )
    except OSError:
        return Answer(None, "", False)
    return _collect(process.stdout.fileno(), process, timeout_s, max_bytes)  # type: ignore[union-attr]


def _collect(fd: int, process, timeout_s: float, max_bytes: int) -> Answer:  # type: ignore[no-untyped-def]
    import select
    import time

    deadline = time.monotonic() + timeout_s
    data, stopped = b"", False
    while len(data) <= max_bytes:
        if not select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
            stopped = True
            break
        chunk = os.read(fd, 65536)
        if not chunk:
            break
        data += chunk
    cut = len(data) > max_bytes
    if stopped or cut:
        process.kill()
    process.stdout.close()
    code = process.wait()
    return Answer(None if stopped else 0 if cut else code, text.decode(data[:max_bytes]), cut)


def observe(path: str, timeout_s: float = _TIMEOUT_S) -> Observation:
    """HEAD, status and diff statistics of the work tree a folder lies in."""
    root = find_toplevel(path)
    if root is None:
        return Observation(False, "", "", "", "", "", ())
    asked = {
        "head": ("rev-parse", "--verify", "-q", "HEAD"),
        "status": ("status", "--porcelain=v1", "--untracked-files=normal", "--ignore-submodules=all"),
        "diff_stat": ("diff", "--stat", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
        "cached_stat": ("diff", "--stat", "--cached", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    }
    answers = {name: run(root, *args, timeout_s=timeout_s) for name, args in asked.items()}
    seen = {name: answer.output.rstrip("\n") if answer.code == 0 else "" for name, answer in answers.items()}
    return Observation(True, root, **seen, incomplete=tuple(n for n, a in answers.items() if a.code is None or a.cut))
