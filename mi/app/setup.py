"""Setting a project up for a host, decided: where each piece goes, and which `mi` the files of a team may name."""

import os
import sys
from collections.abc import Iterator

from mi.app.home_context import HomeContext
from mi.hosts.adapters import HOSTS, Scope, load_adapter
from mi.kernel.errors import MiError

LIGHT = "light"


def bind_by_profile(context: HomeContext, profile: str | None) -> HomeContext:
    """Return the context bound by the profile that a committed entry names; never by a program of the repository's."""
    if profile:
        refuse_own_program(context, os.path.abspath(sys.argv[0]))
    return context.in_profile(profile or "")


def check_portable(context: HomeContext) -> None:
    """Raise where others, or this very person, would not find `mi` by its name."""
    from shutil import which

    found = which("mi")
    if found is None:
        raise MiError("setup-no-mi")
    refuse_own_program(context, os.path.abspath(found))


def refuse_own_program(context: HomeContext, program: str) -> None:
    """Raise for a program below the project: whoever may write the project could be it."""
    root = context.choice.root
    if program.startswith((os.path.join(os.path.realpath(root), ""), os.path.join(root, ""))):
        raise MiError("setup-own-mi", path=program, root=root)


def find_scope(host: str, profile: str) -> Scope:
    """Return where a host reads what a profile places: light is one person's, the others are a team's."""
    if profile != LIGHT:
        return "project"
    return "local" if HOSTS[host].has_own_settings else "user"


def find_tracked(context: HomeContext, host: str) -> str:
    """Return the personal file of a host in this project if git tracks it; else ''."""
    from mi.kernel import git

    name = HOSTS[host].settings("local", "settings.local.json")
    listed = git.run(context.project.root, "ls-files", "--", name) if HOSTS[host].has_own_settings else None
    return name if listed is not None and listed.output.strip() else ""


def list_sharing(context: HomeContext, host: str) -> list[str]:
    """Return the other projects that a person's entries for a host serve, too."""
    from mi.hosts.setups import read_setups

    found = read_setups(context.home, context.notices)
    return [root for root, hosts in found.items() if hosts.get(host) == LIGHT and root != context.project.root]


def hide_own_files(context: HomeContext, root: str, changed: dict[str, str] | None = None) -> str:
    """Keep what light places in the work trees of a repository out of the next `git add -A`.

    With profiles that hosts would have here nothing is written; return the file that changes.
    """
    from mi.hosts.setups import read_setups
    from mi.kernel import git
    from mi.project.git_excludes import write_block

    listed = git.run(root, "worktree", "list", "--porcelain", "-z").output.split("\0")
    tops = [line.removeprefix("worktree ") for line in listed if line.startswith("worktree ")]
    setups = {**read_setups(context.home, context.notices)}
    setups[root] = setups.get(root, {}) | (changed or {})
    places = [(place, top, hosts) for place, hosts in setups.items() if (top := git.find_toplevel(place)) in tops]
    patterns = [one for place, top, hosts in places for one in _list_own(os.path.realpath(place), top or "", hosts)]
    title = "placed by mi setup for one person"
    return write_block(tops[0], title, patterns, apply=changed is None) if tops else ""


def _list_own(place: str, top: str, hosts: dict[str, str]) -> Iterator[str]:
    """Yield git's patterns of what light has in a project: its personal settings, and the person's workflows."""
    from mi.project.git_rules import escape_pattern

    below = escape_pattern(place.removeprefix(top))
    for host in (name for name, profile in hosts.items() if profile == LIGHT):
        yield f"{below}/{load_adapter(host).skills}/mi-*"
        if HOSTS[host].has_own_settings:
            yield f"{below}/{HOSTS[host].settings('local', 'settings.local.json')}"
