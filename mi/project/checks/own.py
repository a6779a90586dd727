"""What the person set as this project's checks: with the project in the home, or shared in `.mi/checks.toml`."""

import json
import os
import shutil
import tomllib
from typing import Any

from mi.kernel import files
from mi.kernel.errors import MiError, UsageError
from mi.kernel.home import make_dirs
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.secrets import redact_start
from mi.kernel.shell.outcome import decisive_commands
from mi.project.checks.order import OWN, SHARED
from mi.project.checks.places import place_of
from mi.project.checks.runner import Check, Kind
from mi.project.identity import find_main_root

_KINDS = ("test", "build")
_LISTS = ("prepare", "copy", "link")


class OwnChecks(NamedTuple):
    """The person's word about the checks."""

    checks: list[Check] = []
    prepare: list[str] = []  # commands that make a copy of the project ready for its checks
    copy: list[str] = []  # files beside those of git that a copy needs
    link: list[str] = []  # folders that a copy shares


def read_own(root: str, kept: str, notices: Notices) -> OwnChecks:
    """Return what the person set; `kept` is the file in the home, whose word goes before the shared one's.

    What cannot be taken is noticed and left out: then the checks that the project's files tell of hold.
    """
    own, shared = read_file(kept, notices), read_file(_find_shared(root), notices, SHARED)
    places = {check.folder for check in own.checks}
    checks = [*own.checks, *(check for check in shared.checks if check.folder not in places)]
    return OwnChecks(
        [check for check in checks if _has_program(check, root, notices)],
        own.prepare or shared.prepare,
        own.copy or shared.copy,
        own.link or shared.link,
    )


def _find_shared(root: str) -> str:
    """Return the shared file; a linked work tree without one goes by the main tree's, which git may not keep."""
    place = os.path.join(root, SHARED)
    main = "" if os.path.lexists(place) else find_main_root(root)
    return os.path.join(main, SHARED) if main else place


def write_own(path: str, checks: list[Check]) -> None:
    """Write checks into a file of the person's, keeping what it says of copies."""
    kept = read_file(path, Notices())
    lists = {name: getattr(kept, name) for name in _LISTS if getattr(kept, name)}
    lines = ["# What counts as checked in this project; `mi checks` shows it."]
    lines += [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in lists.items()]
    for check in checks:
        lines += ["", "[[check]]", f"command = {json.dumps(check.text, ensure_ascii=False)}"]
        lines += [f"folder = {json.dumps(check.folder, ensure_ascii=False)}"] if check.folder else []
        lines += [f'kind = "{check.kind}"'] if check.kind != "test" else []
    make_dirs(os.path.dirname(path))
    files.write_atomic(path, "\n".join([*lines, ""]).encode())


def make_check(command: str, folder: str, kind: Kind, source: str = OWN) -> Check:
    """Return a command of the person's as a check; UsageError when it cannot be one."""
    place = place_of(folder or ".", "")
    if place is None:
        raise UsageError("check-outside", folder=folder)
    calls = decisive_commands(command)
    if not calls:
        raise UsageError("check-unreadable", check=command)
    # A line of one plain command is known in all its spellings; any other only as it stands.
    is_plain = len(calls) == 1 and calls[0].argv == tuple(command.split())
    return Check(kind, calls[0].argv if is_plain else (command.strip(),), source, place)


def read_file(path: str, notices: Notices, source: str = OWN) -> OwnChecks:
    """Return what one file says; what of it cannot be taken is noticed."""
    try:
        text = (files.read_bytes(path) or b"").decode()
        found = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        notices.add("checks-broken", path, reason=" ".join(str(error).split()))
        return OwnChecks()
    checks = [check for entry in _entries(found) if (check := _take(entry, path, source, notices))]
    return OwnChecks(checks, **{name: _take_list(found.get(name, []), name, path, notices) for name in _LISTS})


def _take_list(told: Any, name: str, path: str, notices: Notices) -> list[str]:
    """Return what a file says under a name, one or many; what is no text or lies outside is noticed and left out."""
    kept = []
    for one in told if isinstance(told, list) else [told]:
        if isinstance(one, str) and one.strip() and (name == "prepare" or place_of(one, "")):
            kept.append(one)
        else:
            said = json.dumps({name: one}, ensure_ascii=False, default=str)
            notices.add("checks-place", path, entry=redact_start(said, 200))
    return kept


def _entries(found: dict[str, Any]) -> list[Any]:
    entries = found.get("check", [])
    return entries if isinstance(entries, list) else [entries]


def _take(entry: Any, path: str, source: str, notices: Notices) -> Check | None:
    """Return an entry of the file as a check; None, noticed, when it is none."""
    told = entry if isinstance(entry, dict) else {}
    kind: Kind = "build" if told.get("kind") == "build" else "test"
    if not isinstance(told.get("command"), str) or told.get("kind", "test") not in _KINDS:
        notices.add("checks-entry", path, entry=redact_start(json.dumps(entry, ensure_ascii=False, default=str), 200))
        return None
    try:
        return make_check(told["command"], str(told.get("folder", "")), kind, source)
    except MiError as error:
        notices.add("checks-broken", path, reason=error.line())
        return None


def _has_program(check: Check, root: str, notices: Notices) -> bool:
    """Return whether the program of a check is there; noticed when it is not."""
    program = next(iter(decisive_commands(check.text)), None)
    name = program.argv[0] if program else ""
    place = os.path.join(root, check.folder, name)
    if os.path.exists(place) if "/" in name else shutil.which(name):
        return True
    notices.add("checks-no-program", check.source, program=name, check=check.text)
    return False
