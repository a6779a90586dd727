"""`mi tell`: something to a run that asked nothing."""

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Say something to a run: its agent hears it after the present batch; one that ended goes on with it."
    built = command("mi tell", summary, 'mi tell last "use the older API"', _tell, person_only=True)
    built.add_argument("run_id", metavar="run", help="the run's id, the end of it, its branch, or last")
    built.add_argument("words", nargs="+", help="what you say, in your own words")
    add_cd(built)
    add_json(built)
    return built


def _tell(context: HomeContext, args: Args) -> int:
    from mi.app.report import find_run_place
    from mi.app.run_words import tell_run
    from mi.evidence.records.questions import UserInput

    out = Output(context.language)
    run_id = find_run_place(context, args.run_id, lambda done, total: None).run_id
    heard = tell_run(context, run_id, UserInput(answer=" ".join(args.words).strip(), by="terminal"))
    if args.json:
        out.json({"run_id": run_id, "heard": heard})
    else:
        out.say(f"tell.{heard}", run_id=run_id)
    return 0
