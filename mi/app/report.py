"""The report of a run, put together: its log, its snapshots and what it taught, whichever project it is of."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.run_names import find_run_id
from mi.evidence.latest import find_latest_run
from mi.evidence.reader import read_on
from mi.fleet.report import ReportedDiff, ReportedFile, ReportedLesson, RunReport, make_report, read_run
from mi.fleet.report_document import clean
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import LOOK_AHEAD

if TYPE_CHECKING:
    from mi.kernel.log_view import Progress

_MOST_PATCH = 200_000  # characters
_TAUGHT = ("claim", "workflows", "overlay")


class RunLogPlace(NamedTuple):
    """Where a run is told of: its log, how far into it, and the folder in which it worked."""

    run_id: str
    log: str
    start: int
    root: str


def find_run_place(context: HomeContext, ref: str, progress: "Progress") -> RunLogPlace:
    """Return where the run is that somebody means by `last` or by its id; it may be another project's."""
    if ref == "last":
        log = context.project_home.evidence
        latest = find_latest_run(log, context.evidence_index, context.notices)
        if latest is None:
            raise NotFound("no-run", path=log)
        ref = latest.run_id
    ref = find_run_id(context, ref)
    if not ref.startswith("run_"):
        raise UsageError("no-run-id", ref=ref)
    own = context.project.project_id
    logs = [context.home.project(one).evidence for one in dict.fromkeys([own, *context.home.project_ids()])]
    for log in filter(os.path.exists, logs):
        event = context.evidence_index.find(log, f"ev_{ref}_1", progress)
        if event is not None:
            return RunLogPlace(ref, log, event.offset, str(event.fields().get("project_root") or ""))
    for log in filter(os.path.exists, logs):  # of the earlier tool, or its first line is lost
        first = next((event for event in read_on(log, 0, context.notices) if event.head.run_id == ref), None)
        if first is not None:
            return RunLogPlace(ref, log, first.offset, "")
    raise NotFound("run-not-begun" if _is_queued(context, ref) else "unknown-run", ref=ref)


def _is_queued(context: HomeContext, run_id: str) -> bool:
    from mi.app.queue import build_queue

    return os.path.exists(context.home.queue) and build_queue(context).find(run_id) is not None


def build_report(context: HomeContext, ref: str, progress: "Progress", is_short: bool = False) -> RunReport:
    """Return the report of a run; what cannot be told any more is named in it.

    `is_short`: without the difference line by line and without what was learned.
    """
    place = find_run_place(context, ref, progress)
    events = read_run(place.log, place.run_id, place.start, context.notices)
    lost = [one for one in context.notices if one.key == "unreadable-lines" and one.path == place.log]
    there = open_project_of(context, place)
    return make_report(
        place.run_id,
        events,
        _read_diff(there, place.run_id, context.language, is_short),
        [] if is_short else _list_lessons(there, place.run_id),
        sum(int(str(one.details.get("count", 1))) for one in lost),
    )


def open_project_of(context: HomeContext, place: RunLogPlace) -> HomeContext:
    """Return the context of the run's own project: of its folder, or where that is gone, of the project's."""
    project_id = os.path.basename(os.path.dirname(place.log))
    roots = [root for root, known in context.known_projects.roots.items() if known.project_id == project_id]
    for root in (place.root, *roots):
        if root and os.path.isdir(root):
            there = HomeContext(Home(context.home.root), root)
            there.by = context.by
            if there.project.project_id == project_id:
                return there
    return context


def _read_diff(context: HomeContext, run_id: str, language: str, is_short: bool) -> ReportedDiff:
    from mi.app.run_diff import open_diff
    from mi.app.snapshots import choose_snapshots
    from mi.project.tree_diff import list_changes, write_patch

    try:
        with open_diff(context, choose_snapshots(context, run_id), [""], until_now=False) as pair:
            patch = "" if is_short else write_patch(pair, [""], only_stat=False)
            return ReportedDiff(
                files=[
                    ReportedFile(path=one.path, kind=one.kind, added=one.added, removed=one.removed, was=one.was)
                    for one in list_changes(pair, [""])
                ],
                patch=_cut_patch(patch),
                is_cut=len(patch) > _MOST_PATCH,
                unseen=list(pair.unseen),
            )
    except MiError as error:
        return ReportedDiff(missing=error.line(language))


def write_report(report: RunReport, form: str, language: str) -> str:
    """Return a report as Markdown (`md`), as one page (`html`) or as a pull request's text (`pr`)."""
    from mi.fleet.report_page import ReportTeller

    writer = ReportTeller(report, language)
    if form == "html":
        from mi.fleet.report_html import write_html

        return write_html(writer.write_page())
    from mi.fleet.report_markdown import write_markdown

    return write_markdown(writer.write_request(), True) if form == "pr" else write_markdown(writer.write_page())


def _cut_patch(patch: str) -> str:
    """Return the patch without secrets and controls, up to the last line that it has room for."""
    shown = clean(patch[: _MOST_PATCH + LOOK_AHEAD])
    return shown if len(patch) <= _MOST_PATCH else shown[:_MOST_PATCH].rpartition("\n")[0]


def _list_lessons(context: HomeContext, run_id: str) -> list[ReportedLesson]:
    """Return what the run taught and nobody took back."""
    from mi.app.learning import build_other_lessons
    from mi.app.thoughts import build_thoughts
    from mi.learning.undo import Target, UndoPlace, describe_change

    stores = build_thoughts(context)
    places = [
        UndoPlace(stores.own, context.project_home.evidence, context.open_project_log),
        UndoPlace(stores.shared, context.home.evidence, context.open_global_log),
    ]
    changes = describe_change(places, Target(run_id), build_other_lessons(context))
    taught = (one for one in changes if one["do"] == "take back" and one["kind"] in _TAUGHT)
    return [ReportedLesson(id=one["id"], kind=one["kind"], text=one["text"], scope=one["scope"]) for one in taught]
