"""What an answer to "raise the limit by how much?" means; what may mean something else means nothing."""

from typing import Literal

import pytest

from mi.autopilot.limit_answers import Raise, Refusal, read_wish
from mi.evidence.records.questions import AskedLimit

pytestmark = pytest.mark.req("person.limit.answered")
Name = Literal["batches", "minutes", "tokens", "cost_usd"]


def wish(said: str, name: Name, value: float) -> Raise | Refusal | None:
    return read_wish(said, AskedLimit(name=name, value=value))


@pytest.mark.parametrize(
    ("said", "to"),
    [
        ("20 more batches", 28),
        ("20", 28),
        ("+20", 28),
        ("another 5, please", 13),
        ("give it ten", 18),
        ("yes, 20 more", 28),
        ("20 more batches to finish it", 28),
        ("raise it to 20 batches", 20),
        ("20 in total", 20),
        ("yes", 16),
        ("go on", 16),
        ("double", 16),
        ("no limit", None),
        ("再来20批", 28),
        ("二十个批次", 28),
        ("总共20批", 20),
        ("好的", 16),
        ("继续", 16),
        ("翻倍", 16),
        ("不限", None),
    ],
)
def test_batches(said: str, to: float | None) -> None:
    assert wish(said, "batches", 8) == Raise(to)


@pytest.mark.parametrize(
    ("said", "to"),
    [
        ("+30 minutes", 90),
        ("30", 90),
        ("30m", 90),
        ("1.5h", 150),
        ("half an hour", 90),
        ("1 h 30 min", 150),
        ("加30分钟", 90),
        ("半小时", 90),
        ("一个半小时", 150),
        ("再给两小时", 180),
    ],
)
def test_minutes(said: str, to: float) -> None:
    assert wish(said, "minutes", 60) == Raise(to)


@pytest.mark.parametrize(
    ("said", "to"), [("100k", 150_000), ("1M tokens", 1_050_000), ("100,000", 150_000), ("十万 token", 150_000)]
)
def test_tokens(said: str, to: float) -> None:
    assert wish(said, "tokens", 50_000) == Raise(to)


@pytest.mark.parametrize(
    ("said", "to"), [("$5", 7), ("5 dollars", 7), ("0.5", 2.5), ("2.50 USD", 4.5), ("5美元", 7), ("to $10", 10)]
)
def test_cost(said: str, to: float) -> None:
    assert wish(said, "cost_usd", 2) == Raise(to)


@pytest.mark.parametrize("said", ["no", "No, thanks", "stop", "0", "no limit increase", "不", "不用了", "算了"])
def test_a_no_raises_nothing(said: str) -> None:
    assert wish(said, "batches", 8) == Refusal()


@pytest.mark.parametrize(
    "said",
    [
        "",
        "a bit",
        "-5",
        "10-20",
        "see issue 17",
        "20 batches?",
        "not more than 5",
        "30 minutes",
        "$5",
        "to 5",
        "1h30min",
        "一百五十批",
        "为什么是 20 批？",
        "don't raise it by 20",
        "10 batches or 20 batches",
        "what does it cost",
    ],
)
def test_what_may_mean_something_else_raises_nothing(said: str) -> None:
    assert wish(said, "batches", 8) is None


def test_twice_the_same_limit_is_not_raised_by_less_than_it_is() -> None:
    assert wish("to 60 minutes", "minutes", 60) is None
