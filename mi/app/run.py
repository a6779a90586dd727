"""A run, put together: the agent, the Mind, the log, and the steps of every room that takes part."""

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

from mi.agents.choose import choose_agent, open_hands
from mi.agents.signals import StopFlag
from mi.app.autonomy import find_earned
from mi.app.home_context import HomeContext
from mi.app.learning import build_knowledge, build_known_person
from mi.app.notify import Notifier
from mi.app.proof import choose_proof
from mi.app.recall import build_recall
from mi.app.speaker import find_speaker, is_persons_process
from mi.app.tasks import build_task_store
from mi.app.team import build_persona
from mi.app.team_base import guard_team
from mi.app.team_files import build_team_files
from mi.app.thoughts import build_thoughts
from mi.app.tree_run import choose_resumed
from mi.app.work_trees import build_tree_steps
from mi.app.workflows import build_bindings, build_workflows
from mi.autopilot.limits import LIMITS
from mi.autopilot.person_door import PersonDoor
from mi.autopilot.resume import Resumed, resume
from mi.autopilot.run_parts import Asker, Prover, Reporter, RunParts, Waiter
from mi.autopilot.state import RunState
from mi.autopilot.steps.protocol import AllSteps, RunPlace, RunSteps
from mi.evidence.log import EvidenceWriter
from mi.kernel import ids
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.mind.choose import open_mind

if TYPE_CHECKING:
    from mi.knowledge.search.team import TeamText
    from mi.learning.checkpoint import CheckpointLesson
    from mi.learning.segments import Hand


class RunOptions(NamedTuple):
    """What the person wants of one run; None: as configured."""

    task: str = ""
    resume: str | None = None  # the run to go on with; '' is the latest
    batches: int | None = None
    minutes: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    wait_for_limit: bool | None = None
    continue_hands: bool = False
    reset_hands: bool = False
    override: str = ""
    why: bool = False
    prove: bool | None = None
    list_task: str = ""  # the task of the project's list, or the handoff, that it is
    run_id: str = ""  # of a new run; '' makes one
    agent: str = ""  # by its name, in place of the configured one


class RunDoor(Protocol):
    """Where a run is seen and answered."""

    def open_reporter(self, hands: str) -> Reporter:
        """Return who shows the work of an agent."""

    def open_asker(self, stop: StopFlag) -> Asker:
        """Return who asks the person."""

    def open_waiter(self, stop: StopFlag) -> Waiter:
        """Return who waits for a vendor's limit to end."""


class BuiltRun(NamedTuple):
    """A run that is ready to be driven."""

    parts: RunParts
    state: RunState
    resumed: Resumed | None


def build_run(context: HomeContext, options: RunOptions, open_door: Callable[[str], RunDoor]) -> BuiltRun:
    """Return a run of the project, new or resumed; `open_door` makes the door for a language."""
    find_speaker(context)  # a person's run tells the other ones what it writes: its settings, what it learns
    context.use_project()
    log = context.project_home.evidence
    resumed = _find_resumed(log, options, context)
    agent = options.agent or (resumed.state.agent if resumed else "")
    config = choose_agent(context.loaded_config.config, agent)
    task = resumed.state.task if resumed else options.task
    list_task = resumed.state.list_task if resumed else options.list_task
    run_id = resumed.state.run_id if resumed else options.run_id or ids.make_run_id()
    language = context.language_for(task)
    door, stop = open_door(language), StopFlag()
    hands = open_hands(config, context.home, context.notices)
    reporter = door.open_reporter(hands.name)
    proof = choose_proof(context, options.prove, partial(_open_prover, context, language, stop, reporter))
    known = build_known_person(context)
    build_team_files(context).pin()
    parts = RunParts(
        home=context.home,
        project=context.project,
        runtime=config.runtime,
        hands=hands,
        mind=open_mind(config, context.home, context.project_home.mind_transcripts, hands.name, stop),
        thoughts=known,
        evidence=(EvidenceWriter.resume if resumed else EvidenceWriter)(log, run_id, context.notices),
        steps=AllSteps(_build_steps(context, options, run_id, language, (task, list_task), known.team)),
        reporter=reporter,
        asker=_ask_everywhere(context, door.open_asker(stop)),
        notifier=Notifier(context),
        waiter=door.open_waiter(stop),
        stop=stop,
        notices=context.notices,
        door=_open_person_door(context),
        leftovers=config.hands.leftovers,
        wait_for_limit=config.runtime.limits.wait if options.wait_for_limit is None else options.wait_for_limit,
        language=language,
        prover=proof.prover,
        no_proof=text(proof.why_not, language) if proof.why_not else "",
        snapshot=config.snapshot,
        guard_team=partial(guard_team, context),
        agent=agent,
        **({"find_earned": partial(find_earned, context)} if config.runtime.autonomy == "earned" else {}),
    )
    if resumed:
        resumed.state.own_limits |= _read_limits(options)
        return BuiltRun(parts, resumed.state, resumed)
    thread, own = _find_thread(context, options, hands.name), _read_limits(options)
    state = RunState(task=task, run_id=run_id, next_input=task, list_task=list_task, thread_id=thread, own_limits=own)
    return BuiltRun(parts, state, None)


