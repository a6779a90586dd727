"""`mi attach` and `mi stop`: a run of another terminal."""

import os
import signal
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, flush
from mi.kernel.errors import NotFound
from mi.kernel.locks import is_held

if TYPE_CHECKING:
    from mi.autopilot.run_lock import Owner


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "attach":
        summary = "Watch the run of this project that goes on in another terminal, and answer what it asks."
        built = command("mi attach", summary, "mi attach", _attach)
    else:
        built = command("mi stop", "Stop the run of this project; it can be resumed.", "mi stop", _stop)
    built.add_argument("run_id", nargs="?", metavar="run", help="the run's id; without it, whichever goes on")
    add_cd(built)
    add_json(built)
    return built


def _find_owner(context: HomeContext, args: Args) -> "Owner":
    """Return who holds the project's run lock; NotFound when no living process does."""
    from mi.autopilot.run_lock import read_owner

    path = context.project_home.run_lock
    owner = read_owner(path)
    if not is_held(path):
        raise NotFound("no-run-in-progress", path=path)
    if args.run_id and args.run_id != owner.run_id:
        raise NotFound("run-not-in-progress", run=args.run_id)
    return owner


def _attach(context: HomeContext, args: Args) -> int:
    from mi.cli.run_watch import JsonWatch, RunWatch, TextWatch

    out = Output(context.language)
    owner = _find_owner(context, args)
    if not args.json:
        out.say("attach.to", run_id=owner.run_id, pid=owner.pid, since=owner.ts)
        flush()
    watch: RunWatch = (JsonWatch if args.json else TextWatch)(context, out, owner.run_id)
    watch.follow()
    return 0


def _stop(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    owner = _find_owner(context, args)
    os.kill(owner.pid, signal.SIGTERM)
    if args.json:
        out.json({"run_id": owner.run_id, "pid": owner.pid})
    else:
        out.say("attach.stopping", run_id=owner.run_id, pid=owner.pid)
    return 0
