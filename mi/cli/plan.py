"""`mi plan`: the questions to decide before work begins."""

import argparse
from functools import partial
from typing import Any

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus, record_nexus
from mi.cli.arguments import Args, Group, Parser
from mi.cli.nexus_calls import add_where, call, print_answer, print_findings
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi plan", "The plan: questions to decide before the work begins.", "mi plan status")
    started = 'mi plan start "Move to SQLite" --issue "Which schema?" --research "Read the code and two guides."'
    group.add("start", "begin a plan; an active one goes into the history", started, _start, _fill_start)
    group.add("status", "show the active plan", "mi plan status --json", _status, add_where)
    group.add("add", "add a question", 'mi plan add "Who migrates old files?"', _add, _fill_title)
    group.add("remove", "remove a question", "mi plan remove 2", _remove, _fill_id)
    group.add("edit", "word a question anew", 'mi plan edit 2 "Which file format?"', _edit, _fill_both)
    group.add("reopen", "take a decision back", "mi plan reopen 2", _reopen, _fill_id)
    group.add("decide", "decide a question", 'mi plan decide 1 "One table per record type."', _decide, _fill_decide)
    group.add("lint", "check the tasks: targets, pairing, acceptance", "mi plan lint", _lint, add_where)
    return group.parser


def _fill_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="what the plan is about")
    parser.add_argument("--issue", action="append", default=[], metavar="TEXT", help="a question to decide; repeat it")
    parser.add_argument("--research", required=True, metavar="TEXT", help="what was found out beforehand")
    add_where(parser)


def _fill_title(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", help="the question")
    add_where(parser)


def _fill_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("issue_id", metavar="id", type=int, help="the question's number")
    add_where(parser)


def _fill_both(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("issue_id", metavar="id", type=int, help="the question's number")
    _fill_title(parser)


def _fill_decide(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("issue_id", metavar="id", type=int, help="the question's number")
    parser.add_argument("decision", help="what is decided")
    parser.add_argument("--how-agent", action="append", default=[], metavar="NAME", help="an agent that was heard")
    add_where(parser)


def _start(context: HomeContext, args: Args) -> int:
    from mi.nexus.toolset import call as run

    arguments = {"topic": args.topic, "issues": args.issue, "research_summary": args.research}
    fields = run(build_nexus(context), "plan_start", arguments, partial(record_nexus, context))

    def show(out: Output) -> None:
        out.say("plan.started", id=fields["plan_id"], topic=fields["topic"], count=fields["issueCount"])
        if fields["previousArchived"]:
            out.say("plan.previous")

    return print_answer(context, args, fields, show)


def _status(context: HomeContext, args: Args) -> int:
    fields = call(context, "plan_status")
    code = print_answer(context, args, fields, lambda out: show_plan(out, fields))
    context.note_last()
    return code


def show_plan(out: Output, fields: dict[str, Any]) -> None:
    """Print the plan with its questions, for people."""
    if not fields["active"]:
        out.say("plan.none")
        return
    summary = fields["summary"]
    topic = {"id": fields["plan_id"], "topic": fields["topic"]}
    out.say("plan.head", **topic, decided=summary["decided"], total=summary["total"])
    for issue in fields["issues"]:
        out.line(f"  {'✓' if issue['status'] == 'decided' else '·'} {issue['id']}. {issue['title']}")
        if "decision" in issue:
            out.line(f"       → {issue['decision']}")


def _update(context: HomeContext, args: Args, action: str, **more: Any) -> int:
    fields = call(context, "plan_update", action=action, **more)
    key = {"add": "plan.added", "remove": "plan.removed", "edit": "plan.edited", "reopen": "plan.reopened"}[action]
    return print_answer(context, args, fields, lambda out: out.say(key, id=fields["issue"]["id"]))


def _add(context: HomeContext, args: Args) -> int:
    return _update(context, args, "add", title=args.title)


def _remove(context: HomeContext, args: Args) -> int:
    return _update(context, args, "remove", issue_id=args.issue_id)


def _edit(context: HomeContext, args: Args) -> int:
    return _update(context, args, "edit", issue_id=args.issue_id, title=args.title)


def _reopen(context: HomeContext, args: Args) -> int:
    return _update(context, args, "reopen", issue_id=args.issue_id)


def _decide(context: HomeContext, args: Args) -> int:
    fields = call(
        context, "plan_decide", issue_id=args.issue_id, decision=args.decision, how_agents=args.how_agent or None
    )

    def show(out: Output) -> None:
        out.say("plan.decided", issue=fields["issue"])
        for one in fields.get("remaining", []):
            out.line(f"  · {one['id']}. {one['title']}")
        if fields["allComplete"]:
            out.say("plan.all-decided")

    return print_answer(context, args, fields, show)


def _lint(context: HomeContext, args: Args) -> int:
    from mi.nexus.lint import LintFinding, lint

    def say(out: Output, one: LintFinding) -> None:
        numbers = ", ".join(str(task_id) for task_id in one.tasks)
        out.say("lint." + one.rule, tasks=numbers, detail=one.detail)

    return print_findings(context, args, lint(build_nexus(context)), "lint.none", say)
