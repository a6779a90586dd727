"""The questions of a host's session: closed when the session shows what became of them, or ends."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from mi.evidence.answers import AnswerWatch
from mi.evidence.records.questions import UserInput
from mi.hooks import rules_state
from mi.hooks.event import HookEvent
from mi.hooks.rules_state import AskedCall, RulesState
from mi.kernel.messages import text
from mi.kernel.state import read_state

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext


def confirm(event: HookEvent, context: "HomeContext", keys: Sequence[str]) -> None:
    """Note that the person let calls through in the host itself; a yes once that they gave elsewhere served for it."""
    calls = rules_state.read(event, context).calls
    for key in keys:
        settle(context, calls[key], UserInput(answer="yes", by="chat", opens="once"))
    _mark(event, context, keys)


def close(event: HookEvent, context: "HomeContext", keys: Sequence[str], why: str) -> None:
    """Close questions that nobody answered; the next try of such a call asks anew."""
    calls = rules_state.read(event, context).calls
    reason = text(why, context.quiet_language)
    left = [key for key in keys if settle(context, calls[key], UserInput(dismissed=True, why=reason)) is None]
    _mark(event, context, left)


def sweep(event: HookEvent, context: "HomeContext") -> None:
    """End sessions that ended without a word: their questions are closed, and what was kept of them is removed."""
    for path in rules_state.list_forgotten(event, context):
        calls = read_state(path, RulesState, context.notices).calls if path.endswith(".json") else {}
        reason = text("hook.why-ended", context.quiet_language)
        for call in calls.values():
            if not call.word:
                settle(context, call, UserInput(dismissed=True, why=reason))
        try:
            os.remove(path)
        except FileNotFoundError:  # another hook was faster
            pass


def settle(context: "HomeContext", call: AskedCall, word: UserInput, again: bool = False) -> UserInput | None:
    """Store a word on a call's question; returns the one that was there first, None where this is it.

    `again`: they know their first one and change their mind.
    """
    log = context.open_agent_log()  # before the lock: it looks after the folder that is locked
    with AnswerWatch(log.path, [call.question_id], call.size).settle() as earlier:
        if earlier is None or again:
            asked = f"{call.operation}: {call.target}"
            said = msgspec.structs.replace(word, question=asked, question_id=call.question_id)
            log.append(said, sync=True)
    return None if again else earlier


def _mark(event: HookEvent, context: "HomeContext", keys: Sequence[str]) -> None:
    def served(old: RulesState) -> RulesState:
        replace = msgspec.structs.replace
        used = {key: replace(old.calls[key], word="used", shown="") for key in keys if key in old.calls}
        return replace(old, calls=old.calls | used)

    if keys:
        rules_state.change(event, context, served)
