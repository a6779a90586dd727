"""`mi gate permission`: may a tool do something; the states of permissions."""

from typing import Any

from mi.app.home_context import HomeContext
from mi.app.team import build_worker
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output
from mi.kernel.errors import UsageError

FREE, DENIED, HUMAN = 0, 1, 3


def add_permission(group: Group) -> None:
    """Add the subcommand."""
    group.add(
        "permission",
        "decide a permission; list them; set one",
        'mi gate permission bash run "git push --force origin main"',
        _permission,
        _fill_permission,
        person_only=_is_persons,
    )


def _is_persons(context: HomeContext, args: Args) -> bool:
    """Return whether a permission is changed, or a denial lifted."""
    return args.words[0] == "set" or bool(args.override)


def _fill_permission(parser: Parser) -> None:
    parser.add_argument(
        "words", nargs="+", metavar="WORD", help="TOOL [OPERATION] [TARGET], or: list, or: set OPERATION STATE"
    )
    parser.add_argument("--member", metavar="NAME", help="who acts (default: persona.member)")
    parser.add_argument("--profile", choices=("light", "standard", "strict"), help="default: governance.profile")
    parser.add_argument("--override", metavar="REASON", default="", help="your reason to lift a soft denial once")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why a permission is changed")
    add_cd(parser)
    add_json(parser)


def _permission(context: HomeContext, args: Args) -> int:
    for flag in ("override", "reason"):  # what is given as a reason is kept
        if getattr(args, flag):
            from mi.knowledge.thoughts.store import refuse_secret

            refuse_secret("--" + flag, getattr(args, flag))
    first, *rest = args.words
    if first == "list" and not rest:
        return _list_permissions(context, args)
    if first == "set":
        return _set_permission(context, args, rest)
    if not rest:
        raise UsageError("gate-permission-words")
    if len(rest) == 1 and _says_operation(first, rest[0]):
        return _decide(context, args, first, "", rest[0])
    return _decide(context, args, first, rest[0], " ".join(rest[1:]))


def _says_operation(tool: str, word: str) -> bool:
    """Return whether a tool's name tells the operation, so that the one word behind it is the target."""
    from mi.governance.operations import OPERATIONS
    from mi.governance.permissions import VERBS, is_known

    return is_known(tool) and word not in OPERATIONS and word not in VERBS


def _decide(context: HomeContext, args: Args, tool: str, operation: str, target: str) -> int:
    from mi.governance.operations import OPERATIONS
    from mi.governance.permissions import VERBS
    from mi.project.permissions import permit_here

    if operation and operation not in OPERATIONS and operation not in VERBS:
        known = ", ".join(dict.fromkeys([*VERBS, *OPERATIONS]))
        raise UsageError("gate-unknown-operation", name=operation, known=known)
    config = context.config
    verdict = permit_here(
        context.home,
        build_worker(context, member=args.member or ""),
        tool,
        operation,
        target,
        context.notices,
        profile=args.profile or config.governance.profile,
        override=args.override.strip(),
    )
    if verdict.incident:
        from mi.evidence.records.governed import Override

        scope = f"incident: {verdict.operation} {verdict.target}"
        context.open_project_log().append(Override(reason=args.override, scope=scope), sync=True)
    out = Output(context.language)
    if args.json:
        out.json(encode_verdict(verdict, out.language))
    else:
        out.line(f"{verdict.decision}  {verdict.operation}  {verdict.target}")
        out.line("  " + verdict.reason(out.language))
        if alternative := verdict.alternative(out.language):
            out.say("gate.instead", way=alternative)
    return {"ALLOW": FREE, "PROMPT": HUMAN, "DENY": DENIED}[verdict.decision]


def encode_verdict(verdict: Any, language: str) -> dict[str, Any]:
    """Return a permission decision as programs read it."""
    return {
        "decision": verdict.decision,
        "class": verdict.denial if verdict.decision == "DENY" else None,
        "reason": verdict.reason(language),
        "alternative": verdict.alternative(language),
        "operation": verdict.operation,
        "target": verdict.target,
        "effect": verdict.effect(language),
    }


def _list_permissions(context: HomeContext, args: Args) -> int:
    from mi.governance.operations import OPERATIONS
    from mi.governance.permissions import state_of
    from mi.project.permissions import list_opened, own_states

    profile = args.profile or context.config.governance.profile
    own = own_states(context.home, context.notices)
    rows = [
        {"operation": name, "state": state_of(name, profile, own), "class": rule.denial, "set": name in own}
        for name, rule in OPERATIONS.items()
    ]
    out = Output(context.language)
    opened = list_opened(context.home, context.notices)
    if args.json:
        shown = [{"operation": one.operation, "target": one.target, "project_root": one.project_root} for one in opened]
        out.json({"profile": profile, "permissions": rows, "opened": shown})
        return FREE
    for row in rows:
        mark = "*" if row["set"] else " "
        effect = out.text("effect." + str(row["operation"]))
        out.line(f"{row['state']:<6} {mark} {row['operation']:<20} {row['class'] or '':<5} {effect}")
    for one in opened:
        out.say("gate.always-open", operation=one.operation, target=one.target, root=one.project_root)
    return FREE


def _set_permission(context: HomeContext, args: Args, rest: list[str]) -> int:
    from mi.governance.operations import OPERATIONS, STATES
    from mi.review.permission_changes import change_permission

    if len(rest) != 2 or rest[1].upper() not in STATES:
        raise UsageError("gate-permission-set", states=", ".join(STATES))
    if rest[0] not in OPERATIONS:
        raise UsageError("gate-unknown-operation", name=rest[0], known=", ".join(OPERATIONS))
    wanted = next(state for state in STATES if state == rest[1].upper())
    config = context.config.governance
    context.use_project()
    changed = change_permission(
        context.home,
        [context.home.evidence, context.project_home.evidence],
        rest[0],
        wanted,
        args.reason,
        config,
        context.notices,
    )
    out = Output(context.language)
    if args.json:
        out.json({"operation": rest[0], "from": changed.before, "to": changed.now, "event_id": changed.event_id})
    else:
        out.say(
            "gate.permission-set", operation=rest[0], before=changed.before, now=changed.now, event=changed.event_id
        )
    return FREE
