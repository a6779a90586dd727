"""What the team's rules remember of one session of a host, between its hook events."""

import os
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from mi.hooks.event import HookEvent
from mi.kernel.digest import hash_sha256
from mi.kernel.state import read_state, update_state

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext


_QUIET_S = 24 * 60 * 60
# What the person said: a yes and how far it reaches, a no, nothing; `used`: it served for its one call.
Word = Literal["", "once", "session", "always", "no", "closed", "used"]


class Suggested(Struct, frozen=True, kw_only=True):
    """A saying that was suggested for keeping and waits for the person's reply."""

    signal: str
    description: str


class AskedCall(Struct, frozen=True, kw_only=True):
    """An operation on a target that the person was asked about in this session, and what their word opens."""

    question_id: str
    operation: str
    target: str
    reaches: list[str] = []  # how far a yes may reach
    size: int = 0  # of the log when the question was asked: the answer stands behind
    word: Word = ""  # '' while it waits
    lifted: bool = False  # an override lifted a denial to this question
    answer: str = ""  # in the person's own words
    shown: str = ""  # the call of a tool for which the host itself shows it to the person


class RulesState(Struct, frozen=True, kw_only=True):
    """One session: an override and its topic, edits since the last prompt, questions asked, suggestions made."""

    override: str = ""
    lifted: bool = False  # the override was used for a denied action; it serves for one
    topic: list[str] = []
    edits: dict[str, int] = {}  # by file, since the last prompt
    review: str = ""  # what the batch was said to need
    told: list[str] = []  # ids of what the agent was told of all that is known, once
    asked: dict[str, str] = {}  # call of a tool → operation that the person was asked about
    refused: dict[str, int] = {}  # how often an operation was asked about or denied
    calls: dict[str, AskedCall] = {}  # what the person was asked about, by the key of operation and target
    refusals: list[str] = []  # of those, the keys that were refused since the latest prompt
    proposed: list[str] = []  # keys of the tasks that the agent wanted to add since the latest prompt
    request: str = ""  # the latest prompt, where it opened a finished task list
    suggested: list[str] = []
    waiting: Suggested | None = None
    worked: bool = False  # something was changed since the session was saved
    tested: bool = False  # tests passed since then
    reviewed: bool = False  # another AI was asked since then
    work_logged: bool = False  # the project's work log was changed since then
    done: list[str] = []  # turns since then that changed something: what was asked → what was said
    decided: list[str] = []  # what the person decided since then
    prompt: str = ""  # the latest, without secrets
    of_team: bool = False  # the project's own entries answer in it; the person's are silent
    sid: str = ""  # the window of this session in the persona
    saved_at: float = 0.0
    saved: str = ""  # the one line about it, until it was told


def read(event: HookEvent, context: "HomeContext") -> RulesState:
    """Return the state of the event's session; the beginning's for a new one."""
    return read_state(find_path(event, context), RulesState, context.notices)


def change(event: HookEvent, context: "HomeContext", new: Callable[[RulesState], RulesState]) -> RulesState:
    """Change it, under the lock of its folder; a power cut ends the session, too."""
    return update_state(find_path(event, context), RulesState, new, context.notices, sync=False)


def forget(event: HookEvent, context: "HomeContext", keep_calls: bool = False) -> None:
    """Forget a session that is over, but what was asked and is of use if it goes on."""
    calls = {key: one for key, one in read(event, context).calls.items() if keep_calls and one.word != "used"}
    if calls:
        change(event, context, lambda old: RulesState(calls=calls, refusals=old.refusals))
        return
    try:
        os.remove(find_path(event, context))
    except FileNotFoundError:
        pass


def list_forgotten(event: HookEvent, context: "HomeContext") -> list[str]:
    """Return the files of sessions that nothing was heard of for a day, but the event's own."""
    own = find_path(event, context)
    try:
        found = [one.path for one in os.scandir(os.path.dirname(own)) if one.name.endswith((".json", ".calls"))]
        return [path for path in found if path != own and os.stat(path).st_mtime < time.time() - _QUIET_S]
    except OSError:
        return []  # none was kept yet, or another hook was faster


def find_path(event: HookEvent, context: "HomeContext") -> str:
    """Return where the event's session is kept."""
    session = re.sub(r"[^\w-]+", "_", event.session_id)[:80] or _name_unnamed(event)
    if event.session_id and session != event.session_id:  # another session must not have the same name
        session += "-" + hash_sha256(event.session_id.encode("utf-8", "surrogatepass"))[:12]
    return context.project_home.path("hook_sessions", f"{event.host}-{session}.json")


def _name_unnamed(event: HookEvent) -> str:
    """Return a name for the session of a host that gives it none: one for each process of the host."""
    from mi.app.speaker import find_host

    found = find_host(event.host)
    return f"unnamed-{found.host.pid}" if found else f"unnamed-{os.getppid()}"
