"""`mi workflow`: what you keep doing, written down; list, show, make, change, take in and give out."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.workflows import build_workflows
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output
from mi.kernel.errors import UsageError
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from mi.evidence.records.workflow_ir import Workflow


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Workflows: what you keep doing, followed in runs and handed to your agents as skills."
    group = Group("mi workflow", summary, "mi workflow list")
    group.add("list", "list workflows", "mi workflow list --scope effective", _list, _fill_list)
    group.add("show", "show a workflow", "mi workflow show wf_… --markdown", _show, _fill_show)
    create = 'mi workflow create --name Release --pattern release --step "Update the changelog" --step "check: `make`"'
    group.add("create", "make a workflow", create, _create, _fill_create)
    edit = 'mi workflow edit wf_… --request "Change step 2 to run the tests"'
    group.add("edit", "change a workflow: by request, or in your editor", edit, _edit, _fill_edit)
    group.add("enable", "use a workflow again", "mi workflow enable wf_…", _enable, _fill_switch)
    off = "mi workflow disable wf_… --scope global --project-override"
    group.add("disable", "stop using a workflow", off, _disable, _fill_switch)
    group.add("delete", "delete a workflow", "mi workflow delete wf_… --scope project", _delete, _fill_delete)
    group.add("import", "take in workflows from a file", "mi workflow import release.json", _import, _fill_import)
    group.add("export", "give out workflows as JSON", "mi workflow export wf_… > release.json", _export, _fill_export)
    group.add("habits", "what runs showed again and again", "mi workflow habits", _habits, _fill_habits)
    group.add("keep", "make a habit a workflow now", "mi workflow keep cut-a-release", _keep, _fill_keep)
    return group.parser


def _add_scope(parser: Parser, *, stored: bool = False) -> None:
    scopes, default = (
        (["project", "global"], "project") if stored else (["project", "global", "effective"], "effective")
    )
    parser.add_argument("--scope", choices=scopes, default=default, help=f"which store (default: {default})")
    add_cd(parser)
    add_json(parser)


def _add_override(parser: Parser) -> None:
    parser.add_argument(
        "--project-override", action="store_true", help="for this project alone; the global workflow stays as it is"
    )


def _fill_list(parser: Parser) -> None:
    _add_scope(parser)


def _fill_show(parser: Parser) -> None:
    parser.add_argument("ref", metavar="id", help="the workflow's id")
    parser.add_argument("--markdown", action="store_true", help="print it as a Markdown page")
    parser.add_argument("--mermaid", action="store_true", help="print it as a Mermaid flowchart")
    _add_scope(parser)


def _fill_create(parser: Parser) -> None:
    parser.add_argument("--name", required=True, help="what it is called")
    parser.add_argument(
        "--step",
        action="append",
        default=[],
        metavar="TEXT",
        help="a step; 'check: TEXT' is one that shows success, 'gate: TEXT' one to ask before; several: in this order",
    )
    modes = ["manual", "task_contains"]
    parser.add_argument(
        "--trigger-mode", choices=modes, help="when it is followed (default: by --pattern, else manual)"
    )
    parser.add_argument("--pattern", metavar="TEXT", help="followed when a task holds these words")
    parser.add_argument("--disabled", action="store_true", help="not to be used before it is enabled")
    _add_scope(parser, stored=True)


def _fill_edit(parser: Parser) -> None:
    parser.add_argument("ref", metavar="id", help="the workflow's id")
    parser.add_argument("--request", metavar="TEXT", help="what to change, in your words (default: your editor opens)")
    parser.add_argument("--loop", action="store_true", help="read request after request, until an empty line")
    parser.add_argument("--dry-run", action="store_true", help="print what would change, change nothing")
    _add_override(parser)
    _add_scope(parser)


def _fill_switch(parser: Parser) -> None:
    parser.add_argument("ref", metavar="id", help="the workflow's id")
    _add_override(parser)
    _add_scope(parser)


def _fill_delete(parser: Parser) -> None:
    parser.add_argument("ref", metavar="id", help="the workflow's id")
    parser.add_argument("--project-override", action="store_true", help="only drop what this project changes of it")
    _add_scope(parser, stored=True)


def _fill_import(parser: Parser) -> None:
    parser.add_argument(
        "file", metavar="file", help="a file that mi workflow export wrote, or a workflow; - reads standard input"
    )
    parser.add_argument("--replace", action="store_true", help="replace workflows of the same id")
    _add_scope(parser, stored=True)


def _fill_export(parser: Parser) -> None:
    parser.add_argument("refs", nargs="*", metavar="id", help="which workflows (default: all)")
    _add_scope(parser)


def _fill_habits(parser: Parser) -> None:
    add_cd(parser)
    add_json(parser)


def _fill_keep(parser: Parser) -> None:
    parser.add_argument("signature", help="the habit's signature, as mi workflow habits shows it")
    _fill_habits(parser)


# reading


def _list(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    found = build_workflows(context).all(args.scope)
    if args.json:
        out.json([_fields(held.workflow) | {"scope": held.scope, "overridden": held.overridden} for held in found])
        return 0
    for held in found:
        one = held.workflow
        marks = [out.text("workflow." + ("on" if one.enabled else "off")), held.scope]
        marks += [out.text("workflow.overridden")] if held.overridden else []
        out.line(f"{one.id}  {shorten_gist(one.name, 60)}  [{', '.join(marks)}]  {one.trigger.pattern}".rstrip())
    if not found:
        out.say("workflow.none")
    context.note_last()
    return 0


def _fields(workflow: "Workflow") -> dict[str, Any]:
    import msgspec

    fields: dict[str, Any] = msgspec.to_builtins(workflow)
    return fields


def _show(context: HomeContext, args: Args) -> int:
    from mi.workflows.render import describe_trigger, draw, render_markdown, step_lines

    out = Output(context.language)
    held = build_workflows(context).get(args.ref, args.scope)
    one = held.workflow
    if args.json:
        out.json(_fields(one) | {"scope": held.scope, "overridden": held.overridden})
    elif args.markdown:
        out.line(render_markdown(one, context.language).rstrip("\n"))
    elif args.mermaid:
        out.line(draw(one))
    else:
        state = out.text("workflow." + ("on" if one.enabled else "off"))
        out.line(f"{one.id}  {one.name}  [{state}, {out.word(held.scope)}]")
        out.line(describe_trigger(one, context.language))
        for line in step_lines(one.steps, context.language):
            out.line(f"  {line}")
    context.note_last()
    return 0


def _export(context: HomeContext, args: Args) -> int:
    desk = build_workflows(context)
    held = [desk.get(ref, args.scope) for ref in args.refs] or desk.all(args.scope)
    Output(context.language).json(desk.exported(held))
    return 0


def _habits(context: HomeContext, args: Args) -> int:
    from mi.cli.workflow_habits import show

    return show(context, args)


# changing


def _create(context: HomeContext, args: Args) -> int:
    from mi.evidence.records.workflow_ir import Trigger, TriggerMode
    from mi.workflows.ir import parse_steps

    if not args.name.strip():
        raise UsageError("empty-text", field="--name")
    mode: TriggerMode = args.trigger_mode or ("manual" if args.pattern is None else "task_contains")
    if mode == "task_contains" and not (args.pattern or "").strip():
        raise UsageError("pattern-needed")
    trigger = Trigger(mode=mode, pattern=(args.pattern or "").strip())
    made = build_workflows(context).create(
        args.scope, args.name, trigger, parse_steps(args.step), enabled=not args.disabled
    )
    return _done(context, args, "workflow.created", _fields(made) | {"scope": args.scope}, args.scope)


def _enable(context: HomeContext, args: Args) -> int:
    return _switch(context, args, True)


def _disable(context: HomeContext, args: Args) -> int:
    return _switch(context, args, False)


def _switch(context: HomeContext, args: Args, enabled: bool) -> int:
    override = build_workflows(context).is_decided_here(args.ref, args.scope, args.project_override)
    changed = build_workflows(context).set_enabled(args.ref, args.scope, enabled, override)
    where = "project-override" if override else changed.held.scope
    key = "workflow.enabled" if enabled else "workflow.disabled"
    fields = _fields(changed.held.workflow) | {"scope": where}
    return _done(context, args, key, fields, "project" if override else changed.held.scope)


def _delete(context: HomeContext, args: Args) -> int:
    if args.project_override and args.scope != "global":
        raise UsageError("override-of-project", id=args.ref)
    build_workflows(context).delete(args.ref, args.scope, args.project_override)
    key = "workflow.override-cleared" if args.project_override else "workflow.deleted"
    scope = "project" if args.project_override else args.scope
    return _done(context, args, key, {"id": args.ref, "scope": args.scope}, scope)


def _import(context: HomeContext, args: Args) -> int:
    from mi.cli.input_files import read_given

    where = "stdin" if args.file == "-" else args.file
    taken = build_workflows(context).take_in(read_given(args.file), where, args.scope, args.replace)
    fields = {"ids": [one.id for one in taken], "count": len(taken), "scope": args.scope}
    return _done(context, args, "workflow.imported", fields, args.scope)


def _keep(context: HomeContext, args: Args) -> int:
    from mi.cli.workflow_habits import keep

    return _done(context, args, "workflow.created", keep(context, args), "project")


def _edit(context: HomeContext, args: Args) -> int:
    from mi.cli.workflow_edit import run

    if args.loop and args.request is not None:
        raise UsageError("request-or-loop")
    return run(context, args, _done)


def _done(context: HomeContext, args: Args, key: str, fields: dict[str, Any], scope: str) -> int:
    """Bring the bound workspaces up to date, then say what was done."""
    from mi.cli.host import report, sync_changed

    out = Output(context.language)
    if scope == "project":
        context.use_project()
    synced = sync_changed(context, scope, key)
    if args.json:
        out.json(fields | {"synced": synced})
        return 0
    out.say(key, **(fields | {"ids": ", ".join(fields.get("ids", []))}))
    report(context, out, synced)
    return 0
