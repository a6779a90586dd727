"""`mi values what-if`: whole runs, then what their decisions would have been under other values."""

import json
from pathlib import Path

import msgspec
import pytest

from mi.autopilot.what_if import find_batches
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import BatchEnd, RunEnd, RunLearned, RunStart, RunUsage
from mi.kernel.notices import Notices
from mi.testing import Request
from tests.autopilot.workbench import MEND, TEST, Json, Workbench, commit, models_for, open_bench, say, write
from tests.mind.answers import asked, model

ASKS = say("Should I use argparse or click for the command line?")
WANTS = "Use argparse for the command line."
COUNTS = "Where there are no tests, running the program counts."


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def what_if(bench: Workbench, *args: str) -> Json:
    ran = bench.mi("values", "what-if", *args, "--json")
    assert ran.code == 0, ran.stderr
    found: Json = json.loads(ran.stdout)
    return found


def stored(bench: Workbench) -> dict[str, bytes]:
    """What is kept of runs and thoughts; views of it may be built anew by whoever looks."""
    return {str(path): path.read_bytes() for path in bench.home.rglob("*.jsonl")}


@pytest.mark.req("alive.what-if.flips")
def test_a_question_that_a_new_value_would_have_answered_is_found_with_that_value(bench: Workbench) -> None:
    bench.values("Keep changes small.")
    bench.agent([ASKS], [MEND, TEST, say("Done.")])
    bench.run().ended("blocked")
    before = stored(bench)
    found = what_if(bench, "--add", WANTS)
    (flip,) = found["flips"]
    assert (found["decisions"], found["unlike"], found["mind"]) == (1, 0, "rules")
    assert (flip["was"]["kind"], flip["would"]["kind"]) == ("asked", "answered")
    assert "argparse or click" in flip["was"]["text"]
    assert flip["would"]["text"].startswith("argparse.")
    assert flip["would"]["cited"] == [{"id": "new_1", "text": WANTS}]
    assert flip["event_id"] in [one["event_id"] for one in bench.records() if one["kind"] == "batch_end"]
    assert what_if(bench, "--add", WANTS) == found
    assert stored(bench) == before
    shown = bench.mi("values", "what-if", "--add", WANTS).stdout
    assert f"new_1  {WANTS}" in shown
    assert "1 of 1 decisions in 1 runs would have been others." in shown
    assert (
        "1 次运行的 1 个决定中，有 1 个会不同。" in bench.mi("values", "what-if", "--add", f"{WANTS} 改动要小。").stdout
    )


@pytest.mark.req("alive.what-if.flips")
def test_an_answer_that_rested_on_a_value_becomes_a_question_without_it(bench: Workbench) -> None:
    bench.values(f"{WANTS} Keep changes small.")
    bench.agent([ASKS], [MEND, TEST, say("Done.")])
    bench.run().ended("done")
    (flip,) = what_if(bench, "--text", "Keep changes small.")["flips"]
    assert (flip["batch_id"], flip["was"]["kind"], flip["would"]["kind"]) == ("b0", "answered", "asked")
    assert [one["text"] for one in flip["was"]["cited"]] == [WANTS]
    assert what_if(bench, "--text", f"Keep changes small. {WANTS}")["flips"] == []
    other = what_if(bench, "--text", "Use click for the command line.")["flips"][0]["would"]
    assert (other["kind"], other["text"].partition(".")[0]) == ("answered", "click")


@pytest.mark.req("alive.what-if.then")
def test_what_was_learned_after_a_decision_does_not_count_in_it(bench: Workbench) -> None:
    bench.values("Keep changes small.")
    bench.agent([ASKS], [MEND, TEST, say("Done.")])
    bench.run().ended("blocked")
    bench.mi("answer", "argparse")
    bench.run("--resume").ended("done")
    found = what_if(bench, "--text", "Keep changes small.")
    assert (found["decisions"], found["flips"], found["unlike"]) == (2, [], 0)


@pytest.mark.req("alive.what-if.flips")
def test_a_value_that_says_what_counts_without_tests_turns_the_question_for_it(bench: Workbench) -> None:
    (bench.project / "test_calc.py").unlink()
    commit(bench.project)
    bench.values("Keep changes small.")
    bench.agent([MEND, write("notes.py", "X = 1\n"), say("Done.")])
    bench.run("let add in calc.py return the sum").ended("blocked")
    (flip,) = what_if(bench, "--add", COUNTS)["flips"]
    assert (flip["was"]["kind"], flip["would"]["kind"]) == ("asked", "sent")
    bench.mi("values", "add", COUNTS)
    bench.run("let add in calc.py return the sum").ended("done")
    found = what_if(bench, "--text", "Keep changes small.", "--runs", "1")["flips"]
    assert [(one["was"]["kind"], one["would"]["kind"]) for one in found] == [("sent", "asked"), ("done", "blocked")]
    assert [one["text"] for one in found[1]["was"]["cited"]] == [COUNTS]


