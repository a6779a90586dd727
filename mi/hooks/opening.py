"""What the person's word opens: a call that a hook asks about passes once, in this session, always, or not at all."""

from typing import TYPE_CHECKING

import msgspec

from mi.evidence.answers import AnswerWatch
from mi.evidence.records.questions import UserInput
from mi.hooks import rules_state
from mi.hooks.answer import HookAnswer
from mi.hooks.event import HookEvent
from mi.hooks.inbox_question import file_question, name_waiting
from mi.hooks.rules_state import AskedCall, RulesState, Word
from mi.kernel import jsonl
from mi.kernel.messages import choose_language, text

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_MOST = 200  # calls of one session that are remembered


def apply_word(event: HookEvent, context: "HomeContext", answer: HookAnswer, somebody: bool) -> HookAnswer:
    """Return the answer to a call that a person is to be asked about, by what they said to the very same before.

    Where they said nothing yet the question is filed, once; `somebody`: the host itself can put it to them, too.
    """
    from mi.hooks.asked_calls import identify_call
    from mi.project.permissions import is_always_open

    key = identify_call(event, answer.asked)
    if is_always_open(context.home, key, context.notices):
        return msgspec.structs.replace(answer, decision="allow")
    said: list[Word] = []

    def judge(old: RulesState) -> RulesState:
        call = hear_word(context, old.calls[key]) if key in old.calls else None
        if call is None or call.word in ("used", "always"):  # an always that is not open was closed since
            call = file_question(event, context, answer, key, old.prompt, somebody)
        said.append(call.word)
        shown = event.tool_use_id if somebody and not call.word else call.shown
        served: Word = "used" if call.word == "once" else call.word
        call = msgspec.structs.replace(call, word=served, shown=shown)
        refusals = old.refusals if _passes(said[0]) or somebody else [*old.refusals, key]
        return msgspec.structs.replace(old, calls=_with(old.calls, key, call), refusals=list(dict.fromkeys(refusals)))

    state = rules_state.change(event, context, judge)
    if _passes(said[0]):
        return msgspec.structs.replace(answer, decision="allow")
    if said[0] or not somebody:
        why = _explain(context, answer, state.calls[key], choose_language(context.config.language, state.prompt))
        return msgspec.structs.replace(answer, decision="deny", reason=why)
    return answer


def _passes(word: Word) -> bool:
    return word in ("once", "session")


def _with(calls: dict[str, AskedCall], key: str, call: AskedCall) -> dict[str, AskedCall]:
    others = [(name, one) for name, one in calls.items() if name != key]
    return dict(others[-_MOST:]) | {key: call}


def hear_word(context: "HomeContext", call: AskedCall) -> AskedCall:
    """Return the call with the person's word on it, if they gave one since it was asked about."""
    if call.word:
        return call
    log = context.project_home.evidence
    start = call.size if call.size <= jsonl.measure_size(log) else 0  # it was put back from elsewhere
    given = AnswerWatch(log, [call.question_id], start).look()
    if given is None:
        return call
    if given.dismissed:  # by the person, or when the host's own question was left: then it may be asked again
        return msgspec.structs.replace(call, word="closed" if given.by else "used")
    return msgspec.structs.replace(call, word=_read_word(given), answer=given.answer)


def _read_word(given: UserInput) -> Word:
    if not given.by:  # nobody's
        return ""
    if given.opens:
        return given.opens
    from mi.governance.session_words import read_permission

    return read_permission(given.answer, ("once",)) or "no"


def _explain(context: "HomeContext", answer: HookAnswer, call: AskedCall, language: str) -> str:
    """Return why a call does not pass: the person said no, closed the question, or has not answered it yet."""
    reason = "\n".join(part for part in (answer.reason, *(one.advice for one in answer.asked)) if part)
    if not call.word:
        return f"{reason}\n{name_waiting(context, call.question_id, answer, language)}"
    ways = [one.instead for one in answer.asked if one.instead] or [text("instead.other-way", language)]
    why = text("hook.said-" + call.word, language, answer=call.answer)
    return f"{reason}\n{why}\n{text('rules.instead', language, way='; '.join(ways))}"
