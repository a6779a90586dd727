"""What can be done with a run: stop it, answer it, go on, put files back, prove, bring its work over.

What takes longer than a look is begun, and the view shows what came of it.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from mi.app.home_context import HomeContext
from mi.app.merging import describe_merge, merge_run
from mi.app.proof import describe_proof, prove_run
from mi.app.race import refuse_second_pick
from mi.app.report import RunLogPlace, open_project_of
from mi.app.restore import find_difference, restore
from mi.app.run_again import find_run, resume_detached
from mi.app.run_stop import stop_named_run
from mi.app.run_words import tell_run
from mi.app.snapshots import choose_snapshots, find_scope
from mi.autopilot.run_times import note_vouched
from mi.evidence.records.questions import UserInput
from mi.evidence.records.run import RunStart
from mi.evidence.runs import RunEntry
from mi.kernel import clock
from mi.kernel.errors import Blocked, MiError, NotFound, from_os_error
from mi.kernel.home import Home
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.web.view import Act, PageRequest, identify
from mi.web.views import needs_you

_SHOWN = 60  # paths that are named
ANYWAY = ("merge-not-ended", "merge-not-done", "merge-foreign", "race-picked")  # refusals of a merge that is possible
_PROVE = "import sys; from mi.web.views.run_acts import prove_here; prove_here(*sys.argv[1:])"


class RestorePreview(NamedTuple):
    """What putting the files back would change, before it is done."""

    batch: str
    kept: str  # when the snapshot was taken
    top: str
    put_back: tuple[str, ...]
    removed: tuple[str, ...]
    left: list[tuple[str, str]]  # paths that stay as they are, and why
    more: int  # paths that are not named here
    elsewhere: int
    seen: str  # tells this difference from any other


def preview_restore(request: PageRequest, run: RunEntry, batch: str) -> RestorePreview:
    """Return what putting back the files as a run or one of its batches found them would change now."""
    with _open_place(request.context, run) as there:
        chosen = choose_snapshots(there, f"{run.run_id}/{batch}" if batch else run.run_id)
        shown = find_difference(there, chosen, find_scope(there, chosen.top, ()))
        left = [
            (one.path, text(f"restore.why-{one.why}", request.language, detail=one.detail))
            for one in shown.left[:_SHOWN]
        ]
        return RestorePreview(
            batch,
            clock.format_ms(int(chosen.first.time * 1000)),
            chosen.top,
            shown.put_back[:_SHOWN],
            shown.removed[:_SHOWN],
            left,
            sum(max(len(some) - _SHOWN, 0) for some in (shown.put_back, shown.removed, shown.left)),
            shown.elsewhere,
            identify(shown),
        )


@contextmanager
def _open_place(context: HomeContext, run: RunEntry) -> Iterator[HomeContext]:
    """Yield the context of the folder in which a run worked; it is closed afterwards, in the same thread."""
    log = context.home.project(run.project_id).evidence
    there = open_project_of(context, RunLogPlace(run.run_id, log, 0, run.root))
    try:
        yield there
    finally:
        there.close()


@contextmanager
def _open_again(home: str, run: RunEntry) -> Iterator[HomeContext]:
    """Yield the same, opened by a thread of its own."""
    context = HomeContext(Home(home))
    context.by = "page"
    try:
        with _open_place(context, run) as there:
            yield there
    finally:
        context.close()


def _stop(request: PageRequest) -> Iterator[str]:
    owner = stop_named_run(request.context.home, request.params["run_id"], "page")
    yield text("attach.stopping", request.language, run_id=owner.run_id, pid=owner.pid)


def _resume(request: PageRequest) -> Iterator[str]:
    run_id = request.params["run_id"]
    resume_detached(request.context, run_id)
    yield text("run.detached", request.language, run_id=run_id)


def _tell(request: PageRequest) -> Iterator[str]:
    run_id = request.params["run_id"]
    heard = tell_run(request.context, run_id, UserInput(answer=request.read("words"), by="page"))
    yield text(f"tell.{heard}", request.language, run_id=run_id)


def _restore(request: PageRequest) -> Iterator[str]:
    run, seen, batch = find_run(request.context, request.params["run_id"]), request.read("seen"), request.read("batch")
    home, language = request.context.home.root, request.language

    def work() -> list[str]:
        with _open_again(home, run) as there:
            chosen = choose_snapshots(there, f"{run.run_id}/{batch}" if batch else run.run_id)
            within = find_scope(there, chosen.top, ())
            shown = find_difference(there, chosen, within)
            if not shown.put_back and not shown.removed:  # another window was faster
                return [text("restore.nothing", language)]
            if identify(shown) != seen:
                raise Blocked("files-changed-meanwhile", path=chosen.top)
            kept: list[str] = []
            done = restore(there, chosen, within, shown, kept.append)
            counts = {"put_back": len(done.put_back), "removed": len(done.removed)}
            left = [
                text(
                    "restore.left",
                    language,
                    path=one.path,
                    why=text(f"restore.why-{one.why}", language, detail=one.detail),
                )
                for one in done.left[:_SHOWN]
            ]
            return [*left, text("restore.done", language, ref=kept[0], **counts)]

    return _begin(request, "restore", work)


def _prove(request: PageRequest) -> Iterator[str]:
    """Begin a proof in a process of its own: it may take minutes, and goes on where the page ends."""
    run, context = find_run(request.context, request.params["run_id"]), request.context
    with _open_place(context, run) as there:
        words = [
            sys.executable,
            "-P",
            "-c",
            _PROVE,
            context.home.root,
            there.project.root,
            run.run_id,
            request.language,
        ]

    def work() -> list[str]:
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        note_vouched(context.home, process.pid)  # a run that goes on would else take it for something an agent left
        said, failed = process.communicate(b"go\n")
        if process.returncode:
            why = failed.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise MiError("internal", what=why or process.returncode)
        return said.decode("utf-8", "replace").splitlines()[-_SHOWN:]

    return _begin(request, "prove", work, may_be_left=True)


def prove_here(home: str, root: str, run_id: str, language: str) -> None:
    """Prove a run once that is asked for, and print what came of it; what the process of its own does."""
    sys.stdin.readline()
    context = HomeContext(Home(home), cd=root)
    context.by = "page"
    try:
        context.use_project()
        proof = prove_run(context, run_id, lambda said: None)
        print(describe_proof(proof.proved, proof.why, [check.command for check in proof.checks], language))
    except MiError as error:
        print(error.line(language))
    except OSError as error:
        print(from_os_error(error).line(language))


def _merge(request: PageRequest) -> Iterator[str]:
    run, home, language = (
        find_run(request.context, request.params["run_id"]),
        request.context.home.root,
        request.language,
    )
    log = request.context.home.project(run.project_id).evidence
    event = request.context.evidence_index.find(log, f"ev_{run.run_id}_1", lambda done, total: None)
    start = event.record() if event else None
    main = start.main_root if isinstance(start, RunStart) else ""

    seen = request.read("seen")

    def work() -> list[str]:
        """Bring over; what was refused in the words that the person saw is done anyway."""
        with _open_again(home, RunEntry(run_id=run.run_id, project_id=run.project_id, root=main or run.root)) as there:
            try:
                with suppress(NotFound):  # it is of no race
                    refuse_second_pick(there, run.run_id, lambda done, total: None)
                merged = merge_run(there, run.run_id, "", "", anyway=False)
            except MiError as error:
                if error.code not in ANYWAY or identify(error.line(language)) != seen:
                    raise
                merged = merge_run(there, run.run_id, "", "", anyway=True)
            return list(describe_merge(merged, language))

    return _begin(request, "merge", work)


def _begin(request: PageRequest, name: str, work: Callable[[], object], may_be_left: bool = False) -> Iterator[str]:
    begun = request.work.begin(f"run:{request.params['run_id']}", name, request.language, work, may_be_left)
    yield text(
        "web.run-begun" if begun else "web.run-goes-on",
        request.language,
        what=text(f"web.run-{name}", request.language),
    )


ACTS: dict[str, Act] = {
    "stop": _stop,
    "resume": _resume,
    "tell": _tell,
    "restore": _restore,
    "prove": _prove,
    "merge": _merge,
    "answer": needs_you.VIEW.acts["answer"],
    "dismiss": needs_you.VIEW.acts["dismiss"],
}
