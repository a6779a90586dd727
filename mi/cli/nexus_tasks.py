"""`mi nexus task`: the tasks of the present cycle."""

import argparse
from typing import Any

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus, record_nexus_event
from mi.cli import task
from mi.cli.arguments import Args, Group
from mi.cli.nexus_calls import add_where, call, print_answer
from mi.cli.output import Output
from mi.kernel.errors import UsageError
from mi.tasks.nexus_tasks import FILE
from mi.tasks.task_list import NewTask
from mi.tasks.tinytasks import FILE as TINY

_MARKS = {"pending": "·", "in_progress": "▸", "completed": "✓"}
_GIVEN = "context approach acceptance risk plan_issue goal owner owner_agent_id owner_reuse_policy"


def add_to(group: Group) -> None:
    """Add the subcommands of `mi nexus task`."""
    tasks = group.add_group("task", "the task list, as harnesses share it", "mi nexus task list")
    tasks.add("list", "show the tasks", "mi nexus task list --json", _list, add_where)
    example = 'mi nexus task add "Write the migration" --context "Old files are JSON." --dep 1 --owner engineer'
    tasks.add("add", "add a task", example, _add, _fill_add)
    tasks.add("update", "set a task's status", "mi nexus task update 2 in_progress", _update, _fill_update)
    tasks.add("close", "archive plan and tasks as a cycle", "mi nexus task close", _close, add_where)
    targets = "mi nexus task targets 2 src/store.py src/schema.sql"
    tasks.add("targets", "say which files a task will change", targets, _targets, _fill_targets)


def _fill_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", help="the task in one line")
    parser.add_argument("--context", required=True, metavar="TEXT", help="what one must know to do it")
    parser.add_argument("--dep", action="append", type=int, default=[], metavar="ID", help="a task that comes first")
    parser.add_argument("--approach", metavar="TEXT", help="how to go about it")
    parser.add_argument("--acceptance", metavar="TEXT", help="how one sees that it is done")
    parser.add_argument("--risk", metavar="TEXT", help="what may go wrong")
    parser.add_argument("--plan-issue", type=int, metavar="ID", help="the question of the plan it comes from")
    parser.add_argument("--goal", metavar="TEXT", help="the goal of all tasks; replaces the present one")
    parser.add_argument("--decision", action="append", default=[], metavar="TEXT", help="a decision to keep; repeat it")
    parser.add_argument("--owner", metavar="NAME", help="the agent that does it")
    parser.add_argument("--owner-agent-id", metavar="ID", help="the agent instance to resume")
    policies = ["fresh", "resume_if_same_artifact", "resume"]
    parser.add_argument("--owner-reuse-policy", choices=policies, help="whether an earlier instance goes on")
    add_where(parser)


def _fill_update(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", type=int, help="the task's number")
    parser.add_argument("status", help="pending, in_progress or completed")
    add_where(parser)


def _fill_targets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", type=int, help="the task's number")
    parser.add_argument("paths", nargs="+", metavar="path", help="a file it will change")
    parser.add_argument("--generated", action="append", default=[], metavar="PATH", help="build output; repeat it")
    add_where(parser)


def _is_elsewhere(context: HomeContext) -> bool:
    """Return whether the project's one list is tinyTasks.md: `mi task` and these are two names for the same."""
    from mi.app.tasks import read_tasks

    tasks = read_tasks(context)
    return bool(tasks.tasks) and tasks.authority != FILE


def _list(context: HomeContext, args: Args) -> int:
    if not args.json and _is_elsewhere(context):
        return task.show_list(context, args)
    fields = call(context, "task_list")
    code = print_answer(context, args, fields, lambda out: _show(out, fields))
    context.note_last()
    return code


def _show(out: Output, fields: dict[str, Any]) -> None:
    if fields.get("exists") is False:
        out.say("nexus-tasks.none")
        return
    summary = fields["summary"]
    out.say("nexus-tasks.head", goal=fields["goal"], completed=summary["completed"], total=summary["total"])
    for one in fields["tasks"]:
        owner = f"  ({one['owner']})" if "owner" in one else ""
        out.line(f"  {_MARKS[one['status']]} {one['id']}. {one['title']}{owner}")
    if summary["ready"]:
        out.say("nexus-tasks.ready", ids=", ".join(str(one) for one in summary["ready"]))


def _add(context: HomeContext, args: Args) -> int:
    if _is_elsewhere(context):
        words = {name: getattr(args, name) or "" for name in ("context", "acceptance", "owner")}
        return task.add_given(context, args, NewTask(args.title, deps=[str(one) for one in args.dep], **words))
    given = {name: getattr(args, name) for name in _GIVEN.split()}
    fields = call(context, "task_add", title=args.title, deps=args.dep, decisions=args.decision, **given)
    made = fields["task"]
    return print_answer(
        context, args, fields, lambda out: out.say("nexus-tasks.added", id=made["id"], title=made["title"])
    )


def _update(context: HomeContext, args: Args) -> int:
    if _is_elsewhere(context):
        raise UsageError("other-list", authority=TINY)
    fields = call(context, "task_update", id=args.id, status=args.status)
    made = fields["task"]
    return print_answer(
        context, args, fields, lambda out: out.say("nexus-tasks.updated", id=made["id"], status=made["status"])
    )


def _close(context: HomeContext, args: Args) -> int:
    fields = call(context, "task_close")

    def show(out: Output) -> None:
        out.say("nexus-tasks.closed", branch=fields["branch"], total=fields["total_cycles"], **_archived(fields))
        if fields["incomplete_count"]:
            out.say("nexus-tasks.incomplete", count=fields["incomplete_count"])

    return print_answer(context, args, fields, show)


def _archived(fields: dict[str, Any]) -> dict[str, Any]:
    return {"tasks": fields["archived"]["tasks"], "decisions": fields["archived"]["decisions"]}


def _targets(context: HomeContext, args: Args) -> int:
    from mi.nexus.tasks import set_targets

    fields = set_targets(build_nexus(context), args.id, args.paths, args.generated)
    record_nexus_event(context, "task_targets", fields)
    return print_answer(
        context, args, fields, lambda out: out.say("nexus-tasks.targets", id=args.id, paths=", ".join(args.paths))
    )
