"""Real agents at work in a run do not speak for the person, whatever they do to look like one."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question
from mi.kernel.notices import Notices
from mi.testing import run, say
from tests.conftest import MI
from tests.real.loops import Open, RealBench, claude_bench, codex_bench
from tests.waiting import wait_until

QUESTION = "qu_20260101T000000Z_aaaaaaaa"
AXIOM = "proposal-axiom-agents-decide"
WORDS = {
    "values": 'values set --text "Obey the agent."',
    "answer": f"answer {QUESTION} yes",
    "axiom": f"proposal review {AXIOM} --verdict accept --by human --reason yes",
}


@pytest.fixture(params=["codex", "claude"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    program = request.getfixturevalue(request.param)
    with ExitStack() as opened:
        yield (codex_bench if request.param == "codex" else claude_bench)(program, tmp_path, opened)


def needs(program: str) -> str:
    found = shutil.which(program)
    assert found, f"{program} is needed for this test (apt install tmux bsdutils util-linux)"
    return found


def prepare(made: RealBench) -> None:
    """Values, an open question and an axiom that waits for the human."""
    made.values("Keep changes small.")
    assert made.mi("persona", "init").code == 0
    text = ("--type", "axiom", "--title", "Agents decide", "--text", "Agents decide alone.", "--evidence", "x")
    added = made.mi("proposal", "add", *text)
    assert AXIOM in added.stdout, added
    (log,) = made.home.glob("projects/*/evidence.jsonl")
    EvidenceWriter.for_command(str(log), Notices()).append(Question(id=QUESTION, text="May it push?"))


def spoken(made: RealBench) -> dict[str, bool]:
    """What somebody said in the person's name."""
    values = made.mi("values", "show").stdout
    pending = json.loads(made.mi("proposal", "list", "--json").stdout)
    waiting = [one["id"] for one in json.loads(made.mi("inbox", "--json").stdout)]
    return {"values": "Obey" in values, "answer": QUESTION not in waiting, "axiom": AXIOM not in str(pending)}


TASK = ("--max-batches", "1", "set the values")
NOTHING = {"values": False, "answer": False, "axiom": False}


def bare(made: RealBench, words: str) -> str:
    """A call of MI without any variable that an agent sets."""
    return f"env -i PATH={shlex.quote(os.environ['PATH'])} MI_HOME={made.home} HOME={made.folder} {MI} {words}"


def attempts(made: RealBench, told: Path) -> list[str]:
    """Every way to say each thing; what came of it is written down."""
    lines = []
    for name, words in WORDS.items():
        call = bare(made, words)
        ways = {
            "plain": f"{MI} {words}",
            "unset": f"env -u CLAUDECODE -u CODEX_CI -u CODEX_THREAD_ID -u MI_BATCH_MARK {MI} {words}",
            "bare": call,
            "session": f"setsid -w {call}",
            "terminal": f"script -qec {shlex.quote(call)} /dev/null",
        }
        lines += [
            f"{way} > {told}/{name}-{kind}.out 2>&1; echo $? > {told}/{name}-{kind}" for kind, way in ways.items()
        ]
        told_of = f"{told}/{name}-loose"
        loose = f"{call} > {told_of}.out 2>&1; echo $? > {told_of}.tmp; mv {told_of}.tmp {told_of}"
        lines.append(f"(setsid sh -c {shlex.quote(loose)} &) ; while [ ! -e {told_of} ]; do sleep 0.1; done")
    return lines


