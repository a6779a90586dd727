"""`mi gate deploy`: the checklist before, the look after, and a rollback that is only proposed."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output
from mi.kernel.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mi.governance.deployment import ChecklistItem

_SAID = {
    "diff": "who looked at the diff, and when",
    "environment": "how the environment variables were verified",
    "rollback": "what to run when the deployment fails",
    "window": "the window that was agreed",
}
HUMAN = 3


def add_deploy(group: Group) -> None:
    """Add the subcommands."""
    deploy = group.add_group("deploy", "before, after and back: the rules of a deployment", "mi gate deploy check")
    deploy.add(
        "check",
        "go through the checklist; any open item stops",
        'mi gate deploy check --diff "seen by Ana" --rollback "git revert HEAD"',
        _check,
        _fill_check,
        person_only=_is_persons,
    )
    deploy.add(
        "after",
        "look at health, smoke test and log after a deployment",
        "mi gate deploy after --health http://127.0.0.1:8000/health --smoke ./smoke.sh --log app.log",
        _after,
        _fill_after,
    )
    deploy.add(
        "rollback",
        "propose a rollback and wait for your word; nothing is rolled back by MI",
        'mi gate deploy rollback --symptom "500 on /" --cause "the migration"',
        _rollback,
        _fill_rollback,
    )


def _is_persons(context: HomeContext, args: Args) -> bool:
    """Return whether somebody says that an item of the checklist is done; the tests are run."""
    return any(getattr(args, item) for item in _SAID)


def _fill_check(parser: Parser) -> None:
    for item, text in _SAID.items():
        parser.add_argument("--" + item, metavar="TEXT", default="", help=text)
    parser.add_argument("--tests", metavar="COMMAND", default="", help="the test command (default: the project's)")
    add_cd(parser)
    add_json(parser)


def _check(context: HomeContext, args: Args) -> int:
    from mi.review.deploying import check

    said = {item: getattr(args, item).strip() for item in _SAID}
    _refuse_secrets(said)
    context.use_project()
    command = args.tests or context.config.runtime.verification.command
    checked = check(context.project.root, context.project_home.evidence, said, command, context.notices)
    event = context.open_project_log().append(checked.record("check"), sync=True)
    out = Output(context.language)
    if args.json:
        items = [item._asdict() for item in checked.items]
        out.json({"items": items, "open": checked.open, "commit": checked.commit, "event_id": event.event_id})
    else:
        _show_items(out, checked.items)
        out.say("deploy.stops" if checked.open else "deploy.complete", open=", ".join(checked.open))
    return HUMAN if checked.open else 0


def _refuse_secrets(texts: dict[str, str]) -> None:
    """Raise if what is said about a deployment, which is kept, holds a secret."""
    from mi.knowledge.thoughts.store import refuse_secret

    for name, text in texts.items():
        if text:
            refuse_secret("--" + name, text)


def _show_items(out: Output, items: "Iterable[ChecklistItem]") -> None:
    for item in items:
        out.line(f"  {'✓' if item.done else '✗'} {out.text('deploy.' + item.name)}  {item.detail}")


def _fill_after(parser: Parser) -> None:
    parser.add_argument("--health", metavar="URL", default="", help="the address that tells whether it lives")
    parser.add_argument("--expect", type=int, metavar="CODE", default=200, help="the code it documents (default 200)")
    parser.add_argument("--smoke", metavar="COMMAND", default="", help="the smoke test")
    parser.add_argument("--log", metavar="FILE", default="", help="the log to look for errors in")
    add_cd(parser)
    add_json(parser)


def _after(context: HomeContext, args: Args) -> int:
    from mi.evidence.records.governed import CheckItem, Deploy
    from mi.governance.deployment import is_in_time
    from mi.review.deploying import DeploymentHealth, find_rollback_plan, look_after

    context.use_project()
    seen = look_after(context.project.root, DeploymentHealth(args.health, args.expect, args.smoke, args.log))
    plan = find_rollback_plan(context.project_home.evidence, context.notices) if seen.open else ""
    symptom = ", ".join(f"{item.name}: {item.detail}" for item in seen.items if not item.done)
    out = Output(context.language)
    cause = out.text("deploy.cause-unknown") if seen.open else ""
    record = Deploy(
        step="after",
        outcome="failed" if seen.open else "healthy",
        checklist=[CheckItem(item=item.name, done=item.done, detail=item.detail) for item in seen.items],
        symptom=symptom,
        cause=cause,
        proposal=plan,
    )
    event = context.open_project_log().append(record, sync=True)
    failure = {"symptom": symptom, "suspected_cause": cause, "proposed_rollback": plan} if seen.open else None
    if args.json:
        items = [item._asdict() for item in seen.items]
        told = {"seconds": round(seen.seconds, 3), "in_time": is_in_time(seen.seconds), "event_id": event.event_id}
        out.json({"items": items, "open": seen.open, "failure": failure} | told)
    else:
        _show_items(out, seen.items)
        if failure:
            out.say("deploy.failure", symptom=symptom, cause=cause, proposal=plan or out.text("deploy.no-plan"))
        else:
            out.say("deploy.healthy")
    return HUMAN if seen.open else 0


def _fill_rollback(parser: Parser) -> None:
    parser.add_argument("--symptom", metavar="TEXT", default="", help="what failed")
    parser.add_argument("--cause", metavar="TEXT", default="", help="the suspected cause")
    parser.add_argument("--proposal", metavar="TEXT", default="", help="what to run (default: the checklist's plan)")
    add_cd(parser)
    add_json(parser)


def _rollback(context: HomeContext, args: Args) -> int:
    from mi.cli.prompts import ask_person, is_yes
    from mi.evidence.records.governed import Deploy, Verification
    from mi.governance.deployment import Rollback
    from mi.review.deploying import find_rollback_plan

    context.use_project()
    plan = args.proposal or find_rollback_plan(context.project_home.evidence, context.notices)
    notice = Rollback(args.symptom, args.cause, plan)
    _refuse_secrets(notice._asdict())
    if notice.missing:
        raise UsageError("deploy-missing", names=", ".join("--" + name for name in notice.missing))
    out = Output(context.language)
    writer = context.open_project_log()
    proposed = Deploy(step="rollback", outcome="proposed", symptom=args.symptom, cause=args.cause, proposal=plan)
    event = writer.append(proposed, sync=True)
    answer = ask_person(context, out.text("deploy.ask", plan=notice.proposal) + "\n>")
    confirmed = is_yes(answer)
    if answer is not None:
        action = "confirmed" if confirmed else "rejected"
        writer.append(Verification(gate="rollback", verdict=plan, user_action=action, post_result="pending"), sync=True)
    if args.json:
        out.json({**notice._asdict(), "confirmed": confirmed, "event_id": event.event_id})
    else:
        out.say("deploy.failure", symptom=args.symptom, cause=args.cause, proposal=plan)
        out.say("deploy.confirmed" if confirmed else "deploy.waits", plan=plan)
    return 0 if confirmed else HUMAN
