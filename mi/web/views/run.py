"""A run: its marks and what they rest on, the parts of its task, and batch by batch what was said, done and decided."""

from collections.abc import Iterator

from markupsafe import Markup

from mi.app.run_timeline import MOST_BATCHES, RunTimeline, TimelineBatch, build_timeline
from mi.evidence.records.proof import Proof
from mi.evidence.records.run import Marks, VerifiedBy
from mi.kernel.errors import MiError, from_os_error
from mi.kernel.named_tuple import NamedTuple
from mi.web.background import Deed
from mi.web.pictures.timeline import draw_timeline
from mi.web.view import PageRequest, PageView, read_number
from mi.web.views import needs_you
from mi.web.views.needs_you import WaitingCard, WaitingModel
from mi.web.views.run_acts import ACTS, ANYWAY, RestorePreview, preview_restore

_STEPS = 15  # of a batch, where several are shown
_ALL_STEPS = 1000  # where one is


class MarkShown(NamedTuple):
    """One mark of a run and what it rests on: the command, its output and the tree that it ran on."""

    name: str
    holds: bool | None
    command: str = ""
    exit_code: int | None = None
    output: str = ""
    words: str = ""
    tree: str = ""
    ref: str = ""  # the commit that keeps it
    verified_by: VerifiedBy | None = None
    proof: Proof | None = None


class RunModel(NamedTuple):
    """A run as the page shows it."""

    run: RunTimeline
    marks: list[MarkShown]
    steps: int  # of each batch that are shown
    is_alone: bool  # one batch was asked for
    older: tuple[int, int] | None  # the batches before those that are shown
    can: frozenset[str]  # the acts that make sense now
    cards: list[WaitingCard]  # questions of the run that wait
    deeds: list[Deed]
    restore: RestorePreview | None
    problem: str  # why the files cannot be put back
    picture: Markup
    anyway: tuple[str, ...] = ANYWAY


def _show(request: PageRequest) -> RunModel:
    asked, upto = request.query.get("batch", ""), request.query.get("upto", "")
    number = read_number(asked.removeprefix("b"), -1) + 1
    most = 1 if number else MOST_BATCHES
    run = build_timeline(request.context, request.params["run_id"], number or read_number(upto), most)
    first = run.window.first
    older = (max(first - MOST_BATCHES, 1), first - 1) if first > 1 else None
    steps, deeds = _ALL_STEPS if number else _STEPS, request.work.list_deeds(f"run:{run.entry.run_id}")
    can = _list_possible(run)
    plan, problem = _preview(request, run, can)
    return RunModel(
        run,
        list(_list_marks(run)),
        steps,
        bool(number),
        older,
        can,
        _list_cards(request, run),
        deeds,
        plan,
        problem,
        draw_timeline(run.batches[::-1], request.language),
    )


def _preview(request: PageRequest, run: RunTimeline, can: frozenset[str]) -> tuple[RestorePreview | None, str]:
    """Return what putting files back would change, where that was asked for, or why it cannot be done."""
    wanted = request.query.get("restore", "")
    if not wanted or "restore" not in can:
        return None, ""
    try:
        return preview_restore(request, run.entry, wanted.removeprefix("run")), ""
    except (MiError, OSError) as error:
        failed = error if isinstance(error, MiError) else from_os_error(error)
        return None, failed.line(request.language)


def _list_possible(run: RunTimeline) -> frozenset[str]:
    if run.entry.status == "running":
        return frozenset({"stop", "tell"})
    found = {"resume"} if run.entry.status in ("blocked", "failed", "interrupted") else set()
    if run.window.total and run.entry.status != "queued":
        found |= {"prove", "restore", "report", "tell"}
    is_merged = any(one.act == "merged" for one in run.works)
    if run.start.main_root and run.entry.status in ("done", "blocked", "failed", "interrupted") and not is_merged:
        found.add("merge")
    return frozenset(found)


def _list_cards(request: PageRequest, run: RunTimeline) -> list[WaitingCard]:
    """Return what the run asked and nobody has answered, as it stands in Needs you."""
    if not any(not one.answer and not one.dismissed for one in run.story.asked):
        return []
    waiting = needs_you.VIEW.show(request._replace(query={}))
    assert isinstance(waiting, WaitingModel)
    run_id = run.entry.run_id
    return [card for card in waiting.cards if card.can_answer and run_id in (card.item.run_id, *card.item.run_ids)]


def _list_marks(run: RunTimeline) -> Iterator[MarkShown]:
    marks = _find_marks(run)
    last = run.batches[0] if run.batches else None
    end = last.end if last else None
    yield MarkShown("ran", marks.ran, words=end.outcome if end else "")
    yield MarkShown("claimed", marks.claimed, words=end.last_message if end else "")
    yield _show_verified(run, marks)
    proof = run.proof
    tree = proof.final_tree if proof else ""
    yield MarkShown("proved", marks.proved, words=proof.why if proof else "", tree=tree, proof=proof)


def _find_marks(run: RunTimeline) -> Marks:
    """Return the marks of the run's end, or while it goes on those of its latest batch that ended."""
    if run.end:
        marks = run.end.marks
        return marks if run.proof is None or run.proof.proved is None else _with_proof(marks, run.proof.proved)
    for batch in run.batches:
        seen = batch.end.seen.get("marks") if batch.end else None
        if isinstance(seen, dict):
            return Marks(**{name: bool(seen.get(name)) for name in ("ran", "claimed", "verified")})
    return Marks()


def _with_proof(marks: Marks, proved: bool) -> Marks:
    return Marks(ran=marks.ran, claimed=marks.claimed, verified=marks.verified, proved=proved)


def _show_verified(run: RunTimeline, marks: Marks) -> MarkShown:
    by = run.end.verified_by if run.end else None
    seen = run.end.last_seen if run.end else None
    command = by.command if by else seen.command if seen else _find_check(run)
    batch, code, output = _find_ran(run, command)
    tree = batch.after if batch else None
    return MarkShown(
        "verified",
        marks.verified,
        command,
        seen.exit_code if seen and seen.command == command else code,
        output or (seen.tail if seen and seen.command == command else ""),
        tree=tree.tree if tree else "",
        ref=tree.commit[:12] if tree else "",
        verified_by=by,
    )


def _find_check(run: RunTimeline) -> str:
    checks = (one.command for batch in run.batches for one in reversed(batch.seen) if one.is_check)
    return next(checks, "")


def _find_ran(run: RunTimeline, command: str) -> tuple[TimelineBatch | None, int | None, str]:
    """Return the latest batch in which a command ran, how it ended there and what it printed."""
    for batch in run.batches if command else ():
        step = batch.find_step(command)
        if step is not None:
            return batch, step.exit_code, step.output
        for one in reversed(batch.seen):
            if one.command == command:
                return batch, one.exit_code, ""
    return None, None, ""


VIEW = PageView(_show, "run:{run_id} answers", ACTS)
