"""Secrets in a run: hidden before text is cut, wherever it is shown, told to a Mind or sent to a person."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import Workbench, models_for, run, say
from tests.kernel.test_secrets import PEM, PEM_BODY, fake
from tests.mind.answers import model

LINES = PEM_BODY.split("\n")
TOKEN = "ghp_" + fake(36)
STOP = {"next_action": "stop", "status": "blocked", "notes": "nothing to do"}


@pytest.fixture
def judged(bench: Workbench) -> Iterator[Callable[..., ScriptedServer]]:
    with models_for(bench) as make:
        yield make


def leaked(text: str, secret: str, most: int = 8) -> list[str]:
    """The pieces of a secret that stand in a text, longer than chance."""
    return [secret[at : at + most] for at in range(len(secret) - most + 1) if secret[at : at + most] in text]


@pytest.mark.req("safe.secrets.cut-after", "safe.secrets.shown", "safe.secrets.mind")
def test_a_key_that_a_command_prints_reaches_neither_the_mind_nor_the_screen(
    bench: Workbench, judged: Callable[..., ScriptedServer]
) -> None:
    (bench.project / "key.pem").write_text(PEM, "utf-8")
    server = judged(model(decide_next=STOP))
    bench.agent([run("cat key.pem"), say(f"It is\n{PEM}\nand no more.")])
    ran = bench.run("look at the key")
    assert ran.of("batch_end")[0]["seen"]["transcript_excerpt"].startswith("$ cat key.pem\n")
    shown = [
        bench.mi(*words).stdout for words in (("show", "last"), ("tail",), ("search", "key.pem"), ("show", "hands"))
    ]
    told = json.dumps([request.body for request in server.requests])
    assert "cat key.pem" in told
    for line in LINES:
        for text in (ran.stdout, told, *shown):
            assert not leaked(text, line), line


@pytest.mark.req("safe.secrets.stream")
@pytest.mark.parametrize("flags", [(), ("--json",), ("--hands-raw",)])
def test_a_key_that_an_agent_prints_line_by_line_is_not_shown(bench: Workbench, flags: tuple[str, ...]) -> None:
    (bench.project / "key.pem").write_text(PEM, "utf-8")
    bench.configure(hands={"provider": "cli", "cli": {"exec": ["sh", "-c", "cat key.pem; cat key.pem >&2; echo bye"]}})
    ran = bench.run("look", *flags)
    assert "bye" in ran.stdout
    texts = [ran.stdout, ran.stderr, json.dumps(ran.records), bench.mi("tail", "hands").stdout]
    for line in LINES:
        assert not [text for text in texts if leaked(text, line)], line


@pytest.mark.req("safe.secrets.cut-after", "safe.secrets.sent")
@pytest.mark.parametrize("before", range(250, 300, 7))
def test_no_half_of_a_token_is_left_where_a_message_is_cut(bench: Workbench, tmp_path: Path, before: int) -> None:
    got = tmp_path / "got"
    bench.config["notify"] = [{"kind": "command", "command": f"sh -c 'echo \"$0\" >> {got}'"}]
    message = f"{'x' * (before - 1)} {TOKEN} which one?"
    bench.agent([say(message)])
    ran = bench.run("choose one")
    assert got.exists()
    stored = json.dumps(ran.records).replace(TOKEN, "")  # the agent's own words are stored whole
    for text in (ran.stdout, got.read_text("utf-8"), stored):
        assert not leaked(text, TOKEN[4:])


@pytest.mark.req("safe.secrets.task")
@pytest.mark.parametrize("way", ["words", "--file", "quiet"])
def test_a_secret_in_the_task_reaches_neither_the_log_nor_the_agent(bench: Workbench, tmp_path: Path, way: str) -> None:
    heard = tmp_path / "heard"
    agent = ["sh", "-c", f'printf "%s" "$0" > {heard}', "{prompt}"]
    bench.configure(hands={"provider": "cli", "cli": {"exec": agent}})
    task = f"call http://52.95.110.1/ with {TOKEN} and say what it answers"
    given = tmp_path / "task.txt"
    given.write_text(task, "utf-8")
    ran = bench.run(*{"words": (task,), "--file": ("--file", str(given)), "quiet": ("--quiet", task)}[way])
    assert "call http://52.95.110.1/ with [redacted:github-token] and say" in heard.read_text("utf-8")
    (line,) = [line for line in ran.stderr.splitlines() if "--allow-secret-in-task" in line]
    assert "github-token" in line
    for path in (one for one in bench.home.rglob("*") if one.is_file()):
        assert TOKEN[4:].encode() not in path.read_bytes(), path
    assert TOKEN not in ran.stdout + ran.stderr


@pytest.mark.req("safe.secrets.task")
def test_a_secret_that_is_meant_reaches_the_agent(bench: Workbench, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    agent = ["sh", "-c", f'printf "%s" "$0" > {heard}', "{prompt}"]
    bench.configure(hands={"provider": "cli", "cli": {"exec": agent}})
    ran = bench.run("--allow-secret-in-task", f"use {TOKEN}")
    assert f"use {TOKEN}" in heard.read_text("utf-8")
    assert TOKEN not in ran.stdout + ran.stderr
