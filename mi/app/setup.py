"""Setting a project up for a host, decided: where each piece goes, and which `mi` the files of a team may name."""

import os
import sys

from mi.app.home_context import HomeContext
from mi.hosts.adapters import HOSTS, Scope
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
