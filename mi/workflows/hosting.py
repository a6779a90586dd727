"""A project's workflows in the workspaces it is bound to: bind, sync, unbind."""

import os
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from mi.evidence.records.workflow_ir import Workflow
from mi.evidence.records.workflows import HostSync
from mi.hosts.adapters import adapter, artefacts
from mi.hosts.adapters.contract import generated_root, skill_folder
from mi.hosts.artefacts import Artefact, JsonEntry, Skill
from mi.hosts.place import Placed, owners, place, remove, remove_all
from mi.hosts.workspaces import Workspace, forget_workspace, known_workspaces
from mi.kernel import files
from mi.kernel.errors import MiError, NotFound
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.project.identity import Project
from mi.project.overlay import HostBinding, Overlay, Register, SymlinkDir, ensure_overlay, read_overlay
from mi.workflows.desk import WorkflowDesk
from mi.workflows.skills import skills


class Synced(Struct, frozen=True, kw_only=True):
    """What a sync did in one workspace; `error` says why it did nothing."""

    host: str
    workspace_root: str
    ok: bool = True
    workflows: list[str] = []
    changed: list[str] = []
    removed: list[str] = []
    kept: list[str] = []
    error: str = ""


class Bindings:
    """The workspaces that one project's workflows go to."""

    def __init__(self, home: Home, project: Project, notices: Notices) -> None:
        self._home = home
        self._project = project
        self._notices = notices

    def all(self) -> list[HostBinding]:
        """The bindings as the overlay has them."""
        return read_overlay(self._home, self._project, self._notices).host_bindings

    def bind(self, host: str, workspace: str) -> Synced:
        """Bind a workspace of a host and put the workflows there; MiError, and no binding, when that fails."""
        adapter(host)
        place_ = Workspace.at(workspace, self._home)
        bound = HostBinding(
            host=host, workspace_root=place_.root, generated_rel_dir=generated_root(host), register=Register()
        )
        ensure_overlay(self._home, self._project, self._notices)
        moved = self._owner(host) in owners(place_)
        done, bound = self._place(bound)
        others = [one for one in self.all() if _key(one) != _key(bound)]
        if moved:
            others = [one for one in others if one.host != host or os.path.isdir(one.workspace_root)]
        self._store([*others, bound])
        return done

    def unbind(self, host: str, workspace: str | None = None) -> list[Synced]:
        """Take the workflows out of a host's workspaces and forget the bindings; one that is gone is forgotten, too."""
        adapter(host)
        root = os.path.realpath(os.path.expanduser(workspace)) if workspace else None
        chosen = [
            one for one in self.all() if one.host == host and root in (None, os.path.realpath(one.workspace_root))
        ]
        if not chosen:
            raise NotFound("not-bound", host=host, known=", ".join(one.host for one in self.all()) or "-")
        done = []
        for binding in chosen:
            if os.path.isdir(binding.workspace_root):
                taken = remove(Workspace.at(binding.workspace_root, self._home), self._owner(host))
                done.append(_synced(binding, taken, []))
            else:
                self._notices.add("workspace-gone", binding.workspace_root)
                done.append(Synced(host=host, workspace_root=binding.workspace_root))
        self._store([one for one in self.all() if one not in chosen])
        return done

    def sync(self) -> list[Synced]:
        """Bring every bound workspace up to date; what fails in one does not keep the others."""
        done, current = [], []
        for binding in self.all():
            new = binding
            if binding.enabled:
                synced, new = self._try(binding)
                done.append(synced)
            current.append(new)
        if current != self.all():
            self._store(current)
        return done

    def forget(self) -> None:
        """Drop every binding, whatever is in the workspaces."""
        self._store([])

    def _try(self, binding: HostBinding) -> tuple[Synced, HostBinding]:
        try:
            return self._place(binding)
        except MiError as error:
            root = binding.workspace_root
            return Synced(host=binding.host, workspace_root=root, ok=False, error=error.line()), binding

    def _place(self, binding: HostBinding) -> tuple[Synced, HostBinding]:
        """Bring one workspace up to date; what was done, and the binding with the links that are there for it now."""
        host = binding.host
        workflows = WorkflowDesk(self._home, self._project, self._notices).effective.enabled()
        workspace = Workspace.at(binding.workspace_root, self._home)
        made = skills(workflows, self._names_of_others(workspace, host))
        placed = place(workspace, self._owner(host), exported(host, made, self._project.project_id))
        dirs = [SymlinkDir(src=src, dst=dst) for src, dst in registrations(host, made)]
        registered = msgspec.structs.replace(binding, register=Register(symlink_dirs=dirs))
        return _synced(binding, placed, workflows), registered

    def _names_of_others(self, workspace: Workspace, host: str) -> dict[str, str]:
        """The skills that others placed there, each with the workflow that it is, if it is one."""
        links = [one for one in workspace.read().entries if one.kind == "link" and one.owner != self._owner(host)]
        return {
            os.path.basename(one.path): _workflow_id(workspace.real(os.path.join(one.target, "workflow.json")))
            for one in links
            if os.path.dirname(one.path) == adapter(host).skills
        }

    def _owner(self, host: str) -> str:
        """Two projects may share a workspace: each owns what it placed."""
        return f"workflows:{host}:{self._project.project_id}"

    def _store(self, bindings: list[HostBinding]) -> None:
        def changed(overlay: Overlay) -> Overlay:
            return msgspec.structs.replace(overlay, host_bindings=bindings)

        update_state(self._home.project(self._project.project_id).overlay, Overlay, changed, self._notices)


