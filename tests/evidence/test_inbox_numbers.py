"""Numbers of what waits: they stay while it waits, and rest for a day after it."""

import json
import time
from pathlib import Path

import pytest

from mi.evidence.inbox_numbers import number_all, number_one, read_numbers
from mi.kernel import clock
from mi.kernel.home import Home
from mi.kernel.notices import Notices

HOUR_MS = 60 * 60 * 1000


def rewind(home: Home, hours: int) -> None:
    """Let everything that is closed have been closed some hours earlier."""
    path = Path(home.inbox_numbers)
    state = json.loads(path.read_text("utf-8"))
    for one in state["held"]:
        if one["closed"]:
            one["closed"] = clock.format_ms(int(time.time() * 1000) - hours * HOUR_MS)
    path.write_text(json.dumps(state), "utf-8")


@pytest.mark.req("person.inbox.number-stays")
def test_a_number_stays_with_its_question_until_it_is_closed_and_rests_for_a_day(home: Home, notices: Notices) -> None:
    first = number_all(home, [["qu_a"], ["qu_b"]], notices)
    assert (first.find(["qu_a"]), first.find(["qu_b"])) == (1, 2)
    second = number_all(home, [["qu_b"], ["qu_c"]], notices)  # qu_a was answered
    assert (second.find(["qu_a"]), second.find(["qu_b"]), second.find(["qu_c"])) == (0, 2, 3)
    rewind(home, 23)
    assert number_all(home, [["qu_b"], ["qu_c"], ["qu_d"]], notices).find(["qu_d"]) == 4
    rewind(home, 25)
    assert number_all(home, [["qu_b"], ["qu_c"], ["qu_d"], ["qu_e"]], notices).find(["qu_e"]) == 1
    assert read_numbers(home, notices).who(2).ids == ["qu_b"]  # type: ignore[union-attr]


def test_a_question_that_is_asked_again_keeps_its_number(home: Home, notices: Notices) -> None:
    assert number_all(home, [["qu_a"]], notices).find(["qu_a"]) == 1
    again = number_all(home, [["qu_new", "qu_a"]], notices)
    assert (again.find(["qu_new"]), again.find(["qu_a"])) == (1, 1)
    assert number_all(home, [["qu_new"]], notices).find(["qu_new"]) == 1


def test_what_is_filed_while_somebody_takes_stock_keeps_the_number_it_was_told(home: Home, notices: Notices) -> None:
    assert number_one(home, "qu_late", notices) == 1
    number_all(home, [["qu_other"]], notices)  # whoever listed had not seen qu_late yet
    assert number_all(home, [["qu_other"], ["qu_late"]], notices).find(["qu_late"]) == 1
    assert number_one(home, "qu_late", notices) == 1


def test_looking_again_writes_nothing(home: Home, notices: Notices) -> None:
    number_all(home, [["qu_a"]], notices)
    before = Path(home.inbox_numbers).stat().st_mtime_ns
    number_all(home, [["qu_a"]], notices)
    assert Path(home.inbox_numbers).stat().st_mtime_ns == before


@pytest.mark.parametrize("broken", ["{", '{"held": 7}', '{"held": [{"number": "x"}]}'])
def test_a_broken_file_costs_the_numbers_and_nothing_else(home: Home, notices: Notices, broken: str) -> None:
    Path(home.inbox_numbers).parent.mkdir(parents=True, exist_ok=True)
    Path(home.inbox_numbers).write_text(broken, "utf-8")
    assert number_all(home, [["qu_a"]], notices).find(["qu_a"]) == 1
    assert [path.read_text("utf-8") for path in Path(home.root).glob("inbox.json.corrupt.*")] == [broken]
