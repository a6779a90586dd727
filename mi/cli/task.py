"""`mi task`: the tasks of the project, in tinyTasks.md."""

from typing import TYPE_CHECKING

import msgspec

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output, shorten_gist

if TYPE_CHECKING:
    from collections.abc import Callable

    from mi.contract.session import ContractSession
    from mi.contract.task_tools import ChangeResult
    from mi.tasks.task_list import TaskList


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi task", "The tasks of the project: tinyTasks.md.", "mi task list")
    group.add("list", "the tasks in order, and the current one", "mi task list --json", _list, _fill)
    group.add("next", "the task to work on", "mi task next", _next, _fill)
    example = 'mi task add "Ship it" --subtask build --subtask test'
    group.add("add", "add a task at the end; without a file, make one", example, _add, _fill_add)
    group.add(
        "update", "add subtasks, or change the words", "mi task update tk_… --subtask test", _update, _fill_update
    )
    group.add("complete", "tick a task that has no subtasks", "mi task complete tk_…", _complete, _fill_complete)
    return group.parser


def _fill(built: Parser) -> None:
    add_cd(built)
    add_json(built)


def _fill_add(built: Parser) -> None:
    built.add_argument("title", help="the task in a few words")
    built.add_argument("--section", default="", metavar="HEADING", help="below this ## heading; made when absent")
    built.add_argument("--subtask", action="append", default=[], metavar="TEXT", help="a step of it; several in order")
    _fill(built)


def _fill_update(built: Parser) -> None:
    built.add_argument("task_id", help="the task's id, from `mi task list`")
    built.add_argument("--title", default="", metavar="TEXT", help="other words for it")
    built.add_argument(
        "--subtask", action="append", default=[], metavar="TEXT", help="a further step; several in order"
    )
    _fill(built)


def _fill_complete(built: Parser) -> None:
    built.add_argument("task_id", help="the task's id, from `mi task list`")
    _fill(built)


def read_tasks(context: HomeContext) -> "TaskList":
    """Return the tasks as they are; looking writes nothing where nothing was written before."""
    import os

    from mi.tasks.authority import find_authority
    from mi.tasks.tinytasks_file import TinyTasks

    folder = context.project_home.contract
    tiny_tasks = TinyTasks(context.project.root, folder, context.notices, save=os.path.isdir(folder))
    return find_authority(context.project.root, tiny_tasks).look()


def _list(context: HomeContext, args: Args) -> int:
    from mi.contract.task_tools import list_tasks

    out, tasks = Output(context.language), read_tasks(context)
    context.note_last()
    if args.json:
        out.json(msgspec.to_builtins(list_tasks(tasks)))
        return 0
    if tasks.unsure:
        out.say("tasks.unsure", reason=tasks.unsure)
    elif not tasks.exists:
        out.say("tasks.none")
    if tasks.goal:
        out.say("tasks.goal", goal=tasks.goal)
    for one in tasks.tasks:
        mark = "x" if one.checked else ">" if one.id == tasks.pointer else " "
        out.line(f"{'  ' if one.parent else ''}[{mark}] {shorten_gist(one.title, 100)}  {one.id}")
    if tasks.other:
        out.say("tasks.read-only", authority=tasks.authority)
    if tasks.awaiting:
        out.say("tasks.waits", id=tasks.awaiting)
    return 0


def _next(context: HomeContext, args: Args) -> int:
    out, tasks = Output(context.language), read_tasks(context)
    current = tasks.find(tasks.pointer)
    if args.json:
        out.json({"pointer": tasks.pointer, "task": msgspec.to_builtins(current), "awaiting": tasks.awaiting})
    elif current is not None:
        out.line(f"{current.id}  {shorten_gist(current.title, 120)}")
    else:
        out.say("tasks.all-done" if tasks.exists else "tasks.none")
    return 0


def _add(context: HomeContext, args: Args) -> int:
    from mi.contract.task_tools import AddInput, task_add

    given = AddInput(title=args.title, section=args.section, subtasks=args.subtask)
    return _changed(context, args, "tasks.added", lambda session: task_add(session, given))


def _update(context: HomeContext, args: Args) -> int:
    from mi.contract.task_tools import UpdateInput, task_update

    given = UpdateInput(task_id=args.task_id, title=args.title, subtasks=args.subtask)
    return _changed(context, args, "tasks.updated", lambda session: task_update(session, given))


def _complete(context: HomeContext, args: Args) -> int:
    from mi.contract.task_tools import CompleteInput, task_complete

    return _changed(
        context, args, "tasks.completed", lambda session: task_complete(session, CompleteInput(task_id=args.task_id))
    )


def _changed(context: HomeContext, args: Args, key: str, work: "Callable[[ContractSession], ChangeResult]") -> int:
    from mi.cli.governed import pass_gate

    done = pass_gate(context, args, work)
    out = Output(context.language)
    if args.json:
        out.json(msgspec.to_builtins(done))
    else:
        out.say(key, task_id=done.task_id, pointer=done.pointer or out.text("tasks.all-done"))
    return 0
