"""Failures that pass, and what several attempts at a batch are together."""

import pytest

from mi.agents.attempts import did_something, join_attempts
from mi.agents.events import AgentMessage, AgentUsage, Command, VendorLimit
from mi.agents.protocol import BatchResult, Observed
from mi.agents.transient import ends_soon, is_transient


@pytest.mark.req("judge.retry.transient")
@pytest.mark.parametrize(
    "said",
    [
        "stream disconnected before completion: error sending request for url (https://api.example.com)",
        "Reconnecting... 3/5",
        "stream error: stream disconnected before completion; retrying 4/5 in 1.6s",
        "unexpected status 503 Service Unavailable",
        "exceeded retry limit, last status: 429 Too Many Requests",
        'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        "API Error: 500 Internal server error",
        "HTTP 502: Bad Gateway",
        "getaddrinfo EAI_AGAIN api.example.com",
        "Temporary failure in name resolution",
        "curl: (6) Could not resolve host: api.example.com",
        "connect ECONNREFUSED 127.0.0.1:9",
        "Connection error.",
        "fetch failed",
        "the model is overloaded",
        "Selected model is at capacity. Please try a different model.",
        "We're currently experiencing high demand, which may cause temporary errors.",
        "Request timed out.",
        "API Error: Unable to connect to API (ECONNRESET)",
    ],
)
def test_failures_that_may_pass(said: str) -> None:
    assert is_transient(said)


@pytest.mark.req("judge.retry.transient")
@pytest.mark.parametrize(
    "said",
    [
        "",
        "scripted failure",
        "unexpected status 401 Unauthorized: invalid api key",
        "You have hit your usage limit. Try again in 3 hours.",
        "429: insufficient_quota: you exceeded your current quota",
        "API Error: 400 prompt is too long",
        "Your credit balance is too low",
        "no session found with id abc",
        "error: unexpected argument '--json'",
        "Not inside a trusted directory",
    ],
)
def test_failures_that_waiting_does_not_mend(said: str) -> None:
    assert not is_transient(said)


@pytest.mark.req("judge.retry.transient")
def test_a_limit_is_retried_only_when_it_is_a_moments_throttling() -> None:
    assert ends_soon(VendorLimit(message="429 Too Many Requests"))
    assert not ends_soon(VendorLimit(message="usage limit reached"))
    assert not ends_soon(VendorLimit(message="rate limit", resets_at="2999-01-01T00:00:00Z"))


def attempt(output: str, outcome: str = "failed", **fields: object) -> BatchResult:
    command = Command(id="item_1", state="ended", text="make test", exit_code=1, output=output)
    observed = Observed(item_type_counts={"command_execution": 1}, file_paths=("a.py",), errors=(output,))
    return BatchResult(outcome=outcome, events=(command,), observed=observed, seconds=2.0, lines=3, **fields)


def test_attempts_are_one_batch_and_nothing_of_them_is_lost() -> None:
    first = attempt("one", last_message="I began.", risk="git push", transient=True)
    last = attempt("two", "ended", usage=AgentUsage(input_tokens=5, output_tokens=1))
    both = join_attempts([first, last])
    assert (both.outcome, both.transient, both.last_message, both.risk) == ("ended", False, "I began.", "git push")
    assert [(event.id, event.output) for event in both.events] == [("item_1", "one"), ("1:item_1", "two")]
    assert both.usage == AgentUsage(input_tokens=5, output_tokens=1)
    assert both.observed.item_type_counts == {"command_execution": 2}
    assert (both.observed.file_paths, both.observed.errors) == (("a.py",), ("one", "two"))
    assert (both.seconds, both.lines) == (4.0, 6)
    assert join_attempts([first]) is first


def test_whether_an_agent_did_something_before_it_failed() -> None:
    assert did_something(attempt("x"))
    assert did_something(BatchResult(outcome="failed", last_message="hm", events=(AgentMessage(text="hm"),)))
    assert not did_something(BatchResult(outcome="failed"))
