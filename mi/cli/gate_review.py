"""`mi gate review`: have a change looked at by the configured reviewers."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output, show_waiting

if TYPE_CHECKING:
    from mi.review.reviewing import Reviewed


def add_review(group: Group) -> None:
    """Add the subcommand."""
    group.add(
        "review",
        "have a change looked at by the configured reviewers",
        'mi gate review --task "encrypt the backups"',
        _review,
        _fill,
    )


def _fill(parser: Parser) -> None:
    from mi.cli.gate import REVISION

    parser.add_argument("revision", nargs="?", help=REVISION)
    parser.add_argument("--task", metavar="TEXT", default="", help="what the change was made for")
    parser.add_argument("--criteria", action="append", metavar="TEXT", default=[], help="an acceptance criterion")
    parser.add_argument("--constraint", action="append", metavar="TEXT", default=[], help="what must be kept to")
    add_cd(parser)
    add_json(parser)


def _review(context: HomeContext, args: Args) -> int:
    """0: accepted; 1: findings to work in, or rejected; 3: no reviewer answered, a person must look."""
    from mi.project.change import change_here
    from mi.review.reviewing import ReviewRequest, review_change

    out = Output(context.language_for(args.task))
    change = change_here(context.project.root, args.revision or "", args.task)
    reviewers = ", ".join(context.needed_config.governance.reviewers)
    request = ReviewRequest(
        change, args.task, context.project.root, args.criteria, args.constraint, language=out.language
    )
    with show_waiting(out, reviewers):
        reviewed = review_change(request, context.needed_config, context.home, context.project_home.mind_transcripts)
    if reviewed.records:
        writer = context.open_project_log()
        for record in reviewed.records:
            writer.append(record, sync=True)
    if args.json:
        out.json(_json(reviewed))
    else:
        _show(out, reviewed)
        if not reviewers:
            out.say("review.none-named")
    return 3 if reviewed.degraded else 0 if reviewed.verdict == "accept" else 1


def _json(reviewed: "Reviewed") -> dict[str, Any]:
    import msgspec

    return {
        "verdict": reviewed.verdict,
        "degraded": reviewed.degraded,
        "note": reviewed.note,
        "findings": [msgspec.to_builtins(one) for one in reviewed.findings],
        "calls": [
            {
                "id": one.id,
                "agent": one.reviewer,
                "mode": one.mode,
                "input": msgspec.to_builtins(one.input),
                "output": msgspec.to_builtins(one.output),
                "meta": msgspec.to_builtins(one.meta),
            }
            for one in reviewed.records
        ],
    }


def _show(out: Output, reviewed: "Reviewed") -> None:
    for record in reviewed.records:
        note = record.meta.adoption_notes if record.meta else ""
        out.say("review.call", reviewer=record.reviewer, verdict=record.verdict, note=note)
    for finding in reviewed.findings:
        out.line(f"  [{finding.severity}] {finding.title}: {finding.detail}")
        out.line(f"      → {finding.action}")
    out.line(reviewed.note or out.text("review.nothing-adopted"))
