"""Threads across runs, where a run takes place, and a home that can be moved and cleaned."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, say

QUESTION = ("what", "is", "in", "here?")
ANSWER = [say("A calculator.")]


def threads(bench: Workbench) -> list[str]:
    """The thread each batch was sent to; '' is a fresh one."""
    return [record["thread_id"] for record in bench.records() if record["kind"] == "hands_input"]


@pytest.mark.req(
    "v1.cli.run-continue-hands", "v1.cli.run-reset-hands", "v1.cli.knob-continue-across-runs", "mi.fail.unique-names"
)
def test_a_run_goes_on_in_the_last_thread_only_when_that_is_wished(bench: Workbench) -> None:
    bench.agent(ANSWER, ANSWER, ANSWER, ANSWER, ANSWER)
    bench.run(*QUESTION).ended("done")
    bench.run(*QUESTION).ended("done")
    assert threads(bench) == ["", ""]
    bench.run("--continue-hands", *QUESTION).ended("done")
    assert threads(bench)[-1] != ""
    bench.run("--reset-hands", "--continue-hands", *QUESTION).ended("done")
    assert threads(bench)[-1] == ""
    bench.configure(hands={**bench.config["hands"], "continue_across_runs": True})
    bench.run(*QUESTION).ended("done")
    assert threads(bench)[-1] != ""
    assert len(transcripts(bench)) == 5  # each run's own, although all were about the same


@pytest.mark.req("mi.fail.task-every-batch")
def test_an_agent_without_threads_is_told_the_task_with_every_batch(bench: Workbench) -> None:
    agent, heard = bench.folder / "agent.py", bench.folder / "heard.txt"
    agent.write_text(
        "import pathlib, sys\n"
        "pathlib.Path(sys.argv[1]).open('a').write(sys.argv[2] + '\\0')\n"
        "pathlib.Path('calc.py').write_text('def add(a, b):\\n    return a + b\\n')\n"
        "print('Done.')\n",
        "utf-8",
    )
    bench.configure(hands={"provider": "cli", "cli": {"exec": [sys.executable, str(agent), str(heard), "{prompt}"]}})
    bench.run("fix", "the", "failing", "test")
    prompts = heard.read_text("utf-8").split("\0")[:-1]
    assert len(prompts) > 1
    assert all("fix the failing test" in prompt for prompt in prompts)


@pytest.mark.req("v1.emit.resume-fallback")
def test_a_thread_that_is_gone_is_recorded_and_the_work_begins_afresh(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    bench.mi("project", "use")
    overlay = next(bench.home.glob("projects/*/overlay.json"))
    state = json.loads(overlay.read_text("utf-8"))
    state["hands_state"] = {"provider": "replay", "thread_id": "gone", "updated_ts": ""}
    overlay.write_text(json.dumps(state), "utf-8")
    ran = bench.run("--continue-hands", "fix", "the", "failing", "test")
    ran.ended("done")
    assert [record["provider"] for record in ran.of("hands_resume_failed")] == ["replay"]
    assert threads(bench) == ["gone", ""]
    assert "fix the failing test" in ran.inputs[-1]


@pytest.mark.req("v1.cli.cli-continue-claude")
def test_a_wrapped_cli_is_resumed_by_the_session_it_printed(bench: Workbench) -> None:
    agent = bench.folder / "agent.py"
    agent.write_text(
        "import json, sys\n"
        'print(json.dumps({"type": "system", "subtype": "init", "session_id": "s-1"}))\n'
        'print(json.dumps({"type": "result", "is_error": False, "result": "A calculator.", "session_id": "s-1"}))\n',
        "utf-8",
    )
    call = [sys.executable, str(agent), "{prompt}"]
    cli = {"exec": call, "resume": [*call, "--resume", "{thread_id}"]}
    bench.configure(hands={"provider": "cli", "cli": cli, "continue_across_runs": True})
    bench.run(*QUESTION)
    bench.run(*QUESTION)
    assert threads(bench) == ["", "s-1"]
    headers = [json.loads(path.read_text("utf-8").splitlines()[0]) for path in transcripts(bench)]
    assert [header["argv"][-2:] == ["--resume", "s-1"] for header in headers] == [False, True]


def transcripts(bench: Workbench) -> list[Path]:
    return sorted(bench.home.glob("projects/*/transcripts/hands/*.jsonl"))


@pytest.mark.req("v1.cli.run-cd-tokens")
def test_a_run_takes_place_in_the_selected_project(bench: Workbench, mi, tmp_path: Path) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    bench.mi("project", "alias", "add", "repo1")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = mi("run", "--cd", "@repo1", "fix the failing test", env={"MI_HOME": str(bench.home)}, cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    assert "return a + b" in bench.read("calc.py")


@pytest.mark.req("v1.state.corrupt-record")
def test_a_broken_state_file_is_set_aside_and_recorded(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    (bench.home / "global").mkdir(parents=True)
    (bench.home / "global/project_selection.json").write_text("{broken", "utf-8")
    bench.run().ended("done")
    stored = json.loads(bench.mi("tail", "--global", "--json").stdout)
    corrupt = [record for record in stored if record["kind"] == "state_corrupt"]
    assert [record["path"] for record in corrupt] == ["global/project_selection.json"]
    assert (bench.home / corrupt[0]["kept_in"]).read_text("utf-8") == "{broken"


@pytest.mark.req("mi.home.relative-refs")
def test_a_home_can_be_moved(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    bench.run().ended("done")
    assert str(bench.home) not in "".join(log.read_text("utf-8") for log in bench.home.rglob("*.jsonl"))
    moved = bench.home.rename(bench.folder / "moved")
    bench.env["MI_HOME"] = str(moved)
    bundle = json.loads(bench.mi("show", "last", "--json").stdout)
    assert (moved / bundle["hands_transcript_ref"]).exists()
    assert "Done." in bench.mi("tail", "hands").stdout


@pytest.mark.req("mi.log.derived-deletable")
def test_what_is_derived_can_be_deleted(bench: Workbench) -> None:
    bench.values("Use unittest for tests.")
    bench.agent([MEND, TEST, say("Done.")])
    bench.run().ended("done")
    event = bench.records()[-1]["event_id"]
    looks = [
        ["status", "--json"],
        ["show", event, "--json"],
        ["claim", "list", "--json"],
        ["search", "unittest", "--json"],
    ]
    before = [bench.mi(*look).stdout for look in looks]
    shutil.rmtree(bench.home / "indexes")
    for path in [*bench.home.rglob("view.sqlite"), *bench.home.rglob("run.lock")]:
        path.unlink()
    assert [bench.mi(*look).stdout for look in looks] == before
