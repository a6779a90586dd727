"""The door of hooks: the host's JSON in, a decision out; whatever goes wrong inside is an answer, too."""

import os
from typing import TYPE_CHECKING

import msgspec

from mi.hooks import event as events
from mi.hooks.answer import rendered
from mi.hooks.enforce import EnforcedAnswer, ask_parts, fails_closed
from mi.hooks.event import EventName, HookEvent
from mi.hooks.host_session import note_call
from mi.hooks.one_voice import leaves_to_team
from mi.hooks.started import is_somebody_there
from mi.kernel.errors import MiError, from_os_error
from mi.kernel.jsontext import encode
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_PERSONS = (
    "session-start",
    "prompt",
    "post-tool",
    "stop",
    "session-end",
)  # events that tell what the person said or let happen
_LAST_WORDS = ("hook_sessions", "last_words.txt")
BLOCK = 2  # hosts read 2 as a block, and 1 as a failure that lets pass


class HookReply(NamedTuple):
    """What the process prints, and its exit code."""

    code: int
    stdout: bytes = b""
    stderr: str = ""


def reply_to(
    context: "HomeContext", host: str, name: EventName, enforced: tuple[str, ...], data: bytes, of_team: bool = False
) -> HookReply:
    """Return the reply to one event, to an entry `of_team` or to the person's; never an exception, never exit code 1.

    A host that has both runs both: the person's is silent then.
    """
    event = HookEvent(host=host, event=name)
    try:
        event = events.parse(host, name, data)
        context = context.for_agent(event.cwd if os.path.isdir(event.cwd) else "")
        if leaves_to_team(event, context, of_team):
            return HookReply(0, b"{}\n")
        outcome = _with_word(event, context, ask_parts(event, context, _with_person(event, enforced)))
        if name == "session-start":
            outcome = _with_waiting(context, outcome)
        if name == "post-tool" or (name == "pre-tool" and outcome.answer.decision != "deny" and not outcome.closed):
            note_call(event, context)
        shown = encode(rendered(event, outcome.answer)) + b"\n"
        if name == "session-end":
            _keep_words(context, outcome.answer.message)
            _forget(event, context)
        context.keep_record(context.notices)
    except MiError as error:
        return _failed(event, context, enforced, error)
    except OSError as error:
        return _failed(event, context, enforced, from_os_error(error))
    except Exception as error:
        if os.environ.get("MI_TRACEBACK"):
            raise
        return _failed(event, context, enforced, MiError("internal", what=f"{type(error).__name__}: {error}"))
    lines = [notice.line(context.quiet_language) for notice in context.notices]
    if outcome.closed:
        return HookReply(BLOCK, stderr=outcome.closed)
    return HookReply(0, shown, "\n".join(lines))


def _with_person(event: HookEvent, enforced: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts that answer: whatever is enforced, the person's word in the session counts, and first."""
    adds_tasks = event.event == "pre-tool" and event.tool_name.endswith("task_add")
    return ("person", *enforced) if adds_tasks or event.event in _PERSONS else enforced


def _forget(event: HookEvent, context: "HomeContext") -> None:
    """Forget the session; of one that can go on in another process what was asked and answered stays."""
    from mi.hooks import rules_state
    from mi.hooks.started import is_one_shot

    rules_state.forget(event, context, keep_calls=is_one_shot(event))


def _failed(event: HookEvent, context: "HomeContext", enforced: tuple[str, ...], error: MiError) -> HookReply:
    line = error.line(context.quiet_language)
    if any(fails_closed(name, event, context) for name in enforced):
        return HookReply(BLOCK, stderr=line)
    return HookReply(0, b"{}\n", line)


def _with_word(event: HookEvent, context: "HomeContext", outcome: EnforcedAnswer) -> EnforcedAnswer:
    """Decide what a person is to be asked about by their word, if they gave one."""
    if outcome.answer.decision != "ask" or outcome.closed:
        return outcome
    from mi.hooks.opening import apply_word

    return outcome._replace(answer=apply_word(event, context, outcome.answer, is_somebody_there(event)))


def _keep_words(context: "HomeContext", words: str) -> None:
    """Keep what a session's end has to say for the beginning of the next one: no host shows it at the end."""
    if words:
        from mi.kernel.files import write_atomic

        write_atomic(context.project_home.path(*_LAST_WORDS), words.encode())


def _take_words(context: "HomeContext") -> str:
    path = context.project_home.path(*_LAST_WORDS)
    if not os.path.exists(path):
        return ""
    from mi.kernel.files import read_bytes, remove_if_there

    words = (read_bytes(path) or b"").decode("utf-8", "replace")
    remove_if_there(path)
    return words


def _with_waiting(context: "HomeContext", outcome: EnforcedAnswer) -> EnforcedAnswer:
    """Tell the person in one line what waits for them; what keeps it from being read does not keep a session back."""
    from mi.app.inbox import look_at_inbox

    try:
        line = look_at_inbox(context).describe(context.quiet_language)
    except (MiError, OSError):
        return outcome
    told = "\n".join(part for part in (_take_words(context), outcome.answer.message, line) if part)
    return outcome._replace(answer=msgspec.structs.replace(outcome.answer, message=told))
