"""What the person says at a gate: a no is heard in whatever words, and a yes that begins like one is none."""

import pytest

from mi.autopilot.moves import refuses

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
