"""Why MI did or holds something: found by its id in any project, with the words of every id, and as a graph."""

import os
from collections.abc import Callable, Iterable

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.evidence.reader import Event, read_at, read_back
from mi.evidence.records.base import Record
from mi.evidence.records.table import TRUST
from mi.evidence.run_story import RunStory
from mi.kernel import clock
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.log_view import Progress
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.knowledge.thoughts.graph import label
from mi.knowledge.thoughts.kinds import kind_of
from mi.knowledge.thoughts.stores import CombinedStores
from mi.learning.why import DECISIONS, Ground, Why, explain_claim, explain_event, find_grounds, find_moment

_OF_RUN = 2  # of what a run's answers, or its end, rest on
_RUN_DECISIONS = 6  # of a run in its graph: the latest
_WORDS = 600  # characters of what an event says
_DRAWN = 24  # nodes of a graph
_DEEP = 3  # steps from what is explained: decision, claim, event, and what that event goes by
Word = Callable[[str], str]


class WhyNode(NamedTuple):
    """Something that a reason goes through; `column` counts the steps away from what is explained."""

    id: str
    kind: str  # claim, node, a run, or the kind of an event
    text: str
    status: str = ""
    is_persons: bool = False  # the person's own word
    column: int = 0


class WhyLink(NamedTuple):
    """One step of a reason: `start` rests on `end`, or is joined to it in the way that `role` says."""

    start: str
    end: str
    role: str


class WhyGraph(NamedTuple):
    """What something rests on, step by step; `left_out` counts what is not drawn."""

    nodes: list[WhyNode]
    links: list[WhyLink]
    left_out: int


def find_decision(log: str, run_id: str, context: HomeContext) -> Event | None:
    """Return the latest decision of a run, else its end; without a run, the latest decision there is."""
    end = None
    for event in read_back(log, context.notices):
        own = not run_id or event.head.run_id == run_id
        if own and event.head.kind in DECISIONS:
            return event
        if own and run_id and event.head.kind == "run_end":
            end = end or event
        if own and event.head.kind == "run_start":
            return end
    return end


def list_run_grounds(story: RunStory, stores: CombinedStores) -> list[Ground]:
    """Return what a run's latest answers rest on, and the latest evidence that its end rests on."""
    cited = [one for given in story.answered for one in given.cited_ids]
    evidence = story.end.evidence_ids if story.end else []
    return find_grounds(stores, {"answered_from": cited[-_OF_RUN:], "evidence": evidence[-_OF_RUN:]})


class WhyReader:
    """Looks up, in one project and in what holds for all, what ids stand for."""

    def __init__(
        self,
        context: HomeContext,
        project_id: str,
        progress: Progress,
        word: Word,
        say_record: Callable[[Record], str] | None = None,
    ) -> None:
        self._context = context
        self._progress = progress
        self._say_record = say_record or (lambda record: record.headline(word))
        self.word = word
        self.project_id = project_id
        own = [context.home.project(project_id).evidence] if project_id else []
        self.logs = [log for log in (*own, context.home.evidence) if os.path.exists(log)]

    def find_event(self, event_id: str) -> Event | None:
        """Return an event of the project's log or of the home's."""
        found = (self._context.evidence_index.find(log, event_id, self._progress) for log in self.logs)
        return next((event for event in found if event is not None), None)

    def put_words(self, ground: Ground) -> Ground:
        """Return an event with what it says, so that nobody has to look it up."""
        if ground.text or not ground.id.startswith("ev_"):
            return ground
        event = self.find_event(ground.id)
        return ground._replace(text=f"{self.word(event.head.kind)}: {self.tell(event)}") if event else ground

    def tell(self, event: Event) -> str:
        """Return what an event says, shortly."""
        record = event.record()
        said = redact_start(self._say_record(record) if record else "", _WORDS)
        return f"{said} ({self.word('by the page')})" if record and record.by == "page" else said

    def read_stores(self, as_of: int | None = None) -> CombinedStores:
        """Return the thoughts of the project and of all, now or as they were."""
        return build_thoughts(self._context).read_project(self.project_id, as_of)

    def list_decisions(self, run_id: str) -> list[Event]:
        """Return the latest decisions of a run and its end, the last one first."""
        places = self._context.evidence_index.find_run(self.logs[0], run_id, self._progress)
        offsets = places.list_all(("auto_answer", "answered_alone", "decide_next", "run_end"))[-_RUN_DECISIONS:]
        found = (read_at(self.logs[0], offset) for offset in reversed(offsets))
        return [event for event in found if event is not None]


