"""`mi tail`: the latest evidence or transcript lines with every flag, and with -f what comes."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mi.evidence.records.run import RunStart
from tests.cli.conftest import Stage
from tests.cli.test_show import HEADER, line
from tests.conftest import MI
from tests.seals import unseal

TOKEN = "ghp_" + "A1b2C3d4E5" * 4


def tasks(count: int) -> list[RunStart]:
    return [RunStart(task=f"task {number}") for number in range(count)]


@pytest.mark.req("v1.cli.tail", "v1.cli.tail-default-target", "v1.cli.tail-n", "v1.cli.tail-evidence-default-n")
def test_latest_events(mi, stage: Stage):
    events = stage.append(*tasks(30))
    shown = mi("tail").stdout.splitlines()
    assert len(shown) == 20
    assert "task 10" in shown[0]
    assert "task 29" in shown[-1]
    assert shown[-1].endswith(events[-1].event_id)
    assert "run_start" in shown[-1]
    assert events[-1].ts[:19] in shown[-1]
    assert mi("tail", "evidence", "--cd", str(stage.root), "-n", "20").stdout.splitlines() == shown
    assert mi("tail", "-n", "3").stdout.splitlines() == shown[-3:]
    assert len(mi("tail", "-n", "1000").stdout.splitlines()) == 30
    assert mi("tail", "-n", "0").stdout == ""


def test_nothing_yet(mi, stage: Stage):
    done = mi("tail")
    assert (done.returncode, done.stderr) == (0, "")
    assert str(stage.log) in done.stdout
    assert mi("tail", "--raw").stdout == ""
    assert json.loads(mi("tail", "--json").stdout) == []


@pytest.mark.req("v1.cli.tail-evidence-raw")
def test_stored_lines(mi, stage: Stage):
    stage.append(*tasks(3))
    long = b'{"kind":"note","event_id":"ev_long","text":"' + b"x" * 400_000 + b'"}\n'
    odd = b'{ "kind":"note", "event_id":"ev_odd","text":"caf\xe9 ' + TOKEN.encode() + b'" }\n'
    unseal(stage.log)
    with stage.log.open("ab") as file:
        file.write(long + odd)
    done = subprocess.run([MI, "tail", "--raw"], capture_output=True, check=True)
    assert done.stdout == stage.log.read_bytes()
    assert done.stderr == b""


@pytest.mark.req("v1.cli.tail-evidence-json")
def test_parsed_records(mi, stage: Stage):
    stage.append(*tasks(3))
    shown = json.loads(mi("tail", "evidence", "--json", "-n", "2").stdout)
    assert [one["task"] for one in shown] == ["task 1", "task 2"]
    assert shown == [json.loads(stored) for stored in stage.log.read_text("utf-8").splitlines()[1:]]


@pytest.mark.req("v1.cli.tail-evidence-global")
def test_global_evidence_only(mi, stage: Stage, home):
    stage.append(*tasks(2))
    mi("init", "--values", "Keep changes small.")
    shown = json.loads(mi("tail", "evidence", "--global", "-n", "20", "--json").stdout)
    assert [one["kind"] for one in shown] == ["values_set"]
    assert "values_set" in mi("tail", "--global").stdout
    assert "values_set" not in mi("tail").stdout


def test_global_evidence_has_nothing_to_do_with_a_project(mi, stage: Stage, home):
    stored = json.loads(mi("init", "--values", "Keep changes small.", "--json").stdout)["event_id"]
    for args in (["tail", "--global"], ["show", stored, "--global"]):
        assert mi(*args, env={"MI_CD": "@nobody"}).returncode == 0
        mi(*args)
    assert not os.path.exists(home.selection)


@pytest.mark.req("v1.cli.tail-evidence-redact")
def test_stored_lines_without_secrets(mi, stage: Stage):
    stage.append(RunStart(task=f"use {TOKEN}"))
    assert TOKEN in mi("tail", "evidence", "--raw").stdout
    hidden = mi("tail", "evidence", "-n", "20", "--raw", "--redact").stdout
    assert TOKEN not in hidden
    assert json.loads(hidden)["task"] == "use [redacted:github-token]"


@pytest.mark.req(
    "v1.cli.tail",
    "v1.cli.tail-hands",
    "v1.cli.tail-mind",
    "v1.cli.tail-transcript-default-n",
    "v1.cli.tail-n",
    "v1.cli.tail-jsonl",
    "v1.cli.tail-jsonl-redact",
)
@pytest.mark.parametrize("kind", ["hands", "mind"])
def test_transcripts(mi, stage: Stage, kind):
    secret = json.dumps({"ts": "2026-01-01T00:00:00.000Z", "stream": "stderr", "line": f"GITHUB_TOKEN={TOKEN}"})
    path = stage.transcript(kind, "20260101T000000Z.jsonl", HEADER, *map(line, range(300)), secret)
    stored = path.read_text("utf-8").splitlines()
    shown = mi("tail", kind, "--cd", str(stage.root)).stdout.splitlines()
    assert len(shown) == 200
    assert shown[-2] == "00:00:59 stdout line 299"
    assert shown[-1] == "00:00:00 stderr GITHUB_TOKEN=[redacted:github-token]"
    assert mi("tail", kind, "-n", "2").stdout.splitlines() == shown[-2:]
    assert mi("tail", kind, "--jsonl").stdout.splitlines() == stored[-200:]
    hidden = mi("tail", kind, "-n", "200", "--jsonl", "--redact").stdout.splitlines()
    assert hidden[:-1] == stored[-200:-1]
    assert TOKEN not in hidden[-1]
    assert json.loads(hidden[-1])["stream"] == "stderr"
    as_json = mi("tail", kind, "-n", "2", "--json").stdout
    assert TOKEN not in as_json
    assert [one["line"] for one in json.loads(as_json)] == ["line 299", "GITHUB_TOKEN=[redacted:github-token]"]


@pytest.mark.parametrize(
    "args",
    [
        *(["tail", "hands", "--raw"], ["tail", "mind", "--global"], ["tail", "--jsonl"], ["tail", "feet"]),
        *(["tail", "-n", "-1"], ["tail", "-n", "x"], ["tail", "-n"], ["tail", "--bogus"]),
    ],
)
def test_flags_that_do_not_fit(mi, args):
    done = mi(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mi: ")
    assert done.stderr.count("\n") == 1


class Followed:
    """A running `mi tail -f`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def interrupt(self) -> tuple[int, str, str]:
        self.process.send_signal(signal.SIGINT)
        rest, complaint = self.process.communicate(timeout=30)
        return self.process.returncode, rest, complaint


