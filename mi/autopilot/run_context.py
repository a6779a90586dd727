"""What the run knows about the person and the project: values, settings, and what counts without tests."""

import time
from collections.abc import Callable, Iterable

from mi.autopilot.injection import Told
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.thoughts import AnswerKept
from mi.kernel import clock
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.knowledge.search.team import FindTeamText, TeamText
from mi.knowledge.thoughts.context import Context, ThoughtFinder, build_least, gather, with_edges
from mi.knowledge.thoughts.kinds import ANSWER, SUMMARY
from mi.knowledge.thoughts.kinds import TESTLESS as STRATEGY
from mi.knowledge.thoughts.settings import TAG as SETTING
from mi.knowledge.thoughts.settings import effective
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.store_state import Thought
from mi.knowledge.thoughts.stores import CombinedStores
from mi.learning.overlay import point_to_strategy
from mi.mind.asked_questions import read_questions
from mi.mind.views import AnsweredBefore, CitableText, Person, ThoughtContext
from mi.project.identity import Project

_HOLDS_S = 60  # a thought may be valid from or until a moment
_TEAM_TEXTS = 12
_TOLD_FACTS = 6  # facts an agent is told; the rest it can find in the repository


class KnownPerson:
    """Reads the Thought DB for a run. What only an agent said is left out: it is no word of the person's."""

    def __init__(
        self,
        home: Home,
        project: Project,
        own: ThoughtStore,
        shared: ThoughtStore,
        search: ThoughtFinder,
        notices: Notices,
        remembers: bool = True,  # off: only values and settings, nothing that was learned
        find_team: FindTeamText | None = None,
    ) -> None:
        self._home = home
        self._project = project
        self._own = own
        self._shared = shared
        self._search = search
        self._notices = notices
        self._remembers = remembers
        self._find_team = find_team
        self._team: tuple[str, list[TeamText]] | None = None
        self._gathered: tuple[object, Context] | None = None

    def person(self, task: str) -> Person:
        settings = effective([self._own, self._shared])
        context = self._thoughts(task)[1]
        # the claims say already what the summary does, and what an agent reported is no fact
        nodes = [one for one in context.nodes if SUMMARY not in _tags(one) and one.raw.get("origin") != "hands"]
        return Person(
            values=_said(context.values_claims),
            preferences=_said([one for one in context.pref_goal_claims if ANSWER not in _tags(one)]),
            facts=_said([*context.query_claims, *nodes]),
            ask_when_uncertain=settings["ask_when_uncertain"].value == "ask",
        )

    def answered_before(self, questions: list[str], message: str) -> list[AnsweredBefore]:
        """Return the person's earlier answers in this project that may bear on an agent's questions."""
        if not self._remembers:
            return []
        from mi.learning.answers import read_answers  # few batches ask
        from mi.mind.asked_before import rank

        return rank(read_questions(questions, message), read_answers(self._own))

    def keep_answer(
        self, question: Question, given: UserInput, append: Callable[[AnswerKept], AnswerKept]
    ) -> AnswerKept | None:
        """Keep the person's answer as a claim of the project, where it holds for other times."""
        if not self._remembers or not question.keep:
            return None
        from mi.learning.answers import keep_answer

        return keep_answer(self._own, question, given, append)

    def context(self, task: str, recent_event_ids: Iterable[str]) -> ThoughtContext:
        """Return the thoughts for one decision, as the prompt shows them and as the decision's record names them."""
        stores, found = self._thoughts(task)
        if self._remembers:
            found = with_edges(found, stores, recent_event_ids)
        found = found._replace(team=self.team(task))
        return ThoughtContext(text=found.lines(), used=found.used(clock.now()))

    def team(self, task: str) -> list[TeamText]:
        """Return what the team wrote down that binds here or bears on the task, as it was when first asked."""
        if self._find_team is None:
            return []
        if self._team is None or self._team[0] != task:
            self._team = (task, self._find_team(task, _TEAM_TEXTS))
        return self._team[1]

    def told(self, task: str) -> tuple[list[Told], list[Told], list[Told]]:
        stores, context = self._thoughts(task)
        preferences = [thought for thought in context.pref_goal_claims if not _goes_without_saying(thought)]
        facts = [*_told(context.query_claims[:_TOLD_FACTS]), *self._find_noted(task, stores)]
        return _told(context.values_claims), _told(preferences), facts

    def _find_noted(self, task: str, stores: CombinedStores) -> list[Told]:
        """Return what the person decided or noted that bears on the task; what was done is not theirs."""
        ids = self._search(task, 3 * _TOLD_FACTS) if self._remembers else []
        found = (stores.get(stores.head(one)) for one in ids)
        nodes = (one for one in found if one is not None and one.kind == "node" and one.stands)
        noted = [one for one in nodes if one.raw.get("origin") == "user" and SUMMARY not in _tags(one)]
        lines = ((one.id, [one.raw.get("title"), one.raw.get("text")]) for one in noted[:_TOLD_FACTS])
        return [Told(node_id, ": ".join(str(part) for part in parts if part)) for node_id, parts in lines]

    def withdrawn(self, claim_ids: Iterable[str]) -> list[Told]:
        stores = CombinedStores(self._own.read(), self._shared.read())
        found = (stores.get(claim_id) for claim_id in claim_ids)
        return _told([one for one in found if one is not None and one.status != "active"])

    def _thoughts(self, task: str) -> tuple[CombinedStores, Context]:
        """Return what stands for the task; gathered again when something was written, or may hold no longer."""
        stores = CombinedStores(self._own.read(), self._shared.read())
        if not self._remembers:
            return stores, build_least(stores)
        state = (task, [reading.view.stamp() for reading in stores.readings], int(time.time() // _HOLDS_S))
        if self._gathered is None or self._gathered[0] != state:
            self._gathered = (state, gather(stores, task, self._search))
        return stores, self._gathered[1]

    def behaviour_preserving(self) -> bool:
        return effective([self._own, self._shared])["refactor_intent"].value == "behavior_preserving"

    def testless_strategy(self) -> CitableText | None:
        """Return what counts without tests: said for this project, else in the values for every one."""
        claims = self._own.active(STRATEGY) or self._shared.active(STRATEGY)
        return CitableText(id=claims[-1].claim_id, text=claims[-1].text) if claims else None

    def remember_strategy(self, strategy: str, rationale: str, event_id: str) -> CitableText:
        """Store the choice as a claim, which is the truth; the overlay only points to it."""
        claim = self._own.new_claim(strategy, [STRATEGY], event_id, "user", notes=rationale)
        former = self._own.active(STRATEGY)
        self._own.add_claims([claim])
        for old in former:
            self._own.link("supersedes", old.claim_id, claim.claim_id, event_id, "user")
        point_to_strategy(self._home.project(self._project.project_id).overlay, self._own, self._notices)
        return CitableText(id=claim.claim_id, text=strategy)

    def read_anew(self) -> None:
        self._gathered = None
        for store in (self._own, self._shared):
            store.close()

    def refresh_strategy(self) -> None:
        point_to_strategy(self._home.project(self._project.project_id).overlay, self._own, self._notices)


def _goes_without_saying(thought: Thought) -> bool:
    """Return whether it is a default that nobody said, or the refactoring intent, which the injection ends with."""
    settings = [tag for tag in _tags(thought) if tag.startswith(SETTING)]
    return bool(settings) and (thought.raw.get("origin") == "import" or SETTING + "refactor_intent" in settings)


def _said(thoughts: list[Thought]) -> list[CitableText]:
    return [CitableText(id=one.id, text=_text(one), said_at=str(one.raw.get("asserted_ts") or "")) for one in thoughts]


def _told(thoughts: list[Thought]) -> list[Told]:
    return [Told(thought.id, _text(thought), ANSWER in _tags(thought)) for thought in thoughts]


def _text(thought: Thought) -> str:
    return str(thought.raw.get("text") or thought.raw.get("title") or "")


def _tags(thought: Thought) -> list[str]:
    tags = thought.raw.get("tags")
    return tags if isinstance(tags, list) else []
