"""Where a host reads what holds for a project, and what holds for the person everywhere."""

import os

from mi.hosts.adapters import HOSTS, Scope
from mi.hosts.workspaces import Workspace
from mi.kernel.home import Home


def scope_workspace(home: Home, host: str, scope: Scope, project: str) -> Workspace:
    """Return the project's root; for the user their folder, or the one that the host's variable names outside of it."""
    if scope != "user":
        return Workspace.at(project, home)
    named = os.environ.get(HOSTS[host].variable) if host in HOSTS else None
    person = os.path.join(os.path.realpath(os.path.expanduser("~")), "")
    if named and not os.path.join(os.path.realpath(named), "").startswith(person):
        return Workspace.at(named, home)
    return Workspace.of_user(home)
