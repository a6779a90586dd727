"""A run, put together: the agent, the Mind, the log, and the steps of every room that takes part."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from mi.agents.choose import open_hands
from mi.agents.signals import StopFlag
from mi.autopilot.resume import Resumed, latest_run_id, resume
from mi.autopilot.run_parts import Asker, Reporter, RunParts, Waiter
from mi.autopilot.state import RunState
from mi.autopilot.steps.protocol import AllSteps, RunSteps
from mi.evidence.log import EvidenceWriter
from mi.kernel import ids
from mi.kernel.config.types import Config, RunLimits
from mi.mind.choose import open_mind

if TYPE_CHECKING:
    from mi.app import App
    from mi.learning.checkpoint import Lesson
    from mi.learning.segments import Hand, Segment


class RunOptions(NamedTuple):
    """What the person wants of one run; None: as configured."""

    task: str = ""
    resume: str | None = None  # the run to go on with; '' is the latest
    batches: int | None = None
    minutes: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    wait_for_limit: bool = False
    continue_hands: bool = False
    reset_hands: bool = False
    override: str = ""
    why: bool = False


class RunDoor(Protocol):
    """Where a run is seen and answered."""

    def open_reporter(self, hands: str) -> Reporter:
        """Return who shows the work of an agent."""

    def open_asker(self, notify: str, stop: StopFlag) -> Asker:
        """Return who asks the person."""

    def open_waiter(self, stop: StopFlag) -> Waiter:
        """Return who waits for a vendor's limit to end."""


class BuiltRun(NamedTuple):
    """A run that is ready to be driven."""

    parts: RunParts
    state: RunState
    resumed: Resumed | None


def build_run(app: "App", options: RunOptions, open_door: Callable[[str], RunDoor]) -> BuiltRun:
    """Return a run of the project, new or resumed; `open_door` makes the door for a language."""
    app.use_project()
    config, log = app.loaded_config.config, app.project_home.evidence
    resumed = _find_resumed(log, options, app)
    task = resumed.state.task if resumed else options.task
    run_id = resumed.state.run_id if resumed else ids.new_run_id()
    language = app.language_for(task)
    door, stop = open_door(language), StopFlag()
    hands = open_hands(config, app.home, app.notices)
    parts = RunParts(
        home=app.home,
        project=app.project,
        runtime=msgspec.structs.replace(config.runtime, limits=_limit(config.runtime.limits, options)),
        hands=hands,
        mind=open_mind(config, app.home, app.project_home.mind_transcripts, hands.name, stop),
        thoughts=app.known_person(),
        evidence=(EvidenceWriter.resume if resumed else EvidenceWriter)(log, run_id, app.notices),
        steps=AllSteps(_build_steps(app, options, run_id, language)),
        reporter=door.open_reporter(hands.name),
        asker=door.open_asker(config.notify, stop),
        waiter=door.open_waiter(stop),
        stop=stop,
        notices=app.notices,
        wait_for_limit=options.wait_for_limit,
        language=language,
    )
    if resumed:
        return BuiltRun(parts, resumed.state, resumed)
    thread = _find_thread(app, options, hands.name)
    return BuiltRun(parts, RunState(task=task, run_id=run_id, next_input=task, thread_id=thread), None)


def _find_resumed(log: str, options: RunOptions, app: "App") -> Resumed | None:
    if options.resume is None:
        return None
    return resume(log, options.resume or latest_run_id(log, app.notices), app.notices)


def _limit(configured: RunLimits, options: RunOptions) -> RunLimits:
    wanted = {name: getattr(options, name) for name in RunLimits.__struct_fields__}
    return msgspec.structs.replace(configured, **{name: limit for name, limit in wanted.items() if limit is not None})


def _find_thread(app: "App", options: RunOptions, hands: str) -> str:
    """Return the agent's thread to go on in; '' for a new one."""
    from mi.agents.threads import reset_thread, thread_to_continue
    from mi.project.overlay import read_overlay

    if options.reset_hands:
        reset_thread(app.home, app.project.project_id, app.notices)
    state = read_overlay(app.home, app.project, app.notices).hands_state
    return thread_to_continue(state, hands, options.continue_hands, app.config.hands.continue_across_runs)


def _build_steps(app: "App", options: RunOptions, run_id: str, language: str) -> list[RunSteps]:
    """Return what other rooms put into the loop, in the order in which they are asked."""
    from mi.app.recall_filter import trusted_only
    from mi.autopilot.steps.learning import DefaultSteps, LearningSteps, WhySteps
    from mi.autopilot.steps.persona import PersonaSteps
    from mi.autopilot.steps.plan import PlanSteps
    from mi.autopilot.steps.recall import RecallSteps
    from mi.autopilot.steps.workflows import WorkflowSteps
    from mi.project.overlay import read_overlay

    config = app.loaded_config.config
    runtime, place = config.runtime, app.project_home
    own, shared = app.project_thoughts, app.global_thoughts
    thread = read_overlay(app.home, app.project, app.notices).hands_state.thread_id
    continues = bool(thread) and (options.continue_hands or config.hands.continue_across_runs)
    steps: list[RunSteps] = [
        WorkflowSteps(app.home, app.project, run_id, continues and not options.reset_hands, app.notices, language),
        DefaultSteps(own, shared, app.open_global_log, place.overlay, app.notices),
        RecallSteps(app.memory.search, lambda: trusted_only(app), runtime.cross_project_recall, app.project.project_id),
        LearningSteps(app.knowledge, place.evidence, run_id, _build_lessons(app, run_id)),
        PlanSteps(app.nexus, language),
        PersonaSteps(app.persona(), place, app.notices, app.language_for),
        _build_governance(app, config, options, run_id),
    ]
    trace = runtime.thought_db.why_trace
    if options.why or (trace.auto_on_run_end and runtime.thought_db.enabled):
        find = app.earlier_candidates
        steps.append(WhySteps(own, shared, find, trace, place.evidence, run_id, app.notices, language))
    return steps


def _build_governance(app: "App", config: Config, options: RunOptions, run_id: str) -> RunSteps:
    from mi.autopilot.steps.governance import GovernanceSteps, RulesPlace, override_of, reviews_of

    place = RulesPlace(app.home, app.project.root, app.project_home.mind_transcripts, app.language_for)
    override = options.override
    if options.resume is not None:
        log = app.project_home.evidence
        override = override or override_of(log, run_id, app.notices)
        place = place._replace(reviews=reviews_of(log, run_id, app.notices))
    return GovernanceSteps(config, place, app.persona(), override)


def _build_lessons(app: "App", run_id: str) -> "list[Lesson]":
    """Return what other rooms learn at a checkpoint; imported there, when the agent has worked already."""

    def mine(recorder: "Hand", segment: "Segment") -> None:
        from mi.evidence.records.workflows import HostSync
        from mi.learning.workflow_mining import WorkflowMiner
        from mi.workflows.hosting import sync_bound

        def record(done: HostSync) -> HostSync:
            return recorder.append(done)

        def sync(reason: str) -> None:
            sync_bound(app.bindings, record, reason)

        WorkflowMiner(app.knowledge(), app.workflows, run_id, sync)(recorder, segment)

    return [mine] if app.config.runtime.workflows.auto_mine else []
