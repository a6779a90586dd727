"""The person's own part in a host's session: what they let through, left or ended there is said to its questions."""

from typing import TYPE_CHECKING

import msgspec

from mi.hooks import rules_state
from mi.hooks.answer import HookAnswer
from mi.hooks.enforce import OnError
from mi.hooks.event import HookEvent
from mi.hooks.host_session import is_hosts_word, note_end, note_host
from mi.kernel.messages import choose_language, text

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.hooks.rules_state import RulesState


def answer(event: HookEvent, context: "HomeContext") -> HookAnswer:
    """Settle the questions of the session that the event is an answer to."""
    state = rules_state.read(event, context)
    match event.event:
        case "session-start":
            note_host(event, context)
            _sweep(event, context)
        case "pre-tool":
            from mi.hooks.chat_tasks import note_tasks

            note_tasks(event, context, state)
        case "post-tool":
            _confirm(event, context, state)
        case "prompt":
            return _at_prompt(event, context, state)
        case "stop":
            note_host(event, context)
            _leave_shown(event, context, state)
        case "session-end":
            _end(event, context, state)
            note_end(event, context)
    return HookAnswer()


def on_error(event: HookEvent, context: "HomeContext") -> OnError:
    """Return that a question which could not be settled waits on, and stops nobody."""
    return "open"


def _sweep(event: HookEvent, context: "HomeContext") -> None:
    if rules_state.list_forgotten(event, context):
        from mi.hooks.session_questions import sweep

        sweep(event, context)


def _at_prompt(event: HookEvent, context: "HomeContext", state: "RulesState") -> HookAnswer:
    """Take the prompt for an answer if it is one; what was refused before it is not what the next one is about."""
    note_host(event, context)
    _leave_shown(event, context, state)
    said = HookAnswer()
    if state.refusals or state.proposed:
        from mi.hooks.chat import answer_refusal

        said = answer_refusal(event, context, state)
    from mi.hooks.chat_tasks import find_request

    request = "" if said.context else find_request(event, context)
    if request or request != state.request or state.refusals or state.proposed:
        new = {"refusals": [], "proposed": [], "request": request}
        rules_state.change(event, context, lambda old: msgspec.structs.replace(old, **new))
    return (
        HookAnswer(context=text("hook.request-opens", choose_language(context.config.language, event.prompt)))
        if request
        else said
    )


def _confirm(event: HookEvent, context: "HomeContext", state: "RulesState") -> None:
    """Note that the person let a call through which the host showed to them: it was made."""
    keys = [key for key, call in state.calls.items() if call.shown and call.shown == event.tool_use_id]
    if keys and is_hosts_word(event, context):
        from mi.hooks.session_questions import confirm

        confirm(event, context, keys)


def _leave_shown(event: HookEvent, context: "HomeContext", state: "RulesState") -> None:
    """Close what the host still showed: the turn is over, so it was not let through, and may be asked again."""
    keys = [key for key, call in state.calls.items() if call.shown and not call.word]
    if keys:
        from mi.hooks.session_questions import close

        close(event, context, keys, "hook.why-left")


def _end(event: HookEvent, context: "HomeContext", state: "RulesState") -> None:
    keys = [key for key, call in state.calls.items() if not call.word]
    if keys:
        from mi.hooks.session_questions import close
        from mi.hooks.started import is_one_shot

        if not is_one_shot(event):
            close(event, context, keys, "hook.why-ended")
