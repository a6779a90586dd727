"""How the rules read an agent's words."""

import pytest

from mi.mind.language import (
    claims_done,
    content_words,
    hangs_on_check,
    is_inquiry,
    left_open,
    questions_in,
    says_what_counts,
    wants_to_be_asked,
)
from tests.mind.last_messages import ANSWERS, LEAVES_NOTHING, LEAVES_SOMETHING, NO_ANSWERS


@pytest.mark.req("judge.claimed.open")
@pytest.mark.parametrize("message", LEAVES_SOMETHING)
def test_messages_that_leave_something_open(message: str):
    assert left_open(message)
    assert not claims_done("fix the parser", message)


@pytest.mark.req("judge.claimed.no-words")
@pytest.mark.parametrize("message", LEAVES_NOTHING)
def test_messages_that_leave_nothing_open(message: str):
    assert left_open(message) == []
    assert claims_done("fix the parser", message)


@pytest.mark.req("judge.claimed.open")
def test_what_is_open_is_told_as_it_was_said():
    message = "Fixed `add`.\nI skipped the docs for now. All tests pass.\n\n**Remaining:**\n- the CLI"
    assert left_open(message) == ["I skipped the docs for now.", "the CLI"]


@pytest.mark.req("judge.inquiry.promise")
def test_a_promise_to_look_is_no_answer():
    task = "why does the test fail?"
    assert [said for said in ANSWERS if not claims_done(task, said)] == []
    assert [said for said in NO_ANSWERS if claims_done(task, said)] == []


def test_who_says_nothing_claims_nothing():
    assert not claims_done("fix it", " ")


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("I can do it two ways. Should I use pytest or unittest?", ["Should I use pytest or unittest?"]),
        ("Please confirm the target branch.", ["Please confirm the target branch."]),
        ("要不要推送到 main？", ["要不要推送到 main？"]),
        ("请确认目标分支。", ["请确认目标分支。"]),
        ("Why does it fail? Because the sign is wrong, so I changed the operator in calc.py and it works.", []),
        (
            "Should I use sqlite or postgres? Postgres would need a server, which your continuous integration lacks.",
            ["Should I use sqlite or postgres?"],
        ),
        (
            "Which colour should it have?\nA) red\nB) green\nBoth are in the palette that the design team agreed on.",
            ["Which colour should it have?"],
        ),
        (
            "Should I use sqlite or postgres? I chose sqlite, since your continuous integration has no server at all.",
            [],
        ),
        (
            "Should we keep it? In the end I decided to keep the old interface, because two callers still rely on it.",
            [],
        ),
        (
            "我应该用 sqlite 还是 postgres？"
            + "后者需要一台一直运行的服务器，而目前的持续集成环境里并没有这样的服务器可供使用，" * 2
            + "需另行准备。",
            ["我应该用 sqlite 还是 postgres？"],
        ),
        ("```\nwhat? \n```\nFixed.", []),
        ("Done.", []),
        ("Done. Let me know if you want anything else.", []),
        ("Let me know which branch to use.", ["Let me know which branch to use."]),
    ],
)
def test_questions(message: str, asked: list[str]):
    assert questions_in(message) == asked


@pytest.mark.req("judge.inquiry.polite", "judge.inquiry.unsure")
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
        ("can you sort out the failing test?", False),
        ("Could you please get the tests green?", False),
        ("Would you mind taking care of the flaky test?", False),
        ("能不能让测试变绿", False),
        ("能不能帮我让测试变绿？", False),
        ("可以处理一下这个报错吗？", False),
        ("Could this be simplified?", False),
        ("tests green again?", False),
        ("Check why CI is red and get it green", False),
        ("look at the login bug, it should be gone by tonight", True),
        ("What does calc.py do? Only tell me, change nothing.", True),
        ("The build is slow. Just tell me why.", True),
        ("The tests fail somewhere; don't change anything.", True),
        ("Add a flag and change nothing else.", False),
        ("Any idea why it hangs?", True),
        ("run the tests and tell me what fails", True),
        ("run the tests and mend what fails", False),
        ("Can it handle unicode names?", True),
        ("能告诉我为什么失败吗？", True),
        ("这个函数是做什么的？只要解释，不要修改代码。", True),
        ("the failing test", False),
        ("测试失败", False),
        ("每天的封顶金额是在哪里定义的？", True),
        ("能不能把它改快？", False),
        ("count must add up the quantities.", False),
        ("report.py crashes on empty input.", False),
        ("show() returns nothing", False),
        ("What returns nothing here?", True),
    ],
)
def test_tasks_that_ask_for_an_answer(task: str, inquiry: bool):
    assert is_inquiry(task) is inquiry


