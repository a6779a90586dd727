"""Taking everything of MI's out of every workspace that a home knows."""

import os

from msgspec import Struct

from mi.hosts.apply import remove_all
from mi.hosts.workspaces import Workspace, forget_workspace, list_known_workspaces
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state
from mi.project.overlay import Overlay
from mi.workflows.hosting import Bindings, list_bound_projects


class Cleared(Struct, frozen=True, kw_only=True):
    """What was taken out of one workspace, or would be; `gone`: the folder is no more; `error`: why nothing was."""

    workspace_root: str
    removed: list[str] = []
    changed: list[str] = []
    kept: list[str] = []
    gone: bool = False
    error: str = ""


def clear_everywhere(home: Home, more: list[str], notices: Notices, apply: bool) -> list[Cleared]:
    """Take everything of MI's out of every workspace and out of the user's folder, and forget all bindings."""
    roots = dict.fromkeys([*_all_workspaces(home, notices), *(Workspace.at(one, home).root for one in more)])
    spaces = [Workspace.at(root, home) for root in roots if os.path.isdir(root)]
    done = [_clear(one, apply) for one in [*spaces, Workspace.of_user(home)]]
    missing = [root for root in roots if not os.path.isdir(root)]
    if apply:
        for root in missing:
            forget_workspace(home, root)
        for project in list_bound_projects(home, notices):
            Bindings(home, project, notices).forget(but={one.workspace_root for one in done if one.error})
    return [
        *(one for one in done if one.removed or one.changed or one.kept or one.error),
        *(Cleared(workspace_root=root, gone=True) for root in missing),
    ]


def _all_workspaces(home: Home, notices: Notices) -> list[str]:
    """Return the listed workspaces, and those of every project: a list that was lost does not hide what is there."""
    found = list_known_workspaces(home, notices)
    for project_id in home.project_ids():
        overlay = read_state(home.project(project_id).overlay, Overlay, notices)
        for root in (overlay.root_path, *(binding.workspace_root for binding in overlay.host_bindings)):
            if root and os.path.isdir(root) and Workspace.at(root, home).is_recorded:
                found.append(root)
    return list(dict.fromkeys(found))


def _clear(workspace: Workspace, apply: bool) -> Cleared:
    """Clear one workspace; what fails in it does not keep the others."""
    try:
        taken = remove_all(workspace, apply)
    except MiError as error:
        return Cleared(workspace_root=workspace.root, error=error.line())
    return Cleared(workspace_root=workspace.root, removed=taken.removed, changed=taken.changed, kept=taken.kept)
