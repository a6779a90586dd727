"""Real agents in a project with MI: they hear what is known, are asked for a deploy, and leave a log, by profile."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing import call_tool, run, say, turn
from tests.conftest import MI, git
from tests.real.hosts import AgentHost, agent_host

CARD = (
    "---\nid: {id}\ntype: {type}\nmerge_key: about-{type}\ntitle: {title}\nsalience: {salience}\ncreated: 2026-01-02\n"
)
FILES = {
    ".nexus/rules/commits.md": "# Commits\n\nEvery commit names the room that it changes.\n",
    "persona/core/boot.md": "# Boot\n",
    "persona/core/principles.md": "# Principles\n\n- Never push directly to the release branch.\n",
    "persona/core/challenge-core.md": "# Challenge\n",
    "persona/cards/X-001.md": CARD.format(id="X-001", type="axiom", title="Money is integers", salience=9)
    + "---\n\nAmounts are cents, never floats.\n",
    "persona/cards/H-002.md": CARD.format(id="H-002", type="heuristic", title="Open stores", salience=7)
    + "---\n\nSQLite databases are opened with write ahead logging.\n",
}
PROMPT = "We decided to keep one file. Open the SQLite databases in src/store.py with a page size, and deploy it"


@pytest.fixture(params=["codex", "claude-code"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentHost]:
    program = request.getfixturevalue("codex" if request.param == "codex" else "claude")
    yield from agent_host(request.param, program, tmp_path)


def settle(host: AgentHost, profile: str) -> None:
    """What a person does once: the team's files, trust, and one command."""
    root = Path(host.repository.path)
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "what the team knows")
    host.env["PATH"] = f"{MI.parent}:{host.env['PATH']}"  # what a team commits starts MI by its name
    host.mi("trust", "--team")
    host.mi("setup", host.name, "--profile", profile, "--yes")
    host.let_in("project")


def told(host: AgentHost) -> str:
    """Everything the model was given."""
    assert host.server is not None
    return json.dumps([request.body for request in host.server.requests], ensure_ascii=False)


@pytest.mark.req("one.acts.boot", "one.acts.recall", "one.acts.deploy", "one.acts.prompt", "one.acts.log")
@pytest.mark.parametrize("profile", ["light", "team", "strict"])
def test_a_session_by_profile(host: AgentHost, profile: str) -> None:
    host.prepare([turn(run("./deploy.sh production")), say("It waits for you.")])
    settle(host, profile)
    host.run(PROMPT)
    heard = told(host)
    for words in ("names the room that it changes", "Never push directly", "Amounts are cents"):  # what binds
        assert words in heard
    assert "opened with write ahead logging" in heard  # what matches
    (refused,) = host.outputs()
    for item in ("all tests pass: unknown", "nothing uncommitted", "a person saw the diff: nobody said so"):
        assert f"✗ {item}" in refused or f"✓ {item}" in refused
    assert "mi answer" in refused  # nobody can be asked here
    assert ("Append to your answer" in heard) is (profile != "light")  # a saying worth keeping
    logs = host.events("session_log")
    assert bool(logs) is (profile != "light")
    if logs:
        assert "We decided to keep one file." in Path(logs[0]["path"]).read_text("utf-8")


@pytest.mark.req("one.acts.capability-shell")
def test_a_subagent_that_may_not_edit_writes_nothing_by_the_shell(claude: str, tmp_path: Path) -> None:
    for host in agent_host("claude-code", claude, tmp_path):
        given = {"description": "look", "prompt": "look at it", "subagent_type": "reviewer"}
        host.prepare(
            [
                turn(call_tool("Agent", given)),
                turn(run("echo x > written.txt")),
                turn(run("python3 -c \"open('coded.txt', 'w').write('x')\"")),
                turn(run("mi task add 'Another one'")),
                say("I looked."),
                say("Done."),
            ]
        )
        settle(host, "team")
        host.mi("nexus", "init", "--host", "claude-code")
        host.run("let somebody look at calc.py")
        outputs = host.outputs()
        assert "no_file_edit" in outputs[0]
        assert "no_file_edit" in outputs[1]
        assert "no_task_create" in outputs[2]
        root = Path(host.repository.path)
        assert not (root / "written.txt").exists()
        assert not (root / "coded.txt").exists()
        assert not (root / "tinyTasks.md").exists()
