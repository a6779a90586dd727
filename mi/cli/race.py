"""`mi race`: the same task in several work trees; who is proposed first, and which one the person takes."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.run_names import find_run_id
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.merge import add_ways, bring_over
from mi.cli.output import Output, Progress
from mi.kernel.errors import UsageError
from mi.kernel.safe_text import shorten_gist
from mi.kernel.text import pad

if TYPE_CHECKING:
    from mi.app.race import RaceStanding
    from mi.fleet.race import RaceEntry

_MARKS = ("verified", "proved")


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi race",
        "Let several agents work on one task, each in a work tree of its own; show who is proposed first and why; "
        "bring the one over that you pick.",
        'mi race "fix the failing test" --agents codex,claude -n 3',
        _run,
        person_only=_is_persons,
    )
    built.add_argument(
        "words",
        metavar="task | race_… | pick run_…",
        nargs="*",
        help="the task; or the race to look at (default: the latest); or pick and the run to bring over",
    )
    built.add_argument(
        "--agents", metavar="NAMES", default="", help="who races, in turn: codex,claude (default: yours)"
    )
    built.add_argument("-n", dest="number", metavar="N", type=int, help="runs in all (default: one each, at least 2)")
    add_ways(built)
    add_cd(built)
    add_json(built)
    return built


def _is_persons(context: Any, args: Args) -> bool:
    """Return whether it is a person's word: to begin or to settle a race; looking is everybody's."""
    return bool(args.words) and not _names_race(args.words)


def _names_race(words: list[str]) -> bool:
    return len(words) == 1 and words[0].startswith(("race_", "run_"))


def _run(context: HomeContext, args: Args) -> int:
    out, words = Output(context.language), args.words
    if words == ["pick"]:
        raise UsageError("race-pick-what")
    if words[:1] == ["pick"] and len(words) == 2:
        return _pick(context, out, args, find_run_id(context, words[1]))
    if not words or _names_race(words):
        if args.agents or args.number:
            raise UsageError("race-without-task")
        return _show(context, out, args)
    return _start(context, out, args, " ".join(words))


def _start(context: HomeContext, out: Output, args: Args, task: str) -> int:
    from mi.app.race import start_race
    from mi.cli.prompts import agree_on_place

    agree_on_place(context)
    agents = [name.strip() for name in args.agents.split(",")] if args.agents else []
    race, hidden = start_race(context, task, agents, args.number)
    if args.json:
        out.json({"race_id": race.id, "task": race.task, "runs": race.racers})
        return 0
    if hidden:
        out.say("run.secret-in-task", kinds=", ".join(hidden))
    out.say("race.queued", id=race.id, count=len(race.racers))
    for racer in race.racers:
        out.line(f"  {racer.run_id}  {racer.agent}".rstrip())
    out.say("race.next")
    return 0


def _show(context: HomeContext, out: Output, args: Args) -> int:
    from mi.app.race import read_race

    standing = read_race(context, args.words[0] if args.words else "", Progress(out, "progress.indexing"))
    if args.json:
        out.json(_as_json(standing))
        return 0
    out.line(f"{standing.race.id}  {shorten_gist(standing.race.task, 100)}")
    for place, entry in enumerate(standing.entries, 1):
        out.line(f"  {place}  {entry.run_id}  {pad(entry.agent, 8)} {_tell_state(out, entry)}")
        out.line(f"     {'  '.join(filter(None, _list_figures(out, entry)))}".rstrip())
    _propose(out, standing)
    return 0


def _tell_state(out: Output, entry: "RaceEntry") -> str:
    reason = f": {shorten_gist(entry.reason, 80)}" if entry.reason and not entry.is_done else ""
    known = {"done", "blocked", "failed", "interrupted", "running"}
    return (out.text(f"run.{entry.state}") if entry.state in known else out.word(entry.state)) + reason


def _list_figures(out: Output, entry: "RaceEntry") -> list[str]:
    marks = {out.text(f"mark.{name}"): getattr(entry.marks, name) for name in _MARKS}
    marks[out.text("race.unbent")] = entry.unbent
    shown = [f"{name} {'✓' if held else '✗'}" for name, held in marks.items() if held is not None]
    size = "" if entry.lines is None else out.text("race.size", lines=entry.lines, files=entry.files)
    money = "" if entry.spent.cost_usd is None else f"${entry.spent.cost_usd:.4f}"
    return [*(shown if entry.state not in ("queued", "running") else ()), size, money, entry.branch]


def _propose(out: Output, standing: "RaceStanding") -> None:
    from mi.fleet.race import list_race_grounds

    first = standing.proposed
    if standing.picked:
        out.say("race.picked", run=standing.picked)
    elif standing.goes_on:
        out.say("race.goes-on")
    elif first is None:
        out.say("race.nobody", run=standing.entries[0].run_id)
    else:
        grounds = [out.text(f"race.ground-{ground}") for ground in list_race_grounds(first, standing.entries[1:])]
        out.say("race.proposed", run=first.run_id, grounds=", ".join(grounds))


def _as_json(standing: "RaceStanding") -> dict[str, object]:
    from mi.fleet.race import list_race_grounds

    first = standing.proposed
    return {
        "race_id": standing.race.id,
        "task": standing.race.task,
        "picked": standing.picked or None,
        "proposed": first.run_id if first else None,
        "grounds": list_race_grounds(first, standing.entries[1:]) if first else [],
        "runs": standing.entries,
    }


def _pick(context: HomeContext, out: Output, args: Args, run_id: str) -> int:
    from mi.app.race import refuse_second_pick

    refuse_second_pick(context, run_id, Progress(out, "progress.indexing"))
    code = bring_over(context, args, run_id)
    if not args.json:
        out.say("race.picked", run=run_id)
    return code
