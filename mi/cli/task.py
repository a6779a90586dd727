"""`mi task`: the one task list of the project, wherever it is kept."""

from typing import TYPE_CHECKING

import msgspec

from mi.app.home_context import HomeContext
from mi.app.tasks import adopt_list, read_tasks
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from collections.abc import Callable

    from mi.contract.session import ContractSession
    from mi.contract.task_tools import ChangeResult
    from mi.tasks.task_list import NewTask


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi task", "The one task list of the project; mi run --task works on it.", "mi task list")
    group.add("list", "the tasks in order, and the current one", "mi task list --json", show_list, _fill)
    group.add("next", "the task to work on", "mi task next", _next, _fill)
    example = 'mi task add "Ship it" --subtask build --subtask test --acceptance "make test passes"'
    group.add("add", "add a task at the end; without a list, begin one", example, _add, _fill_add)
    group.add(
        "update", "add subtasks, or change the words", "mi task update tk_… --subtask test", _update, _fill_update
    )
    group.add("complete", "tick a task that has no subtasks", "mi task complete tk_…", _complete, _fill_complete)
    adopt = "move the open tasks of tinyTasks.md into .nexus/, where other harnesses share them"
    group.add("adopt", adopt, "mi task adopt", _adopt, _fill, person_only=True)
    return group.parser


def _fill(built: Parser) -> None:
    add_cd(built)
    add_json(built)


def _fill_add(built: Parser) -> None:
    built.add_argument("title", help="the task in a few words")
    built.add_argument("--section", default="", metavar="HEADING", help="below this ## heading; made when absent")
    built.add_argument("--subtask", action="append", default=[], metavar="TEXT", help="a step of it; several in order")
    built.add_argument("--context", default="", metavar="TEXT", help="what one must know to do it")
    built.add_argument("--acceptance", default="", metavar="TEXT", help="how one sees that it is done")
    built.add_argument("--owner", default="", metavar="NAME", help="who does it")
    built.add_argument("--dep", action="append", default=[], metavar="ID", help="a task that comes first")
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


def show_list(context: HomeContext, args: Args) -> int:
    """Print the tasks in their order."""
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
        if one.run:
            out.say("tasks.run", run_id=one.run.run_id, status=out.text("run." + one.run.status), reason=one.run.reason)
    if tasks.awaiting:
        out.say("tasks.waits", id=tasks.awaiting)
    return 0


def _next(context: HomeContext, args: Args) -> int:
    out, tasks = Output(context.language), read_tasks(context)
    current = tasks.find(tasks.pointer)
    if args.json:
        told = {"pointer": tasks.pointer, "task": msgspec.to_builtins(current), "awaiting": tasks.awaiting}
        out.json(told | ({"unsure": tasks.unsure} if tasks.unsure else {}))
    elif current is not None:
        out.line(f"{current.id}  {shorten_gist(current.title, 120)}")
    elif tasks.unsure:
        out.say("tasks.unsure", reason=tasks.unsure)
    else:
        out.say("tasks.all-done" if tasks.exists else "tasks.none")
    return 0


def _add(context: HomeContext, args: Args) -> int:
    from mi.tasks.task_list import NewTask

    words = {name: getattr(args, name) for name in ("title", "section", "context", "acceptance", "owner")}
    return add_given(context, args, NewTask(subtasks=args.subtask, deps=args.dep, **words))


def add_given(context: HomeContext, args: Args, new: "NewTask") -> int:
    """Add a task to the list, after a look at its words."""
    from mi.contract.arguments import check_items, check_text
    from mi.contract.task_tools import add_task

    names = ("title", "section", "context", "acceptance", "owner")
    words = {name: check_text(name, getattr(new, name), needed=name == "title", line=True) for name in names}
    checked = new._replace(
        **words | {"section": words["section"].lstrip("# ")}, subtasks=check_items("subtasks", list(new.subtasks))
    )
    return _changed(context, args, "tasks.added", lambda session: add_task(session, checked))


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


def _adopt(context: HomeContext, args: Args) -> int:
    adopted = adopt_list(context)
    out = Output(context.language)
    if args.json:
        out.json({"carried": adopted.carried, "copy": adopted.copy})
    else:
        out.say("tasks.adopted", count=adopted.carried, copy=adopted.copy)
    return 0
