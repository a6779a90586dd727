"""What the overlay of a project mirrors of its thoughts: a pointer that follows the claim, also when that is undone."""

from collections.abc import Callable

import msgspec

from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.knowledge.thoughts.kinds import TESTLESS
from mi.knowledge.thoughts.store import ThoughtStore
from mi.project.overlay import Overlay, TestlessStrategy


def point_to_strategy(path: str, store: ThoughtStore, notices: Notices) -> None:
    """Let the overlay point to the claim that says what counts without tests, or to none when none stands."""
    standing = store.active(TESTLESS)
    claim = standing[-1] if standing else None
    pointer = TestlessStrategy()
    if claim is not None:
        pointer = TestlessStrategy(chosen_once=True, claim_id=claim.claim_id, rationale=claim.notes)
    if read_state(path, Overlay, Notices()).testless_verification_strategy.claim_id == pointer.claim_id:
        return
    update_state(
        path,
        Overlay,
        lambda overlay: msgspec.structs.replace(overlay, testless_verification_strategy=pointer),
        notices,
    )


class OverlayLesson:
    """The overlay's part of an undo: what it points to is taken back with the claim."""

    name = "overlay"

    def __init__(self, path: str, store: ThoughtStore, notices: Notices) -> None:
        self._path = path
        self._store = store
        self._notices = notices

    def taught(self, holds: Callable[[str], bool]) -> list[str]:
        """Return the pointer, when the claim it leads to comes from the events in question."""
        claim_id = read_state(self._path, Overlay, self._notices).testless_verification_strategy.claim_id
        claim = self._store.read().get(claim_id) if claim_id else None
        refs = claim.raw.get("source_refs") if claim is not None and claim.status != "retracted" else None
        cited = [str(ref.get("event_id")) for ref in refs if isinstance(ref, dict)] if isinstance(refs, list) else []
        return [f"testless_verification_strategy → {claim_id}"] if any(map(holds, cited)) else []

    def take_back(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Follow the claims, which were taken back before."""
        point_to_strategy(self._path, self._store, self._notices)

    def restore(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Follow the claims, which are there again."""
        point_to_strategy(self._path, self._store, self._notices)
