"""Looking at a git repository: bounded in time and size, without running anything the repository configures."""

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

from mi.kernel import text
from mi.kernel.errors import MiError
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    import subprocess

_TIMEOUT_S = 10.0
_MAX_BYTES = 256 * 1024
_SILENT_S = 0.25  # after so long without a word it is looked what git waits for
# A repository's own configuration can name programs; none of them may run because MI looked.
_SAFE = [
    *("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "diff.external="),
    *("-c", "core.quotePath=false"),  # Chinese names as they are, not as octal numbers
]
_STATUS = ("status", "--porcelain=v1", "--untracked-files=normal", "--ignore-submodules=all")
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",  # whoever can write to a repository could put other contents in a snapshot's place
}
# Set while git runs a hook: they would turn every question to the repository of the hook.
_OF_ANOTHER_REPOSITORY = {
    *("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_PREFIX", "GIT_INDEX_FILE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"),
    *("GIT_CONFIG", "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_ATTR_SOURCE"),
    *(f"GIT_{kind}_PATHSPECS" for kind in ("LITERAL", "GLOB", "NOGLOB", "ICASE")),
}


_LOOKS_AT_FILES = ("ls-files", "status", "add", "diff", "diff-files", "diff-index", "check-ignore", "check-attr")
_READ_BY_GIT = (".gitignore", ".gitattributes", ".gitmodules", ".git/info/exclude", ".git/info/attributes")


class GitOutput(NamedTuple):
    """What git printed; `code` is None when git was stopped for taking too long or is not installed."""

    code: int | None
    output: str
    cut: bool


class Observation(NamedTuple):
    """The state of a work tree; `incomplete` names what could not be seen: too slow, too large, broken, no git."""

    is_repo: bool
    root: str
    head: str
    status: str
    diff_stat: str
    cached_stat: str
    incomplete: tuple[str, ...]


def find_toplevel(path: str) -> str | None:
    """Return the work tree a folder lies in, found without starting git; None outside of one."""
    folder = os.path.realpath(path)
    while True:
        if _is_repository(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def require_willing(root: str) -> None:
    """Raise MiError where git refuses the repository that a folder lies in, such as one of another owner."""
    asked = run_bytes(root, "rev-parse", "--git-dir")
    if asked.code not in (0, None) and find_toplevel(root) is not None:
        raise MiError("git-refuses", root=root, reason=asked.error.strip())


def find_branch(path: str) -> str:
    """Return the branch of the work tree a folder lies in, an unborn one too.

    `HEAD` when detached, `unknown` without git.
    """
    root = find_toplevel(path)
    if root is None:
        return "unknown"
    try:
        with open(os.path.join(find_git_folder(root), "HEAD"), "rb") as file:
            head = text.decode(file.read(_MAX_BYTES)).strip()
    except OSError:
        return "unknown"
    name = head.removeprefix("ref:").strip().removeprefix("refs/heads/")
    if name == ".invalid":  # where the repository keeps its references in a table, HEAD says nothing
        answer = run(root, "symbolic-ref", "--short", "-q", "HEAD")
        return answer.output.strip() or "HEAD"
    return name if head.startswith("ref:") else "HEAD"


def _is_repository(mark: str) -> bool:
    """Return whether a `.git` is one: agents' sandboxes leave empty folders of that name behind."""
    return os.path.isfile(mark) or os.path.lexists(os.path.join(mark, "HEAD"))


class GitBytes(NamedTuple):
    """What git printed, as it printed it; `error` is its own last line of complaint."""

    code: int | None
    output: bytes
    error: str


def run(
    cwd: str,
    *args: str,
    timeout_s: float = _TIMEOUT_S,
    max_bytes: int = _MAX_BYTES,
    settings: dict[str, str] | None = None,
    env: Mapping[str, str | None] = MappingProxyType({}),
) -> GitOutput:
    """Run git in a folder, taking at most `max_bytes` of its output; `settings` and `env` go over its own."""
    from subprocess import DEVNULL

    try:
        process = start(cwd, *args, stdin=DEVNULL, settings=settings, env=env)
    except OSError:
        return GitOutput(None, "", False)
    assert process.stdout is not None  # it was asked for
    code, data, cut = _collect(process.stdout, process, timeout_s, max_bytes)
    return GitOutput(code, text.decode(data), cut)


def run_bytes(
    cwd: str,
    *args: str,
    stdin: bytes = b"",
    timeout_s: float = _TIMEOUT_S,
    settings: dict[str, str] | None = None,
    env: Mapping[str, str | None] = MappingProxyType({}),
    umask: int = 0o077,
) -> GitBytes:
    """Run git with something to read and return all that it printed: names as bytes, whatever they are written in."""
    from tempfile import TemporaryFile

    with TemporaryFile() as given, TemporaryFile() as complaint:
        given.write(stdin)
        given.seek(0)
        try:
            process = start(
                cwd, *args, stdin=given.fileno(), stderr=complaint.fileno(), settings=settings, env=env, umask=umask
            )
        except OSError as error:
            return GitBytes(None, b"", f"{error.filename}: {error.strerror}" if error.filename else str(error))
        assert process.stdout is not None  # it was asked for
        code, data, _ = _collect(process.stdout, process, timeout_s, 1 << 40)
        complaint.seek(0)
        lines = text.decode(complaint.read(_MAX_BYTES)).strip().splitlines()
    return GitBytes(code, data, lines[-1] if lines else f"git {args[0]}: no answer" if code is None else "")


def start(
    cwd: str,
    *args: str,
    stdin: int,
    stderr: int | None = None,
    settings: dict[str, str] | None = None,
    env: Mapping[str, str | None] = MappingProxyType({}),
    umask: int = 0o077,  # what it keeps for MI, MI alone may read; -1 is the person's own
) -> "subprocess.Popen[bytes]":
    """Return git running in a folder, its output in a pipe; OSError where there is no git, or it would wait for good.

    `env` goes over all else; a variable that is None there is not set.
    """
    import subprocess

    words = _environment(settings or {}) | _bind(cwd, "GIT_DIR" in env) | dict(env)
    if args[0] in _LOOKS_AT_FILES:
        _refuse_pipes(words.get("GIT_WORK_TREE") or cwd)

    return subprocess.Popen(
        ["git", "-C", cwd, *_SAFE, *args],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if stderr is None else stderr,
        env={name: value for name, value in words.items() if value is not None},
        start_new_session=True,
        umask=umask,
    )


def _refuse_pipes(top: str) -> None:
    """Raise OSError where a named pipe stands in the place of a file that git reads: git waits until someone writes."""
    for name in _READ_BY_GIT:
        path = os.path.join(top, name)
        try:
            is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
        except OSError:
            continue
        if is_pipe:
            raise OSError(errno.EINVAL, "a named pipe stands in the place of this file, remove it", path)


def _bind(cwd: str, is_named: bool) -> dict[str, str]:
    """Return the variables that bind git to the work tree a folder lies in.

    Whoever can write to its settings could else name another (`core.worktree`, `core.bare`); a broken repository would
    have git look above it.
    """
    if is_named:
        return {"GIT_WORK_TREE": cwd}
    top = find_toplevel(cwd)
    if top is None:
        return {}
    above = os.path.dirname(top)
    return {"GIT_WORK_TREE": top} | ({"GIT_CEILING_DIRECTORIES": above} if above != top else {})


def _environment(settings: dict[str, str]) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_REPOSITORY}
    given = own.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isdecimal() else 0  # the person's own, such as safe.directory, stay
    over = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (key, value) in enumerate(settings.items(), first):
        over |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return own | _ENVIRONMENT | over


