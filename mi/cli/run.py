"""`mi run`: an agent works on a task, MI judges, until it is verified or you are needed."""

import sys
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from mi.app import App
from mi.autopilot.run_parts import RunParts, RunSteps
from mi.cli.arguments import Args, Parser, add_cd, add_json, add_redact, command
from mi.cli.output import Output
from mi.evidence.records.run import RunEnd
from mi.kernel.config.types import RunLimits
from mi.kernel.errors import UsageError

if TYPE_CHECKING:
    from mi.agents.signals import StopFlag
    from mi.autopilot.run_parts import Asker
    from mi.cli.run_display import Quiet
    from mi.learning.checkpoint import Lesson
    from mi.learning.segments import Hand, Segment


def parser(name: str) -> Parser:
    built = command(
        "mi run", "Let an agent work on a task and judge it until it is verified.", "mi run fix the failing test", _run
    )
    built.add_argument("task", nargs="*", help="the task in your own words")
    built.add_argument("--file", metavar="FILE", help="read the task from a file; - reads standard input")
    built.add_argument(
        "--resume", nargs="?", const="", metavar="RUN", help="go on with a run that stopped (default: the latest)"
    )
    built.add_argument(
        "--max-batches",
        type=partial(_limit, "--max-batches", int),
        metavar="N",
        help="batches the agent may take (default 8)",
    )
    built.add_argument(
        "--max-minutes", type=partial(_limit, "--max-minutes", float), metavar="N", help="minutes the run may take"
    )
    built.add_argument(
        "--max-tokens", type=partial(_limit, "--max-tokens", int), metavar="N", help="tokens the run may use"
    )
    built.add_argument(
        "--max-cost", type=partial(_limit, "--max-cost", float), metavar="USD", help="what the run may cost"
    )
    built.add_argument("--wait-for-limit", action="store_true", help="wait when the agent's vendor limits its use")
    built.add_argument("--continue-hands", action="store_true", help="go on in the agent's last thread of this project")
    built.add_argument("--reset-hands", action="store_true", help="forget the agent's last thread first")
    built.add_argument(
        "--override", metavar="REASON", help="your reason to let the rules ask nothing in this run; it is logged"
    )
    built.add_argument("--quiet", action="store_true", help="print nothing but errors")
    built.add_argument("--hands-raw", action="store_true", help="print the agent's lines as they are")
    built.add_argument("--why", action="store_true", help="at the end, say why the last decision was taken")
    built.add_argument("--no-mi-prompt", action="store_true", help="do not print what the agent is told")
    add_cd(built)
    add_json(built)
    add_redact(built)
    return built


def _limit(flag: str, kind: type[int] | type[float], value: str) -> float:
    """A limit that lets something happen; no limit at all is said by leaving the option out."""
    try:
        number = kind(value)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):  # also not a NaN
        raise UsageError("bad-limit" if kind is float else "bad-whole-limit", flag=flag, value=value)
    return number


def _run(app: App, args: Args) -> int:
    from mi.autopilot.resume import latest_run_id, resume
    from mi.autopilot.start import go_on, start

    task = _task(args)
    out = Output(app.language_for(task))
    if "[" in task:
        from mi.cli.run_tags import act_on

        code = act_on(app, args, out, task)
        if code is not None:
            return code
    app.use_project()
    log = app.project_home.evidence
    if args.resume is not None:
        run_id = args.resume or latest_run_id(log, app.notices)
        resumed = resume(log, run_id, app.notices)
        out = Output(app.language_for(resumed.state.task))
        session = _session(app, args, out, run_id, resuming=True)
        with closing(session.reporter):
            end = go_on(session, resumed)
    else:
        session = _session(app, args, out, "", resuming=False)
        with closing(session.reporter):
            end = start(session, task, _thread(app, args, session.hands.name))
    app.evidence_index.catch_up(log, lambda done, total: None)
    if not args.quiet and not args.json:
        _summary(app, out, end)
    if end.status == "done":
        _offer_close(app, args, out)
    return end.exit


def _offer_close(app: App, args: Args, out: Output) -> None:
    """Where the run completed the last task of the plan, the cycle can be closed."""
    import os

    if os.path.exists(app.nexus.place.tasks):
        from mi.cli.run_tags import offer_close

        offer_close(app, args, out)


