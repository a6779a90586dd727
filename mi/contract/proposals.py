"""Tasks that wait for a person: proposals after a finished list, and lists that are to be verified first."""

import os
from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Struct

from mi.contract.session import ContractSession
from mi.evidence.records.questions import Question, QuestionOption
from mi.kernel import ids
from mi.kernel.consent import begins_with_yes
from mi.kernel.language import patterns
from mi.kernel.messages import text as message
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.tasks import tinytasks
from mi.tasks.authority import find_authority
from mi.tasks.task_list import NewTask
from mi.tasks.tinytasks_file import TinyTasks

_FILE = "proposals.json"
_IF_NOBODY_ANSWERS = {"proposal": "question.proposal-waits", "tasks": "question.tasks-waits"}


class TaskProposal(Struct, frozen=True, kw_only=True):
    """Tasks that an agent would add if it might."""

    question_id: str
    root: str
    title: str
    section: str = ""
    subtasks: list[str] = []

    @property
    def lines(self) -> str:
        return "\n".join([f"- {self.title}", *(f"  - {subtask}" for subtask in self.subtasks)])


class WaitingProposals(Struct, frozen=True, kw_only=True):
    """`contract/proposals.json`."""

    version: str = "v1"
    proposals: list[TaskProposal] = []


def propose(session: ContractSession, title: str, section: str, subtasks: list[str]) -> str:
    """File tasks in the inbox, once; returns the question's id."""
    wanted = (title, section, subtasks)
    for one in _waiting(session.place.folder, session.place.notices):
        if (one.title, one.section, one.subtasks) == wanted:
            return one.question_id
    root = session.place.root
    made = TaskProposal(question_id=ids.make_id("qu"), root=root, title=title, section=section, subtasks=subtasks)
    said = message("tasks.proposal", session.place.language, client=session.name, tasks=made.lines)
    _ask(session, made.question_id, said, "proposal")
    _update(session.place.folder, session.place.notices, lambda old: [*old, made])
    return made.question_id


def identify_tasks(title: str, section: str, subtasks: list[str]) -> str:
    """Return a key that is the same for the same tasks."""
    from mi.kernel.digest import hash_sha256
    from mi.kernel.jsontext import encode

    parts = [title.strip(), section.strip().lstrip("# "), *(one.strip() for one in subtasks)]
    return hash_sha256(encode(parts))[:20]


def list_proposals(folder: str, notices: Notices) -> list[TaskProposal]:
    """Return the tasks that wait for a person."""
    return _waiting(folder, notices)


def ask_to_verify(session: ContractSession, text: str) -> str:
    """Ask a person to look at a new list before work begins; returns the question's id."""
    question_id = ids.make_id("qu")
    document = tinytasks.parse(text)
    listed = "\n".join(f"{'  ' * (one.level - 1)}- {one.title}" for one in document.items)
    said = message("tasks.verify", session.place.language, client=session.name, tasks=listed)
    _ask(session, question_id, said, "tasks")
    session.tiny_tasks.await_verification(question_id, text)
    return question_id


def _ask(session: ContractSession, question_id: str, text: str, about: Literal["proposal", "tasks"]) -> None:
    question = Question(
        id=question_id,
        text=text,
        blocks=False,
        about=about,
        project_root=session.place.root,
        options=[QuestionOption(key="yes"), QuestionOption(key="no")],
        default=message(_IF_NOBODY_ANSWERS[about], session.place.language),
    )
    session.append(question, sync=True)


def apply_answer(folder: str, question_id: str, answer: str, notices: Notices) -> str:
    """Do what an answer says: `added`, `declined`, `verified` or `unverified`; "" when it was about no tasks."""
    found = next((one for one in _waiting(folder, notices) if one.question_id == question_id), None)
    if found is not None:
        if is_yes(answer):
            store = find_authority(found.root, TinyTasks(found.root, folder, notices))
            store.add(store.look(), NewTask(found.title, found.section, found.subtasks))
        _update(folder, notices, lambda old: [one for one in old if one.question_id != question_id])
        return "added" if is_yes(answer) else "declined"
    tiny_tasks = TinyTasks("/", folder, notices)
    if not tiny_tasks.awaits(question_id):
        return ""
    if is_yes(answer):
        tiny_tasks.verified(question_id)
        return "verified"
    return "unverified"


def is_yes(answer: str) -> bool:
    """Return whether a person's answer begins with a word of consent."""
    return begins_with_yes(answer, patterns().yes_to_tasks)


def _waiting(folder: str, notices: Notices) -> list[TaskProposal]:
    return read_state(os.path.join(folder, _FILE), WaitingProposals, notices).proposals


def _update(folder: str, notices: Notices, change: Callable[[list[TaskProposal]], list[TaskProposal]]) -> None:
    def changed(old: WaitingProposals) -> WaitingProposals:
        return msgspec.structs.replace(old, proposals=change(old.proposals))

    update_state(os.path.join(folder, _FILE), WaitingProposals, changed, notices)
