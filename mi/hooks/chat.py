"""The person's next prompt after a refusal: their yes or no answers that one question."""

from typing import TYPE_CHECKING, Literal

import msgspec

from mi.evidence.answers import AnswerWatch
from mi.evidence.records.questions import UserInput
from mi.hooks import rules_state
from mi.hooks.answer import HookAnswer, Reach
from mi.hooks.chat_tasks import find_proposals
from mi.hooks.event import HookEvent
from mi.hooks.opening import hear_word
from mi.hooks.rules_state import AskedCall, RulesState, Word
from mi.hooks.session_questions import settle
from mi.kernel.language import patterns
from mi.kernel.messages import choose_language, text
from mi.kernel.secrets import redact

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.contract.proposals import TaskProposal


def answer_refusal(event: HookEvent, context: "HomeContext", state: RulesState) -> HookAnswer:
    """Take the prompt for the answer to what was refused since the one before it, where it can be only one."""
    from mi.governance.session_words import read_reply
    from mi.hooks.host_session import is_persons_prompt

    refused = {key: hear_word(context, state.calls[key]) for key in state.refusals if key in state.calls}
    refused = {key: call for key, call in refused.items() if call.word in ("", "no", "closed")}
    proposed = find_proposals(context, state)
    word = read_reply(event.prompt) if refused or proposed else ""
    if not word and proposed:
        word, refused = read_reply(event.prompt, patterns().adds_tasks), {}
    if not word or not is_persons_prompt(event, context):
        return HookAnswer()
    language = choose_language(context.config.language, event.prompt)
    if len(refused) + len(proposed) > 1:
        return HookAnswer(context=_name_all(context, list(refused.values()), proposed, language))
    if proposed:
        return HookAnswer(context=_answer_proposal(event, context, proposed[0], word == "yes", language))
    ((key, call),) = refused.items()
    return HookAnswer(context=_answer_call(event, context, key, call, word == "yes", language))


def _answer_proposal(
    event: HookEvent, context: "HomeContext", proposal: "TaskProposal", agreed: bool, language: str
) -> str:
    """Add proposed tasks to the list on the person's word, or not."""
    from mi.contract.proposals import apply_answer

    log = context.open_agent_log()
    given = UserInput(answer=redact(event.prompt)[:500], by="chat", question_id=proposal.question_id)
    with AnswerWatch.over(log.path, proposal.question_id, context.notices).settle() as earlier:
        if earlier is None:
            log.append(msgspec.structs.replace(given, question=proposal.lines), sync=True)
    if earlier is not None:
        return ""
    word = patterns().yes[0] if agreed else patterns().no[0]
    apply_answer(context.project_home.contract, proposal.question_id, word, context.notices)
    return text("hook.chat-added" if agreed else "hook.chat-not-added", language, tasks=proposal.lines)


def _answer_call(
    event: HookEvent, context: "HomeContext", key: str, call: AskedCall, agreed: bool, language: str
) -> str:
    from mi.governance.session_words import read_permission

    wanted = (read_permission(event.prompt, call.reaches) or "once") if agreed else ""
    reach: Reach | Literal[""] = "session" if wanted == "always" else wanted  # what lasts is said outside of a chat
    given = UserInput(answer=redact(event.prompt)[:500], by="chat", opens=reach)
    if settle(context, call, given, again=bool(call.word)) is not None:
        return ""  # they answered elsewhere at this very moment: that counts
    word: Word = reach or "no"

    def heard(old: RulesState) -> RulesState:
        known = msgspec.structs.replace(call, word=word, answer=given.answer)
        return msgspec.structs.replace(old, calls=old.calls | {key: known})

    rules_state.change(event, context, heard)
    said = {"operation": call.operation, "target": call.target, "reach": reach}
    told = text("hook.chat-opened" if agreed else "hook.chat-closed", language, **said)
    return told if wanted == reach else f"{told} {text('hook.chat-always', language)}"


def _name_all(context: "HomeContext", calls: list[AskedCall], proposed: "list[TaskProposal]", language: str) -> str:
    from mi.evidence.inbox_numbers import number_one

    asked = {call.question_id: f"{call.operation}: {call.target}" for call in calls}
    asked |= {one.question_id: one.title for one in proposed}
    shown = [f"{number_one(context.home, name, context.notices)} {about}" for name, about in asked.items()]
    return text("hook.chat-which", language, questions="; ".join(shown))
