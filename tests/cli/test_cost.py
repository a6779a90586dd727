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


@pytest.mark.req("mi.cli.cost")
def test_what_an_agent_told_of_its_model_is_told_by_model(bench):
    used = {"input_tokens": 900, "output_tokens": 9}
    said = {"id": "m1", "model": "opus", "content": [{"type": "text", "text": "Done."}], "usage": used}
    end = {"type": "result", "is_error": False, "result": "Done.", "total_cost_usd": 0.5, "usage": used}
    lines = [
        {"type": "assistant", "session_id": "s1", "message": said},
        end | {"session_id": "s1", "modelUsage": {"opus": {"costUSD": 0.5}}},
    ]
    agent = "printf '%s\\n' " + " ".join(f"'{json.dumps(line)}'" for line in lines)
    replay = bench.config["hands"]
    bench.config["hands"] = {"provider": "cli", "cli": {"exec": ["sh", "-c", agent], "events": "claude"}}
    bench.configure()
    bench.run("--max-batches", "1", "fix it")
    bench.config["hands"] = replay
    bench.agent(DONE, tokens=120)
    bench.run()
    by_model = {one["model"]: one for one in shown(bench, "--by", "model")["rows"]}
    assert (by_model["opus"]["runs"], by_model["opus"]["spent"]["cost_usd"]) == (1, 0.5)
    assert (by_model[""]["runs"], by_model[""]["spent"]["input_tokens"]) == (1, 120)
    told = bench.mi("cost", "--by", "model").stdout
    assert ["opus" in told, "$0.5000" in told, "unknown" in told] == [True, True, True]
