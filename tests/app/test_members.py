"""Members are real: a person acts as the human they are bound to by git's e-mail, an agent as an AI member."""

import json
import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import MI, Mi, git
from tests.speaking import INSTALLED
from tests.terminals import Terminal

TABLE = """\
# Boot

| name | type |
| --- | --- |
| ada | human |
| bob | human |
| mi | ai |
"""
AGENT = {"CLAUDECODE": "1"}
PROPOSE = ["proposal", "add", "--type", "heuristic", "--title", "Small steps", "--text", "Go.", "--evidence", "ev_1"]
REVIEW = ["proposal", "review", "proposal-heuristic-small-steps", "--verdict", "accept", "--reason", "seen"]


@pytest.fixture
def team(repository, mi: Mi, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of ada, bob and mi, in which nobody has said yet who they are."""
    root: Path = repository("team")
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f"{INSTALLED.parent}:{os.environ['PATH']}")
    mi("persona", "init", "--project")
    (root / "persona/core/boot.md").write_text(TABLE, "utf-8")
    git(root, "config", "user.email", "ada@example.org")
    return root


def refused(mi: Mi, *args: str, code: int = 3, env: dict[str, str] | None = None) -> str:
    done = mi(*args, env=env)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stdout + done.stderr
    return done.stderr


def passes(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.req("one.teams.bound")
def test_a_person_says_once_who_they_are(mi, team, tmp_path):
    assert "mi persona member ada" in refused(mi, "persona", "note", "x", "--member", "ada")
    assert json.loads(passes(mi("persona", "member", "ada", "--json"))) == {"member": "ada", "email": "ada@example.org"}
    config = json.loads((tmp_path / "home/config.json").read_text("utf-8"))
    assert config["persona"] == {"member": "ada", "email": "ada@example.org"}
    passes(mi("persona", "note", "x"))
    assert (team / "persona/.ada/private").is_dir()
    shown = {one["name"]: one["you"] for one in json.loads(passes(mi("persona", "member", "--json")))}
    assert shown == {"ada": True, "bob": False, "mi": False}
    assert "ada  human  (you)" in passes(mi("persona", "member"))


@pytest.mark.req("one.teams.bound")
def test_another_e_mail_is_another_person(mi, team):
    passes(mi("persona", "member", "ada"))
    git(team, "config", "user.email", "bob@example.org")
    said = refused(mi, "persona", "note", "x")
    assert "ada@example.org" in said
    assert "bob@example.org" in said
    passes(mi("persona", "member", "bob"))
    passes(mi("persona", "note", "x"))


@pytest.mark.req("one.teams.bound", "one.teams.known")
@pytest.mark.parametrize(("name", "way"), [("eve", "ada, bob, mi"), ("mi", "AI member")])
def test_nobody_is_bound_to_a_stranger_or_to_an_ai(mi, team, name, way):
    assert way in refused(mi, "persona", "member", name, code=2)


@pytest.mark.req("one.teams.bound")
def test_without_an_e_mail_nobody_is_bound(mi, team):
    git(team, "config", "--unset", "user.email")
    assert "git config user.email" in refused(mi, "persona", "member", "ada", code=2)
    assert "agent" in refused(mi, "persona", "member", "ada", env=AGENT)


@pytest.mark.req("one.teams.known")
def test_unknown_members_are_refused(mi, team):
    hand = ["handoff", "new", "--task", "Add a login form to src/login.py", "--context", "docs", "--criterion", "green"]
    for args in (["persona", "boot", "--member", "eve"], [*hand, "--to", "eve"], [*REVIEW, "--by", "eve"]):
        passes(mi(*PROPOSE)) if args[0] == "proposal" else None
        assert "ada, bob, mi" in refused(mi, *args, code=2)


@pytest.mark.req("one.teams.sitting")
def test_nobody_acts_as_another_human(mi, team):
    passes(mi("persona", "member", "ada"))
    assert "you are ada, not bob" in refused(mi, "persona", "notes", "--member", "bob")
    passes(mi(*PROPOSE))
    assert "own" in refused(mi, *REVIEW)
    assert "you are ada, not bob" in refused(mi, *REVIEW, "--by", "bob")
    assert "AI member" in refused(mi, *REVIEW, "--by", "mi")
    git(team, "config", "user.email", "bob@example.org")
    passes(mi("persona", "member", "bob"))
    assert json.loads(passes(mi(*REVIEW, "--json")))["reviewed_by"] == "bob"


@pytest.mark.req("one.teams.sitting")
def test_an_agent_is_no_human(mi, team):
    passes(mi("persona", "member", "ada"))
    assert "agent" in refused(mi, "persona", "notes", "--member", "ada", env=AGENT)
    made = json.loads(passes(mi(*PROPOSE, "--json", env=AGENT)))
    assert made["proposed_by"] == "mi"
    assert "agent" in refused(mi, *REVIEW, "--by", "ada", env=AGENT)
    assert json.loads(passes(mi(*REVIEW, "--json")))["reviewed_by"] == "ada"


HAND = ["handoff", "new", "--task", "Add a login form to src/login.py", "--context", "see docs", "--criterion", "green"]


@pytest.mark.req("one.teams.handoffs-reach")
def test_a_handoff_reaches_the_one_it_is_for(mi, team, tmp_path):
    passes(mi("persona", "member", "ada"))
    made = json.loads(passes(mi(*HAND, "--to", "bob", "--json")))
    assert made["from"] == "ada"
    assert made["id"] not in passes(mi("inbox"))
    assert json.loads(passes(mi("status", "--json")))["handoffs"] == []
    bobs = ["--home", str(tmp_path / "bobs")]
    git(team, "config", "user.email", "bob@example.org")
    passes(mi(*bobs, "persona", "member", "bob"))
    passes(mi(*bobs, "project", "use"))
    assert "login form" in passes(mi(*bobs, "inbox"))
    status = json.loads(passes(mi(*bobs, "status", "--json")))
    assert [(one["id"], one["status"]) for one in status["handoffs"]] == [(made["id"], "sent")]
    assert f"mi run --handoff {made['id']}" in status["next"]
    assert f"{made['id']} sent, ada → bob: Add a login form" in passes(mi(*bobs, "status"))
    assert f"mi run --handoff {made['id']}" in passes(mi(*bobs, "persona", "boot"))
    passes(mi(*bobs, "handoff", "accept", made["id"]))
    assert json.loads(passes(mi(*bobs, "persona", "boot", "--json")))["handoffs"][0]["status"] == "accepted"
    passes(mi(*bobs, "handoff", "done", made["id"], "--deliverable", "file:src/login.py:the form"))
    assert json.loads(passes(mi(*bobs, "status", "--json")))["handoffs"] == []


@pytest.mark.req("one.teams.bound")
def test_setup_binds_the_person(mi, team, tmp_path):
    config = tmp_path / "home/config.json"
    set_up = ["setup", "claude-code", "--profile", "team"]
    assert "mi persona member NAME" in passes(mi(*set_up, "--yes"))
    assert not config.exists()
    with closing(Terminal([str(MI), *set_up, "--yes"], team)) as terminal:
        terminal.read_until("Which member of the team are you, by git's e-mail ada@example.org? (ada, bob)")
        terminal.type("bob\n")
        assert "You are bob" in terminal.finish()
    assert json.loads(config.read_text("utf-8"))["persona"] == {"member": "bob", "email": "ada@example.org"}
    assert "You are" not in passes(mi(*set_up, "--yes"))


@pytest.mark.req("one.teams.bound")
def test_setup_knows_the_only_human(mi, team, tmp_path):
    (team / "persona/core/boot.md").write_text(TABLE.replace("| bob | human |\n", ""), "utf-8")
    assert "You are ada" in passes(mi("setup", "claude-code", "--profile", "team", "--yes"))
    config = json.loads((tmp_path / "home/config.json").read_text("utf-8"))
    assert config["persona"]["email"] == "ada@example.org"
