"""What hooks note of a host's session: which calls of tools are at work."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from mi.app.home_context import HomeContext
from mi.hooks import host_session
from mi.hooks.event import HookEvent
from mi.kernel.home import Home


@pytest.mark.req("person.chat")
def test_what_is_noted_of_a_long_session_stays_short_and_knows_what_is_at_work(home: Home, tmp_path: Path) -> None:
    context = HomeContext(home, str(tmp_path))
    event = HookEvent(host="claude-code", event="pre-tool", session_id="s1", transcript_path="/t/a b.jsonl")
    Path(home.root).mkdir(exist_ok=True)

    def note(event_name: str, call: str) -> None:
        told = msgspec.structs.replace(event, event=event_name, tool_use_id=call)  # type: ignore[arg-type]
        host_session.note_call(told, context)

    note("pre-tool", "stays")
    largest = 0
    for number in range(3000):
        note("pre-tool", f"call{number}")
        note("post-tool", f"call{number}")
        (noted,) = Path(home.root).rglob("hook_sessions/*.calls")
        largest = max(largest, noted.stat().st_size)
    known = host_session._read(event, context)
    assert largest < 40_000
    assert {name: path for name, (_, path) in known.begun.items()} == {"stays": "/t/a b.jsonl"}
    assert 0 <= time.time() - known.latest < 60


@pytest.mark.req("person.chat")
def test_hooks_at_the_same_time_lose_no_call_when_the_notes_are_shortened(home: Home, tmp_path: Path) -> None:
    context = HomeContext(home, str(tmp_path))
    event = HookEvent(host="claude-code", event="pre-tool", session_id="s1", transcript_path="/t/" + "x" * 2000)
    Path(home.root).mkdir(exist_ok=True)

    def note(worker: int) -> None:
        for number in range(200):
            host_session.note_call(msgspec.structs.replace(event, tool_use_id=f"{worker}-{number}"), context)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(note, range(4)))
    assert len(host_session._read(event, context).begun) == 800
