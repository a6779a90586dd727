"""Running a check on a copy: at the project's own path, the rest of the disk untouched, nothing left running."""

import json
import os
import select
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal, Protocol

from mi.kernel import files
from mi.kernel.named_tuple import NamedTuple
from mi.project.proof import launcher
from mi.project.proof.copies import Copy, remove_tree
from mi.project.proof.writes import find_written, note_states

Way = Literal["namespaces", "bubblewrap", "plain"]
_KEPT_BYTES = 8 << 20  # of the output: its end
_ROOM_BYTES = 1 << 20  # less than that is a full disk
_PROBE_S = 60.0
# Caches that checks write to wherever the project is: what they write is thrown away.
_CACHES = (
    *(".cache", ".npm", ".m2", ".gradle", ".cargo", ".rustup", "go", ".yarn", ".bun", ".nuget", ".composer", ".gem"),
    *(".hex", ".mix", ".ivy2", ".sbt", ".dart_tool", ".pub-cache", ".local/share/pnpm", ".local/share/uv"),
    *(".local/share/hatch", ".local/share/virtualenv", ".dotnet", ".bundle", ".konan", ".android", ".node-gyp"),
)
_CACHE_VARIABLES = (
    *("TMPDIR", "XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "CARGO_HOME", "npm_config_cache", "PNPM_HOME"),
    *("YARN_CACHE_FOLDER", "PIP_CACHE_DIR", "UV_CACHE_DIR", "GRADLE_USER_HOME", "MAVEN_USER_HOME", "BUNDLE_PATH"),
    *("COMPOSER_HOME", "NUGET_PACKAGES", "CCACHE_DIR", "SCCACHE_DIR", "MIX_HOME", "HEX_HOME"),
)
# What belongs to MI, to a git that runs a hook, or to an agent that stands above, and not to the person's shell.
_PORTS = ("MI_PORT_BASE",)
_NOT_THE_PERSONS = ("MI_", "GIT_", "CLAUDE", "CODEX_", "ANTHROPIC_", "OPENAI_", "PYTEST_", "COV_CORE_")


class StopSource(Protocol):
    """Whoever may want the run to stop."""

    @property
    def reason(self) -> str:
        """Why it should stop; '' while it should not."""


class CheckOutput(NamedTuple):
    """What a check on a copy did. With a `problem` it says nothing about the project.

    `timeout`, `stopped`, `no-space`, `cannot-start: …`, `outside: …` when code came from outside of a plain copy, or
    `no-network-switch` where the network was to be off and there is no way to do that.
    """

    exit_code: int | None
    output: str
    seconds: float
    problem: str = ""
    written: tuple[str, ...] = ()  # of the files that it should leave alone


def run_in_copy(
    copy: Copy,
    command: str,
    folder: str = "",
    env: Mapping[str, str] | None = None,
    seconds: float = 900.0,
    network: bool = True,
    stop: StopSource | None = None,
    *,
    nice: int = 0,
    way: Way | None = None,
    watched: Iterable[str] = (),
) -> CheckOutput:
    """Run a shell command in a folder of the project's copy and return what came of it.

    All that it started ends with it, or with MI. `env` goes over the person's own variables; `watched` are the files
    of the copy that it should leave alone.
    """
    way = way or find_way()
    if way == "plain" and not network:
        return CheckOutput(None, "", 0.0, "no-network-switch")
    plan = _Plan(copy, command, folder, own_environment() | dict(env or {}), network, nice)
    started, before = time.monotonic(), note_states(copy.folder, watched)
    try:
        ended = _run(plan, way, seconds, stop)
        written = tuple(find_written(copy.folder, before, plan.over_copy)) if before else ()
    except OSError as error:
        return CheckOutput(None, "", time.monotonic() - started, f"cannot-start: {error.strerror or error}")
    finally:
        remove_tree(plan.layers)
    problem = ended.problem or _full_disk(copy) or (plan.find_outside() if way == "plain" else "")
    return ended._replace(seconds=time.monotonic() - started, problem=problem, written=written)


def own_environment() -> dict[str, str]:
    """Return the person's variables as MI got them, without those of MI, git's hooks and agents.

    The ports of a work tree are the project's own: its checks need them.
    """
    own = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_THE_PERSONS)}
    return own | {name: os.environ[name] for name in _PORTS if name in os.environ}


