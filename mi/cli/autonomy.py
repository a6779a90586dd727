"""`mi autonomy`: how often MI would have said what you said."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, Progress

if TYPE_CHECKING:
    from mi.learning.autonomy import TopicAgreement


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi autonomy", "How often MI would have answered as you did, by topic.", "mi autonomy --json", _show
    )
    add_json(built)
    return built


def _show(context: HomeContext, args: Args) -> int:
    from mi.app.autonomy import read_agreement

    out = Output(context.language)
    found = read_agreement(context, Progress(out, "progress.indexing"))
    mode = context.config.runtime.autonomy
    if args.json:
        out.json({"autonomy": mode, "topics": [_describe(one) for one in found]})
        return 0
    if not found:
        out.say("autonomy.none")
    for one in found:
        key = "autonomy.earned" if one.is_earned else "autonomy.topic"
        fields = {
            "topic": out.word(one.topic or "other"),
            "asked": one.asked,
            "guessed": one.guessed,
            "agreed": one.agreed,
            "alone": one.alone,
        }
        out.say(key, **fields, since=one.since[:10])
    if found:
        out.say("autonomy.mode-" + mode, path=context.home.config)
    return 0


def _describe(one: "TopicAgreement") -> dict[str, object]:
    return one._asdict() | {"topic": one.topic or "other", "earned": one.is_earned}
