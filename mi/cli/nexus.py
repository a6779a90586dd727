"""`mi nexus`: the work of a repository as its agents share it: tasks, history, memory files, roster, events."""

import argparse
from functools import partial

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus, record_nexus
from mi.cli import nexus_memory, nexus_roster, nexus_tasks
from mi.cli.arguments import Args, Group, Parser, count
from mi.cli.nexus_calls import add_where, call, print_answer
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi nexus", "The work of a repository as its agents share it.", "mi nexus task list")
    nexus_tasks.add_to(group)
    group.add("history", "search the closed cycles", "mi nexus history sqlite -n 3", _history, _fill_history)
    group.add("context", "where the work stands", "mi nexus context --json", _context, add_where)
    artifact = group.add_group("artifact", "output of agents", "mi nexus artifact write report.md --file -")
    write = "mi nexus artifact write report.md --file out.md"
    artifact.add("write", "keep a file below .nexus/state/artifacts/", write, _artifact, _fill_artifact)
    nexus_memory.add_to(group)
    nexus_roster.add_to(group)
    return group.parser


def _fill_history(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", help="a text that the cycle holds, in any case")
    parser.add_argument("-n", dest="last_n", type=count, metavar="N", help="the last N cycles (default 10)")
    add_where(parser)


def _history(context: HomeContext, args: Args) -> int:
    fields = call(context, "history_search", query=args.query, last_n=args.last_n)

    def show(out: Output) -> None:
        for cycle in fields["cycles"]:
            said = {"at": cycle["completed_at"], "branch": cycle["branch"], "topic": cycle.get("topic", "-")}
            out.say("nexus.cycle", **said, count=cycle.get("task_count", 0))
            for one in cycle.get("decisions", []):
                out.line(f"    {one['title']} → {one['decision']}")
        out.say("nexus.cycles", showing=fields["showing"], total=fields["total"])

    code = print_answer(context, args, fields, show)
    context.note_last()
    return code


def _context(context: HomeContext, args: Args) -> int:
    fields = call(context, "context")

    def show(out: Output) -> None:
        out.say("nexus.branch", branch=fields["branch"])
        if fields["activeMode"]:
            out.say("nexus.goal", goal=fields["goal"], **fields["tasksSummary"])
        for decision in fields["decisions"]:
            out.line(f"  · {decision}")

    code = print_answer(context, args, fields, show)
    context.note_last()
    return code


def _fill_artifact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("filename", help="its name, below .nexus/state/artifacts/")
    parser.add_argument("--text", help="what to write")
    parser.add_argument("--file", metavar="FILE", help="read it from a file; - reads standard input")
    add_where(parser)


def _artifact(context: HomeContext, args: Args) -> int:
    from mi.nexus.toolset import call as run

    content = read_text(args)
    fields = run(
        build_nexus(context),
        "artifact_write",
        {"filename": args.filename, "content": content},
        partial(record_nexus, context),
    )
    return print_answer(context, args, fields, lambda out: out.say("nexus.artifact", path=fields["path"]))


def read_text(args: Args) -> str:
    """Return the text a command was given by --text or --file; UsageError when both or none."""
    from mi.cli.input_files import read_given_text
    from mi.kernel.errors import UsageError

    if (args.text is None) == (args.file is None):
        raise UsageError("text-source")
    if args.text is not None:
        return str(args.text)
    return read_given_text(args.file)