HANGS_ON_CHECK = """\
Check whether make test still passes and repair what is broken.
Run the tests and fix whatever fails.
If the tests are red, mend the code; otherwise leave everything as it is.
Make sure that the tests pass.
如果测试失败，就修好它们。
Run the suite; fix any failures.
See if the build still works and mend it if not.
Check that the tests pass; if not, fix them.
Verify that everything still passes after the upgrade and fix what doesn't.
Please run the linter and tests, and correct what is wrong.
Fix failing tests, if there are any.
Could you run the tests and sort out whatever is red?
检查 make test 是否还能通过，并修复坏掉的部分。
跑一遍测试，有失败就修好。
确保所有测试通过。
验证测试是否通过，不通过就修复。
Run the tests. If anything fails, find the cause and fix it.
Confirm the tests are green, and repair them if they are not."""
WANTS_A_CHANGE = """\
Fix total: its tests fail.
Add tax and make sure that the tests pass.
Add `tax` to shop.py, then run the tests and fix whatever fails.
Fix what is wrong with total.
Rename discount to reduce_price everywhere; if the docs are wrong, fix them.
Add a flag if needed by the parser, and document it.
Make total faster and check that the tests still pass.
Implement the parser. If a test fails, fix it.
添加 tax 函数，并确保测试通过。
修复 total：它的测试失败了。
Return an error if the file is broken.
Let the parser raise ValueError if a line is wrong.
Change the code so that it fails if the token is wrong."""


@pytest.mark.req("judge.rows.moved")
def test_tasks_whose_condition_is_the_check_itself():
    assert [task for task in HANGS_ON_CHECK.splitlines() if not hangs_on_check(task)] == []
    assert [task for task in WANTS_A_CHANGE.splitlines() if hangs_on_check(task)] == []


def test_content_words_drop_what_carries_no_meaning():
    assert content_words("Should I use the tests?") == {"test"}
    assert content_words("不要推送分支") >= {"推送", "分支"}


@pytest.mark.parametrize("value", ["Ask me before you push.", "Never deploy without my approval.", "推送前先问我。"])
def test_values_that_reserve_a_decision(value: str):
    assert wants_to_be_asked(value)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("In projects without tests, running the program without an error counts as verified.", True),
        ("Where there are no tests, a build is enough.", True),
        ("If a repository has no tests, verify by running the script once.", True),
        ("A clean start suffices for untested scripts.", True),
        ("没有测试的项目,能运行就算验证过。", True),
        ("Projects without tests: run the program by hand. Never ask me about that.", True),
        ("没有测试的项目：手动运行程序。", True),
        ("无单元测试时,构建通过即可。", True),
        ("Never call work without tests done: a build does not count.", False),
        ("A green build is never enough where there are no tests.", False),
        ("Code without tests is not verified.", False),
        ("Write tests first.", False),
        ("A line of output counts more than a page of words.", False),
        ("没有测试不算完成。", False),
        ("If there are no tests, ask me what counts.", False),
        ("Where there are no tests, never say that a build is enough.", False),
        ("In projects without tests nothing counts until I looked at it.", False),
        ("Projects without tests: my review is what counts.", False),
        ("Add tests where there are no tests; coverage counts.", False),
        ("没有测试时,先问我什么算完成。", False),
        ("没有测试时,构建通过不能算完成。", False),
        ("没有测试时,我看过才算完成。", False),
    ],
)
def test_a_value_that_says_what_counts_without_tests(value: str, says: bool):
    assert says_what_counts(value) is says
