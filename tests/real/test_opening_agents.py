"""Real agents that ask: the question waits in the inbox, the answer opens that very call, another target asks again."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing import run, say, turn
from mi.testing.replies import Reply
from mi.testing.requests import Request
from tests.real.hosts import AgentHost, agent_host
from tests.real.running import run_agent

REMOVE = "rm notes.txt"


@pytest.fixture(params=["codex", "claude-code"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentHost]:
    program = request.getfixturevalue("codex" if request.param == "codex" else "claude")
    for made in agent_host(request.param, program, tmp_path):
        for name in ("notes.txt", "other.txt"):
            Path(made.repository.path, name).write_text("kept\n", "utf-8")
        yield made


def install(host: AgentHost) -> None:
    host.mi("hook", "install", host.name, *(["--trust"] if host.name == "codex" else []))
    host.let_in("project")


def inbox(host: AgentHost) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(host.mi("inbox", "--json"))
    return found


def is_there(host: AgentHost, name: str) -> bool:
    return Path(host.repository.path, name).exists()


@pytest.mark.req("person.opens.nobody-to-ask", "person.opens.once", "person.opens.question")
def test_an_answer_while_the_agent_works_opens_the_very_call_once(host: AgentHost) -> None:
    def answered(request: Request) -> Reply:
        assert is_there(host, "notes.txt")
        (item,) = inbox(host)
        assert "--resume" not in host.mi("answer", str(item["number"]), "once")
        return turn(run(REMOVE))

    host.prepare([turn(run(REMOVE)), answered, turn(run("rm other.txt")), turn(run(REMOVE)), say("Done.")])
    install(host)
    host.run()
    outputs = host.outputs()
    assert "mi answer 1 once|session|always|no" in outputs[0]
    assert not is_there(host, "notes.txt")
    assert is_there(host, "other.txt")
    assert "mi answer" in outputs[2]
    assert "mi answer" in outputs[3]  # the yes was for one call
    assert [one["call"]["target"] for one in host.events("question")] == [REMOVE, "rm other.txt", REMOVE]
    (confirmed,) = host.events("verification")
    assert confirmed["gate"] == "permission delete-file"


@pytest.mark.req("person.opens.one-shot")
def test_an_answer_after_the_process_ended_works_when_the_session_goes_on(host: AgentHost) -> None:
    host.prepare([turn(run(REMOVE)), say("It waits for you."), turn(run(REMOVE)), say("Done.")])
    install(host)
    first = run_agent(host.command("remove the notes"), host.env, host.repository.path)
    assert first.code == 0, first
    (item,) = inbox(host)
    host.mi("answer", str(item["number"]), "yes")
    session = str(host.events("question")[0]["call"]["session_id"])
    again = run_agent(host.command("go on", session), host.env, host.repository.path)
    assert again.code == 0, again
    assert not is_there(host, "notes.txt")
    assert inbox(host) == []
