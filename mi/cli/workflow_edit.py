"""`mi workflow edit`: by request, request after request, or in the person's editor."""

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.learning import build_knowledge, build_mind
from mi.app.workflows import build_workflows
from mi.cli.arguments import Args
from mi.cli.output import Output, show_waiting
from mi.kernel.errors import MiError

if TYPE_CHECKING:
    from mi.evidence.records.workflow_ir import Workflow
    from mi.mind.prompts.edit_workflow import EditedWorkflow

Done = Callable[[HomeContext, Args, str, dict[str, Any], str], int]


def run(context: HomeContext, args: Args, done: Done) -> int:
    """Edit in the way that was asked for."""
    # What is not there, or not the project's to override, is said before anything is asked.
    args.project_override = build_workflows(context).is_decided_here(args.ref, args.scope, args.project_override)
    if args.request is None and not args.loop:
        return _in_editor(context, args, done)
    requests = [args.request] if args.request is not None else _requests(context)
    code = 0
    for request in requests:
        try:
            code = _by_request(context, args, request, done)
        except MiError as error:
            if not args.loop:
                raise
            context.notices.add("request-failed", request, reason=error.line())
            code = error.exit_code
    return code


def find_current(context: HomeContext, args: Args) -> "Workflow":
    """Return the workflow as it is edited: with the project's override when that is what changes."""
    held = build_workflows(context).target(args.ref, args.scope, args.project_override)
    return build_workflows(context).get(args.ref, "effective").workflow if args.project_override else held.workflow


def _requests(context: HomeContext) -> Iterator[str]:
    out = Output(context.language)
    while True:
        if sys.stdin.isatty():
            sys.stderr.write(out.text("workflow.ask-request") + "\n> ")
            sys.stderr.flush()
        line = sys.stdin.readline().strip()
        if not line:
            return
        yield line


def _by_request(context: HomeContext, args: Args, request: str, done: Done) -> int:
    from mi.learning.workflow_mining import propose

    mind = build_mind(context)
    context.use_project()
    log = context.evidence_writer(context.project_home.evidence)
    with show_waiting(Output(context.language), mind.name):
        edited = propose(mind, build_knowledge(context), find_current(context, args), request, log)
    return _store(context, args, edited.workflow, edited, done)


def _in_editor(context: HomeContext, args: Args, done: Done) -> int:
    from mi.cli.editor import edit_text
    from mi.kernel.state import encode_pretty

    out = Output(context.language)
    old = find_current(context, args)
    with edit_text(
        encode_pretty(old).decode(), out.text("workflow.template"), f"{old.id}.json", context.notices
    ) as text:
        wanted = old if not text else _written(text, old.id)
        return _store(context, args, wanted, None, done)


def _written(text: str, where: str) -> "Workflow":
    from mi.workflows.ir import convert, parse, refuse_unknown_keys

    raw = parse(text.encode("utf-8", "replace"), where)
    refuse_unknown_keys(raw, where)
    return convert(raw, where)


def _store(context: HomeContext, args: Args, wanted: "Workflow", edited: "EditedWorkflow | None", done: Done) -> int:
    import msgspec

    out = Output(context.language)
    said = {
        "change_summary": edited.change_summary if edited else [],
        "conflicts": edited.conflicts if edited else [],
        "notes": edited.notes if edited else "",
    }
    unchanged = wanted == find_current(context, args)
    if not args.json:
        _print(out, said)
    if unchanged or args.dry_run:
        if args.json:
            out.json({"id": args.ref, "changed": False, "workflow": msgspec.to_builtins(wanted)} | said)
        else:
            out.say("workflow.unchanged" if unchanged else "workflow.dry-run", id=args.ref)
        return 0
    changed = build_workflows(context).replace(args.ref, args.scope, wanted, args.project_override)
    for name in changed.lost:
        context.notices.add("override-cannot", name, id=args.ref)
    where = "project-override" if args.project_override else changed.held.scope
    fields: dict[str, Any] = {"id": args.ref, "name": changed.held.workflow.name, "scope": where, "changed": True}
    fields["workflow"] = msgspec.to_builtins(changed.held.workflow)
    return done(
        context, args, "workflow.edited", fields | said, "project" if args.project_override else changed.held.scope
    )


def _print(out: Output, said: dict[str, Any]) -> None:
    for line in said["change_summary"]:
        out.line(f"  · {line}")
    for line in said["conflicts"]:
        out.say("workflow.conflict", text=line)
    if said["notes"]:
        out.line(f"  {said['notes']}")
