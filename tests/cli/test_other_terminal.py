"""`mi attach` and `mi stop` on a run of another terminal, a wait that can be ended, and `mi demo`."""

import json
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.autopilot.test_run_resume import is_alive, staying
from tests.autopilot.workbench import MEND, TEST, TIME_LIMIT_S, Workbench, open_bench, say
from tests.conftest import MI
from tests.terminals import Terminal
from tests.waiting import wait_until

TASK = ("fix", "the", "failing", "test")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


@pytest.mark.req("mi.cli.stop", "mi.cli.attach")
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_a_run_is_watched_and_stopped_from_another_terminal(
    bench: Workbench, request: pytest.FixtureRequest, as_json: bool
) -> None:
    options = ("--json",) if as_json else ()
    there = staying(bench)
    process = bench.start(*TASK)
    request.addfinalizer(process.kill)
    assert wait_until(there.exists, 20)
    run_id = bench.records()[0]["run_id"]
    watcher = subprocess.Popen(
        [str(MI), "attach", *options], cwd=bench.project, stdout=subprocess.PIPE, encoding="utf-8"
    )
    request.addfinalizer(watcher.kill)
    assert watcher.stdout is not None
    assert run_id in watcher.stdout.readline()  # it begins with who runs, or with the record that says so
    stopped = bench.mi("stop", run_id, *options)
    assert (stopped.code, run_id in stopped.stdout) == (0, True)
    bench.finish(process).ended("interrupted")
    shown, _ = watcher.communicate(timeout=TIME_LIMIT_S)
    assert watcher.returncode == 0
    if as_json:
        kinds = [json.loads(line)["kind"] for line in shown.splitlines()]
        assert kinds[-1] == "run_end"
        assert "batch_end" in kinds
    else:
        assert "run_end" in shown.splitlines()[-1]
    assert not is_alive(int(there.read_text("utf-8")))
    bench.run("--resume").ended("done")


def test_whoever_meets_a_run_is_told_how_to_watch_and_to_stop_it(
    bench: Workbench, request: pytest.FixtureRequest
) -> None:
    there = staying(bench)
    process = bench.start(*TASK)
    request.addfinalizer(process.kill)
    assert wait_until(there.exists, 20)
    assert json.loads(bench.mi("status", "--json").stdout)["next"][-3:] == ["mi attach", "mi stop", "mi show last"]
    refused = bench.mi("run", *TASK)
    assert refused.code == 3
    assert "mi attach" in refused.stderr
    assert "mi stop" in refused.stderr
    assert bench.mi("stop").code == 0
    bench.finish(process).ended("interrupted")


def test_watching_ends_with_a_run_that_was_killed(bench: Workbench, request: pytest.FixtureRequest) -> None:
    there = staying(bench)
    process = bench.start(*TASK)
    request.addfinalizer(process.kill)
    assert wait_until(there.exists, 20)
    watcher = subprocess.Popen([str(MI), "attach"], cwd=bench.project, stdout=subprocess.PIPE, encoding="utf-8")
    request.addfinalizer(watcher.kill)
    assert watcher.stdout is not None
    assert watcher.stdout.readline()
    process.kill()
    process.communicate()
    watcher.communicate(timeout=TIME_LIMIT_S)
    assert watcher.returncode == 0
    bench.run("--resume").ended("done")


@pytest.mark.parametrize("command", ["attach", "stop"])
def test_without_a_run_there_is_nothing_to_watch_or_stop(bench: Workbench, command: str) -> None:
    bench.agent([])
    done = bench.mi(command)
    assert done.code == 1
    assert done.stderr


@pytest.mark.req("mi.limit.wait-shown")
def test_the_wait_for_a_vendors_limit_is_shown_and_can_be_ended(bench: Workbench) -> None:
    bench.agent([{"fail": "You have hit your usage limit. Try again in 3 hours."}])
    process = bench.start("--wait-for-limit", *TASK)
    assert process.stderr is not None
    assert "waiting, goes on in " in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    ran = bench.finish(process)
    assert (ran.code, ran.end["status"]) == (130, "interrupted")
    assert f"--resume {ran.end['run_id']}" in ran.stdout


@pytest.mark.req("person.limit.countdown")
def test_ctrl_c_in_the_countdown_ends_the_run_and_leaves_a_whole_line(bench: Workbench) -> None:
    bench.agent([{"fail": "You have hit your usage limit. Try again in 3 hours."}], [MEND, TEST, say("Done.")])
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    with closing(Terminal([str(MI), "run", "--wait-for-limit", *TASK], bench.project, **bench.env)) as terminal:
        terminal.read_until("goes on in 2:59:5")
        terminal.type("\x03")
        shown = terminal.finish(130)
    assert "Traceback" not in shown
    after = shown[shown.rindex("Ctrl-C stops)") :]
    assert after.removeprefix("Ctrl-C stops)").removeprefix("^C").startswith("\n")
    end = bench.records()[-1]
    assert (end["kind"], end["status"]) == ("run_end", "interrupted")
    assert f"--resume {end['run_id']}" in shown
    bench.run("--resume").ended("done")


@pytest.mark.req("mi.cli.demo", "mi.hands.replay-demo")
def test_the_demo_shows_a_whole_run_with_nothing_installed(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    git = str(Path(subprocess.check_output(["which", "git"], text=True).strip()).parent)
    monkeypatch.setenv("PATH", f"{MI.parent}:{git}:/usr/bin:/bin")
    bench.env = {"MI_HOME": str(bench.home)}
    shown = bench.mi("demo")
    assert shown.code == 0, shown.stdout + shown.stderr
    lie, caught = (
        shown.stdout.index("Done: the sum is fixed"),
        shown.stdout.index("MI's own run of the checks: not proved"),
    )
    assert lie < caught < shown.stdout.index("MI's own run of the checks: proved")
    for sign in (
        "replay works, rules judges",
        "MI's answer:",
        "verified ✓  proved ✓",
        "notes.txt is back",
        "mi show last",
    ):
        assert sign in shown.stdout, sign
    (log,) = (bench.home / "demo").glob("home/projects/*/evidence.jsonl")
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    ends = [one["status"] for one in records if one["kind"] == "run_end"]
    started = next(one for one in records if one["kind"] == "run_start")
    assert (started["hands"], ends) == ("replay", ["done", "blocked", "done"])
    cited = next(one for one in records if one["kind"] == "auto_answer")["auto_answer"]["cited_ids"]
    assert cited
    assert "round(sum(prices), 2)" in (bench.home / "demo/project/basket.py").read_text("utf-8")
    assert (bench.home / "demo/project/notes.txt").exists()
    assert bench.mi("demo", "--clean").code == 0
    assert not (bench.home / "demo").exists()


def test_the_demo_is_not_led_astray_by_a_folder_of_the_same_name(mi, tmp_path):
    """Whatever is called mi where the person stands is theirs, and is not started."""
    (tmp_path / "work/mi.py").write_text("raise SystemExit('astray')\n", "utf-8")
    done = mi("demo")
    assert (done.returncode, "astray" in done.stderr, "verified ✓" in done.stdout) == (0, False, True)


def test_the_demo_speaks_chinese_to_whoever_does(mi):
    done = mi("demo", env={"MI_LANG": "zh"})
    assert done.returncode == 0
    assert "让失败的测试通过" in done.stdout
    assert "已验证 ✓" in done.stdout
    assert "MI 自己运行的检查：未证明" in done.stdout.replace(": ", "：")  # what MI judged, too
