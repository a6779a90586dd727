"""A question that no host could put to a person: it waits in the inbox, once."""

from typing import TYPE_CHECKING

from mi.evidence.open_items import open_items
from mi.evidence.records.run import Question
from mi.hooks.event import HookEvent
from mi.kernel import ids
from mi.kernel.messages import text
from mi.kernel.secrets import redact
from mi.kernel.text import shorten

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext


def leave_question(event: HookEvent, context: "HomeContext", reason: str) -> str:
    """File the question unless it waits already; its id."""
    wanted = text("hook.question", context.quiet_language, tool=event.tool_name, target=_target(event), reason=reason)
    for waiting in open_items(context.project_home.evidence, context.evidence_index, context.notices).events:
        record = waiting.record()
        if isinstance(record, Question) and record.text == wanted:
            return record.id
    question = Question(id=ids.make_id("qu"), text=wanted, blocks=False, about="risk")
    context.open_project_log().append(question, sync=True)
    return question.id


def _target(event: HookEvent) -> str:
    """Return what the call is about: the command or the file."""
    known = ("command", "file_path", "notebook_path", "path", "url")
    found = next((event.tool_input[name] for name in known if event.tool_input.get(name)), "")
    return shorten(redact(str(found)), 200)
