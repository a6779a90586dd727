"""Looking back at a run: `mi why last` and `mi show last`."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Json, Workbench, open_bench, say

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
FRAMEWORK = "Should I write the new test with pytest or unittest?"
COLOUR = "Which colour should the report have, red or green?"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def why(bench: Workbench) -> tuple[str, Json]:
    """What `mi why last` says, as text and as JSON."""
    shown, told = bench.mi("why", "last"), bench.mi("why", "last", "--json")
    assert (shown.code, told.code) == (0, 0), shown.stderr + told.stderr
    assert len(shown.stdout.splitlines()) <= 15, shown.stdout
    return shown.stdout, json.loads(told.stdout)["run"]


@pytest.mark.req("person.why.run", "person.show.run")
def test_why_a_run_is_done_names_the_check_and_the_evidence(bench: Workbench) -> None:
    bench.agent(DONE)
    end = bench.run("fix it").end
    text, told = why(bench)
    assert text.startswith(f"{end['run_id']}  done: a check after the last change passed\n")
    assert "`python3 -m unittest -q`" in text
    assert end["evidence_ids"][-1] in text
    assert (told["task"], told["status"], told["batches"]) == ("fix it", "done", 1)
    assert told["verified_by"]["command"] == "python3 -m unittest -q"
    assert {one["id"] for one in told["grounds"]} == {*end["evidence_ids"][-2:]}
    shown = bench.mi("show", "last").stdout
    run, _, batch = shown.partition("\n\n")
    assert run.splitlines()[:2] == [text.splitlines()[0], "  task     fix it (batches: 1)"]
    assert "proof" in run
    assert batch.startswith(f"{end['run_id']}  batch b0")
    assert json.loads(bench.mi("show", "last", "--json").stdout)["run"]["status"] == "done"


@pytest.mark.req("person.why.run", "person.show.run")
def test_why_it_asked_and_from_what_it_answered(bench: Workbench) -> None:
    bench.mi("values", "add", "Use pytest for tests.")
    bench.agent([say(FRAMEWORK)], [say(COLOUR)], DONE)
    bench.run("fix it").ended("blocked")
    (value,) = [one for one in bench.records() if one["kind"] == "auto_answer" and one["auto_answer"]["should_answer"]]
    (cited,) = value["auto_answer"]["cited_ids"]
    text, told = why(bench)
    assert f"  asks     {COLOUR}" in text
    assert "because no value or preference covers it" in text
    assert f"answered from  {cited}  Use pytest for tests." in text
    assert told["asked"][0]["why"] == "no value or preference covers it"
    assert (told["answered"][0]["cited_ids"], told["grounds"][0]["text"]) == ([cited], "Use pytest for tests.")
    bench.mi("answer", "1", "B")
    bench.run("--resume").ended("done")
    text, told = why(bench)
    assert f"  asked    {COLOUR} → green" in text
    assert (told["asked"][0]["answer"], told["asked"][0]["by"], told["status"]) == ("green", "terminal", "done")
    assert f"  asked    {COLOUR} → green" in bench.mi("show", "last").stdout.partition("\n\n")[0]


@pytest.mark.req("person.blocked.way", "person.why.run")
def test_a_run_without_a_check_says_how_to_get_one(bench: Workbench) -> None:
    bench.agent([MEND, say("All done.")], [say("All done, really.")])
    ran = bench.run("fix it")
    ran.ended("blocked")
    way = "mi checks run runs the checks now · mi prove last proves what the run left"
    for text in (ran.stdout, why(bench)[0], bench.mi("show", "last").stdout):
        assert way in text
    bench.agent([say(COLOUR)])
    assert way not in bench.run("fix it").stdout  # a question is no want of a check


@pytest.mark.req("person.why.run")
def test_a_long_run_is_told_in_fifteen_lines(bench: Workbench) -> None:
    values = ["Use pytest for tests.", "Prefer tabs over spaces.", "Store dates in UTC.", "Never use eval."]
    for value in values:
        bench.mi("values", "add", value)
    asks = [FRAMEWORK, "Do you want tabs or spaces?", "Should I store the dates in UTC or in local time?"]
    bench.agent(*[[say(one)] for one in (*asks, COLOUR)], [say("Which size, big or small?")], DONE)
    bench.run("fix it").ended("blocked")
    bench.mi("answer", "1", "B")
    bench.run("--resume").ended("blocked")
    text, told = why(bench)
    assert (len(told["asked"]), len(told["answered"])) == (2, 3)
    assert "Which size" in text


@pytest.mark.req("person.why.run")
def test_a_run_that_decided_nothing_is_not_told_by_an_earlier_one(bench: Workbench) -> None:
    bench.agent(DONE)
    bench.run("fix it")
    bench.agent([{"fail": "the model refused the request"}])
    end = bench.run("another task").end
    text, told = why(bench)
    assert text.startswith(f"{end['run_id']}  failed: ")
    assert told["task"] == "another task"
