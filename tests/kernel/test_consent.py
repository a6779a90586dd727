"""What the person says to a question: a no is heard in whatever words, and a yes that begins like one is none."""

import pytest

from mi.kernel.consent import agrees, begins_with_yes, declines, refuses

NO = [
    *(
        "no",
        "No.",
        "n",
        "N",
        "nope",
        "No, not now",
        "not yet",
        "never",
        "don't",
        "don’t push it",
        "do not push",
        "stop",
    ),
    *("please don't", "absolutely not", "deny", "denied", "rejected", "cancel", "wait", "later", "skip this"),
    *("不", "不要", "否", "不行", "先不要推送", "先别", "还是别推了", "拒绝", "取消", "算了", "等一下", "请不要", "停"),
]
YES = [
    *("yes", "y", "ok", "go on", "yes, but no tags", "only the tag", "now", "notify the team first", "none of them"),
    *("No problem, go ahead", "no objections", "don't ask, do it", "do not wait", "nothing stands in the way"),
    *("好", "可以", "没问题", "不用问，继续", "不反对", "别停", "继续，不要改标签"),
]


@pytest.mark.parametrize("answer", NO)
def test_a_no(answer: str) -> None:
    assert refuses(answer)


@pytest.mark.parametrize("answer", YES)
def test_anything_else_is_passed_on(answer: str) -> None:
    assert not refuses(answer)


@pytest.mark.parametrize("answer", ["y", "Yes.", "OK!", "fine", "Yes, please!", "好的。", "是的", "没问题", " sure "])
def test_a_word_of_consent_alone(answer: str) -> None:
    assert agrees(answer)
    assert begins_with_yes(answer)
    assert not declines(answer)


@pytest.mark.parametrize("answer", ["n", "No.", "never", "不要", "不同意。"])
def test_a_no_alone(answer: str) -> None:
    assert declines(answer)
    assert not agrees(answer)


@pytest.mark.parametrize("answer", ["", "go on", "yes, but not now", "not now", "maybe", "好像可以", "当然不行"])
def test_whatever_says_more_is_neither(answer: str) -> None:
    assert not agrees(answer)
    assert not declines(answer)


def test_words_that_fit_one_question_alone() -> None:
    assert agrees("go on", ("go on",))
    assert declines("drop", ("drop",))
    assert begins_with_yes("加上吧", ("加",))
    assert begins_with_yes("yes, but not now")
    assert not begins_with_yes("好像不行")