def _collect(
    output: "IO[bytes]", process: "subprocess.Popen[bytes]", timeout_s: float, max_bytes: int
) -> tuple[int | None, bytes, bool]:
    import select
    import signal

    deadline = time.monotonic() + timeout_s
    data, stopped = bytearray(), False
    while len(data) <= max_bytes:
        left_s = deadline - time.monotonic()
        if not select.select([output], [], [], max(0.0, min(left_s, _SILENT_S)))[0]:
            stopped = left_s <= _SILENT_S or _waits_for_pipe(process.pid)
            if stopped:
                break
            continue
        chunk = os.read(output.fileno(), 65536)
        if not chunk:
            break
        data += chunk
    cut = len(data) > max_bytes
    if stopped or cut:
        os.killpg(process.pid, signal.SIGKILL)  # with whatever git started
    output.close()
    code = process.wait()
    return None if stopped else 0 if cut else code, bytes(data[:max_bytes]), cut


def _waits_for_pipe(pid: int) -> bool:
    """Return whether a process waits for somebody to write into a named pipe, as far as the system tells."""
    try:
        with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
            return file.read() == "wait_for_partner"
    except OSError:
        return False


def list_uncommitted(path: str) -> list[str]:
    """Return what is not committed in the work tree a folder lies in, one line of git's status each."""
    root = find_toplevel(path)
    if root is None:
        return []
    answer = run(root, *_STATUS, settings=disable_filters(root))
    return answer.output.splitlines() if answer.code == 0 else []


