"""What the run knows about the person and the project: values, settings, and what counts without tests."""

import msgspec

from mi.autopilot.injection import Told
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import update_state
from mi.learning.values import BASE
from mi.mind.views import Person, Said
from mi.project.identity import Project
from mi.project.overlay import Overlay, TestlessStrategy
from mi.thoughtdb.records import Claim
from mi.thoughtdb.settings import effective
from mi.thoughtdb.store import ThoughtStore

STRATEGY = "mi:testless_verification_strategy"
LEARNED = "mi:learned"


class KnownPerson:
    """Reads the Thought DB for a run; the person's own word first."""

    def __init__(self, home: Home, project: Project, own: ThoughtStore, shared: ThoughtStore, notices: Notices) -> None:
        self._home = home
        self._project = project
        self._own = own
        self._shared = shared
        self._notices = notices

    def person(self, task: str) -> Person:
        settings = effective([self._own, self._shared])
        return Person(
            values=_said(self._shared.active(BASE)),
            preferences=_said(self._preferences()),
            ask_when_uncertain=settings["ask_when_uncertain"].value == "ask",
        )

    def told(self, task: str) -> tuple[list[Told], list[Told], list[Told]]:
        values = [Told(claim.claim_id, claim.text) for claim in self._shared.active(BASE)]
        return values, [Told(claim.claim_id, claim.text) for claim in self._preferences()], []

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

    def _preferences(self) -> list[Claim]:
        return [*self._own.active(STRATEGY), *self._own.active(LEARNED), *self._shared.active(LEARNED)]


def _said(claims: list[Claim]) -> list[Said]:
    return [Said(id=claim.claim_id, text=claim.text) for claim in claims]
