"""Vendors' limits, as their agents word them."""

import pytest

from mi.agents.limits import find_vendor_limit
from mi.kernel.clock import parse

NOW = parse("2026-11-16T12:00:00Z")
SAID = [
    ("You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.", "2026-11-19T16:05:00.000Z"),
    ("You've hit your usage limit. Upgrade to Pro or try again in 32 seconds.", "2026-11-16T12:00:32.000Z"),
    ("Claude AI usage limit reached|1795000000", "2026-11-18T11:06:40.000Z"),
    ("You've hit your limit · resets 3pm (America/New_York)", "2026-11-16T20:00:00.000Z"),
    ("You've hit your session limit · resets 3:41 AM (UTC)", "2026-11-17T03:41:00.000Z"),
    ("usage limit reached, try again at Nov 20th, 2026 3:41 PM (UTC).", "2026-11-20T15:41:00.000Z"),
    ("rate limit exceeded, resets_at: 2026-11-16T13:30:00Z", "2026-11-16T13:30:00.000Z"),
    ("Too many requests; retry-after: 60", "2026-11-16T12:01:00.000Z"),
    ("exceeded retry limit, last status: 429 Too Many Requests", ""),
    ("Quota exceeded. Check your plan and billing details.", ""),
]
NOT_SAID = ["unexpected status 401 Unauthorized", "line 429 of the file", "the test has a time limit", "", "limit = 5"]


@pytest.mark.parametrize(("message", "reset"), SAID)
def test_a_limit_and_its_end_are_recognised(message: str, reset: str) -> None:
    limit = find_vendor_limit(message, NOW)
    assert limit is not None
    assert limit.resets_at == reset


@pytest.mark.parametrize("message", NOT_SAID)
def test_other_messages_are_no_limit(message: str) -> None:
    assert find_vendor_limit(message, NOW) is None


@pytest.mark.parametrize("message", ["usage limit, try again at 99:99 pm", "usage limit, resets 3pm (Mars/Olympus)"])
def test_a_time_that_is_none_is_unknown(message: str) -> None:
    limit = find_vendor_limit(message, NOW)
    assert limit is not None
    assert limit.resets_at == ""
