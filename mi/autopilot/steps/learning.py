"""What learning adds to a run: defaults that can be cited, lessons at checkpoints, and why at the end."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mi.autopilot.run_lock import find_running
from mi.autopilot.steps.protocol import Outcome, RunPlace, RunRecorder, RunSteps
from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_back
from mi.kernel import jsonl
from mi.kernel.config.types import WhyTraceConfig
from mi.knowledge.thoughts.context import ThoughtFinder
from mi.knowledge.thoughts.settings import seed_defaults
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.stores import CombinedStores
from mi.learning.checkpoint import Checkpoints, materialise
from mi.learning.consolidate import Consolidation
from mi.learning.mining import ClaimMiner, PreferenceMiner
from mi.learning.overlay import point_to_strategy
from mi.learning.segments import SegmentFile, find_unlearned
from mi.learning.suggestions import Learner
from mi.learning.why import DECISIONS, explain_event, find_moment, quote_event
from mi.learning.why_trace import Reach, trace
from mi.mind.mind import Judgement
from mi.mind.prompt import Prompt
from mi.project.run_state import hold_run

if TYPE_CHECKING:  # needed when the agent has worked already
    from mi.learning.checkpoint import CheckpointLesson
    from mi.learning.knowledge import Knowledge


class DefaultSteps(RunSteps):
    """Makes claims, before the first batch, of what MI does unless told otherwise: they can be cited and replaced."""

    def __init__(
        self, place: RunPlace, own: ThoughtStore, shared: ThoughtStore, open_shared_log: Callable[[], EvidenceWriter]
    ) -> None:
        self._place = place
        self._own = own
        self._shared = shared
        self._open_shared_log = open_shared_log

    def preflight(self, recorder: RunRecorder, task: str) -> Outcome:
        seed_defaults(self._shared, self._open_shared_log)
        point_to_strategy(self._place.files.overlay, self._own, self._place.notices)
        return None


class LearningSteps(RunSteps):
    """Cuts the run into stretches and learns from those that are complete; `open_more`: what other rooms learn."""

    def __init__(
        self,
        place: RunPlace,
        open_knowledge: "Callable[[], Knowledge]",
        open_more: "Callable[[str], Sequence[CheckpointLesson]]",
    ) -> None:
        self._open_knowledge = open_knowledge
        self._place = place
        self._open_more = open_more
        self._begins_at = jsonl.measure_size(place.files.evidence)  # what this run writes follows from here
        self._checkpoints: Checkpoints | None = None

    def checkpoint(self, recorder: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        if self._checkpoints is None:
            living = {run.owner.run_id for run in find_running(self._place.home, self._place.project.project_id)}
            but = {*living, self._place.run_id}
            self._learn_earlier(recorder, but)
            self._checkpoints = self._open(self._place.run_id)
        self._checkpoints.at(recorder, planned_next_input, status_hint)

    def _learn_earlier(self, recorder: RunRecorder, but: set[str]) -> None:
        """Learn from the run before, where it was stopped or killed over it; of runs that begin at once, one does."""

        def find() -> tuple[str, str] | None:
            return find_unlearned(self._place.files, self._begins_at, self._place.notices, but)

        if (earlier := find()) is None:
            return
        with hold_run(self._place.files, earlier[0]) as is_ours:
            if is_ours and find() == earlier:
                self._open(earlier[0]).at(recorder, "", earlier[1])

    def _open(self, run_id: str) -> Checkpoints:
        return _build_checkpoints(self._open_knowledge(), run_id, self._begins_at, self._open_more(run_id))


def _build_checkpoints(
    knowledge: "Knowledge", run_id: str, begins_at: int, more: "Sequence[CheckpointLesson]"
) -> "Checkpoints":
    """Return learning as the configuration wants it."""
    runtime = knowledge.runtime
    file = SegmentFile(knowledge.place, run_id, begins_at, knowledge.notices)
    learner = Learner(knowledge, file, run_id)
    lessons: list[CheckpointLesson] = []
    if runtime.preference_mining.auto_mine:
        lessons.append(PreferenceMiner(learner, file))
    if runtime.thought_db.enabled and runtime.thought_db.auto_mine:
        lessons.append(ClaimMiner(learner))
    nodes = runtime.thought_db.enabled and runtime.thought_db.auto_materialize_nodes
    return Checkpoints(
        file,
        runtime,
        [*lessons, *more],
        always=[learner.from_judgements],
        kept=[partial(materialise, knowledge.own)] if nodes else [],
        at_end=[Consolidation(learner, file)],
        about=partial(knowledge.about, run_id),
    )


class WhySteps(RunSteps):
    """Asks the Mind, at the run's end, why its last decision was taken."""

    def __init__(
        self,
        place: RunPlace,
        own: ThoughtStore,
        shared: ThoughtStore,
        search: ThoughtFinder,
        settings: WhyTraceConfig,
    ) -> None:
        self._place = place
        self._own = own
        self._shared = shared
        self._search = search
        self._settings = settings

    def checkpoint(self, recorder: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        if status_hint in ("", "interrupted"):  # a run that goes on, or a person who waits for it to stop
            return
        event = self._last_decision()
        if event is None:
            return

        moment, as_of_ts = find_moment(event, None)
        thoughts = CombinedStores(self._own.read(moment), self._shared.read(moment))
        why = explain_event(event, thoughts, as_of_ts, self._settings.top_k, self._place.language)
        reach = Reach(thoughts, self._search, self._own)
        trace(why, quote_event(event), _RecorderJudge(recorder), reach, self._settings, recorder.append)

    def _last_decision(self) -> dict[str, Any] | None:
        for event in read_back(self._place.files.evidence, self._place.notices):
            if event.head.run_id == self._place.run_id and event.head.kind in DECISIONS:
                return event.fields()
            if event.head.run_id == self._place.run_id and event.head.kind == "run_start":
                return None  # this process of the run decided nothing
        return None


class _RecorderJudge:
    """A run's recorder as a judge: what the question costs is the run's."""

    def __init__(self, recorder: RunRecorder) -> None:
        self._recorder = recorder

    def ask(self, prompt: Prompt[Any, Any], given: Any) -> Judgement[Any]:
        return self._recorder.judge(prompt, given)
