"""What `mi plan` and `mi nexus` have in common: the store of the repository, a tool call, its answer printed."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus, record_nexus
from mi.cli.arguments import Args, add_cd, add_json
from mi.cli.output import Output

if TYPE_CHECKING:
    from mi.evidence.records.governed import NexusEvent

# Tools that only look and take nothing: where they are, without the table of all.
_READS = {
    "plan_status": ("plan", "show_status", "PlanStatus"),
    "task_list": ("tasks", "show", "NexusTaskList"),
    "context": ("history", "read_context", "ContextQuery"),
}


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add the flags for the repository and for output for programs."""
    add_cd(parser)
    add_json(parser)


def call(context: HomeContext, name: str, /, **arguments: Any) -> dict[str, Any]:
    """Run a tool of the contract with the arguments that were given; a call that changes something is recorded."""
    if name in _READS:
        return _read(context, name)
    from mi.nexus.toolset import TOOLS
    from mi.nexus.toolset import call as run

    given = {key: value for key, value in arguments.items() if value not in (None, [])}
    return run(build_nexus(context), name, given, partial(_record, context) if TOOLS[name].writes else None)


def _record(context: HomeContext, event: "NexusEvent") -> None:
    """Append a call with who made it, if that is a person: a run that works on the list hears it."""
    import msgspec

    from mi.app.speaker import find_speaker

    by = find_speaker(context).by
    record_nexus(context, msgspec.structs.replace(event, by=by) if by == "terminal" else event)


def _read(context: HomeContext, name: str) -> dict[str, Any]:
    """Return an everyday look: only what it needs is imported."""
    from importlib import import_module

    module_name, function, params = _READS[name]
    module = import_module("mi.nexus." + module_name)
    found: dict[str, Any] = getattr(module, function)(build_nexus(context), getattr(module, params)())
    return found


def print_findings(
    context: HomeContext, args: Args, findings: Sequence[Any], none: str, say: Callable[[Output, Any], None]
) -> int:
    """Print what a check found, each as `say` says it; 1 when there is anything."""

    def show(out: Output) -> None:
        for one in findings:
            say(out, one)
        if not findings:
            out.say(none)

    print_answer(context, args, {"ok": not findings, "findings": [one.fields() for one in findings]}, show)
    return 1 if findings else 0


def print_answer(context: HomeContext, args: Args, fields: dict[str, Any], show: Callable[[Output], None]) -> int:
    """Print a tool's answer as it is, or as `show` says it."""
    out = Output(context.language)
    if args.json:
        out.json(fields)
    else:
        show(out)
    return 0
