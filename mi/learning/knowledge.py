"""What learning stands on: the two stores, the text index, and what a Mind is shown of them before it learns."""

from typing import NamedTuple

import msgspec

from mi.kernel.config.types import Runtime
from mi.kernel.home import Home, ProjectHome
from mi.kernel.notices import Notices
from mi.kernel.state import read_state
from mi.knowledge.thoughts.context import ThoughtFinder, build
from mi.knowledge.thoughts.kinds import Scope
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.stores import CombinedStores
from mi.knowledge.thoughts.trust import of_thought
from mi.learning.segments import Segment
from mi.mind.prompts.checkpoint_decide import SegmentCase
from mi.mind.prompts.mine_claims import SegmentToMine
from mi.mind.views import CitableText
from mi.project.overlay import Overlay

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
        trusted = [one for one in chosen if of_thought(one, thoughts) != "hands"][:_KNOWN]
        return [CitableText(id=one.id, text=str(one.raw.get("text") or "")) for one in trusted]

    def runtime_text(self) -> str:
        """Return the knobs that learning goes by."""
        knobs = {name: getattr(self.runtime, name) for name in _KNOBS}
        return msgspec.json.encode(knobs).decode()

    def overlay_text(self) -> str:
        """Return what is known about the project beside its thoughts."""
        overlay = read_state(self.place.overlay, Overlay, self.notices)
        names = ("project_id", "identity_key", "stack_hints", "testless_verification_strategy", "workflow_run")
        return msgspec.json.encode({name: getattr(overlay, name) for name in names}).decode()

    def about(self, case: SegmentCase) -> SegmentCase:
        """Return a stretch with its surroundings, for checkpoint_decide."""
        return msgspec.structs.replace(
            case, known=self.known(case.task), runtime=self.runtime_text(), overlay=self.overlay_text()
        )

    def to_mine(self, segment: Segment) -> SegmentToMine:
        """Return a stretch with its surroundings, for mining."""
        task = segment.task
        return SegmentToMine(
            task=task.text,
            events=[CitableText(id=task.id, text=f"task: {task.text}"), *segment.events] if task.id else segment.events,
            said=segment.person_said(),
            known=self.known(task.text),
            runtime=self.runtime_text(),
            overlay=self.overlay_text(),
            notes=segment.decision.notes if segment.decision else "",
        )
