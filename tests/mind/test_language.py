"""How the rules read an agent's words."""

import pytest

from mi.mind.language import content_words, is_inquiry, questions_in, says_done, wants_to_be_asked


@pytest.mark.parametrize(
    "message",
    [
        "Done. The test passes.",
        "I fixed the bug in calc.py.",
        "All tests passed.",
        "The feature is implemented.",
        "修复了。",
        "任务已完成。",
        "测试都通过了。",
    ],
)
def test_claims_of_being_done(message: str):
    assert says_done(message)


@pytest.mark.parametrize(
    "message",
    [
        "The work is not done yet.",
        "I could not get it fixed.",
        "Once this is done, run the tests.",
        "I will let you know when it is finished.",
        "Should I mark it as done?",
        "```\nprint('done')\n```",
        "还没完成。",
        "测试未通过。",
        "I looked at the files.",
        "",
    ],
)
def test_what_is_no_claim(message: str):
    assert not says_done(message)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("I can do it two ways. Should I use pytest or unittest?", ["Should I use pytest or unittest?"]),
        ("Please confirm the target branch.", ["Please confirm the target branch."]),
        ("要不要推送到 main？", ["要不要推送到 main？"]),
        ("请确认目标分支。", ["请确认目标分支。"]),
        ("Why does it fail? Because the sign is wrong, so I changed the operator in calc.py and it works.", []),
        ("```\nwhat? \n```\nFixed.", []),
        ("Done.", []),
    ],
)
def test_questions(message: str, asked: list[str]):
    assert questions_in(message) == asked


@pytest.mark.parametrize(
    ("task", "inquiry"),
    [
        ("why does the build fail?", True),
        ("Explain the module layout", True),
        ("为什么测试失败", True),
        ("这个函数有用吗", True),
        ("fix the failing test", False),
        ("Add a --json flag", False),
        ("修复失败的测试", False),
        ("Could you explain why the test fails?", True),
        ("How do I fix the failing test?", True),
        ("How does the guard work, and where is it tested?", True),
        ("check whether the parser handles nulls", True),
        ("请解释这个函数", True),
        ("如何修复这个测试？", True),
        ("帮我看看哪里有问题", True),
        ("Can you fix the failing test?", False),
        ("Why does it fail? Fix it.", False),
        ("Find out why it fails and fix it", False),
        ("Do the refactoring of calc.py", False),
        ("Is there a bug in add? If so, fix it.", False),
        ("能修复这个测试吗？", False),
        ("看看为什么失败，然后修复它", False),
        ("把 add 改成乘法", False),
    ],
)
def test_tasks_that_ask_for_an_answer(task: str, inquiry: bool):
    assert is_inquiry(task) is inquiry


def test_content_words_drop_what_carries_no_meaning():
    assert content_words("Should I use the tests?") == {"test"}
    assert content_words("不要推送分支") >= {"推送", "分支"}


@pytest.mark.parametrize("value", ["Ask me before you push.", "Never deploy without my approval.", "推送前先问我。"])
def test_values_that_reserve_a_decision(value: str):
    assert wants_to_be_asked(value)