@contextmanager
def following(*args: str) -> Iterator[Followed]:
    process = subprocess.Popen(
        [MI, "tail", "-f", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    try:
        with process:
            yield Followed(process)
    finally:
        process.kill()


@pytest.mark.req("mi.cli.tail-follow", "mi.cli.exit-130")
def test_follow_evidence(stage: Stage):
    stage.append(*tasks(3))
    with following("-n", "2") as followed:
        assert "task 1" in followed.line()
        assert "task 2" in followed.line()
        stage.append(RunStart(task="later"), RunStart(task="still later"))
        assert "later" in followed.line()
        assert "still later" in followed.line()
        assert followed.interrupt() == (130, "", "mi: interrupted\n")


@pytest.mark.req("mi.cli.tail-follow")
def test_follow_a_log_that_is_still_to_come(stage: Stage):
    with following("--raw") as followed:
        (event,) = stage.append(RunStart(task="first"))
        assert json.loads(followed.line())["event_id"] == event.event_id
        assert followed.interrupt()[0] == 130


@pytest.mark.req("mi.cli.tail-follow")
def test_follow_as_json_is_one_object_a_line(stage: Stage):
    stage.append(RunStart(task=f"use {TOKEN}"))
    unseal(stage.log)
    with following("--json") as followed:
        assert json.loads(followed.line())["task"] == "use [redacted:github-token]"
        with stage.log.open("ab") as file:
            file.write(b'{"kind":"note","event_id":"ev_long","text":"' + b"x" * 2_000_000 + b'"}\n')
        assert json.loads(followed.line())["event_id"] == "ev_long"
        assert followed.interrupt()[0] == 130


@pytest.mark.req("mi.cli.tail-follow")
def test_follow_prints_nothing_twice_when_the_last_line_lacks_its_newline(stage: Stage):
    stage.append(*tasks(2))
    whole = stage.log.read_bytes()
    stage.log.write_bytes(whole.removesuffix(b"\n"))
    with following() as followed:
        assert "task 0" in followed.line()
        assert "task 1" in followed.line()
        stage.append(RunStart(task="next"))
        assert "next" in followed.line()
        code, rest, _ = followed.interrupt()
        assert code == 130
        assert "task" not in rest


@pytest.mark.req("mi.cli.tail-follow")
@pytest.mark.parametrize("flags", [[], ["--jsonl"], ["--json"]])
def test_follow_a_transcript(stage: Stage, flags):
    path = stage.transcript("hands", "20260101T000000Z.jsonl", HEADER, line(1), line(2))
    with following("hands", "-n", "1", *flags) as followed:
        assert "line 2" in followed.line()
        with path.open("a", encoding="utf-8") as file:
            file.write(line(3)[:10])
            file.flush()
            file.write(line(3)[10:] + "\n" + line(4) + "\n")
        assert "line 3" in followed.line()
        assert "line 4" in followed.line()
        assert followed.interrupt()[:2] == (130, "")


@pytest.mark.parametrize("args", [["tail"], ["tail", "--raw"], ["tail", "--json"], ["tail", "hands"], ["tail", "-f"]])
def test_reader_that_has_seen_enough(stage: Stage, args):
    stage.append(*[RunStart(task="x" * 90) for _ in range(3000)])
    stage.transcript("hands", "20260101T000000Z.jsonl", *map(line, range(5000)))
    shell = f'{MI} {" ".join(args)} -n 3000 | head -1; echo "${{PIPESTATUS[0]}}"'
    if "-f" in args:
        shell = f"{MI} tail -f -n 3000 | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, encoding="utf-8", check=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize("args", [["--version"], ["help"], ["tail", "--help"], ["status"]])
def test_reader_that_has_gone(args):
    shell = f'{MI} {" ".join(args)} | :; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, encoding="utf-8", check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.req("v1.cli.auto-update-last")
def test_looking_remembers_the_project_unless_configured(mi, stage: Stage, home, tmp_path: Path):
    stage.append(*tasks(1))
    other = tmp_path / "other"
    other.mkdir()
    mi("tail")
    assert json.loads(Path(home.selection).read_text("utf-8"))["last"]["root_path"] == str(stage.root)
    Path(home.config).write_text('{"runtime": {"project_selection": {"auto_update_last": false}}}', "utf-8")
    mi("tail", "--cd", str(other))
    assert json.loads(Path(home.selection).read_text("utf-8"))["last"]["root_path"] == str(stage.root)
    Path(home.config).write_text("{}", "utf-8")
    mi("tail", "--cd", str(other))
    assert json.loads(Path(home.selection).read_text("utf-8"))["last"]["root_path"] == str(other)
