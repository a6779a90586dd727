"""`mi nexus init|validate|manifest|event`: setting up `.nexus/`, the roster that ships, and the events of a session."""

import argparse
from typing import Any

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus, record_nexus_event
from mi.cli.arguments import Args, Group
from mi.cli.nexus_calls import add_where, print_answer, print_findings
from mi.cli.output import Output


def add_to(group: Group) -> None:
    """Add the subcommands beside tasks and memory."""
    group.add(
        "init", "set up .nexus/; with --host also agents and skills", "mi nexus init --host codex", _init, _fill_init
    )
    group.add("validate", "check vocabulary, agents and skills", "mi nexus validate", _validate, _fill_validate)
    group.add("manifest", "print the manifest of what ships", "mi nexus manifest", _manifest, _fill_manifest)
    event = 'mi nexus event subagent_spawn --input \'{"params": {"agent_name": "engineer"}}\''
    group.add("event", "tell of an event of a session; JSON in, JSON out", event, _event, _fill_event)


def _fill_init(parser: argparse.ArgumentParser) -> None:
    from mi.hosts.adapters import HOOK_HOSTS

    parser.add_argument(
        "--host", action="append", default=[], choices=HOOK_HOSTS, help="place the roster there; repeat it"
    )
    add_where(parser)


def _fill_validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", metavar="folder", help="a roster of your own (default: the one that ships)"
    )
    add_where(parser)


def _fill_manifest(parser: argparse.ArgumentParser) -> None:
    add_where(parser)


def _fill_event(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("event", help="session_start, user_message, subagent_spawn, subagent_complete, …")
    parser.add_argument("--input", metavar="JSON", help="what came with it (default: standard input)")
    add_where(parser)


def _init(context: HomeContext, args: Args) -> int:
    from mi.nexus.session_event import handle

    place = build_nexus(context).place
    done = handle(place.root, "session_start", {"params": {"source": "resume"}}, place.harness_id)
    placed: dict[str, list[str]] = {}
    if args.host:
        placed = _place(context, args.host)
    record_nexus_event(context, "init", {"hosts": args.host})
    fields = {"folder": place.folder, "index": done["index"], "placed": placed}

    def show(out: Output) -> None:
        out.say("nexus.init", folder=place.folder)
        for host, paths in placed.items():
            out.say("nexus.placed", host=host, count=len(paths))

    return print_answer(context, args, fields, show)


def _place(context: HomeContext, hosts: list[str]) -> dict[str, list[str]]:
    from mi.hosts.adapters import list_artefacts
    from mi.hosts.apply import place
    from mi.hosts.workspaces import Workspace
    from mi.nexus.manifest import OWNER, wishes
    from mi.nexus.roster import load

    wanted = wishes(load(), context.config.nexus)
    workspace = Workspace.at(context.choice.root, context.home)
    done = {}
    for host in hosts:
        placed = place(workspace, f"{OWNER}-{host}", list_artefacts(host, wanted))
        done[host] = placed.changed
    return done


def _validate(context: HomeContext, args: Args) -> int:
    from mi.nexus.roster import SHIPPED
    from mi.nexus.validate import RosterFault, validate

    def say(out: Output, one: RosterFault) -> None:
        out.say("roster." + one.rule, file=one.file, detail=one.detail)

    return print_findings(context, args, validate(args.folder or SHIPPED), "roster.valid", say)


def _manifest(context: HomeContext, args: Args) -> int:
    from mi.nexus.manifest import build_shipped_manifest

    Output(context.language).line(build_shipped_manifest().decode().rstrip("\n"))
    return 0


def _event(context: HomeContext, args: Args) -> int:
    from mi.kernel.errors import MiError
    from mi.nexus.session_event import handle

    given = _given(args)
    place = build_nexus(context).place
    try:
        done = handle(place.root, args.event, given, place.harness_id, context.config.nexus, context.language)
    except MiError as error:
        record_nexus_event(context, args.event, given, error=error.line())
        raise
    record_nexus_event(context, args.event, given, done["harness_id"])
    Output(context.language).json(done)
    return 0


def _given(args: Args) -> dict[str, Any]:
    from mi.cli.input_files import read_given
    from mi.kernel.errors import UsageError
    from mi.kernel.jsontext import BadJson, decode_stored

    data = args.input.encode("utf-8", "replace") if args.input is not None else read_given("-")
    try:
        return decode_stored(data, dict[str, Any]) if data.strip() else {}
    except BadJson as error:
        raise UsageError("event-input", reason=str(error)) from None
