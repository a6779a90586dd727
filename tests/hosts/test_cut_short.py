"""Placing that was killed or refused in the middle: known, finished or taken back, nothing of the user's lost."""

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from mi.hosts.apply import place, remove
from mi.hosts.artefacts import Artefact, File, JsonItem, MarkedBlock
from mi.hosts.workspaces import Workspace, digest, list_known_workspaces
from mi.kernel.errors import StorageError
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.hosts.test_place import ALL, HOOK, users_files
from tests.hosts.trees import tree

CHANGES = ("mkdir", "replace", "symlink", "unlink", "rmdir")
REFUSED = CHANGES[:-1]  # an empty folder that cannot be removed stays
LATER: list[Artefact] = [
    File(".mi/generated/codex/skills/mi-x/SKILL.md", "two\n"),
    MarkedBlock("AGENTS.md", "contract", "Another text."),
    JsonItem(".claude/settings.json", ("hooks", "Stop"), HOOK),
]


class Killed(BaseException):
    """What nothing catches."""


@contextmanager
def failing(
    root: Path, at: int, error: Callable[[], BaseException], changes: tuple[str, ...] = CHANGES
) -> Iterator[list[int]]:
    """The `at`-th change of the folder, or of the home beside it, does not happen."""
    seen = [0]

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            if str(args[-1]).startswith((f"{root}{os.sep}", f"{root.with_name(f'home-{root.name}')}{os.sep}")):
                seen[0] += 1
                if seen[0] == at:
                    raise error()
            return real(*args, **more)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in changes:
            patch.setattr(os, name, watched(getattr(os, name)))
        yield seen


def counted(folder: Path, act: Callable[[], object], changes: tuple[str, ...] = CHANGES) -> int:
    with failing(folder, 0, Killed, changes) as seen:
        act()
    return seen[0]


def space(base: Path, name: str, owner: str = "") -> tuple[Path, Workspace, dict[str, Any]]:
    folder = base / name
    folder.mkdir()
    users_files(folder)
    before = tree(folder)
    workspace = Workspace.at(str(folder), Home(str(base / f"home-{name}")))
    if owner:
        place(workspace, owner, ALL)
    return folder, workspace, before


Act = Callable[[Workspace], object]
ACTS: dict[str, tuple[str, Act]] = {
    "first": ("", lambda workspace: place(workspace, "all", ALL)),
    "another": ("all", lambda workspace: place(workspace, "all", LATER)),
    "removing": ("all", lambda workspace: remove(workspace, "all")),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_kill_at_any_point_is_finished_or_taken_back(tmp_path: Path, act: str) -> None:
    owner, acting = ACTS[act]
    folder, workspace, _ = space(tmp_path, "whole", owner)
    number = counted(folder, lambda: acting(workspace))
    assert number > 10
    whole = tree(folder)
    for at in range(1, number + 1):
        for again in (False, True):
            folder, workspace, before = space(tmp_path, f"{at}-{again}", owner)
            with failing(folder, at, Killed), pytest.raises(Killed):
                acting(workspace)
            if again:
                acting(workspace)
                if act != "removing":
                    assert {*tree(folder)} == {*whole}, at
            remove(workspace, "all")
            assert tree(folder) == before, at
            assert list_known_workspaces(workspace.home, Notices()) == []


@pytest.mark.parametrize("act", ACTS)
def test_what_the_system_refuses_changes_nothing(tmp_path: Path, act: str) -> None:
    owner, acting = ACTS[act]
    folder, workspace, _ = space(tmp_path, "whole", owner)
    number = counted(folder, lambda: acting(workspace), REFUSED)
    for at in range(1, number + 1):
        folder, workspace, before = space(tmp_path, str(at), owner)
        as_it_was = tree(folder)
        with failing(folder, at, lambda: OSError(errno.EACCES, "no"), REFUSED), suppress(StorageError):
            acting(workspace)
            as_it_was = tree(folder)  # nothing was in its way: a link became a copy, a rest was left for later
        assert tree(folder) == as_it_was, at
        remove(workspace, "all")
        assert tree(folder) == before, at


@pytest.mark.parametrize("path", ["../out.txt", "/tmp/out.txt", "a/../../out.txt"])
@pytest.mark.parametrize("part", ["files", "links", "folders"])
def test_a_note_that_leads_out_of_the_workspace_is_not_followed(tmp_path: Path, path: str, part: str) -> None:
    folder, workspace, before = space(tmp_path, "space")
    noted: dict[str, Any] = {"manifest": {}, "files": {}, "links": {}, "folders": []}
    change = {"content": None, "mode": 0, "written": digest(b"mine\n")}
    noted[part] = {"files": {path: change}, "links": {path: ["", "x"]}, "folders": [path]}[part]
    note = Path(workspace.journal_path)
    note.parent.mkdir(parents=True)
    note.write_text(json.dumps(noted))
    out = tmp_path / "out.txt"
    out.write_text("mine\n")
    with pytest.raises(StorageError, match="underway/"):
        place(workspace, "x", ALL)
    assert out.read_text() == "mine\n"
    assert tree(folder) == before
