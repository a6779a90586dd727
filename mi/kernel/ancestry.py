"""The chain of parents above a process, as the system tells it: from /proc, else from `ps`."""

import os
import sys
import time

from mi.kernel.named_tuple import NamedTuple

_TRIES = 3  # a parent that ends meanwhile leaves its child to another
_DEEPEST = 1000
_INIT = 1
_PS = ("/bin/ps",)  # not whichever the path finds
_PS_S = 5.0
_MANY = 65_536  # user ids of a container; whoever makes a namespace for themselves has one


class ProcessInfo(NamedTuple):
    """One process of a chain; `started` in seconds since the epoch, `program` '' where the file cannot be seen."""

    pid: int
    name: str
    words: tuple[str, ...]
    started: float
    parent: int = 0
    program: str = ""
    owner: int = -1  # a user id


def read_ancestry(pid: int | None = None, proc: str = "/proc") -> list[ProcessInfo] | None:
    """Return a process (this one: None) and its ancestors, nearest first; None when they cannot be read.

    The last one's parent is 0 or 1, unless the system hides what stands above.
    """
    if not os.path.isdir(os.path.join(proc, "self")):
        return _read_ps(pid or os.getpid())
    for _ in range(_TRIES):
        chain = _read_proc(pid, proc)
        if chain is not None:
            return chain
    return None


def _read_proc(pid: int | None, proc: str) -> list[ProcessInfo] | None:
    """Return the chain at this moment; None when it changed meanwhile."""
    try:
        if pid is None:  # not getpid(): /proc may be that of an outer namespace
            pid = int(os.readlink(os.path.join(proc, "self")))
        ticks, booted = os.sysconf("SC_CLK_TCK"), measure_boot()
        chain = [_read_process(proc, pid, booted, ticks)]
    except (OSError, ValueError, IndexError):
        return None
    while (parent := chain[-1].parent) and len(chain) < _DEEPEST:
        try:
            above = _read_process(proc, parent, booted, ticks)
        except (FileNotFoundError, PermissionError):
            return chain if parent == _INIT or _is_hidden(parent) else None
        except (OSError, ValueError, IndexError):
            return None
        if above.started > chain[-1].started + 0.05:  # the number of one that ended, given to another
            return None
        chain.append(above)
    return chain


def _read_process(proc: str, pid: int, booted: float, ticks: int) -> ProcessInfo:
    folder = os.path.join(proc, str(pid))
    with open(os.path.join(folder, "stat"), "rb") as file:
        name, _, rest = file.read().partition(b"(")[2].rpartition(b")")
    fields = rest.split()
    with open(os.path.join(folder, "cmdline"), "rb") as file:
        words = file.read(1 << 16).split(b"\0")
    try:
        program = os.readlink(os.path.join(folder, "exe"))
    except OSError:  # another user's, or the system's own
        program = ""
    return ProcessInfo(
        pid,
        os.fsdecode(name),
        tuple(map(os.fsdecode, words[:-1])),
        booted + int(fields[19]) / ticks,
        int(fields[1]),
        program,
        os.stat(folder).st_uid,
    )


def _is_hidden(pid: int) -> bool:
    """Return whether a process lives that /proc does not show to this user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _read_ps(pid: int) -> list[ProcessInfo] | None:
    """Return the chain as `ps` lists it, where there is no /proc."""
    try:
        lines = ask_ps("-A", "-o", "pid=", "-o", "ppid=", "-o", "uid=", "-o", "lstart=", "-o", "command=")
        listed = {one.pid: one for one in map(_parse_ps, lines)}
    except ValueError:
        return None
    chain: list[ProcessInfo] = []
    while pid in listed and len(chain) < _DEEPEST:
        chain.append(listed[pid])
        pid = chain[-1].parent
    return chain or None


def ask_ps(*words: str) -> list[str]:
    """Return the lines that `ps` tells, where there is no /proc; none when it does not."""
    import subprocess

    env = os.environ | {"LC_ALL": "C"}
    try:
        said = subprocess.run([*_PS, *words], env=env, capture_output=True, check=True, timeout=_PS_S)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line for line in os.fsdecode(said.stdout).splitlines() if line.strip()]


def _parse_ps(line: str) -> ProcessInfo:
    pid, parent, owner, *rest = line.split(None, 8)
    started = time.mktime(time.strptime(" ".join(rest[:5]), "%a %b %d %H:%M:%S %Y"))
    words = tuple(rest[5].split()) if len(rest) > 5 else ()
    name = os.path.basename(words[0].lstrip("-")) if words else ""
    return ProcessInfo(int(pid), name, words, started, int(parent), words[0] if words else "", int(owner))


def read_environment(pid: int, proc: str = "/proc") -> dict[str, str]:
    """Return the environment in which a process began; nothing where it cannot be read."""
    try:
        with open(os.path.join(proc, str(pid), "environ"), "rb") as file:
            entries = os.fsdecode(file.read(1 << 20)).split("\0")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def read_start(pid: int) -> float:
    """Return when a process began, in seconds since the epoch; 0 when there is none."""
    chain = read_ancestry(pid)
    return chain[0].started if chain else 0.0


def sees_users(proc: str = "/proc") -> bool:
    """Return whether user ids mean here what they mean to the first process.

    In a user namespace of one's own one is root, and can put any file in the place of the system's.
    """
    try:
        own, first = (_read_map(proc, name) for name in ("self", str(_INIT)))
    except FileNotFoundError:  # a system without such namespaces
        return True
    except OSError:
        return False
    return own == first and sum(int(line.split()[2]) for line in own.splitlines()) >= _MANY


def _read_map(proc: str, name: str) -> str:
    with open(os.path.join(proc, name, "uid_map"), encoding="ascii") as file:
        return file.read()


def measure_boot() -> float:
    """Return when the system started, in seconds since the epoch; 0 where it does not say."""
    if sys.platform == "linux":
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return 0.0
