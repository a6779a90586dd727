"""`mi doctor --security`: what could read, write or speak in the place of MI, and what notices it."""

import os
import stat
from collections.abc import Iterator

from mi.app.home_context import HomeContext
from mi.cli.doctor_finding import DoctorFinding
from mi.cli.output import Output

_SHOWN = 5  # paths of one kind


def look_at_modes(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what others can read or write in the home, or replace on the way to it."""
    root = context.home.root
    if not os.path.isdir(root):
        yield DoctorFinding("modes", "ok", "home-new", {"path": root})
        return
    found = [path for path in _all_below(root) if _is_open(path)]
    for path in found[:_SHOWN]:
        yield DoctorFinding("modes", "fail", "file-open", {"path": path}, f"chmod go-rwx {path}")
    if found[_SHOWN:]:
        yield DoctorFinding("modes", "fail", "files-open", {"count": len(found) - _SHOWN}, f"chmod -R go-rwx {root}")
    above = [path for path in _folders_above(os.path.realpath(root)) if _can_others_replace(path)]
    for path in above:
        yield DoctorFinding("modes", "fail", "folder-open", {"path": path, "home": root}, f"chmod go-w {path}")
    if not found and not above:
        yield DoctorFinding("modes", "ok", "modes-ok", {"path": root, "user": os.getuid()})


def _all_below(root: str) -> Iterator[str]:
    yield root
    for folder, folders, names in os.walk(root):
        yield from (os.path.join(folder, name) for name in (*folders, *names))


def _is_open(path: str) -> bool:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False  # gone since it was listed
    return not stat.S_ISLNK(found.st_mode) and (found.st_uid != os.getuid() or bool(found.st_mode & 0o077))


def _folders_above(path: str) -> Iterator[str]:
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        yield path


def _can_others_replace(folder: str) -> bool:
    """Return whether others may rename what lies in a folder; with the sticky bit only its owner may."""
    found = os.stat(folder)
    strangers = found.st_uid not in (0, os.getuid())
    return strangers or bool(found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX)


def look_at_seals(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what MI did not write into its own files; every log is read whole."""
    from mi.app.seal import verify_logs

    changes = verify_logs(context) if os.path.isdir(context.home.root) else []
    for one in changes:
        yield DoctorFinding("seals", "fail", "seal-broken", {"path": one.path, "kind": one.kind}, "mi seal show")
    if not changes:
        yield DoctorFinding("seals", "ok", "seals-ok", {"count": len(context.home.logs())})


def look_at_token(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield who else could call MCP over HTTP."""
    from mi.mcp.http import find_token_file

    path = find_token_file(context.home)
    if not os.path.lexists(path):
        yield DoctorFinding("token", "ok", "token-none", {})
    elif os.path.islink(path) or _is_open(path):
        yield DoctorFinding("token", "fail", "token-open", {"path": path}, f"rm {path}")
    else:
        yield DoctorFinding("token", "ok", "token-ok", {"path": path})


def look_at_hooks(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield which hooks are not as MI entered them, or start nothing: then their host lets every call pass."""
    from mi.hosts.installed import find_installed_commands
    from mi.hosts.integrity import find_changed_hooks

    changed = find_changed_hooks(context.home, context.project.root)
    for one in changed:
        details = {"path": one.path, "missing": one.missing, "entered": one.entered}
        yield DoctorFinding("hooks", "fail" if one.missing else "warn", "hooks-changed", details, "mi hook install")
    commands = find_installed_commands(context.home, context.notices)
    gone = [one for one in commands if one.owner.startswith("hook ") and not one.works]
    for lost in gone:
        fix = f"mi -C {lost.root} hook install {lost.owner.removeprefix('hook ')}"
        yield DoctorFinding("hooks", "fail", "host-command-gone", lost._asdict(), fix)
    if not changed and not gone:
        yield DoctorFinding("hooks", "ok", "hooks-ok", {})


def look_at_listeners(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield the servers of MI that run: each of them is a door."""
    if not os.path.isdir("/proc/self"):
        yield DoctorFinding("listeners", "warn", "listeners-untold", {}, "ps -ef | grep 'mcp serve'")
        return
    found = [pid for pid in os.listdir("/proc") if pid.isdigit() and _serves_http(pid)]
    for pid in found:
        yield DoctorFinding("listeners", "ok", "listener", {"pid": pid})
    if not found:
        yield DoctorFinding("listeners", "ok", "listeners-none", {})


def _serves_http(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False  # ended meanwhile, or another user's
    is_mi = any(os.path.basename(word) == b"mi" or word == b"mi" for word in words)
    return is_mi and {b"mcp", b"serve", b"--http"} <= set(words)


def look_at_proofs(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield how a project's own tests are kept from the rest of the machine when MI runs them."""
    from mi.project.proof.sandbox import find_way

    way = find_way()
    if way == "plain":
        yield DoctorFinding("proofs", "warn", "proofs-plain", {}, "apt-get install bubblewrap")
    else:
        yield DoctorFinding("proofs", "ok", "proofs-apart", {"way": way})


def look_at_notify(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what is started or called to reach the person: read it, it runs as you."""
    from mi.app.notify import find_targets

    targets = find_targets(context)
    for one in targets:
        yield DoctorFinding("notify", "ok", "notify-way", {"kind": one.kind, "command": one.command or "-"})
    if not targets:
        yield DoctorFinding("notify", "ok", "notify-none", {})


LOOKS = {
    "modes": look_at_modes,
    "seals": look_at_seals,
    "token": look_at_token,
    "hooks": look_at_hooks,
    "listeners": look_at_listeners,
    "proofs": look_at_proofs,
    "notify": look_at_notify,
}