def _task(args: Args) -> str:
    given = [bool(args.task), args.file is not None, args.resume is not None]
    if sum(given) != 1:
        raise UsageError("task-source")
    if args.file is not None:
        from mi.cli.input_files import text_given

        return text_given(args.file).strip() or _no_task()
    return " ".join(args.task).strip() or ("" if args.resume is not None else _no_task())


def _no_task() -> str:
    raise UsageError("task-source")


def _session(app: App, args: Args, out: Output, run_id: str, resuming: bool) -> RunParts:
    import msgspec

    from mi.agents.choose import open_hands
    from mi.agents.signals import StopFlag
    from mi.autopilot.steps.recall import AllSteps
    from mi.cli.run_display import VisibleWait
    from mi.evidence.log import EvidenceWriter
    from mi.kernel import ids
    from mi.mind.choose import open_mind

    config = app.loaded_config.config
    hands = open_hands(config, app.home, app.notices)
    stop = StopFlag()
    mind = open_mind(config, app.home, app.project_home.mind_transcripts, hands.name, stop)
    log = app.project_home.evidence
    if resuming:
        evidence = EvidenceWriter.resume(log, run_id, app.notices)
    else:
        evidence = EvidenceWriter(log, ids.new_run_id(), app.notices)
    reporter = _reporter(args, out, hands.name)
    return RunParts(
        home=app.home,
        project=app.project,
        runtime=msgspec.structs.replace(config.runtime, limits=_limits(config.runtime.limits, args)),
        hands=hands,
        mind=mind,
        thoughts=app.known_person(),
        steps=AllSteps(_steps(app, args, evidence.run_id, out.language)),
        evidence=evidence,
        asker=_asker(out, config.notify, reporter, stop),
        waiter=VisibleWait(out, stop),
        reporter=reporter,
        stop=stop,
        notices=app.notices,
        wait_for_limit=args.wait_for_limit,
        language=out.language,
    )


def _governed(app: App, args: Args, run_id: str) -> RunSteps:
    from mi.autopilot.steps.governance import GovernedSteps, RulesPlace, override_of, reviews_of

    if args.override is not None and not args.override.strip():
        raise UsageError("flag-needs-value", flag="--override")
    if args.override:
        from mi.knowledge.thoughts.store import refuse_secret

        refuse_secret("--override", args.override)
    place = RulesPlace(app.home, app.project.root, app.project_home.mind_transcripts, app.language_for)
    override = args.override or ""
    if args.resume is not None:
        log = app.project_home.evidence
        override = override or override_of(log, run_id, app.notices)
        place = place._replace(reviews=reviews_of(log, run_id, app.notices))
    return GovernedSteps(app.loaded_config.config, place, app.persona(), override)


def _steps(app: App, args: Args, run_id: str, language: str) -> list[RunSteps]:
    """What other rooms put into the loop, in the order in which they are asked."""
    from mi.app.recall_filter import trusted_only
    from mi.autopilot.steps.learning import LearningSteps
    from mi.autopilot.steps.person import PersonSteps, WhySteps
    from mi.autopilot.steps.persona import TeamSteps
    from mi.autopilot.steps.plan import PlannedSteps
    from mi.autopilot.steps.recall import RememberingSteps
    from mi.autopilot.steps.workflows import WorkflowSteps
    from mi.project.overlay import read_overlay

    runtime = app.loaded_config.config.runtime
    own, shared = app.project_thoughts, app.global_thoughts
    thread = read_overlay(app.home, app.project, app.notices).hands_state.thread_id
    continues = bool(thread) and (args.continue_hands or app.config.hands.continue_across_runs)
    found: list[RunSteps] = [
        WorkflowSteps(app.home, app.project, run_id, continues and not args.reset_hands, app.notices, language),
        PersonSteps(own, shared, app.open_global_log, app.project_home.overlay, app.notices),
        RememberingSteps(
            app.memory.search, lambda: trusted_only(app), runtime.cross_project_recall, app.project.project_id
        ),
        LearningSteps(app.knowledge, app.project_home.evidence, run_id, _lessons(app, run_id)),
    ]
    found.append(PlannedSteps(app.nexus, language))
    found.append(TeamSteps(app.persona(), app.project_home, app.notices, app.language_for))
    found.append(_governed(app, args, run_id))
    knobs = runtime.thought_db.why_trace
    if args.why or (knobs.auto_on_run_end and runtime.thought_db.enabled):
        log = app.project_home.evidence
        found.append(WhySteps(own, shared, app.earlier_candidates, knobs, log, run_id, app.notices, language))
    return found


