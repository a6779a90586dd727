"""What `mi run` shows while it goes on and at its end: who works where, what holds it up, why it stopped."""

import os
import re
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from mi.agents.events import AgentMessage, Command, Error
from mi.cli.output import Output, fold_lines
from mi.cli.run_display import Live
from mi.kernel.text import width
from mi.testing import print_line, scripted_batches, write
from tests.autopilot.test_run_resume import staying
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say
from tests.conftest import MI
from tests.terminals import Terminal
from tests.waiting import wait_until

COLUMNS = 80
LIVE_LINE = re.compile(r"[⠀-⣿] b\d+ · \d+:\d\d · [\d,]+ tokens")  # it is drawn over what was there


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


@pytest.mark.req("mi.run.header")
def test_a_run_begins_with_place_agent_judge_check_and_budget(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("Fixed and tested. Done.")])
    lines = bench.run("fix it", "--max-batches", "3", "--max-minutes", "90").stdout.splitlines()
    assert re.fullmatch(r"\[mi\] run_\w+: replay works, rules judges", lines[0])
    assert lines[1:4] == [
        f"[mi] project  {bench.project}  (branch main)",
        "[mi] check    python -m unittest",
        "[mi] budget   3 batches · 90 minutes",
    ]


@pytest.mark.req("mi.run.unread")
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_a_run_that_nobody_reads_any_more_works_on_and_ends_with_its_own_code(
    bench: Workbench, options: tuple[str, ...]
) -> None:
    shell = f"set -o pipefail; '{MI}' run {' '.join(options)} fix it | head -n 1"
    for script, code in (([[say("Done.")], [say("Done.")]], 3), ([[MEND, TEST, say("Fixed and tested. Done.")]], 0)):
        bench.agent(*script)
        done = subprocess.run(
            ["bash", "-c", shell], cwd=bench.project, env=os.environ | bench.env, capture_output=True, check=False
        )
        assert (done.returncode, len(done.stdout.splitlines())) == (code, 1), done.stderr
        end = [one for one in bench.records() if one["kind"] == "run_end"][-1]
        assert (end["exit"], end["status"]) == (code, "blocked" if code else "done")


@pytest.mark.req("mi.cli.stop")
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("mi stop", "stopped by you (mi stop)"),
        (signal.SIGINT, "stopped by Ctrl-C"),
        (signal.SIGTERM, "ended from outside (SIGTERM)"),
    ],
    ids=["mi stop", "Ctrl-C", "kill"],
)
def test_a_stopped_run_says_who_stopped_it(
    bench: Workbench, request: pytest.FixtureRequest, how: str | signal.Signals, reason: str
) -> None:
    there = staying(bench)
    process = bench.start("fix", "it")
    request.addfinalizer(process.kill)
    assert wait_until(there.exists, 20)
    if isinstance(how, str):
        assert bench.mi("stop").code == 0
    else:
        process.send_signal(how)
    ran = bench.finish(process)
    ran.ended("interrupted")
    assert ran.end["reason"] == reason
    assert f"interrupted: {reason}" in ran.stdout
    assert reason in bench.mi("status").stdout
    again = bench.run("--resume")  # the word holds for that stop alone
    again.ended("done")


@pytest.mark.req("mi.run.not-installed")
def test_a_command_that_is_not_there_is_named_with_its_last_lines_and_the_cure(bench: Workbench) -> None:
    bench.agent([MEND, run("gradle-not-here test"), say("Done.")], [run("gradle-not-here test"), say("Done.")])
    ran = bench.run("fix it")
    ran.ended("blocked")
    seen = "`gradle-not-here test` (exit 127, not installed in the agent's shell)"
    for shown in (ran.stdout, bench.mi("show", "last").stdout):
        assert seen in shown
        assert re.search(r"^ {13}.*gradle-not-here.*not found$", shown, re.MULTILINE), shown
        assert "mi checks set" in shown
    assert seen in ran.end["reason"]


@pytest.mark.req("mi.run.not-seen")
def test_for_an_agent_that_shows_no_commands_the_cure_is_named(bench: Workbench) -> None:
    mended = write("calc.py", "def add(a, b):\n    return a + b\n")
    argv = scripted_batches([[mended, print_line("All tests pass. Done.")]] * 2, str(bench.folder / "count"))
    bench.configure(hands={"provider": "cli", "cli": {"exec": argv}})
    ran = bench.run("fix it")
    ran.ended("blocked")
    for shown in (ran.stdout, bench.mi("show", "last").stdout):
        assert "no command of this agent was seen" in shown
        assert "mi settings set --prove yes" in shown


