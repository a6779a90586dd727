"""The difference that a run or one of its batches made: files with their lines, code and tests apart."""

import os
from collections.abc import Iterable
from contextlib import closing

from mi.app.report import find_run_place, open_project_of
from mi.app.run_diff import open_diff
from mi.app.snapshots import choose_snapshots
from mi.evidence.latest import whole_run
from mi.kernel.digest import hash_sha256
from mi.kernel.errors import MiError, NotFound
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_lock, is_output, is_test
from mi.project.tree_diff import ChangedFile, TreePair, list_changes, write_patch
from mi.web.patch_lines import FilePatch, PatchHunk, read_patch
from mi.web.view import PageRequest, PageView

_FILES = 100  # that one look lists
_LINES = 1000  # that one look draws, of all files together …
_OF_FILE = 300  # … and of one; a file that is asked for by its name has as many as a look may
_UNSEEN = 60


class ShownFile(NamedTuple):
    """A file that differs; `patch` is None where its lines are a link away."""

    change: ChangedFile
    name: str
    place: str  # in the page
    patch: FilePatch | None = None
    hunks: list[PatchHunk] = []
    left: int = 0  # lines that are a link away


class DiffGroup(NamedTuple):
    """Files of one kind: code, tests."""

    name: str
    files: list[ShownFile]


class DiffModel(NamedTuple):
    """What a run or a batch changed."""

    run_id: str
    task: str
    batch: str
    batches: tuple[str, ...]
    groups: list[DiffGroup] = []
    files: int = 0
    added: int = 0
    removed: int = 0
    file: str = ""  # the only one that is shown
    start: int = 0  # the first file of this look, or the first line of the only one
    next_start: int = 0  # of the following look; 0: there is none
    unseen: dict[str, str] = {}  # what could not be compared, and why
    unseen_more: int = 0
    problem: str = ""  # why there is nothing to show


def _show(request: PageRequest) -> DiffModel:
    run_id, batch = request.params["run_id"], request.query.get("batch", "")
    place = find_run_place(request.context, run_id, _index_quietly)
    run = whole_run(place.log, run_id, request.context.evidence_index, _index_quietly) or {}
    head = DiffModel(run_id, str(run.get("task", "")), batch, ())
    with closing(open_project_of(request.context, place)) as there:
        try:
            chosen = choose_snapshots(there, f"{run_id}/{batch}" if batch else run_id)
            with open_diff(there, chosen, [""], until_now=False) as pair:
                return _fill(head._replace(batches=chosen.batches), pair, request)
        except MiError as error:
            if batch and isinstance(error, NotFound) and error.code == "batch-not-kept":
                raise
            return head._replace(problem=error.line(request.language))


def _fill(model: DiffModel, pair: TreePair, request: PageRequest) -> DiffModel:
    changes = list_changes(pair, [""])
    changes.sort(key=lambda change: is_test(change.path))
    asked, start = request.query.get("file", ""), request.query.get("from", "")
    model = model._replace(
        files=len(changes),
        added=sum(change.added or 0 for change in changes),
        removed=sum(change.removed or 0 for change in changes),
        file=asked,
        start=int(start) if start.isdecimal() else 0,
        unseen=dict(list(pair.unseen.items())[:_UNSEEN]),
        unseen_more=max(len(pair.unseen) - _UNSEEN, 0),
    )
    if asked:
        return _fill_file(model, pair, changes)
    listed = changes[model.start : model.start + _FILES]
    drawn = _choose_drawn(listed)
    patches = _read_patches(pair, drawn)
    files = [_draw(change, patches.get(_name(change))) for change in listed]
    following = model.start + _FILES
    return model._replace(groups=_group(files), next_start=following if following < len(changes) else 0)


def _fill_file(model: DiffModel, pair: TreePair, changes: list[ChangedFile]) -> DiffModel:
    """Return the lines of one file, so many at a time."""
    change = next((change for change in changes if _name(change) == model.file), None)
    if change is None:
        raise NotFound("path-unknown", path=model.file, ref=model.run_id)
    patch = _read_patches(pair, [change]).get(model.file)
    shown = _draw(change, patch, model.start, _LINES)
    return model._replace(groups=_group([shown]), next_start=model.start + _LINES if shown.left else 0)


def _choose_drawn(changes: Iterable[ChangedFile]) -> list[ChangedFile]:
    """Return the files whose lines are drawn at once; what machines write, and what is long, waits to be asked for."""
    drawn, room = list[ChangedFile](), _LINES
    for change in changes:
        size = (change.added or 0) + (change.removed or 0)
        if size <= min(_OF_FILE, room) and not is_lock(change.path) and not is_output(change.path):
            drawn.append(change)
            room -= size
    return drawn


def _read_patches(pair: TreePair, changes: list[ChangedFile]) -> dict[str, FilePatch]:
    """Return the patches of these files, by path."""
    paths = [path for change in changes for path in (change.path, change.was) if path]
    return {patch.path: patch for patch in read_patch(write_patch(pair, paths, only_stat=False))} if paths else {}


def _draw(change: ChangedFile, patch: FilePatch | None, start: int = 0, most: int = _LINES) -> ShownFile:
    name = _name(change)
    shown = ShownFile(change, name, "f-" + hash_sha256(name.encode())[:12])
    if patch is None:
        return shown
    hunks, at = list[PatchHunk](), 0
    for hunk in patch.hunks:
        first, last = max(start - at, 0), start + most - at
        if lines := hunk.lines[first : max(last, 0)]:
            hunks.append(hunk._replace(lines=lines))
        at += len(hunk.lines)
    return shown._replace(patch=patch, hunks=hunks, left=max(at - start - most, 0))


def _name(change: ChangedFile) -> str:
    """Return a file's path as it can be shown and asked for, whatever bytes it is made of."""
    return os.fsencode(change.path).decode("utf-8", "replace")


def _group(files: list[ShownFile]) -> list[DiffGroup]:
    tests = [file for file in files if is_test(file.name)]
    code = [file for file in files if file not in tests]
    return [DiffGroup(name, found) for name, found in (("code", code), ("tests", tests)) if found]


def _index_quietly(done: int, total: int) -> None:
    """Say nothing of how far the index is: the page waits for the answer."""


VIEW = PageView("diff", "/run/{run_id}/diff", _show, "run:{run_id}", in_menu=False)
