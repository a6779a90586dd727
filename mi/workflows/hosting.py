"""A project's workflows in the workspaces it is bound to: bind, sync, unbind."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import Struct

from mi.evidence.records.workflow_ir import Workflow
from mi.evidence.records.workflows import HostSync
from mi.hosts.adapters import list_artefacts, load_adapter
from mi.hosts.adapters.host import find_generated_root, name_skill_folder
from mi.hosts.apply import Placed, list_owners, place, remove
from mi.hosts.artefacts import Artefact, JsonEntry, Skill
from mi.hosts.workspaces import Workspace
from mi.kernel import files
from mi.kernel.errors import MiError, NotFound
from mi.kernel.home import Home, make_dirs
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.locks import lock_folder
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.project.identity import Project
from mi.project.overlay import HostBinding, Overlay, Register, SymlinkDir, ensure_overlay, read_overlay
from mi.workflows.editor import WorkflowDesk
from mi.workflows.skills import build_skills


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


class HostPlaces(NamedTuple):
    """Where a binding's skills are generated in a workspace, and the folder in which the host finds them."""

    host: str
    generated: str
    linked: str

    @classmethod
    def of(cls, binding: HostBinding) -> "HostPlaces":
        """Return the places that a binding names; what it does not name is where the host looks by itself."""
        host, linked = binding.host, load_adapter(binding.host).skills
        for one in binding.register.symlink_dirs[:1]:
            is_whole = os.path.basename(one.src) == "skills"  # the folder of all skills, not that of one
            linked = one.dst if is_whole else os.path.dirname(one.dst)
        return cls(host, binding.generated_rel_dir or find_generated_root(host), linked)

    @property
    def folder(self) -> SymlinkDir:
        """The folder of all skills, and where it is to be found."""
        return SymlinkDir(src=f"{self.generated}/skills", dst=self.linked)

    @property
    def are_usual(self) -> bool:
        return self.linked == load_adapter(self.host).skills

    def move(self, path: str) -> str:
        """Return a path of the host's usual places as it is here."""
        usual = {find_generated_root(self.host): self.generated, load_adapter(self.host).skills: self.linked}
        for old, new in usual.items():
            if path.startswith(f"{old}/"):
                return new + path.removeprefix(old)
        return path

    def place(self, artefact: Artefact) -> Artefact:
        """Return an artefact for the host's usual places at these."""
        moved = {name: self.move(getattr(artefact, name)) for name in ("path", "target") if hasattr(artefact, name)}
        return msgspec.structs.replace(artefact, **moved)


