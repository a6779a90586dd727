"""Sharing as it comes, and runs that others may see."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.jsontext import encode
from tests.hub.team import Team, TeamHome
from tests.starting import MI
from tests.waiting import wait_until


def start_watch(home: TeamHome) -> "subprocess.Popen[str]":
    env = os.environ | {"MI_HOME": str(home.root)}
    return subprocess.Popen(
        [*([MI] if isinstance(MI, (str, Path)) else MI), "sync", "--watch"],
        env=env,
        cwd=home.clone,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@pytest.mark.req("hub.watch")
def test_what_is_new_comes_by_itself(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    watching = [start_watch(ana), start_watch(bo)]
    try:
        ana.mi("remember", "The zephyr service has two owners.", "--team")
        pulled = bo.root / "hub" / "homes"
        assert wait_until(lambda: any("zephyr" in one.read_text("utf-8") for one in pulled.glob("*/*/*.jsonl")), 60)
        with team.server.connect(team.database, "postgres") as connection:  # the way is cut, and found again
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'mi_%'")
        ana.mi("remember", "The quokka service has three owners.", "--team")
        assert wait_until(lambda: any("quokka" in one.read_text("utf-8") for one in pulled.glob("*/*/*.jsonl")), 60)
    finally:
        for one in watching:
            one.send_signal(signal.SIGINT)
        told = [one.communicate(timeout=60) for one in watching]
    assert [one.returncode for one in watching] == [130, 130]
    assert "1 went to the hub" in told[0][0]
    assert "was cut" in told[1][1]


@pytest.mark.req("hub.runs")
def test_how_runs_stand_is_shared_where_the_person_wants_it(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    ana.mi("remember", "A private thing.")  # makes the project known
    (project,) = (ana.root / "projects").iterdir()
    log = Home(str(ana.root)).project(project.name).evidence

    def record(kind: str, run: str, *, ts: str, **fields: object) -> None:
        line = {"kind": kind, "v": 1, "event_id": f"ev_{run}_{kind}", "run_id": run, "ts": ts} | fields
        jsonl.append(log, encode(line), sealed=True)

    record("run_start", "run_old", ts="2020-01-01T00:00:00.000Z", task="an old task")
    (ana.root / "config.json").write_text(json.dumps({"hub": {"share": "runs"}}), "utf-8")
    ana.mi("sync")
    assert "nobody shares a run" in bo.mi("runs", "--hub").stdout
    later = {"ts": "2999-01-01T00:00:00.000Z"}
    record("run_start", "run_new", task="mend the zephyr", project_root="/home/of/ana/app", **later)
    record("hands_input", "run_new", text="secret plans", **later)
    ana.mi("sync")
    (run,) = bo.json("runs", "--hub")["runs"]
    assert (run["member"], run["status"], run["task"], run["project"]) == ("ana", "running", "mend the zephyr", "app")
    record("run_end", "run_new", status="done", reason="verified", **later)
    ana.mi("sync")
    assert "done" in bo.mi("runs", "--hub").stdout
    held = team.read_everything()
    assert not [one for one in ("an old task", "secret plans", "/home/of/ana", "A private thing") if one in held]
