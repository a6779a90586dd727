"""A yes or no to what was refused, as people write it: in an answer to the question, and in their next prompt."""

import pytest

from mi.governance.session_words import read_permission, read_reply

ALL = ("once", "session", "always")
ANSWERS = [
    ("yes", "once"), ("ok, do it", "once"), ("go ahead and push it", "once"), ("可以", "once"), ("no problem", "once"),
    ("for this session please", "session"), ("Yes for this session", "session"), ("可以，本次会话", "session"),
    ("always", "always"), ("allow it always", "always"), ("以后都可以", "always"), ("yes, every time", "always"),
    ("yes, and always run the tests", "once"),
    ("always ask me", None), ("yes but not always", None), ("yes, but use a branch", None), ("never", None),
    ("no", None), ("不可以", None), ("可以吗？", None), ("好的，但是先跑测试", None), ("use a branch", None),
    ("", None),
]  # fmt: skip
REPLIES = [
    ("yes", "yes"), ("Yes, go ahead!", "yes"), ("yes push it", "yes"), ("OK.", "yes"), ("ok, go ahead", "yes"),
    ("go ahead and push", "yes"), ("继续", "yes"), ("好的，继续", "yes"), ("可以的", "yes"), ("去吧", "yes"),
    ("no", "no"), ("No, open a pull request instead", "no"), ("不行", "no"), ("不可以", "no"),
    ("ok, now write the docs", ""), ("good question", ""), ("go on with the tests", ""), ("继续写文档", ""),
    ("行不行", ""), ("yes?", ""), ("yes, but first the tests", ""), ("> yes\nwhat is this", ""), ("going to bed", ""),
]  # fmt: skip


@pytest.mark.req("person.opens.once", "person.opens.session", "person.opens.always")
@pytest.mark.parametrize(("answer", "opens"), ANSWERS)
def test_how_far_an_answer_opens(answer, opens):
    assert read_permission(answer, ALL) == opens


@pytest.mark.parametrize("answer", ["yes, always", "yes, for this session"])
def test_no_answer_opens_farther_than_was_offered(answer):
    assert read_permission(answer, ("once",)) == "once"


@pytest.mark.req("person.opens.chat")
@pytest.mark.parametrize(("prompt", "said"), REPLIES)
def test_a_reply_in_the_chat(prompt, said):
    assert read_reply(prompt) == said


@pytest.mark.parametrize(("prompt", "said"), [("add it to the list", "yes"), ("add a test", ""), ("把它加进去", "yes")])
def test_a_reply_to_proposed_tasks(prompt, said):
    from mi.kernel.language import patterns

    assert read_reply(prompt, patterns().adds_tasks) == said
