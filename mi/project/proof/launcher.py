"""Run one command where a copy of a project appears at the project's own path. Started as a program of its own.

It reads a plan (JSON) from the file it is given, imports nothing of MI, and ends with all its children when the pipe
that it is given closes: whoever started it is gone then.
"""

import ctypes
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from typing import Any

_NEWNS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x00020000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_SYS_MOUNT_SETATTR = 442  # the same number on every architecture
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 24, 36, 38
_CANNOT = 125  # exit code: the place could not be made

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Carry out the plan named on the command line."""
    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as file:
        plan = json.load(file)
    lifeline, status = int(sys.argv[2]), os.open(plan["status"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.nice(int(plan["nice"]))
    if not plan["mounts"]:
        if hasattr(_libc, "prctl"):  # Linux
            _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        child = _start(plan, status, lifeline)
        _end(_watch(child, lifeline), child)
    try:
        _enter(plan)
        inner = os.fork()  # the first process of the new process namespace: with it, all others in there end
        if inner:
            os._exit(_watch(inner, lifeline))
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _make_place(plan)
    except OSError as error:
        os.write(status, os.fsencode(f"{error.filename or ''} {error.strerror}".strip()))
        os._exit(_CANNOT)
    os._exit(_watch(_start(plan, status, lifeline, confined=True), lifeline))


# namespaces


def _enter(plan: dict[str, Any]) -> None:
    """Leave for namespaces of our own, as the same user."""
    user, group = os.geteuid(), os.getegid()
    kinds = _NEWUSER | _NEWNS | _NEWPID | _NEWIPC | (0 if plan["network"] else _NEWNET)
    _call("unshare", _libc.unshare(kinds))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        fd = os.open(f"/proc/self/{name}", os.O_WRONLY)  # not `open`: here Python's own files may be out of reach
        os.write(fd, text.encode())
        os.close(fd)
    if not plan["network"]:
        _bring_up_loopback()


def _bring_up_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP


def _make_place(plan: dict[str, Any]) -> None:
    """Build a new root: the old one to be read only, with the copy and the throw-away layers in it."""
    new = plan["new_root"]
    _mount(None, "/", None, _REC | _PRIVATE)
    _mount("/", new, None, _BIND | _REC)
    _set_read_only(new)
    _mount("tmpfs", plan["memory"], "tmpfs", _NOSUID | _NODEV)  # for layers over the folder that the scratch lies in
    for step in plan["mounts"]:
        _carry_out(step, new)
    with suppress(OSError):  # in some containers it may not be; the old one still tells a process of itself
        _mount("proc", new + "/proc", "proc", _NOSUID | _NODEV)
    with suppress(OSError):
        _mount("tmpfs", new + "/dev/shm", "tmpfs", _NOSUID | _NODEV)
    os.chdir(new)
    if _libc.syscall(_pivot_root(), b".", b".") == 0:
        _call("umount", _libc.umount2(b".", _DETACH))
    else:
        os.chroot(".")
    os.chdir("/")


def _pivot_root() -> int:
    return {"x86_64": 155, "aarch64": 41, "riscv64": 41, "i686": 217, "armv7l": 218, "ppc64le": 203, "s390x": 217}[
        os.uname().machine
    ]


def _carry_out(step: dict[str, str], new: str) -> None:
    """Make one place: a layer over a folder, a folder that may be written, or something that is only to be read."""
    target, source, how = new + step["at"], step.get("from", ""), step["how"]
    _make_point(target, source)
    if how == "layer" and not _lay(source, target, step["upper"]):
        how = step["otherwise"]
    if how == "write":
        _mount(source, target, None, _BIND | _REC)
    elif how == "read":
        _mount(source, target, None, _BIND | _REC)
        _set_read_only(target)
    elif how == "empty":
        _mount("tmpfs", target, "tmpfs", _NOSUID | _NODEV)


def _make_point(target: str, source: str) -> None:
    """Make a point to mount on, of the same kind as what is mounted."""
    is_folder = not source or os.path.isdir(source)
    if os.path.lexists(target) and os.path.isdir(target) == is_folder:
        return
    if os.path.isfile(target):
        os.unlink(target)
    os.makedirs(target if is_folder else os.path.dirname(target), exist_ok=True)
    if not is_folder:
        with open(target, "ab"):
            pass


def _lay(source: str, target: str, upper: str) -> bool:
    """Lay a layer over a folder that takes what is written; return whether that can be done here."""
    if sys.platform != "linux":
        return False
    for folder in (upper + "/upper", upper + "/work"):
        os.makedirs(folder, exist_ok=True)
    lower = os.open(source, os.O_PATH)  # by its number: no character of the path has a meaning then
    layers = os.open(upper, os.O_PATH)
    at = f"/proc/self/fd/{layers}"
    options = f"lowerdir=/proc/self/fd/{lower},upperdir={at}/upper,workdir={at}/work"
    try:
        for more in (",userxattr", ""):
            with suppress(OSError):
                _mount("overlay", target, "overlay", 0, options + more)
                return True
        return False
    finally:
        os.close(lower)
        os.close(layers)


def _set_read_only(path: str) -> None:
    """Let nothing below a path be written, whatever is mounted there."""
    attributes = (ctypes.c_uint64 * 4)(1, 0, 0, 0)  # MOUNT_ATTR_RDONLY
    if _libc.syscall(_SYS_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), _AT_RECURSIVE, attributes, 32) == 0:
        return
    for place, flags in _mounts_below(path):  # an older kernel: one by one, each with the flags it has
        _mount(None, place, None, _REMOUNT | _BIND | _RDONLY | flags)


def _mounts_below(path: str) -> list[tuple[str, int]]:
    known = {"nosuid": 2, "nodev": 4, "noexec": 8, "noatime": 1024, "nodiratime": 2048, "relatime": 1 << 21}
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            fields = line.split(" ")
            place = fields[4].encode("utf-8", "surrogateescape").decode("unicode_escape")
            if place == path or place.startswith(path.rstrip("/") + "/"):
                found.append((place, sum(known.get(option, 0) for option in fields[5].split(","))))
    return found


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    given = [os.fsencode(text) if text else None for text in (source, target, kind)]
    result = _libc.mount(given[0], given[1], given[2], ctypes.c_ulong(flags), os.fsencode(options) if options else None)
    _call(f"mount {target}", result)


def _call(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def _drop_powers() -> None:
    """Give up what a user of the new namespace may do: nothing in it can unmount what was mounted."""
    for number in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


# processes


def _start(plan: dict[str, Any], status: int, lifeline: int, confined: bool = False) -> int:
    """Start the command; `status` is told that it began, or why it could not."""
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        os.close(lifeline)
        if confined:
            _drop_powers()
        os.chdir(plan["cwd"])
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.write(status, b"started")
        os.execve(plan["argv"][0], plan["argv"], plan["env"])
    except OSError as error:
        os.write(status, os.fsencode(f" {error.filename}: {error.strerror}"))
    os._exit(_CANNOT)


def _watch(child: int, lifeline: int) -> int:
    """Return the exit code of a child as a shell says it; bury whoever ends here, and end all when nobody waits."""
    wake, end = os.pipe()
    os.set_blocking(end, False)
    signal.set_wakeup_fd(end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    while True:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return _CANNOT
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
            if pid == 0:
                break
        ready = select.select([wake, lifeline], [], [])[0]
        if lifeline in ready:
            _end(_CANNOT, child)
        os.read(wake, 512)


def _end(code: int, group: int = 0) -> None:
    """End with every process that came from us; in a process namespace the system does it."""
    if group and not os.path.isdir("/proc"):  # nobody can be asked for their parents
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    for _ in range(50):
        found = _descendants()
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not found:
            break
    os._exit(code)


def _descendants() -> list[int]:
    """Return the living processes below this one: as their reaper, also those that left their group and parent."""
    parents = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with suppress(OSError, ValueError):
            with open(f"/proc/{int(name)}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
            if state not in (b"Z", b"X"):
                parents[int(name)] = int(parent)
    found, last = {os.getpid()}, 0
    while len(found) != last:
        last = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return sorted(found - {os.getpid()})


if __name__ == "__main__":
    main()
