"""What the run knows about the person and the project: values, settings, and what counts without tests."""

import msgspec

from mi.autopilot.injection import Told
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import update_state
from mi.mind.views import Person, Said
from mi.project.identity import Project
from mi.project.overlay import Overlay, TestlessStrategy
from mi.thoughtdb.context import TESTLESS as STRATEGY
from mi.thoughtdb.context import Candidates, build
from mi.thoughtdb.effective import Effective
from mi.thoughtdb.reading import Thought
from mi.thoughtdb.settings import effective
from mi.thoughtdb.store import ThoughtStore
from mi.thoughtdb.trust import of_thought

_TOLD_FACTS = 6  # facts an agent is told; the rest it can find in the repository


class KnownPerson:
    """Reads the Thought DB for a run. What only an agent said is left out: it is no word of the person's."""

    def __init__(
        self,
        home: Home,
        project: Project,
        own: ThoughtStore,
        shared: ThoughtStore,
        search: Candidates,
        notices: Notices,
    ) -> None:
        self._home = home
        self._project = project
        self._own = own
        self._shared = shared
        self._search = search
        self._notices = notices

    def person(self, task: str) -> Person:
        settings = effective([self._own, self._shared])
        values, preferences, facts = self._thoughts(task)
        return Person(
            values=values,
            preferences=preferences,
            facts=facts,
            ask_when_uncertain=settings["ask_when_uncertain"].value == "ask",
        )

    def told(self, task: str) -> tuple[list[Told], list[Told], list[Told]]:
        values, preferences, facts = self._thoughts(task)
        claims = [said for said in facts if said.id.startswith("cl_")][:_TOLD_FACTS]
        return _told(values), _told(preferences), _told(claims)

    def _thoughts(self, task: str) -> tuple[list[Said], list[Said], list[Said]]:
        """Values, preferences, and what the task brings to mind."""
        stores = Effective(self._own.read(), self._shared.read())
        context = build(stores, task, self._search)

        def said(thoughts: list[Thought]) -> list[Said]:
            trusted = [one for one in thoughts if of_thought(one, stores) != "hands"]
            return [Said(id=one.id, text=str(one.raw.get("text") or one.raw.get("title") or "")) for one in trusted]

        return (
            said(context.values_claims),
            said(context.pref_goal_claims),
            said([*context.query_claims, *context.nodes]),
        )

    def behaviour_preserving(self) -> bool:
        return effective([self._own, self._shared])["refactor_intent"].value == "behavior_preserving"

    def testless_strategy(self) -> Said | None:
        claims = self._own.active(STRATEGY)
        return Said(id=claims[-1].claim_id, text=claims[-1].text) if claims else None

    def remember_strategy(self, strategy: str, rationale: str, event_id: str) -> Said:
        """The claim is the truth; the overlay only points to it."""
        claim = self._own.new_claim(strategy, [STRATEGY], event_id, "user")
        former = self._own.active(STRATEGY)
        self._own.add_claims([claim])
        for old in former:
            self._own.link("supersedes", old.claim_id, claim.claim_id, event_id, "user")
        pointer = TestlessStrategy(chosen_once=True, claim_id=claim.claim_id, rationale=rationale)

        def point(overlay: Overlay) -> Overlay:
            return msgspec.structs.replace(overlay, testless_verification_strategy=pointer)

        update_state(self._home.project(self._project.project_id).overlay, Overlay, point, self._notices)
        return Said(id=claim.claim_id, text=strategy)


def _told(said: list[Said]) -> list[Told]:
    return [Told(one.id, one.text) for one in said]
