"""What MI keeps about one project besides its logs: `overlay.json`."""

from typing import Any

import msgspec
from msgspec import Struct, field

from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.project.identity import Project, make_storable
from mi.project.stack import find_stack


class OverlayIdentity(Struct, frozen=True, kw_only=True):
    kind: str = ""
    key: str = ""


class TestlessStrategy(Struct, frozen=True, kw_only=True):
    """Points to the claim that says what counts as verified in a project without tests."""

    chosen_once: bool = False
    claim_id: str = ""
    rationale: str = ""


class SymlinkDir(Struct, frozen=True, kw_only=True):
    src: str = ""
    dst: str = ""


class Register(Struct, frozen=True, kw_only=True):
    symlink_dirs: list[SymlinkDir] = []


class HostBinding(Struct, frozen=True, kw_only=True):
    host: str = ""
    workspace_root: str = ""
    enabled: bool = True
    generated_rel_dir: str = ""
    register: Register = field(default_factory=Register)


class HandsState(Struct, frozen=True, kw_only=True):
    """The agent's thread to go on with."""

    provider: str = ""
    thread_id: str = ""
    updated_ts: str = ""


class WorkflowRun(Struct, frozen=True, kw_only=True):
    """The cursor of an active workflow."""

    version: str = "v1"
    active: bool = False
    workflow_id: str = ""
    workflow_name: str = ""
    run_id: str = ""
    thread_id: str = ""
    started_ts: str = ""
    updated_ts: str = ""
    completed_step_ids: list[str] = []
    next_step_id: str | None = None
    last_batch_id: str = ""
    last_confidence: float = 0.0
    last_notes: str = ""
    opened: list[str] = []  # what the agent has yet to hear about gates that the person opened
    close_reason: str = ""


class Overlay(Struct, frozen=True, kw_only=True):
    """The state of one project."""

    version: str = "v1"
    project_id: str = ""
    root_path: str = ""
    identity_key: str = ""
    identity: OverlayIdentity = field(default_factory=OverlayIdentity)
    stack_hints: list[str] = []
    testless_verification_strategy: TestlessStrategy = field(default_factory=TestlessStrategy)
    host_bindings: list[HostBinding] = []
    hands_state: HandsState = field(default_factory=HandsState)
    global_workflow_overrides: dict[str, dict[str, Any]] = {}
    workflow_run: WorkflowRun = field(default_factory=WorkflowRun)


def read_overlay(home: Home, project: Project, notices: Notices) -> Overlay:
    """Return the overlay of a project; of one never used before, what it would begin with."""
    return _identified(read_state(home.project(project.project_id).overlay, Overlay, notices), project)


def ensure_overlay(home: Home, project: Project, notices: Notices) -> Overlay:
    """Write down where a project is, what it is recognised by and what it is made with, keeping the rest."""
    make_storable(project.main_root)
    path = home.project(project.project_id).overlay
    stack = find_stack(project.root)

    def change(overlay: Overlay) -> Overlay:
        return msgspec.structs.replace(_identified(overlay, project), stack_hints=stack or overlay.stack_hints)

    return update_state(path, Overlay, change, notices)


def _identified(overlay: Overlay, project: Project) -> Overlay:
    return msgspec.structs.replace(
        overlay,
        project_id=project.project_id,
        root_path=project.main_root,
        identity_key=project.key,
        identity=OverlayIdentity(kind=project.identity.kind, key=project.key),
    )
