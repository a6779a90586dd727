"""Reading the options of an agent's question, however they are marked."""

import pytest

from mi.autopilot.questions import find_options
from mi.mind.asked_questions import read_questions


@pytest.mark.req("person.question.marks")
@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("A) sqlite or B) postgres?", ["A sqlite", "B postgres"]),
        ("Should I use A) sqlite or B) postgres?", ["A sqlite", "B postgres"]),
        ("Use **A)** sqlite, or **B)** postgres?", ["A sqlite", "B postgres"]),
        ("Which do you prefer: (a) tabs, (b) spaces or (c) a mix?", ["a tabs", "b spaces", "c a mix"]),
        ("Shall I: 1) rewrite it, 2) patch it, or 3) leave it?", ["1 rewrite it", "2 patch it", "3 leave it"]),
        ("Which one: A. sqlite, or B. postgres?", ["A sqlite", "B postgres"]),
        ("A: sqlite, B: postgres?", ["A sqlite", "B postgres"]),
        ("Either A) keep `parse(a)` or B) drop it, which one?", ["A keep `parse(a)`", "B drop it"]),
        ("Should I a) delete the file or b) keep it? I would keep it.", ["a delete the file", "b keep it"]),
        ("Do you want option A (sqlite) or option B (postgres)?", ["A sqlite", "B postgres"]),
        ("Option 1: one table; option 2: two tables?", ["1 one table", "2 two tables"]),
        ("用哪个：A）sqlite 还是 B）postgres？", ["A sqlite", "B postgres"]),
        ("用A）sqlite，或者B）postgres？", ["A sqlite", "B postgres"]),
        ("A、用表 还是 B、用文件？", ["A 用表", "B 用文件"]),
        ("选项A：用表，选项B：用文件，选哪个？", ["A 用表", "B 用文件"]),
        ("Which one?\n\n- **A)** sqlite\n- **B)** postgres", ["A sqlite", "B postgres"]),
        ("Which one?\n**Option A:** sqlite\n**Option B:** postgres", ["A sqlite", "B postgres"]),
        ("选哪个？\nA）sqlite\nB）postgres", ["A sqlite", "B postgres"]),
        ("选哪个？\n1、sqlite\n2、postgres", ["1 sqlite", "2 postgres"]),
    ],
)
def test_options_are_read_by_the_marks_that_the_agent_gave_them(question: str, options: list[str]) -> None:
    assert [f"{one.key} {one.text}" for one in find_options(question, "agent", question)] == options


@pytest.mark.req("person.question.marks")
@pytest.mark.parametrize(
    "question",
    [
        "Should f(a) or f(b) be called?",
        "Should I call g(a, b) or h(b)?",
        "Is it in section 1) or 2)?",
        "Should plan A or plan B be used?",
        "Should I follow plan A for tests and plan B for docs?",
        "Does Python 3. x or 2. x matter?",
        "Is the limit 1.5 or 2.5 GB?",
        "Did test a) fail?",
        "Should I keep b) and c) of the list?",
        "是 f(a) 还是 f(b)？",
        "Is it version 1. x or 2. x?",
        "(1) Should I add tests? (2) Should I add docs?",
        "1. Should I add tests?\n2. Should I add docs?",
    ],
)
def test_what_only_looks_like_a_mark_is_none(question: str) -> None:
    assert all(not one.marks for one in read_questions([question], question))
