"""A person's answer with a secret in it: the agent gets the words, and nothing that MI keeps or shows has them."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from mi.evidence.records.questions import UserInput
from mi.evidence.secret_words import hand_over, hide_secrets, take_over
from mi.kernel.home import Home
from tests.autopilot.workbench import Workbench, open_bench
from tests.conftest import MI
from tests.terminals import Terminal

SECRET = "ghp_" + "x9Kq2mZ7vB4nR8tW1cL5pD3sF6hJ0gY2aQ7e"
WORDS = f"use the token {SECRET} for it"
AGENT = """
printf '%s\\n' "$@" >> {told}
if grep -q "use the token" {told}; then echo "Done."
else echo "Which token should the upload use?"; fi
"""


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    script = AGENT.format(told=tmp_path / "told")
    bench.configure(hands={"provider": "cli", "cli": {"exec": ["sh", "-c", script, "sh", "{prompt}"]}})
    bench.mi("settings", "set", "--prove", "no")
    return bench


def find_secret(home: Path) -> list[str]:
    """The files of a home that hold the secret."""
    places = [Path(folder) / name for folder, _, names in os.walk(home) for name in names]
    return [str(place) for place in places if SECRET.encode() in place.read_bytes()]


def wait_for_question(bench: Workbench) -> Terminal:
    terminal = Terminal([str(MI), "run", "upload it"], bench.project, **bench.env)
    terminal.read_until("\n> ")
    return terminal


@pytest.mark.req("person.answer.secret")
@pytest.mark.parametrize("where", ["here", "elsewhere", "attached"])
def test_the_agent_gets_it_and_nothing_keeps_it(bench: Workbench, tmp_path: Path, where: str) -> None:
    terminal, said = wait_for_question(bench), ""
    try:
        if where == "here":
            terminal.type(f"{WORDS}\n")
        elif where == "attached":
            with closing(Terminal([str(MI), "attach"], bench.project, **bench.env)) as other:
                other.read_until("\n> ")
                other.type(f"{WORDS}\n")
                other.finish()
        else:
            given = bench.mi("answer", "1", WORDS)
            assert given.code == 0, given.stderr
            said = given.stdout + given.stderr
        terminal.finish(3)  # the agent did nothing: what it was told is all that matters here
    finally:
        terminal.close()
    assert WORDS in (tmp_path / "told").read_text("utf-8")
    assert find_secret(bench.home) == []
    assert SECRET not in said + (terminal.shown if where != "here" else "")
    assert [one["answer"] for one in bench.records() if one["kind"] == "user_input"] == [
        "use the token [redacted:github-token] for it"
    ]


@pytest.mark.req("person.answer.secret")
def test_nothing_is_learned_of_it() -> None:
    assert hide_secrets(UserInput(answer=WORDS)).once
    assert not hide_secrets(UserInput(answer="use the staging account")).once


@pytest.mark.req("person.answer.secret")
def test_words_are_handed_over_once_and_to_nobody_else(home: Home) -> None:
    place = home.project("0123456789abcdef")
    for question in ("qu_1", "qu_2"):
        hand_over(place, question, WORDS)
    assert Path(place.path("secret_words", "qu_1")).stat().st_mode & 0o077 == 0
    assert [take_over(place, "qu_1"), take_over(place, "qu_1"), take_over(place, "qu_2")] == [WORDS, "", ""]
    assert find_secret(Path(home.root)) == []


@pytest.mark.req("person.answer.secret")
def test_it_is_said_once(bench: Workbench) -> None:
    terminal = wait_for_question(bench)
    try:
        said = bench.mi("answer", "1", WORDS)
        assert said.stderr.count("holds a secret") == 1
        assert "the agent gets it as you said it" in said.stderr
    finally:
        terminal.close()


@pytest.mark.req("person.answer.secret")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_run_that_is_gone_gets_the_answer_without_it(bench: Workbench, tmp_path: Path, language: str) -> None:
    bench.mi("run", "upload it")
    bench.env["MI_LANG"] = language
    said = bench.mi("answer", "1", WORDS, "--json")
    assert (said.code, SECRET in said.stdout + said.stderr) == (0, False)
    assert "[redacted]" in said.stderr
    assert find_secret(bench.home) == []
    assert bench.mi("run", "--resume").code in (0, 3)
    told = (tmp_path / "told").read_text("utf-8")
    assert ("use the token [redacted:" in told, SECRET in told) == (True, False)
