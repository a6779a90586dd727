"""tinyTasks.md as text: what is a task, and that everything else stays byte for byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mi.tasks import tinytasks
from mi.tasks.tinytasks import add_subtasks, add_task, create, parse, place_for, retitle, tick


def outline(text: str) -> list[str]:
    """The tasks, indented by their level, ticked ones with a +."""
    document = parse(text)
    return [
        f"{'  ' * (one.level - 1)}{'+' if document.is_done(at) else ''}{one.title}"
        for at, one in enumerate(document.items)
    ]


ACTIVE = """# Tasks – Ship the parser

- [ ] Parser
  - [x] Read the grammar
    - [ ] The one in docs/
  - [ ] Write it
    Details of writing.

    More details.
- [ ] Release
"""
GRAMMAR = [
    (ACTIVE, ["Parser", "  +Read the grammar", "  Write it", "Release"]),
    ("- [ ] a\n* [x] b\n- [X] c\n", ["a", "+b", "+c"]),
    ("+ [ ] no\n- [] no\n-[ ] no\n- [y] no\n1. [ ] no\n", []),
    ("- [ ] a\n    - [ ] b\n        - [ ] detail\n", ["a", "  b"]),
    ("- [ ] a\n\t- [ ] b\n", ["a", "  b"]),
    ("  - [ ] a\n    - [ ] b\n  - [ ] c\n", ["a", "  b", "c"]),
    ("- [ ] a\n  - [ ] b\n\n  - [ ] c\n", ["a", "  b", "  c"]),
    ("- [ ] a\n\n## Later\n\n  - [ ] b\n", ["a", "b"]),
    ("```\n- [ ] no\n```\n- [ ] a\n", ["a"]),
    ("~~~md\n- [ ] no\n```\n- [ ] no\n~~~\n- [ ] a\n", ["a"]),
    ("- [ ] a\n  ```\n  - [ ] no\n  ```\n  - [ ] b\n", ["a", "  b"]),
    ("````\n```\n- [ ] no\n````\n- [ ] a\n", ["a"]),
    ("```\n- [ ] no, the fence never ends\n", []),
    ("- [ ] a\r\n  - [x] b\r\n", ["+a", "  +b"]),
    ("\ufeff- [ ] a\n", ["a"]),
    ("- [x] a\n  - [ ] b\n", ["a", "  b"]),
    ("- [ ] a\n  - [x] b\n  - [x] c\n", ["+a", "  +b", "  +c"]),
    ("- [ ]\n", [""]),
    ("", []),
    ("just prose\n", []),
]


@pytest.mark.req(
    *("ac.tasks.dash-item", "ac.tasks.star-item", "ac.tasks.checked-lower", "ac.tasks.checked-upper"),
    *("ac.tasks.two-levels", "ac.tasks.fenced-code", "ac.tasks.parents-derive", "tm.tmpl.two-levels"),
    *("tm.tmpl.active-structure", "tm.tmpl.order-matters"),
)
@pytest.mark.parametrize(("text", "wanted"), GRAMMAR)
def test_what_is_a_task(text, wanted):
    assert outline(text) == wanted
    assert parse(text).text == text


@pytest.mark.req("ac.tasks.heading", "tm.tmpl.active-heading")
@pytest.mark.parametrize(
    ("line", "goal"),
    [
        *[
            ("# Tasks — Ship it", "Ship it"),
            ("# Tasks – Ship it\r", "Ship it"),
            ("\ufeff# Tasks — Ship it  ", "Ship it"),
        ],
        *[("# Todo", ""), ("## Tasks — no", ""), ("# Tasks — 发布", "发布"), ("```\n# Tasks — no\n```", "")],
    ],
)
def test_goal(line, goal):
    assert parse(line + "\n\n- [ ] a\n").goal == goal


@pytest.mark.req("ac.tasks.pointer-leaf", "tm.r3.first-unchecked")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        *[(ACTIVE, "Write it"), ("- [ ] a\n", "a"), ("- [x] a\n- [ ] b\n", "b"), ("- [x] a\n", None), ("", None)],
        *[("- [ ] a\n  - [x] b\n- [ ] c\n", "c"), ("- [x] a\n  - [ ] b\n", "b")],
    ],
)
def test_the_first_unchecked_leaf(text, title):
    document = parse(text)
    at = document.pointer()
    assert (document.items[at].title if at is not None else None) == title


@pytest.mark.req("tm.tmpl.auto-heading", "tm.tmpl.auto-items")
def test_a_created_file():
    assert create("Ship it", "Ship it", ["build", "test"]) == (
        "# Tasks — Ship it\n\n- [ ] Ship it\n  - [ ] build\n  - [ ] test\n"
    )
    assert create("Ship it", "Build", [], "Now") == "# Tasks — Ship it\n\n## Now\n\n- [ ] Build\n"


ADDED = [
    ("- [ ] a\n", "", "- [ ] a\n- [ ] new\n  - [ ] x\n"),
    ("- [ ] a", "", "- [ ] a\n- [ ] new\n  - [ ] x\n"),
    ("* [ ] a\n    * [ ] b\n\nEnd.\n", "", "* [ ] a\n    * [ ] b\n* [ ] new\n    * [ ] x\n\nEnd.\n"),
    ("# T\r\n\r\n- [ ] a\r\n", "", "# T\r\n\r\n- [ ] a\r\n- [ ] new\r\n  - [ ] x\r\n"),
    ("# T\r\n\r\n- [ ] a", "", "# T\r\n\r\n- [ ] a\r\n- [ ] new\r\n  - [ ] x\r\n"),
    ("prose", "", "prose\n\n- [ ] new\n  - [ ] x\n"),
    ("", "", "- [ ] new\n  - [ ] x\n"),
    ("\ufeff# T\n", "", "\ufeff# T\n\n- [ ] new\n  - [ ] x\n"),
    ("- [ ] a\n", "Later", "- [ ] a\n\n## Later\n\n- [ ] new\n  - [ ] x\n"),
    ("## Later\n\n## Last\n", "Later", "## Later\n- [ ] new\n  - [ ] x\n\n## Last\n"),
    ("## A\n\n- [ ] a\n\n## B\n\n- [ ] b\n", "A", "## A\n\n- [ ] a\n- [ ] new\n  - [ ] x\n\n## B\n\n- [ ] b\n"),
    ("- [ ] a\ntext\n  - [ ] b\n", "", "- [ ] a\ntext\n  - [ ] b\n- [ ] new\n  - [ ] x\n"),
    ("- [ ] a\n  ```\n  - [ ] no\n  ```\n", "", "- [ ] a\n  ```\n  - [ ] no\n  ```\n- [ ] new\n  - [ ] x\n"),
]


@pytest.mark.req(
    "ac.tool.task-add-section", "ac.tasks.crlf", "ac.tasks.bom", "ac.tasks.prose", "ac.tool.task-add-subtasks"
)
@pytest.mark.parametrize(("before", "section", "after"), ADDED)
def test_adding(before, section, after):
    assert add_task(parse(before), "new", ["x"], section) == after


@pytest.mark.req("ac.tasks.complete-one-leaf", "ac.tasks.parents-derive")
def test_ticking_a_leaf_ticks_its_task_when_it_was_the_last():
    text = tick(parse(ACTIVE), 2)
    assert text == ACTIVE.replace("- [ ] Parser", "- [x] Parser").replace("- [ ] Write", "- [x] Write")
    text = tick(parse("- [ ] a\r\n  * [ ] b\r\n  - [ ] c\r\n"), 1)
    assert text == "- [ ] a\r\n  * [x] b\r\n  - [ ] c\r\n"


def test_other_words_and_further_subtasks():
    assert retitle(parse("- [ ] a  \r\n- [ ] b\r\n"), 0, "new") == "- [ ] new\r\n- [ ] b\r\n"
    assert add_subtasks(parse(ACTIVE), 0, ["Test it"]) == ACTIVE.replace(
        "    More details.\n", "    More details.\n  - [ ] Test it\n"
    )
    assert add_subtasks(parse("* [x] a\n\ttext\n"), 0, ["x"]) == "* [ ] a\n\ttext\n  * [ ] x\n"


LINES = st.sampled_from(
    [
        *("- [ ] a", "- [x] b", "  - [ ] c", "  - [X] d", "    - [ ] deep", "\t* [ ] e", "## A", "# Tasks — G", "text"),
        *("", "  text", "```", "~~~", "- bullet", "    code", "\ufeff", "- [ ] ", "* [ ] \u2028 x", "  ```py"),
    ]
)
FILES = st.tuples(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda made: made[1].join(made[0]) + (made[1] if made[2] else "")
)


@pytest.mark.req("ac.tasks.prose", "ac.tasks.crlf")
@settings(max_examples=200, deadline=None)
@given(text=FILES, section=st.sampled_from(["", "A", "B"]), data=st.data())
def test_whatever_is_in_the_file_stays(text, section, data):
    document = parse(text)
    assert document.text == text
    before = [one.title for one in document.items]
    after = add_task(document, "NEW", ["SUB"], section)
    if "```" not in text and "~~~" not in text:  # behind a fence that never ends no task can be added
        assert sorted([*before, "NEW", "SUB"]) == sorted(one.title for one in parse(after).items)
    made = [f"## {section}"] if section and place_for(document, section) is None else []
    kept = [line.strip() for line in after.split("\n") if line.strip() and "NEW" not in line and "SUB" not in line]
    assert sorted(kept) == sorted([*(line.strip() for line in text.split("\n") if line.strip()), *made])
    leaves = [at for at, one in enumerate(document.items) if document.is_leaf(at) and not one.checked]
    if leaves:
        at = data.draw(st.sampled_from(leaves))
        ticked = tick(document, at)
        assert len(ticked) == len(text)
        assert ticked.replace("[x]", "[ ]").replace("[X]", "[ ]") == text.replace("[x]", "[ ]").replace("[X]", "[ ]")
        assert parse(ticked).items[at].checked


def test_surrogates_of_bytes_that_are_no_utf8_stay():
    data = b"- [ ] a \xff\xfe\n"
    text = add_task(parse(data.decode("utf-8", "surrogateescape")), "new", [])
    assert text.encode("utf-8", "surrogateescape") == data + b"- [ ] new\n"
    assert tinytasks.FILE == "tinyTasks.md"


@pytest.mark.parametrize(
    ("place", "after"),
    [
        (0, "# Tasks — g\n\n- [ ] a\n  - [ ] a1\n  - [x] a2\n\nprose\n- [ ] b\n  more\n\n## later\n- [ ] c"),
        (2, "# Tasks — g\n\n- [ ] a\n  - [x] a2\n  - [ ] a1\n\nprose\n- [ ] b\n  more\n\n## later\n- [ ] c"),
        (3, "# Tasks — g\n\n- [ ] b\n  more\n\nprose\n- [ ] a\n  - [ ] a1\n  - [x] a2\n\n## later\n- [ ] c"),
        (4, "# Tasks — g\n\n- [ ] a\n  - [ ] a1\n  - [x] a2\n\nprose\n- [ ] b\n  more\n\n## later\n- [ ] c"),
    ],
)
def test_a_task_moves_up_within_its_section_with_all_that_is_its(place, after):
    before = "# Tasks — g\n\n- [ ] a\n  - [ ] a1\n  - [x] a2\n\nprose\n- [ ] b\n  more\n\n## later\n- [ ] c"
    assert tinytasks.move_up(tinytasks.parse(before), place) == after
