"""A stream of tasks in which the same questions come back in other words: each reaches the person once or twice."""

from pathlib import Path

import pytest

from bench.asked_once import MORE, STREAM, Recurring, capable_mind, play
from mi.kernel.home import Home
from mi.mind.mind import Mind


def test_the_stream_is_sixty_tasks_with_twelve_questions_in_other_words() -> None:
    for stream in (STREAM, MORE):
        assert [len(set(one.wordings)) for one in stream] == [5] * 12


@pytest.mark.req("person.asked-once.rules")
@pytest.mark.parametrize("stream", [STREAM, MORE])
def test_by_rules_each_question_is_asked_twice_at_most(tmp_path: Path, stream: tuple[Recurring, ...]) -> None:
    found = play(Mind(Home(str(tmp_path)), str(tmp_path), None), str(tmp_path), stream)
    assert (max(found.times), found.wrong) == (2, [])
    assert sum(found.times) <= 18


@pytest.mark.req("person.asked-once.mind")
@pytest.mark.parametrize("stream", [STREAM, MORE])
def test_with_a_capable_mind_each_question_is_asked_once(tmp_path: Path, stream: tuple[Recurring, ...]) -> None:
    with capable_mind(str(tmp_path), stream) as mind:
        found = play(mind, str(tmp_path), stream)
    assert (found.times, found.wrong) == ([1] * 12, [])
