"""`mi attach` and `mi stop`: a run of another terminal."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, flush
from mi.kernel.errors import NotFound

if TYPE_CHECKING:
    from mi.autopilot.run_lock import RunningRun
    from mi.autopilot.stop_word import StopDoor


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "attach":
        summary = "Watch the run of this project that goes on in another terminal, and answer what it asks."
        built = command("mi attach", summary, "mi attach", _attach)
    else:
        built = command("mi stop", "Stop the run of this project; it can be resumed.", "mi stop", _stop)
    built.add_argument(
        "run_id", nargs="?", metavar="run", help="the run's id; without it, the one of this tree or project"
    )
    add_cd(built)
    add_json(built)
    return built


def _find_run(context: HomeContext, args: Args) -> "RunningRun":
    """Return the run that is meant: the named one, wherever it is; else that of this tree, else the project's only."""
    from mi.app.run_names import find_run_id
    from mi.autopilot.run_lock import find_running

    place, root = context.project_home, context.project.root
    if args.run_id and args.run_id != "last":
        run_id = find_run_id(context, args.run_id)
        found = next((run for run in find_running(context.home) if run.owner.run_id == run_id), None)
        if found is None:
            raise NotFound("run-not-in-progress", run=args.run_id)
        return found
    runs = list(find_running(context.home, context.project.project_id))
    here = [run for run in runs if run.lock == place.find_run_lock(root)] or runs
    if not here:
        raise NotFound("no-run-in-progress", path=place.find_run_lock(root))
    if len(here) > 1:
        told = ", ".join(f"{run.owner.run_id} ({run.owner.root})" for run in here)
        raise NotFound("several-runs-in-progress", count=len(here), runs=told, example=here[0].owner.run_id)
    return here[0]


def _attach(context: HomeContext, args: Args) -> int:
    from mi.cli.run_watch import JsonWatch, RunWatch, TextWatch

    out = Output(context.language)
    run = _find_run(context, args)
    owner = run.owner
    if not args.json:
        out.say("attach.to", run_id=owner.run_id, pid=owner.pid, since=owner.ts)
        flush()
    if run.project_id != context.project.project_id:
        context = context.at(owner.root)
    watch: RunWatch = (JsonWatch if args.json else TextWatch)(context, out, run)
    watch.follow()
    return 0


def _stop(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    from mi.app.run_stop import stop_run
    from mi.app.speaker import find_speaker

    by: StopDoor = "terminal" if find_speaker(context).by == "terminal" else "other"
    owner = stop_run(context.home, _find_run(context, args), by)
    if args.json:
        out.json({"run_id": owner.run_id, "pid": owner.pid})
    else:
        out.say("attach.stopping", run_id=owner.run_id, pid=owner.pid)
    return 0
