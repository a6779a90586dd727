"""Saving a session by itself: at the end of a turn, when the rules say so, into the session's own window."""

import os
import time
from typing import TYPE_CHECKING

import msgspec

from mi.app.team import build_persona
from mi.governance.session_words import Capture, Situation, add_autosave, decide_autosave
from mi.hooks import rules_state
from mi.hooks.changed_files import find_command
from mi.hooks.event import HookEvent
from mi.hooks.rules_state import RulesState
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import choose_language, text
from mi.kernel.text import fit_one_line

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.persona.place import PersonaView

_AT_END = "session_end"
_MOST_TURNS = 20
_MOST_STEPS = 5


def note_command(event: HookEvent, context: "HomeContext") -> None:
    """Note reasons to save: tests that passed, a review by another AI."""
    from mi.governance.commands import classify

    response = event.tool_response if isinstance(event.tool_response, dict) else {}
    if response.get("is_error") or response.get("interrupted") or response.get("exit_code") not in (None, 0):
        return
    seen = {act.operation for act in classify(find_command(event))}
    if seen & {"run-tests", "external-ai"}:
        tested, reviewed = "run-tests" in seen, "external-ai" in seen
        rules_state.change(
            event,
            context,
            lambda old: msgspec.structs.replace(old, tested=old.tested or tested, reviewed=old.reviewed or reviewed),
        )


def is_work_log(path: str) -> bool:
    """Return whether a file is where a project keeps what was done."""
    return compiled(rf"(?:^|/)(?:{patterns().work_log})[^/]*\.(?:md|txt|rst)$").search(path) is not None


def save_at_stop(event: HookEvent, context: "HomeContext") -> None:
    """Save silently when the agent's turn is over, if there is a persona and something to save."""
    persona = build_persona(context)
    if not _keeps_log(context, persona):
        return
    state = rules_state.change(event, context, lambda old: _with_turn(old, event.last_message))
    now = time.time()
    situation = Situation(
        message=state.prompt,
        tests_reported=state.tested,
        review_reported=state.reviewed,
        work_log_updated=state.work_logged,
        done_and_waiting=True,
        in_progress=event.stop_hook_active,
        since_last_save=now - state.saved_at if state.saved_at else None,
        has_output=state.worked or bool(state.decided),
    )
    trigger = decide_autosave(situation)
    if trigger:
        _save(event, context, persona, state, str(trigger), now)


def save_at_end(event: HookEvent, context: "HomeContext") -> str:
    """Save what was not saved yet when the session is over; returns what is left to say, in one block."""
    from mi.hooks.prompt_signals import NoticeBlock, consolidate

    persona = build_persona(context)
    state = rules_state.read(event, context)
    if not _keeps_log(context, persona):
        return ""
    language = choose_language(context.config.language, state.prompt)
    notices = [NoticeBlock("status", state.saved)] if state.saved else []
    if state.worked or state.decided:
        path = _save(event, context, persona, state if state.done else _with_turn(state, ""), _AT_END, time.time())
        notices = [NoticeBlock("status", text("rules.saved", language, path=os.path.relpath(path, persona.root)))]
    if state.waiting is not None:
        said = Capture(state.waiting.signal, state.waiting.description)  # type: ignore[arg-type]
        notices.append(NoticeBlock("capture", said.suggestion(language)))
    if pending := _count_proposals(persona):
        notices.append(NoticeBlock("hint", text("rules.proposals-wait", language, count=pending)))
    shown = consolidate(notices, language=language)
    return "\n".join([*shown.inline, *([shown.block] if shown.block else [])])


def _keeps_log(context: "HomeContext", persona: "PersonaView") -> bool:
    """Return whether sessions leave a log here: a team has a persona, and light keeps none."""
    return context.config.governance.profile != "light" and os.path.isdir(persona.root)


def _count_proposals(persona: "PersonaView") -> int:
    if not os.path.isdir(persona.path("proposals")):
        return 0
    from mi.persona.proposals import list_pending

    return len(list_pending(persona))


def _list_next_steps(context: "HomeContext") -> list[str]:
    """Return what is open in the task list, the next one first."""
    from mi.app.tasks import read_tasks
    from mi.kernel.secrets import redact

    open_tasks = [task for task in read_tasks(context).tasks if task.leaf and not task.checked]
    return [str(redact(task.title)) for task in open_tasks[:_MOST_STEPS]]


def _with_turn(old: RulesState, said: str) -> RulesState:
    """Add the turn to those to save, if it changed something."""
    from mi.kernel.secrets import redact

    asked, replied = fit_one_line(redact(old.prompt), 200), fit_one_line(redact(said), 300)
    turn = f"{asked} → {replied}" if replied else asked
    if not old.worked or not turn or turn in old.done:
        return old
    return msgspec.structs.replace(old, done=[*old.done, turn][-_MOST_TURNS:])


def _save(
    event: HookEvent, context: "HomeContext", persona: "PersonaView", state: RulesState, trigger: str, now: float
) -> str:
    from mi.evidence.records.governed import SessionLog
    from mi.persona.session_log import LoggedDecision, SessionEntry, append_entry, is_first
    from mi.persona.windows import find_window, log_files, take_slot

    first = is_first(log_files(persona))
    window = find_window(persona, state.sid) if state.sid else take_slot(persona)
    entry = SessionEntry(
        completed_items=state.done,
        decisions=[LoggedDecision(text=one) for one in state.decided],
        next_steps=_list_next_steps(context),
        note=f"<!-- mi:auto-save trigger:{trigger} -->",
    )
    append_entry(window, entry, first)
    sections = [name for name in ("completed_items", "decisions", "next_steps") if getattr(entry, name)]
    context.open_agent_log().append(SessionLog(path=window.path, sections=sections, trigger=trigger))
    line = add_autosave(window.slot, int(trigger)) if trigger != _AT_END else ""
    rules_state.change(
        event,
        context,
        lambda old: msgspec.structs.replace(
            old,
            sid=window.sid,
            saved_at=now,
            saved=line,
            worked=False,
            tested=False,
            reviewed=False,
            work_logged=False,
            done=[],
            decided=[],
        ),
    )
    return window.path
