"""`mi bench judge`: how often a judge is wrong, by scripted agents that work honestly, err and lie."""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_json, count
from mi.cli.commands import COMMANDS
from mi.cli.output import Output
from mi.kernel.errors import UsageError

if TYPE_CHECKING:
    from mi.testing.judge_bench.judges import MeasuredJudge
    from mi.testing.judge_bench.measure import Mode, Result
    from mi.testing.judge_bench.players import AgentPlayer
    from mi.testing.judge_bench.scenario import Scenario


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi bench", "measure a judge", "mi bench judge --sample 40")
    group.add(
        "judge",
        "let scripted agents work honestly, err and lie, and count where the judge is wrong",
        "mi bench judge --sample 40 --mode events",
        _judge,
        _fill_judge,
    )
    return group.parser


def _fill_judge(parser: Parser) -> None:
    parser.add_argument("--sample", metavar="N", type=count, help="only so many scenarios, spread over the families")
    parser.add_argument("--family", metavar="NAME", help="only scenarios of this family")
    parser.add_argument(
        "--only", metavar="ID", action="append", help="only scenarios whose id begins with this; can be given again"
    )
    parser.add_argument(
        "--mode",
        choices=["proof", "events", "both"],
        default="both",
        help="with MI's own proof, by the agent's events alone, or both (default: both)",
    )
    parser.add_argument(
        "--agent", metavar="CMD", default="scripted", help="codex, claude, or a command that plays $MI_BENCH_SCRIPT"
    )
    parser.add_argument(
        "--mind", metavar="JSON", default="rules", help="rules, own (as configured), or the mind section as JSON"
    )
    parser.add_argument(
        "--judge", metavar="CMD", help="another judge: a program that drives the agent and says how it ended"
    )
    parser.add_argument("--jobs", metavar="N", type=count, help="scenarios at a time (default: half of the processors)")
    parser.add_argument("--list", action="store_true", help="print the scenarios and play none")
    add_json(parser)


def _judge(context: HomeContext, args: Args) -> int:
    from mi.testing.judge_bench.figures import as_json
    from mi.testing.judge_bench.measure import measure

    out = Output(context.quiet_language)
    scenarios = _choose(args)
    if args.list:
        return _list(out, args, scenarios)
    judges = _judges(context, args)
    if not judges:
        raise UsageError("bench-no-proof")
    results = measure(
        scenarios, judges, args.jobs or _half_the_processors(), _Progress(out, len(scenarios) * len(judges))
    )
    if args.json:
        out.json(as_json(results))
    else:
        _print_figures(out, results)
    return 0 if _all_met(results) else 1


def _choose(args: Args) -> "list[Scenario]":
    from mi.testing.judge_bench.measure import spread
    from mi.testing.judge_bench.scenarios import SCENARIOS

    # Whoever starts a real agent by its name would reach its vendor where the scenario's agent is another program.
    real_only = args.judge is not None and args.agent in ("codex", "claude")
    chosen = [
        scenario
        for scenario in SCENARIOS
        if args.family in (None, scenario.family)
        and scenario.id.startswith(tuple(args.only or [""]))
        and not (real_only and scenario.is_program)
    ]
    if not chosen:
        families = ", ".join(dict.fromkeys(scenario.family for scenario in SCENARIOS))
        raise UsageError("bench-nothing", value=" ".join(args.only or [args.family]), known=families)
    return chosen if args.sample is None else spread(chosen, args.sample)


def _list(out: Output, args: Args, scenarios: "list[Scenario]") -> int:
    shown = [
        {name: getattr(scenario, name) for name in ("id", "family", "language", "truth", "task")}
        for scenario in scenarios
    ]
    if args.json:
        out.json(shown)
    for one in [] if args.json else shown:
        out.line(f"{one['id']:<44} {one['truth']:<9} {one['task'].splitlines()[0]}")
    return 0


def _judges(context: HomeContext, args: Args) -> "dict[Mode, MeasuredJudge]":
    import shlex

    from mi.testing.judge_bench.judges import CommandJudge, MiJudge

    mind, player = _mind(context, args.mind), _player(args.agent)
    if args.judge is not None:
        return {"proof" if args.mode == "proof" else "events": CommandJudge(shlex.split(args.judge), player)}
    judges: dict[Mode, MeasuredJudge] = {}
    if args.mode != "events" and _can_prove():
        judges["proof"] = MiJudge(mind, True, player)
    if args.mode != "proof":
        judges["events"] = MiJudge(mind, False if _can_prove() else None, player)
    return judges


def _can_prove() -> bool:
    """Return whether this MI has a proof of its own."""
    return "trust" in COMMANDS


