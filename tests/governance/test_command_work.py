"""The work of judging a command line is limited, however it is nested or repeated; counted in calls, not in time."""

import json
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mi.governance.commands import classify
from mi.governance.file_acts import unbraced
from tests.conftest import Mi

MOST_CALLS = 3_000_000  # about a second
PIECES = """$(( $( ` (( ( { [[_ [ <( <<A| <<'A'| ' " "$( $' \\ a=$( ${ ${a:- ${a:-$( $[ if_ while_ case_a_in_a)_ f(){_
    !_ a| a&& a; a& a_ a=b_ env_ sudo_ xargs_ bash_-c_ bash_-c_' eval_ eval_' sh_-c_" ssh_h_ find_._-exec_ timeout_1_
    git_-c_a=b_ {a,b} {a,{ {1..9} * ~a/ ../ - --a= # > < >> <<< &> cd_a; cd_a_&&_ A=$A$A; alias_a=b; for_a_in_b;_do_
    python_-c_" node_-e_' awk_' curl_http://a_|_sh; curl_$(a); echo_a| echo_a>x;sh_x; rm_-rf_a_ rm_a; git_push; tee_a;
    docker_exec_a_ kubectl_exec_a_--_ flock_x_ parallel_ $a $(a) `a` (a) {_a;_} <(a) cp_a_ psql; find_.|xargs_cat;
    echo_a|psql; @( a[ 中 😀""".split()
TEXTS = [piece.replace("_", " ").replace("A|", "A\n").replace("A'|", "A'\n") for piece in PIECES]


class TooMuch(BaseException):
    pass


def count_calls(text: str) -> int:
    """Return how many calls it takes to judge a text; TooMuch when they are beyond the limit."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")
        if calls > MOST_CALLS:
            sys.setprofile(None)
            raise TooMuch

    sys.setprofile(count)
    try:
        classify(text)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.req("safe.hooks.work")
@pytest.mark.parametrize("size", [406, 20_000])
@pytest.mark.parametrize("piece", TEXTS)
def test_repeating_one_piece(piece, size):
    assert count_calls(piece * (size // len(piece))) > 0


@pytest.mark.req("safe.hooks.work")
def test_databases_inside_each_others_words():
    assert count_calls('"$(psql;' * 376) > 0


@pytest.mark.req("safe.hooks.work")
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=5), st.sampled_from([100, 400, 3000]), st.booleans())
def test_any_mixture_of_pieces(pieces, size, in_turn):
    whole = "".join(pieces)
    text = whole * (size // len(whole) + 1) if in_turn else "".join(one * (size // len(one) + 1) for one in pieces)
    assert count_calls(text) > 0


@pytest.mark.req("safe.hooks.work")
@pytest.mark.parametrize("padding", ["a;", "a|", "a\n", "$(a);", "echo a>x;sh x;", "git status;", "cd a;", "ssh h ls;"])
def test_padding_hides_nothing(padding):
    """What cannot be told in full is never harmless, and what stands first is still seen."""
    operations = {act.operation for act in classify("rm -rf /;" + padding * 20_000)}
    assert operations >= {"destroy-system", "unreadable"}
    assert "unreadable" in {act.operation for act in classify(padding * 20_000 + "rm -rf /")}


@pytest.mark.req("safe.hooks.work")
def test_braces_open_to_a_limited_number_of_words():
    assert unbraced("{a,b}/{c,d}") == ["a/c", "a/d", "b/c", "b/d"]
    assert unbraced("{a,{b,c}}x") == ["ax", "bx", "cx"]
    assert len(unbraced("{a,b}" * 80)) <= 256


@pytest.mark.req("safe.hooks.work")
@pytest.mark.parametrize(
    "text", ["{a,b}" * 80, "ssh h " * 66, "eval " * 80, "docker exec a " * 28, "find . -exec " * 30]
)
def test_a_small_text_that_took_half_a_minute(mi: Mi, repository, text):
    root = repository("app")
    told = json.dumps({"session_id": "s1", "cwd": str(root), "tool_name": "Bash", "tool_input": {"command": text}})
    done = mi("hook", "pre-tool", "--host", "codex", stdin=told, cwd=root)
    assert (done.returncode, done.stderr) == (0, "")  # judged, and not by the deadline
