"""Questions across machines: what waits here is asked at the hub, what waits elsewhere comes into the inbox here."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.hub_answers import settle_answers
from mi.app.inbox import find_roots
from mi.app.item_answers import answer_item, check_answer, describe_outcome
from mi.evidence.inbox import InboxItem, LocatedItem, find_logs, list_waiting
from mi.evidence.reader import read_at
from mi.evidence.records.questions import UserInput
from mi.hub.outgoing import find_shared_project
from mi.hub.questions import (
    ComingAnswer,
    QuestionBoard,
    QuestionBody,
    RoutedQuestion,
    make_body,
    note_waiting,
    read_questions_file,
)
from mi.hub.state import HubState
from mi.kernel.errors import MiError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.hub.connection import Connection

_OWNERS_ONLY = ("risk", "judges", "trust", "limit")  # a permission is given by whom the run belongs to
_CITING = ("agent", "next")  # how to do the work: whoever said what is cited may answer, too


class CarriedQuestions(NamedTuple):
    """What one round brought there and here, and what is to be said of it."""

    asked: int = 0
    came: tuple[RoutedQuestion, ...] = ()
    told: tuple[str, ...] = ()


def list_elsewhere(context: HomeContext) -> Iterator[LocatedItem]:
    """Yield what waits at other homes for this person, as the last round found it."""
    roots = find_roots(context)
    for one in read_questions_file(context.home, context.notices).waiting:
        body, root = one.body, roots.get(one.body.project_id, "")
        item = InboxItem(
            id=one.id,
            ids=[one.id],
            kind="question",
            question=body.text,
            run_id=one.run,
            run_ids=[one.run],
            ts=one.asked,
            answer_with=f'mi answer {one.id} "…"',
            project_id=body.project_id if root else "",
            project=body.project,
            project_root=root,
            task=body.task,
            about=body.about,
            options=body.options,
            limit=body.limit,
            keep=body.keep,
            asked_by=one.member,
            machine=body.machine,
        )
        yield LocatedItem(item)


def carry_questions(context: HomeContext, connection: "Connection", state: HubState) -> CarriedQuestions:
    """Take the answers that came, ask what waits here, send the answers given here, see what waits elsewhere."""
    carrier = _Carrier(context, QuestionBoard(connection, state), state)
    told = [*carrier.take_answers()]
    asked = carrier.ask()
    told += [one.line(context.language) for one in settle_answers(context, carrier.board)]
    came = note_waiting(context.home, context.notices, carrier.board.read_waiting())
    if came:
        from mi.app.notify import tell_elsewhere

        tell_elsewhere(context, came)
    return CarriedQuestions(asked, tuple(came), tuple(told))


def ask_waiting(context: HomeContext, connection: "Connection", state: HubState) -> int:
    """Ask what waits here and the hub does not know; return how many that are."""
    return _Carrier(context, QuestionBoard(connection, state), state).ask()


def preview_questions(context: HomeContext, connection: "Connection", state: HubState) -> Iterator[QuestionBody]:
    """Yield what the next round would ask, and somebody else could answer."""
    board = QuestionBoard(connection, state)
    for _, run_id, whom, body in _Carrier(context, board, state).list_new():
        if board.is_heard(run_id, whom):
            yield body


class _Carrier:
    """One round for the questions of this home."""

    def __init__(self, context: HomeContext, board: QuestionBoard, state: HubState) -> None:
        self.board = board
        self._context = context
        self._state = state
        self._asked = board.read_own()
        waiting, _ = list_waiting(
            context.home, context.evidence_index, find_roots(context), context.notices, lambda done, total: None
        )
        self._open = [one for one in waiting if one.item.waiting == "run"]

    def take_answers(self) -> Iterator[str]:
        """Take the answers that came, close what waits here no more, and yield what is to be said of it."""
        by_id = {question_id: one for one in self._open for question_id in one.item.ids}
        for question_id, coming in self._asked.items():
            found = by_id.get(question_id)
            if coming is not None and found is not None:
                yield from self._take(found, coming)
            elif found is None:
                self.board.close(question_id, by_answer=coming is not None and self._was_taken(question_id))

    def _take(self, found: LocatedItem, coming: ComingAnswer) -> Iterator[str]:
        context, item, own = self._context, found.item, self._state.member
        if coming.member not in (own, coming.owner) and item.about in _OWNERS_ONLY:
            self.board.close(coming.question_id, by_answer=False)
            return
        author = "" if coming.member == own else coming.member
        try:
            check_answer(item, coming.text, context.language)
            outcome = answer_item(
                context, found, coming.text, "hub", coming.once, lambda done, total: None, author=author
            )
        except MiError:  # another answer came first, here; or it is none
            self.board.close(coming.question_id, by_answer=self._was_taken(coming.question_id))
            return
        self.board.close(coming.question_id, by_answer=True)
        yield text("hub.answer-came", context.language, who=coming.member)
        yield from describe_outcome(context, outcome, context.language)

    def _was_taken(self, question_id: str) -> bool:
        """Return whether the answer that counts here is one that the hub brought."""
        index = self._context.evidence_index
        for _, log in find_logs(self._context.home):
            offset = index.referring(log, "user_input", question_id, lambda done, total: None)
            event = read_at(log, offset) if offset is not None else None
            record = event.record() if event else None
            if isinstance(record, UserInput):
                return record.by == "hub"
        return False

    def ask(self) -> int:
        """Ask what waits here and the hub does not know; return how many others may hear of."""
        return sum(self.board.ask(*question) for question in self.list_new())

    def list_new(self) -> Iterator[tuple[str, str, list[str], QuestionBody]]:
        """Yield the questions that are to be asked, each with its run and who else may answer."""
        if self._context.config.hub.share == "off":
            return
        for item in (one.item for one in self._open if self._asked.keys().isdisjoint(one.item.ids)):
            cited = item.would.cited_ids if item.would and item.about in _CITING else []
            owners = self.board.find_owners([one.partition("/")[0] for one in cited if one.startswith("home_")])
            project_id = find_shared_project(self._context.home, item.project_id, self._context.notices)
            yield item.ids[-1], item.run_id, owners, make_body(item, project_id)