def sync_bound(bindings: Bindings, record: Callable[[HostSync], object], reason: str) -> list[Synced]:
    """Bring the bound workspaces up to date and record it; nothing happens where none is bound."""
    if not bindings.all():
        return []
    done = bindings.sync()
    record(HostSync(reason=reason, results=[msgspec.to_builtins(one) for one in done]))
    return done


def bound_projects(home: Home, notices: Notices) -> list[Project]:
    """The projects whose workflows go to some workspace."""
    found = []
    for project_id in sorted(os.listdir(home.projects)) if os.path.isdir(home.projects) else ():
        overlay = read_state(home.project(project_id).overlay, Overlay, notices)
        if overlay.host_bindings:
            found.append(Project(root=overlay.root_path, project_id=project_id, key=overlay.identity_key))
    return found


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
        for project in bound_projects(home, notices):
            Bindings(home, project, notices).forget()
    return [*(one for one in done if one.removed or one.changed or one.kept or one.error), *map(_gone, missing)]


def _all_workspaces(home: Home, notices: Notices) -> list[str]:
    """The listed workspaces, and those of every project: a list that was lost does not hide what is there."""
    found = known_workspaces(home, notices)
    for project_id in sorted(os.listdir(home.projects)) if os.path.isdir(home.projects) else ():
        overlay = read_state(home.project(project_id).overlay, Overlay, notices)
        for root in (overlay.root_path, *(one.workspace_root for one in overlay.host_bindings)):
            if root and os.path.isdir(root) and os.path.isfile(Workspace.at(root, home).manifest_path):
                found.append(root)
    return list(dict.fromkeys(found))


def _clear(workspace: Workspace, apply: bool) -> Cleared:
    """One workspace; what fails in it does not keep the others."""
    try:
        taken = remove_all(workspace, apply)
    except MiError as error:
        return Cleared(workspace_root=workspace.root, error=error.line())
    return Cleared(workspace_root=workspace.root, removed=taken.removed, changed=taken.changed, kept=taken.kept)


def _gone(root: str) -> Cleared:
    return Cleared(workspace_root=root, gone=True)


def exported(host: str, made: list[Skill], project_id: str) -> list[Artefact]:
    """What a host's workspace holds of a project's workflows: the skills, and the list of what was registered."""
    if not made:
        return []
    links = [{"src": src, "dst": dst} for src, dst in registrations(host, made)]
    listed = JsonEntry(f"{generated_root(host)}/manifest.json", ("symlink_dirs", project_id), links)
    return [*artefacts(host, made), listed]


def registrations(host: str, made: list[Skill]) -> list[tuple[str, str]]:
    """Each skill's generated folder and the link by which the host finds it."""
    place_ = adapter(host).skills
    return [(skill_folder(host, one.name), f"{place_}/{one.name}") for one in made]


def _workflow_id(path: str) -> str:
    """Which workflow a generated file is; empty when it cannot be told."""
    data = files.read_bytes(path)
    try:
        return str(decode(data or b"", dict[str, Any]).get("id", ""))
    except BadJson:
        return ""


def _synced(binding: HostBinding, placed: Placed, workflows: list[Workflow]) -> Synced:
    return Synced(
        host=binding.host,
        workspace_root=binding.workspace_root,
        workflows=[one.id for one in workflows],
        changed=placed.changed,
        removed=placed.removed,
        kept=placed.kept,
    )


def _key(binding: HostBinding) -> tuple[str, str]:
    return binding.host, os.path.realpath(binding.workspace_root)
