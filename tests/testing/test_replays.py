"""Scripts for the replay provider, played by the provider."""

from pathlib import Path

import pytest

from mi.agents.choose import open_hands
from mi.agents.events import AgentMessage, Command, FileChange
from mi.agents.protocol import BatchInput, BatchResult
from mi.kernel.config.types import Config, HandsConfig, Replay
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.testing import (
    ScriptError,
    Usage,
    ask,
    cut,
    delete,
    run,
    say,
    stream_error,
    temporary_home,
    temporary_repository,
    think,
    turn,
    write,
    write_replay,
)


def play(script: str, home: Home, name: str, cwd: str, thread: str = "") -> BatchResult:
    hands = open_hands(Config(hands=HandsConfig(provider="replay", replay=Replay(file=script))), home, Notices())
    transcript = home.path("transcripts", f"{name}.jsonl")
    return hands.run(BatchInput(prompt="go", cwd=cwd, transcript=transcript, thread_id=thread))


@pytest.mark.req("mi.hands.replay-testing")
def test_the_replay_provider_plays_what_a_test_wrote(tmp_path: Path) -> None:
    with temporary_home() as home, temporary_repository(passing=False) as repo:
        script = write_replay(
            str(tmp_path / "run.json"),
            [
                turn(think("hm"), repo.mend, run(repo.check), say("Fixed."), usage=Usage(input=30, output=4)),
                [write("new.txt", "x\n"), delete("new.txt"), say("Tidied.")],
                stream_error("any", "out of memory", say("I try.")),
            ],
        )
        first = play(script, home, "first", repo.path)
        second = play(script, home, "second", repo.path, first.thread_id)
        third = play(script, home, "third", repo.path, first.thread_id)
        assert repo.read("calc.py").endswith("return a + b\n")

    assert [
        event.exit_code for event in first.events if isinstance(event, Command) and event.exit_code is not None
    ] == [0]
    assert (first.outcome, first.last_message, first.usage.input_tokens) == ("ended", "Fixed.", 30)
    assert [event.kind for event in second.events if isinstance(event, FileChange)] == ["add", "delete"]
    assert [event.text for event in third.events if isinstance(event, AgentMessage)] == ["I try."]
    assert (third.outcome, third.error) == ("failed", "out of memory")


def test_what_a_replay_cannot_play_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"ask\(…\) is no step of a replay"):
        write_replay(str(tmp_path / "a.json"), [[ask("which?")]])
    with pytest.raises(ScriptError, match="no connection that could be cut"):
        write_replay(str(tmp_path / "a.json"), [cut(say("half"))])