def observe(path: str, timeout_s: float = _TIMEOUT_S) -> Observation:
    """HEAD, status and diff statistics of the work tree a folder lies in."""
    root = find_toplevel(path)
    if root is None:
        return Observation(False, "", "", "", "", "", ())
    asked = {
        "head": ("rev-parse", "--verify", "-q", "HEAD"),
        "status": _STATUS,
        "diff_stat": ("diff", "--stat", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
        "cached_stat": ("diff", "--stat", "--cached", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    }
    settings = disable_filters(root, timeout_s)
    with _own_index(root) as index:
        env = {"GIT_INDEX_FILE": index} if index else {}
        answers = {
            name: run(root, *args, timeout_s=timeout_s, settings=settings, env=env) for name, args in asked.items()
        }
    seen = {name: answer.output.rstrip("\n") if answer.code == 0 else "" for name, answer in answers.items()}
    unborn = {"head"} if answers["head"].code == 1 else set()  # a repository without a commit has no HEAD to miss
    missed = {name for name, answer in answers.items() if answer.code != 0 or answer.cut} - unborn
    return Observation(True, root, **seen, incomplete=tuple(name for name in asked if name in missed))


@contextmanager
def _own_index(root: str) -> Iterator[str]:
    """Yield a copy of the index, '' when there can be none: `git diff` refreshes, and so locks, the index it reads."""
    from shutil import copy2, rmtree
    from tempfile import mkdtemp

    folder = copy = ""
    try:
        folder = mkdtemp(prefix="mi-index-")
        # With its time, which git compares with that of the files.
        copy = copy2(os.path.join(find_git_folder(root), "index"), folder)
    except OSError:
        pass  # no index yet, a broken pointer to it, a full disk: git itself finds out
    try:
        yield copy
    finally:
        if folder:
            rmtree(folder, ignore_errors=True)


def find_git_folder(root: str) -> str:
    """Return where a work tree keeps its index.

    `.git`, or what a linked tree's or submodule's `.git` file points to.
    """
    mark = os.path.join(root, ".git")
    if not os.path.isfile(mark):
        return mark
    with open(mark, "rb") as file:
        pointer = text.decode(file.read(_MAX_BYTES)).removeprefix("gitdir:").strip()
    return os.path.join(root, pointer)


def is_linked_tree(path: str) -> bool:
    """Return whether a folder lies in a work tree that `git worktree add` made, not in the repository's own."""
    top = find_toplevel(path)
    if top is None or not os.path.isfile(os.path.join(top, ".git")):
        return False
    try:
        return os.path.lexists(os.path.join(find_git_folder(top), "commondir"))
    except OSError:
        return False


def find_stranger(root: str) -> str:
    """Return the repository that a work tree's `.git` leads to where it is another work tree's; '' where it is its own.

    A linked tree's repository names that tree; one that was put elsewhere is no other folder's `.git`.
    """
    mark = os.path.join(root, ".git")
    try:
        folder = os.path.realpath(find_git_folder(root))
        if os.path.lexists(os.path.join(folder, "commondir")):
            common = os.path.realpath(os.path.join(folder, _read_line(folder, "commondir")))
            owner = os.path.join(folder, _read_line(folder, "gitdir") or common)
            return "" if not os.path.exists(owner) or os.path.samefile(owner, mark) else common
        other = os.path.dirname(folder)
        is_own = os.path.basename(folder) != ".git" or other == os.path.realpath(root) or os.listdir(other) == [".git"]
    except OSError:
        return ""  # broken: git itself says so
    return "" if is_own else folder


def find_main_tree(root: str) -> str:
    """Return the work tree that a linked one belongs to, found without starting git.

    '' where the tree is linked to none: it is a repository's own, the repository is bare, or the link is broken.
    """
    mark = os.path.join(root, ".git")
    try:
        if not os.path.isfile(mark):
            return ""
        folder = os.path.realpath(find_git_folder(root))
        common = os.path.realpath(os.path.join(folder, _read_line(folder, "commondir") or "."))
        main = os.path.dirname(common)
        is_linked = folder != common and os.path.samefile(_read_line(folder, "gitdir"), mark)
        return main if is_linked and os.path.basename(common) == ".git" and os.path.isdir(common) else ""
    except OSError:
        return ""


def _read_line(folder: str, name: str) -> str:
    place = os.path.join(folder, name)
    if not os.path.isfile(place):
        return ""
    with open(place, "rb") as file:
        return text.decode(file.read(_MAX_BYTES)).strip()


def list_refs(path: str) -> str:
    """Return where HEAD and the person's own branches and tags point; '' outside of git.

    Not the branches that MI made: those of other runs move meanwhile, and HEAD tells of the run's own.
    """
    found = run(path, "show-ref", "--head")
    lines = found.output.splitlines() if found.code == 0 else []
    return "\n".join(line for line in lines if " refs/mi/" not in line and " refs/heads/mi/" not in line)


def disable_filters(root: str, timeout_s: float = _TIMEOUT_S) -> dict[str, str]:
    """Return settings that switch off the content filters of a repository: looking would run them."""
    listed = ("config", "--includes", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
    settings = {}
    for line in run(root, *listed, timeout_s=timeout_s).output.splitlines():
        scope, _, key = line.partition("\t")
        if scope in ("local", "worktree"):
            settings[key] = "false" if key.endswith(".required") else ""
    return settings
