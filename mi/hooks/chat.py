"""The person's next prompt after a refusal: their yes or no answers that one question."""

from typing import TYPE_CHECKING

import msgspec

from mi.evidence.records.run import HookCall, UserInput
from mi.hooks import rules_state
from mi.hooks.answer import HookAnswer
from mi.hooks.event import HookEvent
from mi.hooks.opening import hear_word
from mi.hooks.rules_state import AskedCall, RulesState, Word
from mi.hooks.session_questions import settle
from mi.kernel.messages import choose_language, text

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext


def answer_refusal(event: HookEvent, context: "HomeContext", state: RulesState) -> HookAnswer:
    """Take the prompt for the answer to what was refused since the one before it, where it can be only one."""
    from mi.app.speaker import is_chat_of_person
    from mi.governance.session_words import read_reply

    refused = {key: hear_word(context, state.calls[key]) for key in state.refusals if key in state.calls}
    refused = {key: call for key, call in refused.items() if call.word in ("", "no", "closed")}
    word = read_reply(event.prompt) if refused else ""
    if not word or not is_chat_of_person(context, event.host):
        return HookAnswer()
    language = choose_language(context.config.language, event.prompt)
    if len(refused) > 1:
        return HookAnswer(context=_name_all(context, list(refused.values()), language))
    ((key, call),) = refused.items()
    return HookAnswer(context=_answer_call(event, context, key, call, word == "yes", language))


def _answer_call(
    event: HookEvent, context: "HomeContext", key: str, call: AskedCall, agreed: bool, language: str
) -> str:
    from mi.governance.session_words import read_permission
    from mi.kernel.secrets import redact

    reach = (read_permission(event.prompt, call.reaches) or "once") if agreed else ""
    given = UserInput(answer=redact(event.prompt)[:500], by="chat", opens=reach)
    if settle(context, call, given, again=bool(call.word)) is not None:
        return ""  # they answered elsewhere at this very moment: that counts
    if reach == "always":
        _open_always(event, context, key, call, given)
    word: Word = reach or "no"

    def heard(old: RulesState) -> RulesState:
        known = msgspec.structs.replace(call, word=word, answer=given.answer)
        return msgspec.structs.replace(old, calls=old.calls | {key: known})

    rules_state.change(event, context, heard)
    said = {"operation": call.operation, "target": call.target, "reach": reach}
    return text("hook.chat-opened" if agreed else "hook.chat-closed", language, **said)


def _open_always(event: HookEvent, context: "HomeContext", key: str, call: AskedCall, given: UserInput) -> None:
    from mi.app.permission_words import open_always

    about = HookCall(host=event.host, operation=call.operation, target=call.target, key=key)
    said = msgspec.structs.replace(given, question_id=call.question_id)
    open_always(context, about, context.project.root, said)


def _name_all(context: "HomeContext", calls: list[AskedCall], language: str) -> str:
    from mi.evidence.inbox_numbers import number_one

    numbers = {call.question_id: number_one(context.home, call.question_id, context.notices) for call in calls}
    shown = "; ".join(f"{numbers[call.question_id]} {call.operation}: {call.target}" for call in calls)
    return text("hook.chat-which", language, questions=shown)
