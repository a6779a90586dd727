"""`mi report`: what a run did, as Markdown, as one page to send, or as a pull request's text."""

import os

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, Progress
from mi.kernel import files
from mi.kernel.errors import UsageError

_BY_SUFFIX = {".html": "html", ".htm": "html"}
_READABLE = 0o644  # a report is made to be handed on


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi report",
        "Write what a run did: task, parts with evidence, checks and proof, changes, questions, cost, "
        "what was learned.",
        "mi report last --format html -o report.html",
        _run,
    )
    built.add_argument(
        "ref", metavar="run", nargs="?", default="last", help="the run (default: the latest of the project)"
    )
    built.add_argument(
        "--format",
        choices=["md", "html", "pr"],
        help="Markdown, one page to send, or a pull request's text (default: by FILE, else md)",
    )
    built.add_argument("-o", "--out", metavar="FILE", help="where to write it (default: standard output)")
    add_cd(built)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.app.report import build_report, write_report

    out = Output(context.language)
    target = _check_target(context, args.out) if args.out else ""
    report = build_report(context, args.ref, Progress(out, "progress.indexing"))
    if args.json and not target:
        out.json(report.show())
        return 0
    form = args.format or _BY_SUFFIX.get(os.path.splitext(target)[1].lower(), "md")
    content = write_report(report, form, context.language)
    if not target:
        out.line(content.rstrip("\n"))
        return 0
    files.write_atomic(target, content.encode(), _READABLE)
    if args.json:
        out.json({"run_id": report.story.run_id, "format": form, "file": target})
    else:
        out.say("report.written", file=target)
    return 0


def _check_target(context: HomeContext, path: str) -> str:
    """Return the file to write; UsageError for a folder, and for a place in which only MI's state is kept.

    A link of that name is replaced and not followed: a repository may have brought it.
    """
    folder, name = os.path.split(os.path.abspath(os.path.expanduser(path)))
    target = os.path.join(os.path.realpath(folder), name)
    if os.path.isdir(target) and not os.path.islink(target):
        raise UsageError("report-is-folder", path=path, example=os.path.join(path, "report.html"))
    if (target + os.sep).startswith(os.path.realpath(context.home.root) + os.sep):
        raise UsageError("report-in-home", path=path)
    return target