@cache
def find_way() -> Way:
    """Return the strongest way to run on a copy that works on this machine; tried once."""
    with tempfile.TemporaryDirectory(prefix="mi-probe-", ignore_cleanup_errors=True) as folder:
        copy = Copy(top=folder, root=folder, folder=folder, scratch=folder, reports=folder)
        for way in ("namespaces", "bubblewrap"):
            try:
                if _run(_Plan(copy, "exit 7", "", own_environment(), True, 0), way, _PROBE_S, None).exit_code == 7:
                    return way
            except OSError:
                continue  # no such program
    return "plain"


class _Plan:
    """What is to be run, and how each way makes the place for it."""

    def __init__(self, copy: Copy, command: str, folder: str, env: dict[str, str], network: bool, nice: int) -> None:
        self.copy = copy
        self.command = command
        self.folder = folder
        self.env = env
        self.network = network
        self.nice = nice
        self.layers = os.path.join(copy.scratch, "layers")
        self.status = os.path.join(copy.reports, ".status")
        self.memory = os.path.join(copy.scratch, "memory")
        self.over_copy: list[str] = []  # the layers that take what is written to the copy
        self._count = 0
        remove_tree(self.layers)
        files.remove_if_there(self.status)

    @property
    def _shell(self) -> list[str]:
        return [shutil.which("bash") or "/bin/sh", "-c", self.command]

    def write(self, cwd: str, mounts: list[dict[str, str]]) -> str:
        """Write the plan for the launcher; return its path."""
        new_root = os.path.join(self.copy.scratch, "root")
        for folder in (new_root, self.layers, self.memory):
            os.makedirs(folder, exist_ok=True)
        plan = {
            "argv": self._shell,
            "env": self.env,
            "cwd": cwd,
            "mounts": mounts,
            "network": self.network,
            "nice": self.nice,
            "new_root": new_root,
            "memory": self.memory,
            "status": self.status,
        }
        path = os.path.join(self.copy.scratch, "plan.json")
        files.write_atomic(path, json.dumps(plan).encode("utf-8", "surrogateescape"), sync=False)
        return path

    # namespaces

    def namespaces(self) -> list[str]:
        """Return the program that runs it in namespaces."""
        copy = self.copy
        mounts = [self._layer(place, otherwise="empty") for place in self.caches()]
        mounts += [mount for place in self.temporary() for mount in self._emptied(place)]
        mounts.sort(key=lambda mount: mount["at"])  # what is inside of another comes after it
        for at in filter(None, (copy.top, copy.also_at)):
            mounts += self._places(at)
        mounts.append({"how": "write", "at": copy.reports, "from": copy.reports})
        return [*_launched(), self.write(os.path.join(copy.root, self.folder), mounts)]

    def _layer(self, place: str, otherwise: str) -> dict[str, str]:
        """Return a throw-away layer over a folder, on the disk unless the folder holds the scratch itself."""
        on_disk = not _is_in(self.copy.scratch, place)
        upper = os.path.join(self.layers if on_disk else self.memory, str(self._count))
        self._count += 1
        return {"how": "layer", "at": place, "from": place, "upper": upper, "otherwise": otherwise}

    def _emptied(self, place: str) -> list[dict[str, str]]:
        """Return an empty folder in place of a temporary one, with the sockets and what variables name in it."""
        empty = os.path.join(self.layers, f"empty-{self._count}")
        self._count += 1
        os.makedirs(empty)
        os.chmod(empty, 0o1777)
        named = {path for value in self.env.values() for path in value.split(os.pathsep) if _is_in(path, place)}
        with os.scandir(place) as entries:
            named |= {entry.path for entry in entries if stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode)}
        named |= {os.path.join(place, ".X11-unix")}
        kept = [path for path in named - {*self.temporary(), *self.caches()} if os.path.exists(path)]
        return [
            {"how": "write", "at": place, "from": empty},
            *({"how": "read", "at": path, "from": path} for path in kept),
        ]

    def temporary(self) -> list[str]:
        """Return the temporary folders that stand empty: those that hold neither the project nor what runs it."""
        held = [path for path in (self.copy.top, self.copy.also_at, sys.prefix, sys.base_prefix) if path]
        there = _writable("/tmp", "/var/tmp", self.env.get("TMPDIR", ""))
        return [path for path in there if not _is_in(path, held[0]) and not any(_is_in(other, path) for other in held)]

    def caches(self) -> list[str]:
        """Return the other folders that may be written for a while, none inside of another or of the project."""
        home = os.path.expanduser("~")
        named = [self.env.get(name, "") for name in _CACHE_VARIABLES]
        found: list[str] = []
        for path in _writable("/tmp", "/var/tmp", *named, *(os.path.join(home, name) for name in _CACHES)):
            if path not in self.temporary() and not any(_is_in(path, other) for other in (*found, self.copy.top)):
                found.append(path)
        return found

    def _places(self, at: str) -> list[dict[str, str]]:
        """Return the mounts that make the copy appear at a path, with what lies beside the sources."""
        copy, git = self.copy, os.path.join(at, ".git")
        layer = self._layer(copy.folder, otherwise="write")
        self.over_copy.append(os.path.join(layer["upper"], "upper"))
        mounts = [layer | {"at": at}]
        if os.path.exists(git):
            mounts.append({"how": "read", "at": git, "from": git})
        for path in copy.dependencies:
            shared = self._layer(os.path.join(copy.top, path), otherwise="read")
            mounts.append(shared | {"at": os.path.join(at, path)})
        for path in copy.left_out:
            mounts.append({"how": "read", "at": os.path.join(at, path), "from": os.path.join(copy.top, path)})
        for path in copy.builds:
            mounts.append({"how": "write", "at": os.path.join(at, path), "from": os.path.join(copy.build_store, path)})
        return mounts

    # bubblewrap

    def bubblewrap(self) -> list[str]:
        """Return the call of bubblewrap that runs it; what is written to the copy stays in it until it is removed."""
        copy = self.copy
        argv = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/"]
        argv += ["--dev", "/dev", "--proc", "/proc", *([] if self.network else ["--unshare-net"])]
        for place in sorted([*self.caches(), *self.temporary()]):
            argv += ["--tmpfs", place]
            kept = [path for path in {sys.prefix, sys.base_prefix} if _is_in(path, place)]
            argv += [word for path in kept for word in ("--ro-bind", path, path)]
        argv += ["--bind", copy.folder, copy.top, *self._bound_beside(copy.top)]
        if copy.also_at:  # entry by entry: the main tree's `.git` is a folder, the linked one's a file
            argv += ["--tmpfs", copy.also_at]
            for name in sorted(set(os.listdir(copy.folder)) - {".git"}):
                argv += ["--bind", os.path.join(copy.folder, name), os.path.join(copy.also_at, name)]
            argv += self._bound_beside(copy.also_at)
        argv += ["--bind", copy.reports, copy.reports, "--chdir", os.path.join(copy.root, self.folder)]
        begun = 'echo started > "$0" && exec "$@"'
        return ["nice", "-n", str(self.nice), *argv, "--", "/bin/sh", "-c", begun, self.status, *self._shell]

    def _bound_beside(self, at: str) -> list[str]:
        """Return the words by which bubblewrap shows what lies beside the sources."""
        copy, words = self.copy, []
        for path in (".git", *copy.left_out, *copy.dependencies):
            source = os.path.join(at if path == ".git" else copy.top, path)
            words += ["--ro-bind", source, os.path.join(at, path)] if os.path.exists(source) else []
        for path in copy.builds:
            words += ["--bind", os.path.join(copy.build_store, path), os.path.join(at, path)]
        return words

    # a plain copy

    def plain(self) -> list[str]:
        """Return the program that runs it in the copy where it lies."""
        copy, own = self.copy, self.env
        for path in (*copy.dependencies, *copy.left_out):
            self._bring(path)
        for path in copy.builds:
            place = os.path.join(copy.folder, path)
            if os.path.isdir(place) and not os.path.islink(place):
                os.rmdir(place)
                os.symlink(os.path.join(copy.build_store, path), place)
        inside = os.path.join(copy.folder, os.path.relpath(copy.root, copy.top))
        first = [
            self._write_import_check(),
            os.path.join(inside, "src"),
            inside,
            *own.get("PYTHONPATH", "").split(os.pathsep),
        ]
        temporary = os.path.join(copy.scratch, "tmp")
        os.makedirs(temporary, exist_ok=True)
        self.env = self.env | {
            "TMPDIR": temporary,
            "PYTHONPATH": os.pathsep.join(path for path in first if path and os.path.isdir(path)),
            "PWD": os.path.join(inside, self.folder),
        }
        return [*_launched(), self.write(os.path.join(inside, self.folder), [])]

    def _bring(self, path: str) -> None:
        """Copy something beside the sources into the copy: shared, it could be written to."""
        source, place = os.path.join(self.copy.top, path), os.path.join(self.copy.folder, path)
        if os.path.isdir(source) and not os.listdir(place):
            shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
        elif os.path.isfile(source):
            shutil.copy2(source, place)

    @property
    def _imports(self) -> str:
        return os.path.join(self.copy.scratch, "imports")

    def _write_import_check(self) -> str:
        """Write what makes each Python tell at its end which of its modules came from the work tree itself."""
        os.makedirs(self._imports, exist_ok=True)
        shutil.copyfile(
            os.path.join(os.path.dirname(__file__), "import_check.py"), os.path.join(self._imports, "sitecustomize.py")
        )
        self.env = self.env | {"MI_PROOF_ROOT": self.copy.top, "MI_PROOF_IMPORTS": self._imports}
        return self._imports

    def find_outside(self) -> str:
        """Return the problem of a plain copy whose checks took code from the work tree; '' when they did not."""
        for name in os.listdir(self._imports) if os.path.isdir(self._imports) else ():
            if name.startswith("outside-"):
                found = files.read_bytes(os.path.join(self._imports, name)) or b""
                return "outside: " + os.fsdecode(found.splitlines()[0])
        return ""


