"""`mi status` and `mi` alone: where things stand, what to do next, and not a byte written."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mi.evidence.records.questions import UserInput
from mi.evidence.records.run import RunEnd, RunStart
from tests.cli.conftest import Stage, a_run, tree
from tests.seals import unseal

NOTHING = {"id": None, "status": "none", "marks": None, "batches": 0, "spent": None, "evidence_ids": []}


def status(mi, *args: str, **kwargs) -> dict:
    done = mi("status", "--json", *args, **kwargs)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.req(
    "mi.json.status",
    "mi.json.status-project",
    "mi.json.status-values",
    "mi.json.status-providers",
    "mi.json.status-pending",
    "mi.json.status-next",
    "v1.cli.status-json",
)
def test_json_of_a_new_home(mi, stage: Stage, home):
    shown = status(mi, env={"PATH": "/nowhere"})
    assert shown["home"] == home.root
    assert shown["project"] == {"id": stage.project_id, "root": str(stage.root), "chosen_by": "cwd"}
    assert shown["run"] == NOTHING
    assert shown["last_batch"] is None
    assert shown["waiting"] == []
    assert shown["values"] == {"ready": False, "claims": 0}
    assert shown["providers"] == {"hands": "none", "mind": "rules"}
    assert shown["pending"] == {"suggestions": 0, "reviews": 0}
    assert shown["config"] == {"path": home.config, "ok": True, "problems": []}
    assert shown["complete"] is True
    assert shown["next"] == ["mi init"]


@pytest.mark.req(
    "mi.json.status-run",
    "mi.json.status-run-marks",
    "mi.json.status-waiting",
    "mi.json.status-pending",
    "v1.cli.status-pending",
    "v1.cli.status-last-batch",
)
def test_json_of_a_finished_run(mi, recorded: Stage):
    shown = status(mi)
    run = shown["run"]
    assert run["id"] == "run_20260101T000000Z_aaaaaaaa"
    assert run["status"] == "done"
    assert set(run) == {"id", "status", "marks", "batches", "spent", "evidence_ids"}
    assert run["batches"] == 2
    assert shown["waiting"] == [{"id": "qu_1", "kind": "question", "question": "Push to main?"}]
    assert shown["pending"] == {"suggestions": 1, "reviews": 0}
    assert shown["last_batch"]["id"] == "b1"
    assert shown["last_batch"]["input"] == "task b1"
    assert shown["last_batch"]["outcome"] == "ended"
    assert shown["last_batch"]["last_message"] == "done with b1"
    assert shown["last_batch"]["decision"] == "done, stop"
    assert "mi show last" in shown["next"]


@pytest.mark.req("mi.json.status-run-status", "mi.json.status-run", "mi.json.status-run-marks")
@pytest.mark.parametrize("ended", ["done", "blocked", "failed", "interrupted"])
def test_run_that_ended(mi, stage: Stage, ended: str):
    *course, last = a_run()
    assert isinstance(last, RunEnd)
    stage.append(*course, RunEnd(status=ended, marks=last.marks, spent=last.spent, evidence_ids=["ev_x"]))
    run = status(mi)["run"]
    assert run["status"] == ended
    assert run["marks"] == {"ran": True, "claimed": True, "verified": True, "proved": None}
    assert run["spent"]["input_tokens"] == 10
    assert run["spent"]["cost_usd"] is None  # unknown is not nothing
    assert run["evidence_ids"] == ["ev_x"]
    assert run["batches"] == 1


@pytest.mark.req("mi.json.status-run-status")
def test_run_without_an_end_is_running_while_its_lock_is_held(mi, stage: Stage):
    stage.append(RunStart(task="x"))
    assert status(mi)["run"]["status"] == "interrupted"
    with open(stage.place.run_lock, "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert status(mi)["run"]["status"] == "running"
    assert status(mi)["run"]["status"] == "interrupted"


@pytest.mark.req("mi.json.status-waiting")
def test_answered_question_no_longer_waits(mi, recorded: Stage):
    recorded.append(UserInput(question_id="qu_1", question="Push to main?", answer="no"))
    assert status(mi)["waiting"] == []


@pytest.mark.req(
    "mi.fail.status-writes-nothing",
    "mi.json.status-read-only",
    "v1.cli.status-read-only",
    "v1.cli.project-status-read-only",
    "mi.cli.bare",
)
def test_status_writes_nothing(mi, recorded: Stage, repository, unchanged):
    mi("init", "--values", "Keep changes small.")
    mi("settings", "set", "--scope", "project", "--ask-when-uncertain", "ask")
    repo = repository(origin="git@example.invalid:team/app.git")
    unchanged()
    for command in ("", "status", "status --json", "project status", "project status --json"):
        for cwd in (recorded.root, repo):
            assert mi(*command.split(), cwd=cwd).returncode == 0
    unchanged()


@pytest.mark.req("mi.fail.status-writes-nothing", "mi.json.status-read-only", "v1.cli.status-read-only")
@pytest.mark.parametrize("args", [[], ["status", "--json"], ["project", "status"]])
def test_status_without_a_home_makes_none(mi, tmp_path: Path, unchanged, args):
    unchanged()
    assert mi(*args).returncode == 0
    unchanged()


@pytest.mark.req("mi.cli.bare")
def test_mi_alone_is_status(mi, recorded: Stage):
    assert mi().stdout == mi("status").stdout


@pytest.mark.req(
    "v1.cli.status",
    "v1.cli.status-provider-health",
    "v1.cli.status-values",
    "v1.cli.status-last-batch",
    "v1.cli.status-pending",
    "v1.cli.status-next",
    "v1.transp.summaries-only",
)
def test_status_for_people(mi, recorded: Stage, home):
    mi("init", "--values", "Keep changes small. Never push.")
    shown = mi("status", "--cd", str(recorded.root)).stdout
    for text in (
        home.root,
        str(recorded.root),
        "2 in force",
        "run_20260101T000000Z_aaaaaaaa",
        "batches: 2",
        "Push to main?",
    ):
        assert text in shown
    for text in ("b1", "done with b1", "1 suggestion", "mind: ", "mi show last"):
        assert text in shown


@pytest.mark.req("v1.cli.status-provider-health")
def test_health_of_the_configuration(mi, home):
    mi("config", "init")
    assert status(mi)["config"] == {"path": home.config, "ok": True, "problems": []}
    Path(home.config).write_text('{"mind": {"provder": "rules"}, "hands": {"provider": "cli"}}', "utf-8")
    shown = status(mi)
    assert shown["config"]["ok"] is False
    assert shown["config"]["problems"] == ["mind.provder"]
    assert shown["providers"]["hands"] == "cli"
    assert "mi config validate" in shown["next"]


@pytest.mark.req("v1.cli.status-provider-health", "mi.config.api-key-never-shown")
def test_key_in_the_file_is_no_ill_health(mi, home):
    os.makedirs(home.root)
    Path(home.config).write_text('{"mind": {"openai_compatible": {"api_key": "sk-nothing"}}}', "utf-8")
    done = mi("status", "--json")
    assert json.loads(done.stdout)["config"]["ok"] is True
    assert done.stderr.count("\n") == 1
    assert "api_key" in done.stderr
    assert "sk-nothing" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("programs", "providers"),
    [
        (["codex", "claude"], {"hands": "codex", "mind": "codex_schema"}),
        (["claude"], {"hands": "claude", "mind": "claude_schema"}),
        ([], {"hands": "none", "mind": "rules"}),
    ],
)
def test_providers_by_what_is_installed(mi, tmp_path: Path, programs, providers):
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n", "utf-8")
        (folder / name).chmod(0o755)
    (folder / "no-program").mkdir()
    assert status(mi, env={"PATH": str(folder)})["providers"] == providers


@pytest.mark.req("mi.fail.status-no-full-parse")
def test_status_reads_no_more_of_a_long_log_than_of_a_short_one(recorded: Stage):
    end = recorded.log.read_bytes()
    old = b'{"kind":"x","event_id":"ev_1","text":"%s"}\n' % (b"." * 1000)
    read = []
    for count in (1_000, 10_000):
        unseal(recorded.log)
        recorded.log.write_bytes(old * count + end)
        read.append(_bytes_read())
    assert abs(read[1] - read[0]) < 100_000
    assert recorded.log.stat().st_size > 10_000_000


def _bytes_read() -> int:
    """How many bytes `mi status` reads, as the kernel counts them."""
    script = (
        "import sys\nfrom mi.cli.main import run\nrun(['status', '--json'])\n"
        "print(next(line for line in open('/proc/self/io') if line.startswith('rchar')), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    return int(done.stderr.split()[-1])


@pytest.mark.req("v1.cli.status-here", "v1.cli.here")
def test_here_inside_a_repository(mi, repository):
    repo = repository()
    (repo / "sub").mkdir()
    done = mi("--here", "status", "--json", cwd=repo / "sub")
    assert json.loads(done.stdout)["project"]["root"] == str(repo / "sub")
    assert status(mi, cwd=repo / "sub")["project"]["root"] == str(repo)


def test_tree_sees_a_change(tmp_path: Path):
    (tmp_path / "a").write_text("1", "utf-8")
    before = tree(tmp_path)
    (tmp_path / "a").write_text("2", "utf-8")
    assert tree(tmp_path) != before
