"""Saving a session by itself: at the end of a turn, when the rules say so, into the session's own window."""

import os
import time
from typing import TYPE_CHECKING

import msgspec

from mi.governance.session_words import Situation, autosave, autosaved
from mi.hooks import rules_state
from mi.hooks.event import HookEvent
from mi.hooks.rules_state import RulesState
from mi.hooks.touched import command_of
from mi.kernel.text import one_line

if TYPE_CHECKING:
    from mi.app import App
    from mi.persona.place import Persona


def saw_command(event: HookEvent, app: "App") -> None:
    """Tests that passed are one of the reasons to save."""
    from mi.governance.command_tables import listed
    from mi.kernel.shell import simple_commands

    response = event.tool_response if isinstance(event.tool_response, dict) else {}
    failed = response.get("is_error") or response.get("interrupted") or response.get("exit_code") not in (None, 0)
    names = [" ".join([one.name, *one.argv[1:]]) for one in simple_commands(command_of(event))]
    if not failed and any(
        listed(name.removeprefix("python3 -m ").removeprefix("python -m ")) == "run-tests" for name in names
    ):
        rules_state.change(event, app, lambda old: msgspec.structs.replace(old, tested=True))


def at_stop(event: HookEvent, app: "App") -> None:
    """The agent's turn is over and it waits: save silently, when there is a persona and something to save."""
    persona = app.persona()
    if not os.path.isdir(persona.root):
        return
    state = rules_state.read(event, app)
    now = time.time()
    situation = Situation(
        message=state.prompt,
        tests_reported=state.tested,
        done_and_waiting=True,
        in_progress=event.stop_hook_active,
        since_last_save=now - state.saved_at if state.saved_at else None,
        has_output=state.worked,
    )
    trigger = autosave(situation)
    if trigger:
        _save(event, app, persona, state, trigger, now)


def _save(event: HookEvent, app: "App", persona: "Persona", state: RulesState, trigger: int, now: float) -> None:
    from mi.evidence.records.governed import SessionLog
    from mi.kernel.secrets import redact
    from mi.persona.session_log import Entry, append_entry
    from mi.persona.windows import find_window, log_files, take_slot

    first = not log_files(persona)
    window = find_window(persona, state.sid) if state.sid else take_slot(persona)
    asked = one_line(redact(state.prompt), 200)
    said = one_line(redact(event.last_message), 300)
    entry = Entry(
        completed_items=[f"{asked} → {said}" if said else asked],
        decisions=[],
        next_steps=[],
        note=f"<!-- mi:auto-save trigger:{trigger} -->",
    )
    append_entry(window, entry, first)
    app.open_agent_log().append(SessionLog(path=window.path, sections=["completed_items"], trigger=str(trigger)))
    line = autosaved(window.slot, trigger)
    rules_state.change(
        event,
        app,
        lambda old: msgspec.structs.replace(old, sid=window.sid, saved_at=now, saved=line, worked=False, tested=False),
    )