def _lessons(app: App, run_id: str) -> "list[Lesson]":
    """What other rooms learn at a checkpoint; imported there, when the agent has worked already."""

    def mine(hand: "Hand", segment: "Segment") -> None:
        from mi.evidence.records.workflows import HostSync
        from mi.learning.workflow_mining import WorkflowMiner
        from mi.workflows.hosting import sync_bound

        def record(done: HostSync) -> HostSync:
            return hand.append(done)

        changed = lambda reason: sync_bound(app.bindings, record, reason)  # noqa: E731
        WorkflowMiner(app.knowledge(), app.workflows, run_id, changed)(hand, segment)

    return [mine] if app.config.runtime.workflows.auto_mine else []


def _limits(configured: RunLimits, args: Args) -> RunLimits:
    return RunLimits(
        batches=configured.batches if args.max_batches is None else args.max_batches,
        minutes=configured.minutes if args.max_minutes is None else args.max_minutes,
        tokens=configured.tokens if args.max_tokens is None else args.max_tokens,
        cost_usd=configured.cost_usd if args.max_cost is None else args.max_cost,
    )


def _asker(out: Output, notify: str, reporter: "Quiet", stop: "StopFlag") -> "Asker":
    from mi.autopilot.asking import AtTerminal, NobodyThere

    if sys.stdin.isatty() and sys.stderr.isatty():
        return AtTerminal(out.text("run.asks"), stop, reporter.paused)
    return NobodyThere(notify)


def _reporter(args: Args, out: Output, hands: str) -> "Quiet":
    """Who shows the run: a live line below only on a terminal that can draw one, and only over rendered events."""
    import os

    from mi.cli.run_display import JsonLines, Live, PlainAgent, Quiet, RawLines

    if args.json:
        return JsonLines()
    if args.quiet:
        return Quiet()
    show_prompt = not args.no_mi_prompt
    if args.hands_raw:
        return RawLines(out, show_prompt)
    if hands == "cli":
        return PlainAgent(out, show_prompt)
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        from mi.cli.run_screen import Screen

        return Screen(out, show_prompt)
    return Live(out, show_prompt)


def _thread(app: App, args: Args, hands: str) -> str:
    from mi.agents.threads import reset_thread, thread_to_continue
    from mi.project.overlay import read_overlay

    if args.reset_hands:
        reset_thread(app.home, app.project.project_id, app.notices)
    state = read_overlay(app.home, app.project, app.notices).hands_state
    return thread_to_continue(state, hands, args.continue_hands, app.config.hands.continue_across_runs)


def _summary(app: App, out: Output, end: RunEnd) -> None:
    import msgspec

    from mi.evidence.open_items import open_items

    marks = msgspec.to_builtins(end.marks)
    shown = "  ".join(f"{out.text('mark.' + name)} {'✓' if held else '✗'}" for name, held in marks.items())
    spent = end.spent
    unknown = out.text("run.unknown")
    out.say("run.end", status=out.text("run." + end.status), reason=end.reason)
    out.say("run.marks", marks=shown)
    out.say(
        "run.spent",
        seconds=unknown if spent.seconds is None else f"{spent.seconds:.1f}",
        tokens=unknown
        if spent.input_tokens is None or spent.output_tokens is None
        else spent.input_tokens + spent.output_tokens,
        cost=unknown if spent.cost_usd is None else f"{spent.cost_usd:.4f}",
        calls=spent.calls,
    )
    if end.evidence_ids:
        out.say("run.rests-on", evidence=" ".join(end.evidence_ids[-3:]))
    out.say("run.look", run_id=end.run_id)
    if end.status in ("blocked", "interrupted"):
        waits = open_items(app.project_home.evidence, app.evidence_index, app.notices).events
        out.say("run.answer-and-resume" if waits else "run.resume", run_id=end.run_id)
