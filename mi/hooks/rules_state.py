"""What the team's rules remember of one session of a host, between its hook events."""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from mi.hooks.event import HookEvent
from mi.kernel.state import read_state, update_state

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext


class Suggested(Struct, frozen=True, kw_only=True):
    """A saying that was suggested for keeping and waits for the person's reply."""

    signal: str
    description: str


class RulesState(Struct, frozen=True, kw_only=True):
    """One session: an override and its topic, edits since the last prompt, questions asked, suggestions made."""

    override: str = ""
    lifted: bool = False  # the override was used for a denied action; it serves for one
    topic: list[str] = []
    edits: dict[str, int] = {}  # by file, since the last prompt
    asked: dict[str, str] = {}  # call of a tool → operation that the person was asked about
    refused: dict[str, int] = {}  # how often an operation was not let through
    suggested: list[str] = []
    waiting: Suggested | None = None
    worked: bool = False  # something was changed since the session was saved
    tested: bool = False  # tests passed since then
    reviewed: bool = False  # another AI was asked since then
    work_logged: bool = False  # the project's work log was changed since then
    done: list[str] = []  # turns since then that changed something: what was asked → what was said
    decided: list[str] = []  # what the person decided since then
    prompt: str = ""  # the latest, without secrets
    sid: str = ""  # the window of this session in the persona
    saved_at: float = 0.0
    saved: str = ""  # the one line about it, until it was told


def read(event: HookEvent, context: "HomeContext") -> RulesState:
    """Return the state of the event's session; the beginning's for a new one."""
    return read_state(_path(event, context), RulesState, context.notices)


def change(event: HookEvent, context: "HomeContext", new: Callable[[RulesState], RulesState]) -> RulesState:
    """Change it, under the lock of its folder; a power cut ends the session, too."""
    return update_state(_path(event, context), RulesState, new, context.notices, sync=False)


def forget(event: HookEvent, context: "HomeContext") -> None:
    """Forget a session that is over."""
    try:
        os.remove(_path(event, context))
    except FileNotFoundError:
        pass


def _path(event: HookEvent, context: "HomeContext") -> str:
    session = re.sub(r"[^\w-]+", "_", event.session_id)[:80] or "unnamed"
    return context.project_home.path("hook_sessions", f"{event.host}-{session}.json")
