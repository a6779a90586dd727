"""Making a work tree ready: folders that it shares, files that it gets, and the person's own commands."""

import glob
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from typing import IO

from mi.fleet.tree_lock import hold_tree_list
from mi.kernel import files, git
from mi.kernel.errors import MiError
from mi.kernel.notices import Notices
from mi.kernel.secrets import redact_start
from mi.kernel.text import decode
from mi.project.git_excludes import write_block
from mi.project.git_rules import escape_pattern
from mi.project.proof.dependencies import DEPENDENCY_FOLDERS

PORT_VARIABLE = "MI_PORT_BASE"
_LINK = b"160000"  # how the index marks a submodule
_TAIL_BYTES, _TAIL_LINES = 4096, 3


def list_submodules(top: str) -> dict[str, str]:
    """Return the submodules that a work tree's index names, each with its commit."""
    staged = git.run_bytes(top, "ls-files", "-s", "-z").output.split(b"\0")
    words = [
        (line.split(b" ")[1].decode(), os.fsdecode(line.partition(b"\t")[2])) for line in staged if line[:6] == _LINK
    ]
    return {path: commit for commit, path in words}


def share_submodules(main: str, tree: str, settings: dict[str, str], notices: Notices) -> None:
    """Give a work tree the submodules that the person has, as linked trees of theirs: no commit can be lost so."""
    for path, commit in list_submodules(tree).items():
        theirs, place = os.path.join(main, path), os.path.join(tree, path)
        if git.find_toplevel(theirs) != os.path.realpath(theirs):
            continue  # the person does not have it either
        words = ("worktree", "add", "--quiet", "--detach", place, commit)
        safe = settings | git.disable_filters(theirs)
        with hold_tree_list(theirs):
            made = git.run_bytes(theirs, *words, timeout_s=300.0, settings=safe, umask=-1)
        if made.code != 0:
            notices.add("tree-no-submodule", place, reason=made.error.removeprefix("fatal: "))
        else:
            share_submodules(theirs, place, settings, notices)


def find_dependencies(top: str, notices: Notices) -> list[str]:
    """Return the ignored dependency folders of a work tree that another one can share, by their paths from its top."""
    listed = git.run(top, "ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z", max_bytes=1 << 24)
    named = (path.rstrip("/") for path in listed.output.split("\0") if path.endswith("/"))
    found = []
    for path in sorted(named):
        if os.path.basename(path) not in DEPENDENCY_FOLDERS:
            continue
        if back := find_way_back(os.path.join(top, path), top):
            notices.add("tree-not-linked", os.path.join(top, path), place=back)
        else:
            found.append(path)
    return found


def find_way_back(folder: str, top: str) -> str:
    """Return what in a dependency folder leads to the sources of its own work tree; '' where nothing does.

    An editable install or a workspace link: in another tree it would bring in the code of this one.
    """
    top = os.path.realpath(top)
    for entry in (
        *glob.glob(os.path.join(glob.escape(folder), "*")),
        *glob.glob(os.path.join(glob.escape(folder), "@*/*")),
    ):
        place = os.path.realpath(entry)
        if os.path.islink(entry) and place.startswith(top + os.sep) and not place.startswith(os.path.realpath(folder)):
            return entry
    for entry in glob.glob(os.path.join(glob.escape(folder), "lib/python*/site-packages/*")):
        if entry.endswith(".pth") or os.path.basename(entry).startswith("__editable__"):
            data = files.read_bytes(entry) if os.path.isfile(entry) else b""
            if os.fsencode(top) in (data or b""):
                return entry
    return ""


def link_folders(main: str, tree: str, paths: Iterable[str]) -> list[str]:
    """Link folders of the person's tree into another, but for those it has itself; return which."""
    made = []
    for path in paths:
        source, place = os.path.join(main, path), os.path.join(tree, path)
        if os.path.lexists(source) and not os.path.lexists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.symlink(os.path.realpath(source), place)
            made.append(path)
    return made


def copy_files(main: str, tree: str, paths: Iterable[str], notices: Notices) -> list[str]:
    """Copy files and folders of the person's tree into another; return which. What is not there is noticed."""
    made = []
    for path in paths:
        source, place = os.path.join(main, path), os.path.join(tree, path)
        if not os.path.exists(source):
            notices.add("tree-copy-missing", source)
        elif not os.path.lexists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if os.path.isdir(source):
                shutil.copytree(source, place, symlinks=True)
            else:
                shutil.copy2(source, place)
            made.append(path)
    return made


def find_shown(tree: str, paths: list[str]) -> list[str]:
    """Return which paths of a work tree git would show as new: `node_modules/` does not ignore a link of that name."""
    names = b"\0".join(map(os.fsencode, paths))
    asked = git.run_bytes(tree, "check-ignore", "--no-index", "-z", "--stdin", stdin=names) if paths else None
    ignored = set(os.fsdecode(asked.output).split("\0")) if asked else set()
    return [path for path in paths if path not in ignored]


def hide(top: str, paths: Iterable[str]) -> None:
    """Have git show none of these paths in any work tree."""
    write_block(top, "linked or copied into work trees", (f"/{escape_pattern(path)}" for path in paths))


def list_new(tree: str) -> dict[str, int]:
    """Return the files of a work tree that git would show as new, and when each was written."""
    listed = git.run_bytes(tree, "ls-files", "-o", "--exclude-standard", "-z").output
    names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    return {name: time for name in names if (time := find_time(tree, name))}


def find_time(tree: str, path: str) -> int:
    """Return when a file was written; 0 where it is not there."""
    try:
        return os.lstat(os.path.join(tree, path)).st_mtime_ns
    except OSError:
        return 0


def run_commands(
    commands: Iterable[str], folder: str, ports: int, seconds: float, say: Callable[[str], None] = lambda command: None
) -> None:
    """Run the person's commands in a folder; MiError with the tail of what the one that failed printed."""
    env = {name: value for name, value in os.environ.items() if name != PORT_VARIABLE}
    env |= {PORT_VARIABLE: str(ports)} if ports else {}
    for command in commands:
        say(command)
        with tempfile.TemporaryFile() as output:
            try:
                code = _run(command, folder, env, seconds, output)
            except OSError as error:
                raise MiError(
                    "tree-command-failed", command=command, how=error.strerror or str(error), tail=""
                ) from None
            if code != 0:
                how = f"{seconds:g} s" if code is None else f"exit {code}"
                raise MiError("tree-command-failed", command=command, how=how, tail=_read_tail(output))


def _run(command: str, folder: str, env: dict[str, str], seconds: float, output: IO[bytes]) -> int | None:
    """Return the exit code; None where it was stopped, with all that it started, for taking too long."""
    words = ["/bin/sh", "-c", command]
    process = subprocess.Popen(
        words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _read_tail(output: IO[bytes]) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _TAIL_BYTES))
    lines = [line.strip() for line in decode(output.read()).splitlines() if line.strip()]
    return redact_start(" | ".join(lines[-_TAIL_LINES:]), 600)
