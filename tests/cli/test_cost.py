"""`mi cost`: by run, project and day; unknown stays unknown."""

import json

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say

DONE = [MEND, TEST, say("Done: all tests pass.")]


@pytest.fixture
def bench(tmp_path) -> Workbench:
    return open_bench(tmp_path)


def shown(bench, *args: str):  # type: ignore[no-untyped-def]
    return json.loads(bench.mi("cost", *args, "--json").stdout)


@pytest.mark.req("mi.cli.cost")
def test_the_cost_of_runs(bench):
    bench.agent(DONE, tokens=120)
    ran = bench.run()
    found = shown(bench)
    (row,) = found["rows"]
    assert (row["run_id"], row["status"], row["task"]) == (ran.end["run_id"], "done", "fix the failing test")
    assert row["spent"]["input_tokens"] == 120
    assert row["spent"]["cost_usd"] is None
    told = bench.mi("cost").stdout
    assert "unknown" in told
    assert "$" not in told  # what nobody told is not nothing
    assert found["total"]["known"]["cost_usd"] is None
    assert shown(bench, "-n", "0")["rows"] == []
    by_day = shown(bench, "--by", "day")["rows"]
    assert [(one["day"], one["runs"]) for one in by_day] == [(ran.end["ts"][:10], 1)]
    by_project = shown(bench, "--by", "project")["rows"]
    assert [(one["runs"], one["root"]) for one in by_project] == [(1, str(bench.project))]


def test_a_run_without_an_end_is_unknown_and_sums_say_what_is_known(bench):
    bench.agent(DONE, tokens=50)
    bench.run()
    log = bench._logs()[0]
    lines = log.read_text("utf-8").splitlines()
    start = next(json.loads(line) for line in lines if json.loads(line)["kind"] == "run_start")
    killed = start | {"run_id": "run_29991231T000000Z_aaaaaaaa", "event_id": "ev_run_29991231T000000Z_aaaaaaaa_1"}
    log.write_text("\n".join([*lines, json.dumps(killed)]) + "\n", "utf-8")
    found = shown(bench)
    assert [one["status"] for one in found["rows"]] == ["done", "no end"]
    assert found["total"]["spent"]["input_tokens"] is None
    assert found["total"]["known"]["input_tokens"] == 50
    assert "Of that, known: 50 tokens" in bench.mi("cost").stdout


def test_a_chinese_person_reads_how_a_run_ended(bench):
    bench.agent(DONE)
    bench.run()
    bench.env = {"MI_LANG": "zh"}
    assert "完成" in bench.mi("cost").stdout


def test_no_runs_yet(mi):
    assert mi("cost").stdout == "No runs yet.\n"
