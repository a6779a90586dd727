"""`mi values what-if`: which decisions of past runs would have been other ones under other values."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, add_cd, add_json, count
from mi.cli.output import Output, show_waiting
from mi.kernel.errors import UsageError
from mi.kernel.safe_text import shorten_gist

if TYPE_CHECKING:
    from mi.app.what_if import Compared, Flip, WhatIf
    from mi.autopilot.what_if import DecisionOutcome, ImaginedValues
    from mi.mind.mind import Mind

    Cite = Callable[[DecisionOutcome], list[dict[str, str]]]

_RUNS = 20
_GIST = 160  # columns of what was asked, answered or said


def add_what_if(group: Group) -> None:
    """Add the subcommand to `mi values`."""
    parser = group.add(
        "what-if",
        "see which decisions of past runs would have been others under other values",
        'mi values what-if --add "Prefer the standard library."',
        _what_if,
    )
    parser.add_argument("--text", metavar="TEXT", help="these values in place of yours; - reads standard input")
    parser.add_argument("--file", metavar="FILE", help="the same, from a file")
    parser.add_argument("--add", metavar="TEXT", help="this beside the values of the time; - reads standard input")
    parser.add_argument("--runs", metavar="N", type=count, default=_RUNS, help=f"the latest N runs (default {_RUNS})")
    parser.add_argument("--mind", choices=["rules", "configured"], default="rules", help="who judges (default: rules)")
    parser.add_argument("--yes", action="store_true", help="with a model: ask it; without, only say what it would cost")
    parser.add_argument(
        "--scope", choices=["global", "project"], default="global", help="where they hold (default: global)"
    )
    add_cd(parser)
    add_json(parser)


def _what_if(context: HomeContext, args: Args) -> int:
    from mi.app.thoughts import build_thoughts
    from mi.app.what_if import WhatIf, build_judge, cite_outcome

    imagined = _read_values(args)
    out = Output(context.language_for(" ".join(imagined.texts)))
    mind, asked = build_judge(context, args.mind == "configured"), WhatIf(context, imagined, args.runs)
    if mind.name != "rules" and not args.yes:
        return _tell_cost(out, args, asked, mind)
    with show_waiting(out, mind.name):
        found = asked.compare(mind)
    cite = partial(cite_outcome, build_thoughts(context).read("effective"), imagined)
    if args.json:
        out.json(_describe(imagined, mind, found, cite))
    else:
        _tell(out, found, cite)
    return 0


def _read_values(args: Args) -> "ImaginedValues":
    from mi.app.what_if import imagine_values
    from mi.cli.values import read_text

    given = [source for source in (args.text, args.file, args.add) if source is not None]
    if len(given) != 1:
        raise UsageError("what-if-source")
    text = read_text(args.text if args.add is None else args.add, args.file)
    return imagine_values(text, args.scope, args.add is not None)


def _tell_cost(out: Output, args: Args, asked: "WhatIf", mind: "Mind") -> int:
    cost = asked.measure(mind.name)
    usd, most = cost.cost_usd, None if cost.cost_usd is None else 2 * cost.cost_usd
    fields = {"mind": mind.name, "calls": cost.calls, "calls_at_most": 2 * cost.calls, "characters": cost.characters}
    if args.json:
        out.json(fields | {"cost_usd": usd, "cost_usd_at_most": most, "asked": False})
    else:
        price = "what-if.no-price" if usd is None else "what-if.price"
        money = out.text(price, mind=mind.name, usd=f"{usd or 0:.4f}", most=f"{most or 0:.4f}")
        out.say("what-if.cost", most=2 * cost.calls, kilobytes=round(cost.characters / 1000), money=money, **fields)
    return 0


def _tell(out: Output, found: "Compared", cite: "Cite") -> None:
    for flip in found.flips:
        start, end = flip.batch.start, flip.batch.end
        out.line(f"{start.run_id} {end.batch_id}  {end.ts[:10]}  {shorten_gist(start.task, _GIST)}")
        _tell_outcome(out, "what-if.was", flip.was, cite)
        _tell_outcome(out, "what-if.would", flip.would, cite)
        out.line(f"    {end.event_id}")
    counts = {"flips": len(found.flips), "decisions": found.decisions, "runs": found.runs}
    out.say("what-if.found" if found.decisions else "what-if.no-decisions", **counts)
    if found.unlike:
        out.say("what-if.unlike", count=found.unlike)


def _tell_outcome(out: Output, key: str, outcome: "DecisionOutcome", cite: "Cite") -> None:
    said = shorten_gist(outcome.text, _GIST)
    out.line(f"  {out.text(key)} {out.text(f'what-if.{outcome.kind}')}: {said}")
    for cited in cite(outcome):
        out.line(f"      {cited['id']}  {shorten_gist(cited['text'], _GIST)}")


def _describe(imagined: "ImaginedValues", mind: "Mind", found: "Compared", cite: "Cite") -> dict[str, Any]:
    return {
        "values": imagined.texts,
        "adds": imagined.adds,
        "mind": mind.name,
        "runs": found.runs,
        "decisions": found.decisions,
        "unlike": found.unlike,
        "flips": [_describe_flip(flip, cite) for flip in found.flips],
    }


def _describe_flip(flip: "Flip", cite: "Cite") -> dict[str, Any]:
    start, end = flip.batch.start, flip.batch.end
    shown: dict[str, Any] = {"run_id": start.run_id, "batch_id": end.batch_id, "event_id": end.event_id, "ts": end.ts}
    for name, outcome in (("was", flip.was), ("would", flip.would)):
        shown[name] = {"kind": outcome.kind, "text": outcome.text, "cited": cite(outcome)}
    return shown | {"task": start.task}