@pytest.mark.req("alive.what-if.flips")
def test_values_of_the_project_are_tried_beside_those_that_hold_everywhere(bench: Workbench, tmp_path: Path) -> None:
    bench.values(WANTS)
    bench.agent([ASKS], [MEND, TEST, say("Done.")])
    bench.run().ended("done")
    (tmp_path / "values.md").write_text("Use click for the command line.\n", "utf-8")
    (flip,) = what_if(bench, "--file", str(tmp_path / "values.md"), "--scope", "project")["flips"]
    assert (flip["was"]["kind"], flip["would"]["kind"]) == ("answered", "asked")  # the two disagree


def pay(bench: Workbench) -> None:
    """A run that the model judged, with the bills of its agent, its verdict and its learning."""
    (log,) = bench.home.glob("projects/*/evidence.jsonl")
    bill = RunUsage(input_tokens=1, output_tokens=1, cost_usd=1.0, seconds=1.0, calls=0)
    writer = EvidenceWriter(str(log), "run_20260101T000000Z_aaaaaaaa", Notices())
    writer.append(RunStart(task="t", mind="openai_compatible"))
    writer.append(BatchEnd(usage=bill))
    writer.append(RunEnd(status="done", spent=msgspec.structs.replace(bill, cost_usd=1.2, calls=3)))
    writer.append(RunLearned(spent=msgspec.structs.replace(bill, cost_usd=0.05, calls=2)))


@pytest.mark.req("alive.what-if.cost")
def test_a_model_is_asked_only_after_its_cost_was_told(bench: Workbench) -> None:
    bench.values("Keep changes small.")
    bench.agent([ASKS], [MEND, TEST, say("Done.")])
    bench.run().ended("blocked")

    def answer(request: Request) -> Json:
        if WANTS in request.user_texts[-1]:
            return {"should_answer": True, "hands_answer_input": "argparse", "cited_ids": ["new_1"]}
        return {"needs_user_input": True, "ask_user_question": "argparse or click?"}

    with models_for(bench) as judge:
        server = judge(model(auto_answer_to_hands=answer))
        assert "was not told" in bench.mi("values", "what-if", "--add", WANTS, "--mind", "configured").stdout
        pay(bench)
        told = what_if(bench, "--add", WANTS, "--mind", "configured")
        assert (told["asked"], len(server.requests)) == (False, 0)
        said = bench.mi("values", "what-if", "--add", WANTS, "--mind", "configured").stdout
        assert told["cost_usd"] == pytest.approx(0.05 * told["calls"])  # what the Mind alone took, for each call
        assert f"${told['cost_usd']:.4f} to ${told['cost_usd_at_most']:.4f}" in said
        assert "--yes" in said
        (flip,) = what_if(bench, "--add", WANTS, "--mind", "configured", "--yes")["flips"]
        names = [asked(one) for one in server.requests]
    assert (flip["was"]["kind"], flip["would"]["text"]) == ("asked", "argparse")
    assert flip["would"]["cited"] == [{"id": "new_1", "text": WANTS}]
    assert told["calls"] <= len(names) <= told["calls_at_most"]


def test_a_batch_that_can_no_longer_be_read_is_left_out() -> None:
    start, end = RunStart(task="x"), RunEnd(status="done")
    for seen, count in (({"task": "x"}, 1), ({"task": 5}, 0)):
        assert len(find_batches([start, BatchEnd(seen=seen), end])) == count


@pytest.mark.req("alive.what-if.flips")
def test_only_the_latest_runs_are_looked_at_and_bad_input_says_the_way_out(bench: Workbench) -> None:
    assert "nothing to judge again" in bench.mi("values", "what-if", "--text", WANTS).stdout
    bench.agent([ASKS])
    for _ in range(3):
        bench.run().ended("blocked")
    assert [what_if(bench, "--add", WANTS, "--runs", str(runs))["decisions"] for runs in (1, 2, 20)] == [1, 2, 3]
    for args in ((), ("--text", "a", "--add", "b")):
        refused = bench.mi("values", "what-if", *args)
        assert refused.code == 2
        assert "--add TEXT" in refused.stderr
    assert bench.mi("values", "what-if", "--text", " ").code == 1