def _writable(*paths: str) -> list[str]:
    """Return the folders among some paths that can be written, by their real paths, each once."""
    there = (path for path in paths if os.path.isabs(path) and os.path.isdir(path) and os.access(path, os.W_OK))
    return sorted({os.path.realpath(path) for path in there} - {"/"})


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _launched() -> list[str]:
    return [sys.executable, "-I", "-S", launcher.__file__]


def _run(plan: _Plan, way: Way, seconds: float, stop: StopSource | None) -> CheckOutput:
    argv = {"namespaces": plan.namespaces, "bubblewrap": plan.bubblewrap, "plain": plan.plain}[way]()
    lifeline, held = os.pipe()
    try:
        process = subprocess.Popen(
            argv if way == "bubblewrap" else [*argv, str(lifeline)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=plan.env if way == "bubblewrap" else None,
            pass_fds=() if way == "bubblewrap" else (lifeline,),
            start_new_session=True,
            cwd="/",
        )
    except OSError:
        os.close(held)
        raise
    finally:
        os.close(lifeline)
    with process:
        try:
            output, problem = _collect(process, seconds, stop)
        finally:
            os.close(held)  # whatever is still there ends now
            if way == "bubblewrap":
                process.kill()
    status = os.fsdecode(files.read_bytes(plan.status) or b"").strip()
    if status != "started" and not problem:
        problem = f"cannot-start: {status or output.decode('utf-8', 'replace').strip()[-500:]}"
    return CheckOutput(None if problem else process.returncode, output.decode("utf-8", "replace"), 0.0, problem)


def _collect(process: "subprocess.Popen[bytes]", seconds: float, stop: StopSource | None) -> tuple[bytes, str]:
    """Return the end of what a process prints until it has ended, and why it had to be ended."""
    assert process.stdout is not None  # it was asked for
    data, deadline = bytearray(), time.monotonic() + seconds
    exited = None
    while True:
        ready = select.select([process.stdout], [], [], 0.1)[0]
        chunk = os.read(process.stdout.fileno(), 1 << 16) if ready else None
        if chunk == b"":
            return bytes(data), ""
        data += chunk or b""
        if len(data) > 2 * _KEPT_BYTES:
            del data[:-_KEPT_BYTES]
        if process.poll() is not None and not ready:  # all are gone; who holds the pipe now is none of ours
            exited = exited or time.monotonic()
            if time.monotonic() - exited > 1:
                return bytes(data), ""
        problem = "timeout" if time.monotonic() > deadline else "stopped" if stop and stop.reason else ""
        if problem:
            return bytes(data), problem


def _full_disk(copy: Copy) -> str:
    try:
        room = os.statvfs(copy.scratch)
    except OSError:
        return ""
    return "no-space" if room.f_bavail * room.f_frsize < _ROOM_BYTES else ""
