"""Questions at the hub: asked for other homes, answered there, closed by the home at which they wait."""

import socket
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from mi.evidence.inbox import InboxItem
from mi.evidence.records.questions import AskedLimit, QuestionOption
from mi.hub.state import HubState
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode_stored, encode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.secrets import redact
from mi.kernel.state import read_state, update_state
from mi.kernel.text import fit_one_line, shorten

if TYPE_CHECKING:
    from mi.hub.connection import Connection

_GIST, _TEXT, _OPTION = 80, 20_000, 2000  # characters
_LARGEST = 65_536  # bytes of a question that a hub takes
_OWN = """SELECT question.id, question.member, answer.member, answer.body, answer.once FROM mi_hub.question
    LEFT JOIN mi_hub.answer ON answer.question = question.id WHERE question.home = %s AND question.closed IS NULL
    AND NOT EXISTS (SELECT FROM mi_hub.job WHERE job.run = question.run AND job.home = question.home)"""
_WAITING = """SELECT question.id, question.run, home.member, question.home, question.body,
    to_char(question.asked AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    FROM mi_hub.question JOIN mi_hub.home ON home.id = question.home
    WHERE question.closed IS NULL AND question.home <> %s AND (question.member = %s OR %s = ANY(question.addressed))
    ORDER BY question.asked"""
_HEARD = """SELECT cardinality(%s::text[]) > 0 OR EXISTS (SELECT FROM mi_hub.home WHERE member = %s AND id <> %s)
    OR EXISTS (SELECT FROM mi_hub.job WHERE run = %s AND home = %s AND member <> %s)"""
_FATES = """SELECT question.id, question.closed_by, answer.question IS NOT NULL FROM mi_hub.question
    LEFT JOIN mi_hub.answer ON answer.question = question.id WHERE question.id = ANY(%s)"""


class QuestionBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of a question leaves: what somebody elsewhere needs to answer it."""

    text: str
    about: str = ""
    options: list[QuestionOption] = []
    limit: AskedLimit | None = None
    task: str = ""  # its first words
    project: str = ""
    project_id: str = ""  # where it is the same in other homes
    machine: str = ""
    keep: bool = False


class RoutedQuestion(Struct, frozen=True, kw_only=True):
    """A question that waits at another home."""

    id: str
    run: str
    member: str  # whose home it waits at
    home: str
    asked: str
    body: QuestionBody


class GivenAnswer(Struct, frozen=True, kw_only=True):
    """An answer of this home to such a question; the words are in the log."""

    question_id: str
    state: Literal["kept", "sent"] = "kept"
    member: str = ""
    machine: str = ""
    question: str = ""


class HubQuestions(Struct, frozen=True, kw_only=True):
    """The file `hub/questions.json`: what waits elsewhere for this home's person, and what they said to it."""

    version: str = "v1"
    waiting: list[RoutedQuestion] = []
    answers: list[GivenAnswer] = []


class ComingAnswer(NamedTuple):
    """An answer to a question of this home, as the hub has it."""

    question_id: str
    owner: str  # whose run it is
    member: str
    text: str
    once: bool


class AnswerFate(NamedTuple):
    """Whose answer counts, and whether it is this home's."""

    first_by: str
    is_own: bool


def read_questions_file(home: Home, notices: Notices) -> HubQuestions:
    """Return what is known of questions elsewhere."""
    return read_state(home.hub_questions, HubQuestions, notices)


def note_answer(home: Home, notices: Notices, given: GivenAnswer) -> None:
    """Keep that a question was answered here, and whether the hub knows."""
    _change_answers(home, notices, given.question_id, [given])


def forget_answer(home: Home, notices: Notices, question_id: str) -> None:
    """Keep no longer that a question was answered here: the answer arrived, or does not count."""
    _change_answers(home, notices, question_id, [])


def _change_answers(home: Home, notices: Notices, question_id: str, new: list[GivenAnswer]) -> None:
    def change(old: HubQuestions) -> HubQuestions:
        answers = [*(one for one in old.answers if one.question_id != question_id), *new]
        waiting = [one for one in old.waiting if one.id != question_id]
        return msgspec.structs.replace(old, waiting=waiting, answers=answers)

    update_state(home.hub_questions, HubQuestions, change, notices)