def _ask_everywhere(context: HomeContext, asker: Asker) -> Asker:
    """Return who asks; in a home that joined a hub, other homes as well."""
    if not os.path.exists(context.home.hub):
        return asker
    from mi.app.hub_asker import HubAsker

    return HubAsker(context, asker)


def _open_person_door(context: HomeContext) -> PersonDoor:
    def is_persons(pid: int) -> bool:
        return is_persons_process(context.home, pid, door.lets_in)

    door = PersonDoor(context.home, is_persons)
    return door


def _open_prover(context: HomeContext, language: str, stop: StopFlag, reporter: Reporter) -> Prover:
    from mi.app.proof import build_witness_place
    from mi.app.trust import leave_question
    from mi.autopilot.run_prover import RunProver

    ask = partial(leave_question, context)
    return RunProver(build_witness_place(context), stop, reporter.proving, ask, language)


def _find_resumed(log: str, options: RunOptions, context: HomeContext) -> Resumed | None:
    if options.resume is None:
        return None
    return resume(log, choose_resumed(context, options.resume), context.notices)


def _read_limits(options: RunOptions) -> dict[str, float | None]:
    """Return the limits that the person gives this run."""
    return {name: limit for name in LIMITS if (limit := getattr(options, name)) is not None}


def _find_thread(context: HomeContext, options: RunOptions, hands: str) -> str:
    """Return the agent's thread to go on in; '' for a new one."""
    from mi.agents.threads import choose_thread, reset_thread
    from mi.project.run_state import find_thread_state

    if options.reset_hands:
        reset_thread(context.home, context.project, context.notices)
    state = find_thread_state(context.project_home, context.project.root, context.notices)
    return choose_thread(state, hands, options.continue_hands, context.config.hands.continue_across_runs)


def _build_steps(
    context: HomeContext,
    options: RunOptions,
    run_id: str,
    language: str,
    tasks: tuple[str, str],  # in words, and by its id in the project's list
    find_team: "Callable[[str], list[TeamText]]",
) -> list[RunSteps]:
    """Return what other rooms put into the loop, in the order in which they are asked."""
    from mi.autopilot.steps.governance import GovernanceSteps
    from mi.autopilot.steps.learning import DefaultSteps, LearningSteps, WhySteps
    from mi.autopilot.steps.persona import PersonaSteps
    from mi.autopilot.steps.plan import PlanSteps
    from mi.autopilot.steps.recall import RecallSteps
    from mi.autopilot.steps.team import TeamSteps
    from mi.autopilot.steps.workflows import WorkflowSteps
    from mi.project.run_state import find_thread_state

    place = RunPlace(context.home, context.project, run_id, context.notices, language)
    config, persona = context.loaded_config.config, build_persona(context)
    runtime, trace = config.runtime, config.runtime.thought_db.why_trace
    thoughts, recall = build_thoughts(context), build_recall(context)
    stores = (thoughts.own, thoughts.shared)
    thread = find_thread_state(context.project_home, context.project.root, context.notices).thread_id
    wants_thread = options.continue_hands or config.hands.continue_across_runs
    steps: list[RunSteps] = [
        WorkflowSteps(place, continues=bool(thread) and wants_thread and not options.reset_hands),
        DefaultSteps(place, *stores, context.open_global_log),
        RecallSteps(place, recall.search, recall.build_filter, runtime.cross_project_recall),
        LearningSteps(place, partial(build_knowledge, context), partial(_build_lessons, context)),
        PlanSteps(partial(build_task_store, context), language),
        TeamSteps(find_team, os.path.isdir(persona.root), language),
        _build_task_steps(context, place, tasks[1]),
        PersonaSteps(place, persona, context.language_for),
        GovernanceSteps(place, config, persona, options.override, is_resumed=options.resume is not None),
    ]
    if options.why or (trace.auto_on_run_end and runtime.thought_db.enabled):
        steps.append(WhySteps(place, *stores, recall.find_earlier_thoughts, trace))
    return [*steps, *build_tree_steps(context, run_id, tasks[0])]


def _build_task_steps(context: HomeContext, place: "RunPlace", list_task: str) -> RunSteps:
    """Return who hears how the task ended: the sender of a handoff, or the project's list."""
    from mi.autopilot.steps.handoffs import HandoffSteps
    from mi.autopilot.steps.tasks import TaskSteps

    if list_task.startswith("HO-"):
        return HandoffSteps(place, build_persona(context), list_task)
    listed = partial(build_task_store, context)
    if not context.project.linked_to:
        return TaskSteps(listed, list_task, place)
    persons = partial(build_task_store, context.at(context.main_root))
    return TaskSteps(listed, list_task, place, persons, settles=context.config.fleet.tick == "done")


def _build_lessons(context: HomeContext, run_id: str) -> "list[CheckpointLesson]":
    """Return what other rooms learn at a checkpoint; imported there, when the agent has worked already."""
    if not context.config.runtime.workflows.auto_mine:
        return []
    from mi.evidence.records.workflows import HostSync
    from mi.learning.workflow_mining import WorkflowMiner
    from mi.workflows.hosting import sync_bound

    def sync(recorder: "Hand", reason: str) -> None:
        def record(done: HostSync) -> HostSync:
            return recorder.append(done)

        sync_bound(build_bindings(context), record, reason)

    return [WorkflowMiner(build_knowledge(context), build_workflows(context), run_id, sync)]
