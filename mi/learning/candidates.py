"""`preference_candidates.json`: how often a preference was seen, by its signature; at most once in each run."""

from collections.abc import Callable

import msgspec
from msgspec import Struct

from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.learning.gate import alike, plain_tokens
from mi.thoughtdb.kinds import Scope

_SHOWN = 90


class Candidate(Struct, frozen=True, kw_only=True):
    """A preference that was seen: in which events, and what became of it."""

    scope: Scope = "project"
    text: str = ""
    count: int = 0
    occurrences: list[str] = []  # the events in which it was seen, one of each run
    undone: list[str] = []  # those that were taken back
    suggestion_id: str = ""  # it waits, or waited, in the inbox
    dismissed: bool = False  # the person said no


class CandidateState(Struct, frozen=True, kw_only=True):
    version: str = "v1"
    candidates: dict[str, Candidate] = {}


def signature(scope: str, text: str) -> str:
    """The same for texts that differ in case, spacing and punctuation only."""
    from hashlib import sha256

    return sha256(f"{scope}\n{' '.join(plain_tokens(text))}".encode()).hexdigest()[:16]


class Candidates:
    """The candidates of a project."""

    name = "preference_candidates"

    def __init__(self, path: str, notices: Notices) -> None:
        self._path = path
        self._notices = notices

    def find(self, scope: Scope, text: str) -> tuple[str, Candidate]:
        """The candidate that says this, in these or nearly these words, and its signature; a new one when none does."""
        own = signature(scope, text)
        known = read_state(self._path, CandidateState, self._notices).candidates
        if own in known:
            return own, known[own]
        found = ((name, one) for name, one in known.items() if one.scope == scope and alike(one.text, text))
        return next(found, (own, Candidate(scope=scope, text=text)))

    def see(self, scope: Scope, text: str, run_id: str, event_id: str) -> tuple[str, Candidate]:
        """Count an occurrence, once for each run."""
        name, seen = self.find(scope, text)
        if any(one.startswith(f"ev_{run_id}_") for one in seen.occurrences):
            return name, seen
        seen = msgspec.structs.replace(seen, occurrences=[*seen.occurrences, event_id], count=seen.count + 1)
        self._put({name: seen})
        return name, seen

    def waits(self, name: str, candidate: Candidate, suggestion_id: str) -> None:
        """Note that it was put before the person."""
        self._put({name: msgspec.structs.replace(candidate, suggestion_id=suggestion_id)})

    def dismiss(self, scope: Scope, text: str) -> None:
        """Note that the person does not want it: it is not suggested again."""
        name, candidate = self.find(scope, text)
        self._put({name: msgspec.structs.replace(candidate, dismissed=True)})

    # what a run taught, for `mi undo`

    def taught(self, holds: Callable[[str], bool]) -> list[str]:
        """The preferences that the events counted, one line each."""
        known = read_state(self._path, CandidateState, self._notices).candidates.values()
        return [f"{one.text[:_SHOWN]} ({one.count})" for one in known if any(map(holds, _counted(one)))]

    def take_back(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Count the events no more."""
        self._recount(lambda one: [*one.undone, *(seen for seen in _counted(one) if holds(seen))])

    def restore(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Count them again."""
        self._recount(lambda one: [seen for seen in one.undone if not holds(seen)])

    def _recount(self, undone: Callable[[Candidate], list[str]]) -> None:
        changed: dict[str, Candidate] = {}
        for name, one in read_state(self._path, CandidateState, self._notices).candidates.items():
            gone = undone(one)
            if gone != one.undone:
                count = sum(seen not in gone for seen in one.occurrences)
                changed[name] = msgspec.structs.replace(one, undone=gone, count=count)
        if changed:
            self._put(changed)

    def _put(self, changed: dict[str, Candidate]) -> None:
        def change(state: CandidateState) -> CandidateState:
            return msgspec.structs.replace(state, candidates={**state.candidates, **changed})

        update_state(self._path, CandidateState, change, self._notices)


def _counted(candidate: Candidate) -> list[str]:
    return [one for one in candidate.occurrences if one not in candidate.undone]