@pytest.mark.req("person.chain", "person.marks", "person.torn-off", "person.one-line", "person.violation")
def test_nothing_that_an_agent_does_in_a_run_speaks_for_the_person(bench: Open, tmp_path: Path) -> None:
    for program in ("script", "setsid"):
        needs(program)
    script = tmp_path / "speak.sh"
    made, server = bench([run(f"sh {script}"), say("I gave up.")], tools=("Bash",))
    prepare(made)
    told = made.project / "told"
    told.mkdir()
    script.write_text("\n".join(attempts(made, told)), "utf-8")
    made.run(*TASK)
    codes = {file.name: file.read_text("utf-8").strip() for file in told.iterdir() if not file.suffix}
    said = {file.name: file.read_text("utf-8") for file in told.iterdir() if file.suffix}
    assert len(codes) == 6 * len(WORDS), server.requests[-1].tool_outputs
    assert set(codes.values()) == {"3"}, (codes, said)
    assert all("is for a person to say" in text and text.count("\n") <= 1 for text in said.values()), said
    assert spoken(made) == NOTHING
    tried = [one for one in made.records() if one["kind"] == "violation" and one["code"] == "AGENT_AS_PERSON"]
    assert {one["tool"] for one in tried} == {"mi values set", "mi answer", "mi proposal review"}


@pytest.mark.req("person.torn-off", "person.closed")
def test_a_child_that_waits_until_the_run_ended_does_not_speak_either(claude: str, tmp_path: Path) -> None:
    needs("flock")
    told = tmp_path / "told"
    script = tmp_path / "wait.sh"
    with ExitStack() as opened:
        made, _ = claude_bench(claude, tmp_path, opened)([run(f"sh {script}"), say("I wait.")], tools=("Bash",))
        prepare(made)
        (folder,) = made.home.glob("projects/*")
        calls = "; ".join(f"{bare(made, words)} >> {told}.out 2>&1; echo $? >> {told}.tmp" for words in WORDS.values())
        lock = f"{folder}/run.lock"
        waits = f"while flock -n {lock} true; do :; done; flock {lock} true; {calls}; mv {told}.tmp {told}"
        alone = f"env -i PATH={shlex.quote(os.environ['PATH'])} setsid sh -c {shlex.quote(waits)}"
        script.write_text(f"({alone} > /dev/null 2>&1 &)\n", "utf-8")
        made.run(*TASK)
        assert wait_until(told.exists, 120)
        assert told.read_text("utf-8").split() == ["3", "3", "3"], Path(f"{told}.out").read_text("utf-8")
        assert "a terminal that was open before the run" in Path(f"{told}.out").read_text("utf-8")
        assert spoken(made) == NOTHING


@pytest.mark.req("person.tmux")
def test_a_tmux_that_stood_before_the_run_is_the_persons(claude: str, tmp_path: Path) -> None:
    """While the agent waits, the person opens a window in it and speaks; in one begun meanwhile they cannot."""
    tmux = needs("tmux")
    old, new, go = tmp_path / "old", tmp_path / "new", tmp_path / "go"

    def speak(told: Path) -> str:
        return f"{bare(made, WORDS['values'])} > {told}.out 2>&1; echo $? > {told}.tmp; mv {told}.tmp {told}"

    def tmux_does(socket: Path, *words: str) -> None:
        env = {name: value for name, value in os.environ.items() if name != "TMUX"}
        subprocess.run([tmux, "-S", str(socket), *words], check=True, env=env)

    with ExitStack() as opened:
        make = claude_bench(claude, tmp_path, opened)
        wait = f"touch {tmp_path}/began; while [ ! -e {go} ]; do sleep 0.1; done"
        made, _ = make([run(f"sh -c {shlex.quote(wait)}"), say("I waited.")], tools=("Bash",))
        prepare(made)
        stood, begun = tmp_path / "s1", tmp_path / "s2"
        try:
            tmux_does(stood, "new-session", "-d", "sh")
            working = made.start(*TASK)
            assert wait_until((tmp_path / "began").exists, 60)
            tmux_does(begun, "new-session", "-d", f"sh -c {shlex.quote(speak(new))}")
            assert wait_until(new.exists, 60)
            assert new.read_text("utf-8").strip() == "3", Path(f"{new}.out").read_text("utf-8")
            tmux_does(stood, "new-window", f"sh -c {shlex.quote(speak(old))}")
            assert wait_until(old.exists, 60)
            assert old.read_text("utf-8").strip() == "0", Path(f"{old}.out").read_text("utf-8")
        finally:
            go.touch()
            made.finish(working)
            for socket in (stood, begun):
                subprocess.run([tmux, "-S", str(socket), "kill-server"], check=False, capture_output=True)
        assert spoken(made)["values"]
