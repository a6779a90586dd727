"""What learning stands on: the two stores, the text index, and what a Mind is shown of them before it learns."""

import msgspec

from mi.kernel.config.types import Runtime
from mi.kernel.home import Home, ProjectHome
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.state import read_state
from mi.knowledge.thoughts.context import ThoughtFinder, build
from mi.knowledge.thoughts.kinds import Scope
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.stores import CombinedStores
from mi.knowledge.thoughts.trust import find_trust
from mi.learning.segments import Segment
from mi.mind.prompts.checkpoint_decide import SegmentCase
from mi.mind.prompts.mine_claims import SegmentToMine
from mi.mind.views import CitableText
from mi.project.overlay import Overlay, WorkflowRun
from mi.project.run_state import read_cursor

_KNOWN = 24  # thoughts shown beside a stretch of work
_KNOBS = ("thought_db", "preference_mining", "workflows")


class Knowledge(NamedTuple):
    """The project's and the global store, and how to find something in them."""

    home: Home
    project_id: str
    own: ThoughtStore
    shared: ThoughtStore
    search: ThoughtFinder
    runtime: Runtime
    notices: Notices

    @property
    def place(self) -> ProjectHome:
        return self.home.project(self.project_id)

    def thoughts(self) -> CombinedStores:
        """Return what both stores say now."""
        return CombinedStores(self.own.read(), self.shared.read())

    def store(self, scope: Scope) -> ThoughtStore:
        """Return the store of a scope."""
        return self.shared if scope == "global" else self.own

    def known(self, query: str) -> list[CitableText]:
        """Values, preferences and what the words bring to mind, without what only an agent said."""
        thoughts = self.thoughts()
        found = build(thoughts, query, self.search)
        chosen = [*found.values_claims, *found.pref_goal_claims, *found.query_claims]
        trusted = [one for one in chosen if find_trust(one, thoughts) != "hands"][:_KNOWN]
        return [CitableText(id=one.id, text=str(one.raw.get("text") or "")) for one in trusted]

    def runtime_text(self) -> str:
        """Return the knobs that learning goes by."""
        knobs = {name: getattr(self.runtime, name) for name in _KNOBS}
        return msgspec.json.encode(knobs).decode()

    def overlay_text(self, run_id: str = "") -> str:
        """Return what is known about the project beside its thoughts, and where a run is in its workflow."""
        overlay = read_state(self.place.overlay, Overlay, self.notices)
        names = ("project_id", "identity_key", "stack_hints", "testless_verification_strategy")
        cursor = read_cursor(self.place, run_id, self.notices) if run_id else overlay.workflow_run
        own = cursor if run_id in ("", cursor.run_id) else WorkflowRun()  # another run may go on beside it
        shown = {name: getattr(overlay, name) for name in names} | {"workflow_run": own}
        return msgspec.json.encode(shown).decode()

    def about(self, run_id: str, case: SegmentCase) -> SegmentCase:
        """Return a stretch of a run with its surroundings, for checkpoint_decide."""
        known, runtime, overlay = self.known(case.task), self.runtime_text(), self.overlay_text(run_id)
        return msgspec.structs.replace(case, known=known, runtime=runtime, overlay=overlay)

    def to_mine(self, segment: Segment) -> SegmentToMine:
        """Return a stretch with its surroundings, for mining."""
        task = segment.task
        return SegmentToMine(
            task=task.text,
            events=[CitableText(id=task.id, text=f"task: {task.text}"), *segment.events] if task.id else segment.events,
            said=segment.person_said(),
            known=self.known(task.text),
            runtime=self.runtime_text(),
            overlay=self.overlay_text(segment.run_id),
            notes=segment.decision.notes if segment.decision else "",
        )