class Bindings:
    """The workspaces that one project's workflows go to."""

    def __init__(self, home: Home, project: Project, notices: Notices) -> None:
        self._home = home
        self._project = project
        self._notices = notices

    def all(self) -> list[HostBinding]:
        """Return the bindings as the overlay has them."""
        return read_overlay(self._home, self._project, self._notices).host_bindings

    def bind(self, host: str, workspace: str, generated: str = "", linked: str = "") -> Synced:
        """Bind a workspace of a host and put the workflows there; MiError, and no binding, when that fails.

        `generated` and `linked` are folders of the workspace in place of the usual ones.
        """
        load_adapter(host)
        place_ = Workspace.at(workspace, self._home)
        root = place_.relative(generated) if generated else find_generated_root(host)
        chosen = [SymlinkDir(src=f"{root}/skills", dst=place_.relative(linked))] if linked else []
        register = Register(symlink_dirs=chosen)
        bound = HostBinding(host=host, workspace_root=place_.root, generated_rel_dir=root, register=register)
        ensure_overlay(self._home, self._project, self._notices)
        with self._turn():
            moved = self.name_owner(host) in list_owners(place_)
            done, bound = self._place(bound)
            others = [one for one in self.all() if _key(one) != _key(bound)]
            if moved:
                others = [one for one in others if one.host != host or os.path.isdir(one.workspace_root)]
            self._store([*others, bound])
        return done

    def unbind(self, host: str, workspace: str | None = None) -> list[Synced]:
        """Take the workflows out of a host's workspaces and forget the bindings; one that is gone is forgotten, too."""
        load_adapter(host)
        root = os.path.realpath(os.path.expanduser(workspace)) if workspace else None
        chosen = [
            one for one in self.all() if one.host == host and root in (None, os.path.realpath(one.workspace_root))
        ]
        if not chosen:
            raise NotFound("not-bound", host=host, known=", ".join(one.host for one in self.all()) or "-")
        with self._turn():
            done = [self._take_out(one) for one in chosen]
            taken = [_key(one) for one, synced in zip(chosen, done, strict=True) if synced.ok]
            self._store([one for one in self.all() if _key(one) not in taken])
        return done

    def _take_out(self, binding: HostBinding) -> Synced:
        root = binding.workspace_root
        if not os.path.isdir(root):
            self._notices.add("workspace-gone", root)
            return Synced(host=binding.host, workspace_root=root)
        try:
            return _synced(binding, remove(Workspace.at(root, self._home), self.name_owner(binding.host)), [])
        except MiError as error:
            return Synced(host=binding.host, workspace_root=root, ok=False, error=error.line())

    def sync(self) -> list[Synced]:
        """Bring every bound workspace up to date; what fails in one does not keep the others."""
        done, current = [], []
        with self._turn():
            for binding in self.all():
                new = binding
                if binding.enabled:
                    synced, new = self._try(binding)
                    done.append(synced)
                current.append(new)
            if current != self.all():
                self._store(current)
        return done

    def forget(self, but: set[str]) -> None:
        """Drop the bindings, whatever is in the workspaces, but for those of some workspaces."""
        self._store([one for one in self.all() if one.workspace_root in but])

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Take turns: who reads the workflows first must not place them last."""
        folder = self._home.project(self._project.project_id).workflows
        make_dirs(folder)
        with lock_folder(folder):
            yield

    def _try(self, binding: HostBinding) -> tuple[Synced, HostBinding]:
        try:
            return self._place(binding)
        except MiError as error:
            root = binding.workspace_root
            return Synced(host=binding.host, workspace_root=root, ok=False, error=error.line()), binding

    def draft(self, host: str, workspace: str) -> list[Artefact]:
        """Return what a workspace of a host would hold of the workflows, where it is bound or at the usual places."""
        root = Workspace.at(workspace, self._home).root
        usual = HostBinding(host=host, workspace_root=root, generated_rel_dir=find_generated_root(host))
        binding = next((one for one in self.all() if _key(one) == _key(usual)), usual)
        places = HostPlaces.of(binding)
        return list_exported(places, self._build(binding, places)[1], self._project.project_id)

    def _build(self, binding: HostBinding, places: HostPlaces) -> tuple[list[Workflow], list[Skill]]:
        workflows = WorkflowDesk(self._home, self._project, self._notices).effective.enabled()
        workspace = Workspace.at(binding.workspace_root, self._home)
        return workflows, build_skills(workflows, self._names_of_others(workspace, places))

    def _place(self, binding: HostBinding) -> tuple[Synced, HostBinding]:
        """Bring one workspace up to date; what was done, and the binding with the links that are there for it now."""
        host, places = binding.host, HostPlaces.of(binding)
        workflows, made = self._build(binding, places)
        workspace = Workspace.at(binding.workspace_root, self._home)
        placed = place(workspace, self.name_owner(host), list_exported(places, made, self._project.project_id))
        dirs = [SymlinkDir(src=src, dst=dst) for src, dst in list_registrations(places, made)]
        if not places.are_usual:
            dirs.insert(0, places.folder)
        registered = msgspec.structs.replace(binding, register=Register(symlink_dirs=dirs))
        return _synced(binding, placed, workflows), registered

    def _names_of_others(self, workspace: Workspace, places: HostPlaces) -> dict[str, str]:
        """Return the skills that others placed there, each with the workflow that it is, if it is one."""
        own = self.name_owner(places.host)
        links = [entry for entry in workspace.read().entries if entry.kind == "link" and entry.owner != own]
        return {
            os.path.basename(one.path): _workflow_id(workspace.real(os.path.join(one.target, "workflow.json")))
            for one in links
            if os.path.dirname(one.path) == places.linked
        }

    def name_owner(self, host: str) -> str:
        """Return who owns the skills of a host: two projects may share a workspace."""
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


def list_bound_projects(home: Home, notices: Notices) -> list[Project]:
    """Return the projects whose workflows go to some workspace."""
    found = []
    for project_id in home.project_ids():
        overlay = read_state(home.project(project_id).overlay, Overlay, notices)
        if overlay.host_bindings:
            found.append(Project(root=overlay.root_path, project_id=project_id, key=overlay.identity_key))
    return found


def list_exported(places: HostPlaces, made: list[Skill], project_id: str) -> list[Artefact]:
    """Return what a host's workspace holds of a project's workflows.

    The skills, and the list of what was registered.
    """
    if not made:
        return []
    links = [{"src": src, "dst": dst} for src, dst in list_registrations(places, made)]
    listed = JsonEntry(f"{places.generated}/manifest.json", ("symlink_dirs", project_id), links)
    return [*map(places.place, list_artefacts(places.host, made)), listed]


def list_registrations(places: HostPlaces, made: list[Skill]) -> list[tuple[str, str]]:
    """Return each skill's generated folder and the link by which the host finds it."""
    return [(places.move(name_skill_folder(places.host, one.name)), f"{places.linked}/{one.name}") for one in made]


def _workflow_id(path: str) -> str:
    """Return which workflow a generated file is; empty when it cannot be told."""
    data = files.read_bytes(path)
    try:
        return str(decode(data or b"", dict[str, Any]).get("id", ""))
    except BadJson:
        return ""


def _synced(binding: HostBinding, placed: Placed, workflows: list[Workflow]) -> Synced:
    return Synced(
        host=binding.host,
        workspace_root=binding.workspace_root,
        workflows=[workflow.id for workflow in workflows],
        changed=placed.changed,
        removed=placed.removed,
        kept=placed.kept,
    )


def _key(binding: HostBinding) -> tuple[str, str]:
    return binding.host, os.path.realpath(binding.workspace_root)
