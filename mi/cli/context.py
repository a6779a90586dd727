"""`mi context`: the thoughts MI would decide a task with."""

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.app.team_files import build_team_files
from mi.cli import thoughts
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output
from mi.kernel.safe_text import shorten_gist

_TEAM = 12  # texts of the team that are shown


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi context",
        "The thoughts MI would decide a task with: values, preferences and goals, what the words bring to mind.",
        'mi context "make the tests faster" --json',
        _run,
    )
    built.add_argument("words", nargs="*", help="the task")
    thoughts.add_as_of(built)
    add_cd(built)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    from mi.kernel import clock
    from mi.knowledge.thoughts.context import build, build_least

    out = Output(context.language)
    moment = thoughts.parse_moment(args)
    stores = thoughts.open_reading(context, out, "effective", moment)
    remembers = context.config.runtime.thought_db.enabled
    words = " ".join(args.words)
    candidates = build_recall(context).find_thoughts if moment is None else build_recall(context).find_earlier_thoughts
    shown = build(stores, words, candidates) if remembers else build_least(stores)
    if moment is None:
        shown = shown._replace(team=build_team_files(context).find(words, _TEAM))
    as_of_ts = clock.format_ms(moment) if moment is not None else clock.now()
    if args.json:
        out.json({"as_of_ts": as_of_ts, "query": words} | shown.fields())
        return 0
    for name in ("values_claims", "pref_goal_claims", "query_claims", "nodes"):
        found = getattr(shown, name)
        out.say("context.head", name=out.text("context." + name.replace("_", "-")), count=len(found))
        for one in found:
            raw = one.raw
            scope = "  " + out.text("settings.from-global") if one.scope == "global" and name != "values_claims" else ""
            out.beside(f"  {one.id}  ", shorten_gist(str(raw.get("title") or raw.get("text") or ""), 100) + scope)
    out.say("context.head", name=out.text("context.team"), count=len(shown.team))
    for written in shown.team:
        out.beside("  ", shorten_gist(written.line.removeprefix("- "), 160))
    out.say("context.edges", count=len(shown.edges), notes=shown.notes)
    context.note_last()
    return 0
