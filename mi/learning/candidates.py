"""`preference_candidates.json`: how often a preference was seen, by its signature; at most once in each run."""

import os
from collections.abc import Callable
from hashlib import sha256

import msgspec
from msgspec import Struct

from mi.kernel.notices import Notices
from mi.kernel.secrets import redact_start
from mi.kernel.state import read_state, update_state
from mi.knowledge.thoughts.kinds import Scope
from mi.learning.same_rule import are_alike
from mi.learning.text_overlap import split_plain_tokens

_SHOWN = 90


class PreferenceCandidate(Struct, frozen=True, kw_only=True):
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
    candidates: dict[str, PreferenceCandidate] = {}


def make_signature(scope: str, text: str) -> str:
    """Return the same for texts that differ in case, spacing and punctuation only."""
    return sha256(f"{scope}\n{' '.join(split_plain_tokens(text))}".encode()).hexdigest()[:16]


class PreferenceCandidates:
    """The candidates of a project."""

    name = "preference_candidates"

    def __init__(self, path: str, notices: Notices) -> None:
        self._path = path
        self._notices = notices

    def find(self, scope: Scope, text: str) -> tuple[str, PreferenceCandidate]:
        """Return the candidate that says this, in these or nearly these words, and its signature.

        A new one when none does.
        """
        return _find(read_state(self._path, CandidateState, self._notices).candidates, scope, text)

    def see(self, scope: Scope, text: str, run_id: str, event_id: str) -> tuple[str, PreferenceCandidate]:
        """Count an occurrence, once for each run."""

        def counted(seen: PreferenceCandidate) -> PreferenceCandidate:
            if any(one.startswith(f"ev_{run_id}_") for one in seen.occurrences):
                return seen
            return msgspec.structs.replace(seen, occurrences=[*seen.occurrences, event_id], count=seen.count + 1)

        return self._change(scope, text, counted)

    def waits(self, scope: Scope, text: str, suggestion_id: str) -> None:
        """Note that it was put before the person."""
        self._change(scope, text, lambda one: msgspec.structs.replace(one, suggestion_id=suggestion_id))

    def dismiss(self, scope: Scope, text: str) -> None:
        """Note that the person does not want it: it is not suggested again."""
        self._change(scope, text, lambda one: msgspec.structs.replace(one, dismissed=True))

    # what a run taught, for `mi undo`

    def taught(self, holds: Callable[[str], bool]) -> list[str]:
        """Return the preferences that the events counted, one line each."""
        known = read_state(self._path, CandidateState, self._notices).candidates.values()
        return [f"{redact_start(one.text, _SHOWN)} ({one.count})" for one in known if any(map(holds, _counted(one)))]

    def take_back(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Count the events no more."""
        self._recount(lambda one: [*one.undone, *(seen for seen in _counted(one) if holds(seen))])

    def restore(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Count them again."""
        self._recount(lambda one: [seen for seen in one.undone if not holds(seen)])

    def _recount(self, undone: Callable[[PreferenceCandidate], list[str]]) -> None:
        def recounted(one: PreferenceCandidate) -> PreferenceCandidate:
            gone = undone(one)
            count = sum(seen not in gone for seen in one.occurrences)
            return one if gone == one.undone else msgspec.structs.replace(one, undone=gone, count=count)

        if os.path.exists(self._path):
            self._update(lambda known: {name: recounted(one) for name, one in known.items()})

    def _change(
        self, scope: Scope, text: str, change: Callable[[PreferenceCandidate], PreferenceCandidate]
    ) -> tuple[str, PreferenceCandidate]:
        """Change one candidate as it is at that moment: a run and the person's answer may come at once."""

        def changed(known: dict[str, PreferenceCandidate]) -> dict[str, PreferenceCandidate]:
            name, one = _find(known, scope, text)
            return {**known, name: change(one)}

        return _find(self._update(changed), scope, text)

    def _update(
        self, change: Callable[[dict[str, PreferenceCandidate]], dict[str, PreferenceCandidate]]
    ) -> dict[str, PreferenceCandidate]:
        def changed(state: CandidateState) -> CandidateState:
            return msgspec.structs.replace(state, candidates=change(state.candidates))

        return update_state(self._path, CandidateState, changed, self._notices).candidates


def _find(known: dict[str, PreferenceCandidate], scope: Scope, text: str) -> tuple[str, PreferenceCandidate]:
    own = make_signature(scope, text)
    if own in known:
        return own, known[own]
    found = ((name, one) for name, one in known.items() if one.scope == scope and are_alike(one.text, text))
    return next(found, (own, PreferenceCandidate(scope=scope, text=text)))


def _counted(candidate: PreferenceCandidate) -> list[str]:
    return [one for one in candidate.occurrences if one not in candidate.undone]
