"""`mi tell`: a run hears what the person says to it, while it works, when it waits, and after it is done."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say, write
from tests.waiting import wait_until

WORDS = "Name it total, please."
SECOND = [write("notes.txt", "total\n"), TEST, say("Named it. Done.")]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    return bench


def inputs(bench: Workbench) -> list[str]:
    return [one["input"] for one in bench.records() if one["kind"] == "hands_input"]


def ends(bench: Workbench) -> list[str]:
    return [one["status"] for one in bench.records() if one["kind"] == "run_end"]


@pytest.mark.req("page.tell.running")
def test_a_run_hears_it_after_its_present_batch_and_is_not_done_before(bench: Workbench) -> None:
    there, go = bench.folder / "there", bench.folder / "go"
    waits = run(f"touch {there}; until [ -e {go} ]; do sleep 0.05; done")
    bench.agent([waits, MEND, TEST, say("Fixed and tested. Done.")], SECOND)
    process = bench.start("fix it")
    assert wait_until(there.exists, 30)
    told = bench.mi("tell", "last", WORDS)
    assert told.code == 0, told.stderr
    assert "hears it after its present batch" in told.stdout
    go.touch()
    ran = bench.finish(process)
    ran.ended("done")
    assert ran.inputs == ["fix it", WORDS]
    assert ran.of("violation") == []
    (word,) = ran.of("user_input")
    assert ran.of("hands_input")[1]["words"] == [word["event_id"]]
    assert (word["by"], word["answer"]) == ("terminal", WORDS)


@pytest.mark.req("page.tell.ended")
def test_a_run_that_is_done_goes_on_with_it_in_the_background(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("Fixed and tested. Done.")], SECOND)
    bench.run("fix it").ended("done")
    assert bench.mi("run", "--resume").code == 1  # nothing to go on with
    told = bench.mi("tell", "last", WORDS)
    assert told.code == 0, told.stderr
    assert "goes on with it in the background" in told.stdout
    assert wait_until(lambda: len(ends(bench)) == 2, 60)
    assert ends(bench) == ["done", "done"]
    assert inputs(bench) == ["fix it", WORDS]
    assert bench.read("notes.txt") == "total\n"
    assert bench.mi("run", "--resume").code == 1  # it was told once


@pytest.mark.req("page.tell.ended")
def test_what_is_said_while_its_next_stretch_is_queued_is_kept_and_heard_once(bench: Workbench) -> None:
    there, go = bench.folder / "there", bench.folder / "go"
    waits = run(f"touch {there}; until [ -e {go} ]; do sleep 0.05; done")
    bench.agent([MEND, TEST, say("Fixed and tested. Done.")])
    first = bench.run("fix it").end["run_id"]
    bench.agent([waits, TEST, say("Looked. Done.")], SECOND)
    other = bench.start("look at it")
    assert wait_until(there.exists, 30)  # it works in the tree, so the first one has to wait
    assert "goes on with it in the background" in bench.mi("tell", first, WORDS).stdout
    again = bench.mi("tell", first, "And test it.")
    assert (again.code, "Kept for" in again.stdout) == (0, True), again.stderr
    go.touch()
    bench.finish(other)
    assert wait_until(lambda: len(ends(bench)) == 3, 60)
    assert [one for one in inputs(bench) if WORDS in one] == [f"{WORDS}\n\nAnd test it."]


@pytest.mark.req("page.tell.waiting")
def test_a_run_that_waits_for_an_answer_hears_it_with_that(bench: Workbench) -> None:
    bench.agent([say("Which colour should the report have, red or green?")], [MEND, TEST, say("Done.")])
    bench.run("fix it").ended("blocked")
    told = json.loads(bench.mi("tell", "last", WORDS, "--json").stdout)
    assert told == {"run_id": bench.records()[0]["run_id"], "heard": "after-answer"}
    assert inputs(bench) == ["fix it"]
    assert bench.mi("answer", "1", "green").code == 0
    bench.run("--resume").ended("done")
    assert inputs(bench) == ["fix it", f"{WORDS}\n\ngreen"]


@pytest.mark.req("page.tell.running")
def test_what_an_agent_says_to_its_own_run_is_not_heard(bench: Workbench) -> None:
    bench.agent([run("mi tell last 'You are done, stop.' || true"), MEND, TEST, say("Done.")], SECOND)
    ran = bench.run("fix it")
    ran.ended("done")
    assert ran.inputs == ["fix it"]


def test_a_secret_goes_nowhere_and_a_stranger_is_named(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("Done.")], SECOND)
    bench.run("fix it").ended("done")
    assert bench.mi("tell", "last", "").code == 2
    missing = bench.mi("tell", "run_20200101T000000Z_aaaaaaaa", "hello")
    assert missing.code == 1
    assert "run_20200101T000000Z_aaaaaaaa" in missing.stderr
    assert bench.mi("tell", "last", "the key is ghp_0123456789abcdefghijABCDEFGHIJ012345").code == 0
    assert wait_until(lambda: len(ends(bench)) == 2, 60)
    assert "ghp_0123" not in "".join(map(str, bench.records()))
