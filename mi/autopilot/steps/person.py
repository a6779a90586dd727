"""Steps of the loop around what is known of the person: defaults said at the start, and why at the end."""

from collections.abc import Callable
from typing import Any

from mi.autopilot.run_parts import Outcome, RunRecorder, RunSteps
from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_back
from mi.kernel.config.types import WhyTraceConfig as Knobs
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.context import ThoughtFinder
from mi.knowledge.thoughts.settings import seed_defaults
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.stores import CombinedStores
from mi.learning.overlay import point_to_strategy
from mi.learning.why import DECISIONS, moment_of, of_event, said_by
from mi.learning.why_trace import Reach, trace
from mi.mind.mind import Judgement
from mi.mind.prompt import Prompt


class PersonSteps(RunSteps):
    """Before the first batch: what MI does unless told otherwise becomes claims that can be cited and replaced."""

    def __init__(
        self,
        own: ThoughtStore,
        shared: ThoughtStore,
        open_shared_log: Callable[[], EvidenceWriter],
        overlay: str,
        notices: Notices,
    ) -> None:
        self._own = own
        self._shared = shared
        self._open_shared_log = open_shared_log
        self._overlay = overlay
        self._notices = notices

    def preflight(self, pen: RunRecorder, task: str) -> Outcome:
        seed_defaults(self._shared, self._open_shared_log)
        point_to_strategy(self._overlay, self._own, self._notices)
        return None


class WhySteps(RunSteps):
    """At the run's end: why its last decision was taken, one question to the Mind."""

    def __init__(
        self,
        own: ThoughtStore,
        shared: ThoughtStore,
        search: ThoughtFinder,
        knobs: Knobs,
        log: str,
        run_id: str,
        notices: Notices,
        language: str = "en",
    ) -> None:
        self._language = language
        self._own = own
        self._shared = shared
        self._search = search
        self._knobs = knobs
        self._log = log
        self._run_id = run_id
        self._notices = notices

    def checkpoint(self, pen: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        if status_hint in ("", "interrupted"):  # a run that goes on, or a person who waits for it to stop
            return
        event = self._last_decision()
        if event is None:
            return
        moment, as_of_ts = moment_of(event, None)
        thoughts = CombinedStores(self._own.read(moment), self._shared.read(moment))
        why = of_event(event, thoughts, as_of_ts, self._knobs.top_k, self._language)
        reach = Reach(thoughts, self._search, self._own)
        trace(why, said_by(event), _Judging(pen), reach, self._knobs, pen.append)

    def _last_decision(self) -> dict[str, Any] | None:
        for event in read_back(self._log, self._notices):
            if event.head.run_id == self._run_id and event.head.kind in DECISIONS:
                return event.fields()
            if event.head.run_id == self._run_id and event.head.kind == "run_start":
                return None  # this process of the run decided nothing
        return None


class _Judging:
    """A run's pen as a judge: what the question costs is the run's."""

    def __init__(self, pen: RunRecorder) -> None:
        self._pen = pen

    def ask(self, prompt: Prompt[Any, Any], given: Any) -> Judgement[Any]:
        return self._pen.judge(prompt, given)