@pytest.mark.req("mi.run.waits-shown", "mi.run.refused-shown")
def test_trouble_and_refusals_are_shown_as_they_happen(capsys: pytest.CaptureFixture[str]) -> None:
    live = Live(Output("en"), True, hands="codex")
    live.event(Error(message="Reconnecting... 1/5 (error sending request)", transient=True))
    live.event(Error(message="Reconnecting... 2/5 (error sending request)", transient=True))
    live.event(AgentMessage(text="I am back."))
    live.event(Command(id="1", state="started", text="/bin/bash -lc 'npm publish'"))
    live.event(Command(id="1", state="ended", text="x", output="Permission denied by rule Bash(npm:*)", refused=True))
    live.event(Command(id="2", state="ended", text="x", refused=True))
    live.event(Command(id="3", state="ended", text="x"))
    assert capsys.readouterr().out.splitlines() == [
        "[mi] codex waits for the network or its vendor: Reconnecting... 1/5 (error sending request)",
        "[mi] codex still waits, 0 s so far: Reconnecting... 2/5 (error sending request)",
        "[mi] codex goes on, after 0 s",
        "[hands] I am back.",
        "[hands] $ npm publish",
        "[hands]   refused: Permission denied by rule Bash(npm:*)",
        "[hands]   refused by the rules of the agent, which names none",
        "[hands]   exit ?",
    ]


@pytest.mark.req("mi.run.folded")
@pytest.mark.parametrize(("term", "language"), [("dumb", "en"), ("dumb", "zh"), ("xterm", "en")])
def test_on_80_columns_no_word_is_broken_and_all_is_said(bench: Workbench, term: str, language: str) -> None:
    told = (
        "The price list is read once and kept, so that a sum over many baskets needs no second look at the disk. " * 2
    )
    bench.agent([MEND, run("gradle-not-here " + "test " * 30), say(told)], [say("Done.")])
    bench.mi("settings", "set", "--prove", "no")
    command = [str(MI), "run", "fix", "it"]
    with closing(Terminal(command, bench.project, COLUMNS, TERM=term, MI_LANG=language, **bench.env)) as terminal:
        shown = LIVE_LINE.sub("", terminal.finish(3))
    lines = [line.rstrip() for line in shown.splitlines()]
    assert [line for line in lines if width(line) > COLUMNS and len(line.split()) > 2] == []
    assert " ".join(told.split()) in " ".join(" ".join(line.removeprefix("[hands]") for line in lines).split())


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("  check    mi checks run runs", 20, "  check    mi checks run runs"),
        (
            "  check    mi checks run runs the checks now",
            40,
            "  check    mi checks run runs the checks\n           now",
        ),
        ("a plain sentence that is too long for its line", 30, "a plain sentence that is too\nlong for its line"),
        ("short", 0, "short"),
        ("run_20261118T204350Z_wvz92y3a  blocked: no check was seen", 48, None),
    ],
)
def test_a_line_is_continued_below_what_it_says(text: str, columns: int, shown: str | None) -> None:
    folded = fold_lines(text, columns)
    assert " ".join(folded.split()) == " ".join(text.split())
    assert shown is None or folded == shown
    assert columns == 0 or columns < 30 or all(width(line) <= columns for line in folded.splitlines())


@pytest.mark.req("mi.run.needs")
def test_mi_alone_says_what_needs_you_what_runs_and_what_to_do_next(
    bench: Workbench, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    assert "needs you  nothing" in bench.mi().stdout
    bench.agent([say("Which colour should the button have, red or blue?")])
    bench.run("fix it").ended("blocked")
    lines = bench.mi().stdout.splitlines()
    assert re.match(r"needs you  Which colour .*→ mi answer ", lines[0]), lines
    assert lines[-1].startswith("next       mi inbox")
    (tmp_path / "other").mkdir()
    other = open_bench(tmp_path / "other", first="another project")  # the first commit says which project it is
    other.home = bench.home
    there = staying(other)
    process = other.start("mend", "it")
    request.addfinalizer(process.kill)
    assert wait_until(there.exists, 20)
    assert re.search(rf"^goes on    run_\w+  {other.project}$", bench.mi().stdout, re.MULTILINE)
    other.mi("stop")
    other.finish(process)
