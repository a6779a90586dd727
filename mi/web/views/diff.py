"""The difference that a run or one of its batches made, with the person's notes on its lines."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing

from mi.app.covering_checks import CoveringCheck, find_covering, list_checks
from mi.app.line_notes import KeptNote, add_note, read_notes, remove_notes, send_notes
from mi.app.report import RunLogPlace, open_project_of
from mi.app.run_again import find_run, resume_detached
from mi.app.run_diff import open_diff
from mi.app.snapshots import choose_snapshots
from mi.evidence.records.questions import UserInput
from mi.evidence.run_words import find_unheard
from mi.evidence.runs import RunEntry
from mi.kernel.digest import hash_sha256
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_lock, is_output, is_test
from mi.project.tree_diff import ChangedFile, TreePair, list_changes, write_patch
from mi.web.patch_lines import FilePatch, PatchHunk, read_patch
from mi.web.view import PageRequest, PageView, read_number

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
    checks: list[CoveringCheck] = []  # that reach it
    notes: dict[str, list[KeptNote]] = {}  # by the line that they are on


class DiffGroup(NamedTuple):
    """Files of one kind: code, tests."""

    name: str
    files: list[ShownFile]


class DiffModel(NamedTuple):
    """What a run or a batch changed."""

    run: RunEntry
    batch: str
    batches: tuple[str, ...] = ()
    notes: list[KeptNote] = []  # that were not sent
    unheard: list[UserInput] = []  # what was sent, and the agent has not heard
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
    context, batch = request.context, request.query.get("batch", "")
    run = find_run(context, request.params["run_id"])
    log, index = context.home.project(run.project_id).evidence, context.evidence_index
    head = DiffModel(
        run,
        batch,
        notes=read_notes(context, run.project_id, run.run_id),
        unheard=find_unheard(log, run.run_id, index, _index_quietly),
    )
    with closing(open_project_of(context, RunLogPlace(run.run_id, log, 0, run.root))) as there:
        try:
            chosen = choose_snapshots(there, f"{run.run_id}/{batch}" if batch else run.run_id)
            with open_diff(there, chosen, [""], until_now=False) as pair:
                model = _fill(head._replace(batches=chosen.batches), pair, request)
            return _with_checks(model, list_checks(log, run.run_id, batch, index))
        except MiError as error:
            if batch and isinstance(error, NotFound) and error.code == "batch-not-kept":
                raise
            return head._replace(problem=error.line(request.language))


def _with_checks(model: DiffModel, checks: list[CoveringCheck]) -> DiffModel:
    """Return the model with what is known beside each file: the checks that reach it, and the notes on its lines."""
    groups = [
        group._replace(
            files=[
                file._replace(checks=find_covering(checks, file.name), notes=_place_notes(model, file.name))
                for file in group.files
            ]
        )
        for group in model.groups
    ]
    return model._replace(groups=groups)


def _place_notes(model: DiffModel, name: str) -> dict[str, list[KeptNote]]:
    found: dict[str, list[KeptNote]] = {}
    for note in model.notes:
        if note.path == name and note.batch == model.batch:
            found.setdefault(f"-{note.line}" if note.removed else str(note.line), []).append(note)
    return found


def _fill(model: DiffModel, pair: TreePair, request: PageRequest) -> DiffModel:
    changes = list_changes(pair, [""])
    changes.sort(key=lambda change: is_test(change.path))
    asked, start = request.query.get("file", ""), request.query.get("from", "")
    model = model._replace(
        files=len(changes),
        added=sum(change.added or 0 for change in changes),
        removed=sum(change.removed or 0 for change in changes),
        file=asked,
        start=read_number(start),
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
        raise NotFound("path-unknown", path=model.file, ref=model.run.run_id)
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
    """Return the patches of these files, by path: as many as there is room for with the lines around."""
    paths = [path for change in changes for path in (change.path, change.was) if path]
    found, room = dict[str, FilePatch](), _LINES
    for patch in read_patch(write_patch(pair, paths, only_stat=False)) if paths else ():
        if found and patch.length > room:
            break
        found[patch.path] = patch
        room -= patch.length
    return found


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


def _note(request: PageRequest) -> Iterator[str]:
    context, place = request.context, request.read("line")
    run, line = find_run(context, request.params["run_id"]), read_number(place.removeprefix("-"))
    if not request.read("path") or not line:
        raise UsageError("argument-needs-value", name="line", hint="mi diff --help")
    note = KeptNote(
        id="",
        path=request.read("path"),
        line=line,
        removed=place.startswith("-"),
        code=request.fields.get("code", ""),
        text=request.read("text"),
        batch=request.query.get("batch", ""),
    )
    add_note(context, run.project_id, run.run_id, note)
    yield text("web.note-kept", request.language)


def _remove(request: PageRequest) -> Iterator[str]:
    run = find_run(request.context, request.params["run_id"])
    remove_notes(request.context, run.project_id, run.run_id, [request.read("choice")])
    yield text("web.note-removed", request.language)


def _send(request: PageRequest) -> Iterator[str]:
    run = find_run(request.context, request.params["run_id"])
    heard = send_notes(request.context, run.project_id, run.run_id)
    yield text(f"tell.{heard}", request.language, run_id=run.run_id)


def _resume(request: PageRequest) -> Iterator[str]:
    resume_detached(request.context, request.params["run_id"])
    yield text("tell.resumed", request.language, run_id=request.params["run_id"])


def _index_quietly(done: int, total: int) -> None:
    """Say nothing of how far the index is: the page waits for the answer."""


_ACTS = {"note": _note, "remove": _remove, "send": _send, "resume": _resume}
VIEW = PageView(_show, "run:{run_id}", _ACTS)
