"""`mi notify`: whether you can be reached when you are away."""

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_json
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group(
        "mi notify", "How you are told of questions and of the ends of runs (config: notify).", "mi notify test"
    )
    test = group.add("test", "tell you something by every way that is configured", "mi notify test", _test)
    add_json(test)
    return group.parser


def _test(context: HomeContext, args: Args) -> int:
    from mi.app.notify import find_targets, make_test_note, try_targets

    out = Output(context.language)
    note = make_test_note(context)
    targets = find_targets(context)
    tried = [(target.kind, why) for target, why in zip(targets, try_targets(context, targets, note), strict=True)]
    if args.json:
        out.json([{"channel": channel, "sent": not reason, "reason": reason} for channel, reason in tried])
    elif not tried:
        out.say("notify.none")
    for channel, reason in [] if args.json else tried:
        out.say("notify.failed" if reason else "notify.sent", channel=channel, reason=reason)
    return 1 if any(reason for _, reason in tried) else 0
