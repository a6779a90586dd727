"""What a person who is away is told of a run: a question, a limit, its end."""

import os
from collections.abc import Callable

from mi.evidence.records.base import Record
from mi.evidence.records.questions import Question
from mi.evidence.records.run import Limit, RunEnd
from mi.kernel.config.types import NotifyEvent
from mi.kernel.git import find_branch
from mi.kernel.messages import text
from mi.kernel.notify_channels import Notification
from mi.kernel.secrets import Redacted, redact
from mi.kernel.text import make_printable, shorten
from mi.project.identity import Project

_TASK, _QUESTION, _OPTION = 200, 1500, 200  # characters


def find_event(record: Record) -> NotifyEvent | None:
    """Return the event that a record is; None where nobody needs to be told."""
    match record:
        case Question(about="limit") | Limit():
            return "limit"
        case Question():
            return "question"
        case RunEnd(status="done" | "blocked" | "failed" as status):
            return status
    return None


def describe(
    record: Record,
    place: Project,
    task: str,
    number: int,
    language: str,
    address: Callable[[str], str] = lambda item: "",
) -> Notification:
    """Return what the person is told; `number` is the question's in the inbox. Secrets are not in it.

    `address` says where the page is, or something that waits there; '' while none is served.
    """
    event = find_event(record) or "question"
    project_root, branch = place.root, find_branch(place.root) if place.linked_to else ""
    project = os.path.basename(place.main_root) or place.main_root
    facts: dict[str, object] = {
        "project": project,
        "project_root": project_root,
        "branch": branch,
        "run_id": record.run_id,
        "task": _clean(task, _TASK),
    }
    lines = [text("notify.task", language, task=facts["task"])] if task else []
    variables: dict[str, str] = {}
    match record:
        case Question():
            options = [{"key": one.key, "text": _clean(one.text, _OPTION)} for one in record.options]
            question = _clean(record.text, _QUESTION)
            lines += [question, *(f"  {one['key']}  {one['text']}".rstrip() for one in options)]
            lines.append(text("notify.answer", language, number=number or record.id))
            facts |= {"question_id": record.id, "number": number, "question": question, "options": options}
            variables = {"MI_QUESTION": redact(record.text), "MI_QUESTION_ID": record.id}
        case Limit():
            lines.append(_clean(f"{record.limit} {record.detail}".strip(), _QUESTION))
            lines += [text("notify.resets", language, time=record.resets_at)] if record.resets_at else []
            facts |= {"limit": record.limit, "resets_at": record.resets_at}
        case RunEnd():
            lines.append(_clean(record.reason, _QUESTION))
            facts |= {"status": record.status, "reason": _clean(record.reason, _QUESTION)}
    page = address(record.id if isinstance(record, Question) else "")
    lines += [text("notify.page", language, address=page)] if page else []
    facts |= {"page": page} if page else {}
    variables |= {"MI_EVENT": event, "MI_PROJECT": project_root, "MI_RUN": record.run_id, "MI_BRANCH": branch}
    named = f"{project} ({branch})" if branch else project
    title = text(f"notify.title-{event}", language, project=_clean(named, 60))
    body = redact("\n".join(line for line in lines if line))
    return Notification(redact(title), body, event, facts, variables)


def _clean(said: str, most: int) -> Redacted:
    return shorten(redact(make_printable(said)), most)  # in this order: escapes could tear a secret apart