def find_home_of(context: HomeContext, ref: str, progress: Progress) -> str:
    """Return the project that an event, run, claim or node is of, '' for what holds for all; else NotFound."""
    home, known = context.home, _list_projects(context)
    if kind_of(ref) in ("claim", "node"):
        thoughts = build_thoughts(context)
        if thoughts.shared.exists() and thoughts.shared.read().get(ref):
            return ""
        for project_id in known:
            store = thoughts.open_store(project_id)
            if store.exists() and store.read().get(ref):
                return project_id
        raise NotFound("unknown-thought", ref=ref, scope="effective", kind=kind_of(ref))
    if not ref.startswith(("ev_", "run_", "cli_")):
        raise UsageError("no-why", ref=ref)
    first = ref if ref.startswith("ev_") else f"ev_{ref}_1"
    for project_id in ("", *known):
        log = home.project(project_id).evidence if project_id else home.evidence
        if os.path.exists(log) and context.evidence_index.find(log, first, progress) is not None:
            return project_id
    raise NotFound("unknown-event" if ref.startswith("ev_") else "unknown-run", ref=ref)


def _list_projects(context: HomeContext) -> list[str]:
    """Return the home's projects, the one that is looked at from first."""
    return sorted(context.home.project_ids(), key=lambda one: one != context.project.project_id)


def build_graph(reader: WhyReader, ref: str) -> WhyGraph:
    """Return what something rests on, nearest first, until there is nothing more or enough is drawn."""
    return _GraphWalk(reader).walk(ref)


class _GraphWalk:
    def __init__(self, reader: WhyReader) -> None:
        self._reader = reader
        self._stores = reader.read_stores()
        self._nodes: dict[str, WhyNode] = {}
        self._links: dict[tuple[str, str], WhyLink] = {}
        self._left_out: set[str] = set()

    def walk(self, ref: str) -> WhyGraph:
        self._nodes[ref] = self._make_node(ref, 0)
        layer = [ref]
        for column in range(1, _DEEP + 1):
            reached = [self._reach(one, ground, column) for one in layer for ground in self._list_grounds(one)]
            layer = [one for one in reached if one]
        for one in layer:  # what lies farther away is only counted
            self._left_out.update(ground.id for ground in self._list_grounds(one) if ground.id not in self._nodes)
        return WhyGraph(list(self._nodes.values()), list(self._links.values()), len(self._left_out))

    def _reach(self, start: str, ground: Ground, column: int) -> str:
        """Add what a node rests on; return its id where it is new."""
        end = ground.id
        is_new = end not in self._nodes
        if is_new and len(self._nodes) >= _DRAWN:
            self._left_out.add(end)
            return ""
        if is_new:
            self._nodes[end] = self._make_node(end, column)
        if (end, start) not in self._links:
            self._links.setdefault((start, end), WhyLink(start, end, ground.role))
        return end if is_new else ""

    def _make_node(self, ref: str, column: int) -> WhyNode:
        thought = self._stores.get(ref)
        if thought is not None:
            is_persons = thought.raw.get("origin") == "user"
            return WhyNode(ref, thought.kind, label(thought), thought.status, is_persons, column)
        event = self._reader.find_event(ref if ref.startswith("ev_") else f"ev_{ref}_1")
        if event is None:
            return WhyNode(ref, "", "", column=column)
        kind = event.head.kind if ref.startswith("ev_") else "run"
        return WhyNode(ref, kind, self._reader.tell(event), "", TRUST.get(kind) == "user", column)

    def _list_grounds(self, ref: str) -> Iterable[Ground]:
        if ref.startswith("run_"):
            return [Ground("decided", event.head.event_id) for event in self._reader.list_decisions(ref)]
        return (one for one in self._explain(ref) if one.role != "used_by" and one.id != ref)

    def _explain(self, ref: str) -> list[Ground]:
        thought = self._stores.get(ref)
        if thought is not None:
            return explain_claim(thought, self._stores, "", 0).grounds
        event = self._reader.find_event(ref) if ref.startswith("ev_") else None
        return explain_event(event.fields(), self._stores, "", 0).grounds if event else []


def explain(reader: WhyReader, ref: str, language: str) -> Why:
    """Return what a thought rests on, or what an event did by the thoughts of its time."""
    stores = reader.read_stores()
    thought = stores.get(ref)
    if thought is not None:
        return explain_claim(thought, stores, clock.now(), _DRAWN, language)
    event = reader.find_event(ref)
    if event is None:
        raise NotFound("unknown-event", ref=ref)
    moment, as_of_ts = find_moment(event.fields(), None)
    return explain_event(event.fields(), reader.read_stores(moment), as_of_ts, _DRAWN, language)