def _mind(context: HomeContext, given: str) -> dict[str, Any]:
    from msgspec import to_builtins

    if given == "rules":
        return {"provider": "rules"}
    return dict(to_builtins(context.config.mind)) if given == "own" else _read_section("--mind", given)


def _player(given: str) -> "AgentPlayer":
    import shlex

    from mi.agents.find import find
    from mi.testing.judge_bench.players import RealPlayer, ScriptedPlayer

    if given in ("codex", "claude"):
        return RealPlayer(given, find(given))  # type: ignore[arg-type]
    if given == "scripted":
        return ScriptedPlayer()
    if given.startswith("{"):
        return ScriptedPlayer(_read_section("--agent", given))
    return ScriptedPlayer({"provider": "cli", "cli": {"exec": shlex.split(given), "resume": []}})


def _read_section(flag: str, given: str) -> dict[str, Any]:
    from mi.kernel.jsontext import BadJson, decode

    try:
        return decode(given.encode(), dict[str, Any])
    except BadJson as error:
        raise UsageError("bench-section", flag=flag, value=given, reason=str(error)) from None


def _half_the_processors() -> int:
    return max(1, (os.cpu_count() or 2) // 2)


class _Progress:
    """Says on standard error what is wrong as it comes, and how far the bench is."""

    def __init__(self, out: Output, total: int) -> None:
        self._out = out
        self._total = total
        self._done = self._wrong = 0

    def __call__(self, result: "Result") -> None:
        self._done += 1
        self._wrong += result.mistake is not None
        if result.mistake and result.seen:
            reason = " · ".join([result.seen.reason, *result.seen.questions, *result.seen.answers])
            sys.stderr.write(f"{self._out.word(result.mistake)}: {result.id} ({result.mode}): {reason}\n")
        if self._done % 10 == 0 or self._done == self._total:
            told = self._out.text("bench.progress", done=self._done, total=self._total, wrong=self._wrong)
            sys.stderr.write(f"mi: {told}\n")
        sys.stderr.flush()


def _print_figures(out: Output, results: "list[Result]") -> None:
    from mi.testing.judge_bench.figures import count_proved, group_by

    for mode, group in group_by(results, lambda result: result.mode).items():
        played = [result for result in group if result.seen]
        out.say(f"bench.{mode}", played=len(played), tricks=sum(result.truth == "not done" for result in played))
        if mode == "proof":
            done = sum(result.seen.status == "done" for result in played if result.seen)
            out.say("bench.proved", proved=count_proved(played), done=done)
        _print_table(out, "bench.family", group_by(played, lambda result: result.family))
        _print_table(out, "bench.language", group_by(played, lambda result: result.language))
        _print_goals(out, group[0].mode, played)
        for program, left_out in group_by([one for one in group if one.missing], lambda one: one.missing[0]).items():
            out.say("bench.not-run", count=len(left_out), program=program)
        out.line()


def _print_table(out: Output, head: str, groups: "dict[str, list[Result]]") -> None:
    from mi.kernel.text import width
    from mi.testing.judge_bench.figures import MISTAKES, count_mistakes

    columns = [out.text("bench.runs"), *map(out.word, MISTAKES)]
    everything = [result for group in groups.values() for result in group]
    rows = [*sorted(groups.items()), (out.text("bench.all"), everything)]
    first = max(width(name) for name in (*groups, out.text(head)))

    def print_row(name: str, cells: Iterable[object]) -> None:
        padded = (
            " " * (width(column) - width(str(cell))) + str(cell) for cell, column in zip(cells, columns, strict=True)
        )
        out.line(f"{name}{' ' * (first - width(name))}  " + "  ".join(padded))

    print_row(out.text(head), columns)
    for name, group in rows:
        counts = count_mistakes(group)
        print_row(name, [len(group), *(counts[mistake] or "·" for mistake in MISTAKES)])
    out.line()


def _print_goals(out: Output, mode: "Mode", played: "list[Result]") -> None:
    from mi.testing.judge_bench.figures import set_goals

    for goal in set_goals(mode, played):
        words = " + ".join(map(out.word, goal.mistakes))
        out.say(
            "bench.goal-met" if goal.is_met else "bench.goal-missed",
            mistakes=words,
            made=goal.made,
            chances=goal.chances,
            allowed=f"{goal.allowed:.0%}",
        )


def _all_met(results: "list[Result]") -> bool:
    from mi.testing.judge_bench.figures import group_by, set_goals

    groups = group_by([result for result in results if result.seen], lambda result: result.mode)
    return all(goal.is_met for group in groups.values() for goal in set_goals(group[0].mode, group))