def note_waiting(home: Home, notices: Notices, found: list[RoutedQuestion]) -> list[RoutedQuestion]:
    """Keep what waits elsewhere, but for what was answered here; return what is new."""
    known = read_questions_file(home, notices)
    if not found and not known.waiting:
        return []

    def change(old: HubQuestions) -> HubQuestions:
        answered = {one.question_id for one in old.answers}
        return msgspec.structs.replace(old, waiting=[one for one in found if one.id not in answered])

    seen = {one.id for one in known.waiting}
    return [
        one for one in update_state(home.hub_questions, HubQuestions, change, notices).waiting if one.id not in seen
    ]


def make_body(item: InboxItem, project_id: str) -> QuestionBody:
    """Return what of a question leaves, without secrets and without the agent's other words."""
    options = [QuestionOption(key=redact(one.key), text=shorten(redact(one.text), _OPTION)) for one in item.options]
    return QuestionBody(
        text=shorten(redact(item.question), _TEXT),
        about=item.about,
        options=options,
        limit=item.limit,
        task=fit_one_line(redact(item.task), _GIST),
        project=item.project,
        project_id=project_id,
        machine=socket.gethostname(),
        keep=item.keep,
    )


class QuestionBoard:
    """The questions of a hub, as one home sees them."""

    def __init__(self, connection: "Connection", state: HubState) -> None:
        self._connection = connection
        self._state = state

    def read_own(self) -> dict[str, ComingAnswer | None]:
        """Return the questions of this home that are open at the hub, each with the answer that came."""
        rows = self._connection.execute(_OWN, (self._state.home_id,)).fetchall()
        return {row[0]: ComingAnswer(*row) if row[2] else None for row in rows}

    def is_heard(self, run_id: str, whom: list[str]) -> bool:
        """Return whether anybody but this home could answer a question of a run."""
        home, member = self._state.home_id, self._state.member
        values = ([one for one in whom if one != member], member, home, run_id, home, member)
        row = self._connection.execute(_HEARD, values).fetchone()
        return bool(row and row[0])

    def ask(self, question_id: str, run_id: str, whom: list[str], body: QuestionBody) -> bool:
        """Ask; False where nobody else could answer, and the hub keeps nothing of it."""
        said = encode(body)
        if len(said) > _LARGEST:
            return False  # it can be answered where it waits
        values = (self._state.home_id, question_id, run_id, whom, said.decode())
        row = self._connection.execute("SELECT mi_hub.ask(%s, %s, %s, %s, %s)", values).fetchone()
        return bool(row and row[0])

    def answer(self, question_id: str, text: str, once: bool) -> AnswerFate:
        """Answer a question that waits elsewhere; the first answer counts."""
        query = "SELECT first_by, is_own FROM mi_hub.answer(%s, %s, %s)"
        return AnswerFate(*(self._connection.execute(query, (question_id, text, once)).fetchone() or ("", False)))

    def close(self, question_id: str, *, by_answer: bool) -> None:
        """Close a question of this home: by the answer at the hub, or because it waits no more."""
        self._connection.execute("SELECT mi_hub.close_question(%s, %s)", (question_id, by_answer))

    def read_waiting(self) -> list[RoutedQuestion]:
        """Return what waits at other homes for this member."""
        member = self._state.member
        rows = self._connection.execute(_WAITING, (self._state.home_id, member, member)).fetchall()
        found = []
        for question_id, run, asker, home, body, asked in rows:
            try:
                said = decode_stored(body.encode(), QuestionBody)
            except BadJson:
                continue  # of another mi, or made up: it can be answered where it waits
            found.append(RoutedQuestion(id=question_id, run=run, member=asker, home=home, asked=asked, body=said))
        return found

    def read_fates(self, question_ids: list[str]) -> dict[str, AnswerFate]:
        """Return whose answer counted, '' while that is open; `is_own`: the one that was sent."""
        rows = self._connection.execute(_FATES, (question_ids,)).fetchall() if question_ids else []
        return {row[0]: AnswerFate(str(row[1] or ""), bool(row[2])) for row in rows}

    def find_owners(self, home_ids: list[str]) -> list[str]:
        """Return the members whose homes these are."""
        query = "SELECT DISTINCT member FROM mi_hub.home WHERE id = ANY(%s)"
        return [str(row[0]) for row in self._connection.execute(query, (home_ids,)).fetchall()] if home_ids else []
