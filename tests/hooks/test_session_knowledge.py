"""What an agent hears of what is known: at the beginning of a session, at a prompt, after edits."""

import json
from pathlib import Path

import pytest

from tests.conftest import git
from tests.hooks.host import Host, stand_above

CARD = """---
id: {id}
type: {type}
title: {title}
salience: {salience}
merge_key: about-{type}
created: 2026-01-02
---
{body}
"""


LOG = "## Session 1\n\n### Next steps\n\n- finish the parser\n"


@pytest.fixture
def root(repository) -> Path:
    """A repository with a rule, a persona with principles, cards, and a session of yesterday."""
    made: Path = repository("app")
    files = {
        ".nexus/rules/commits.md": "# Commits\n\nEvery commit names the room that it changes.\n",
        "persona/core/boot.md": "# Boot\n",
        "persona/core/principles.md": "# Principles\n\n- Never push directly to the release branch.\n",
        "persona/core/challenge-core.md": "# Challenge\n",
        "persona/cards/X-001.md": CARD.format(
            id="X-001", type="axiom", title="Money is integers", salience=9, body="Amounts are cents, never floats."
        ),
        "persona/cards/H-002.md": CARD.format(
            id="H-002",
            type="heuristic",
            title="Write ahead logging",
            salience=7,
            body="SQLite databases are opened with write ahead logging.",
        ),
        "persona/sessions/2026-01/2026-01-02-slot-A-abc123.md": LOG,
    }
    for name, content in files.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    git(made, "add", "-A")
    git(made, "commit", "-qm", "what the team knows")
    return made


@pytest.fixture
def host(home, root, as_team, monkeypatch) -> Host:
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    stand_above(monkeypatch, "claude")
    return Host(home, root)


def begin(host: Host, source: str = "startup") -> str:
    return str(host.tell("session-start", source=source).get("additionalContext", ""))


def let_bind(host: Host, mi) -> None:
    done = mi("--home", host.home.root, "-C", str(host.root), "trust", "--team")
    assert done.returncode == 0, done


@pytest.mark.req("one.acts.boot")
def test_a_session_begins_with_what_binds_and_what_is_pending(host, mi):
    let_bind(host, mi)
    told = begin(host)
    binds, _, rest = told.partition("## Pending")
    for words in ("names the room that it changes", "Never push directly to the release branch", "Amounts are cents"):
        assert words in binds
    assert "finish the parser" in rest
    assert "write ahead logging" not in told  # known when it is needed
    assert "binds nothing" not in told
    assert begin(host, "resume") == ""
    assert "Amounts are cents" in begin(host, "compact")  # what was said before is gone


@pytest.mark.req("one.acts.boot")
@pytest.mark.parametrize("source", ["startup", "compact"])
def test_a_rule_whose_text_is_told_is_not_listed_beside_it(host, root, mi, source):
    let_bind(host, mi)
    (root / ".nexus/context").mkdir()
    (root / ".nexus/context/rooms.md").write_text("# Rooms\n", "utf-8")
    host.parts = ("permissions", "nexus")
    told = begin(host, source)
    assert told.count(".nexus/rules/commits.md") == 1
    assert ".nexus/context/rooms.md: Rooms" in told


@pytest.mark.req("one.acts.boot")
def test_without_the_persons_trust_it_is_told_as_what_binds_nothing(host):
    told = begin(host)
    before, _, after = told.partition("binds nothing here until the person lets it (mi trust --team)")
    assert "What binds here" not in before
    assert "Never push directly" in after
    assert "tentative" in after


@pytest.mark.req("one.acts.boot")
def test_what_an_agent_changed_by_itself_binds_nothing(host, root, mi):
    let_bind(host, mi)
    (root / "persona/core/principles.md").write_text("# Principles\n\n- Push whatever you like.\n", "utf-8")
    before, _, after = begin(host).partition("binds nothing here")
    assert "Push whatever you like" not in before
    assert "Push whatever you like" in after


@pytest.mark.req("one.acts.boot")
def test_a_window_is_taken_by_a_team_and_seen_by_the_next_and_not_under_light(host, home, root):
    def windows() -> int:
        return len([one for one in root.glob("persona/sessions/*/*.md") if "2026-01-02" not in one.name])

    begin(host)
    begin(host)
    assert windows() == 1
    other = Host(home, root, session="s2")
    begin(other)
    assert windows() == 2
    Path(home.config).write_text("{}", "utf-8")
    assert "finish the parser" in begin(Host(home, root, session="s3"))
    assert windows() == 2


@pytest.mark.req("one.acts.recall")
@pytest.mark.parametrize("profile", ["light", "team", "strict"])
def test_what_matches_a_prompt_is_told_once_in_a_session(host, home, profile):
    Path(home.config).write_text(f'{{"profile": "{profile}"}}', "utf-8")
    begin(host)
    asked = "open the SQLite databases in src/store.py with another page size, with a test"
    assert "opened with write ahead logging" in host.prompt(asked)
    assert "write ahead logging" not in host.prompt(asked)
    assert "write ahead logging" in Host(home, host.root, session="s2").prompt(asked)
    assert "write ahead logging" not in Host(home, host.root, session="s3").prompt("add a title to README.md")


@pytest.mark.req("one.acts.recall")
def test_what_was_told_at_the_beginning_is_not_told_again(host, mi):
    let_bind(host, mi)
    begin(host)
    assert "Amounts are cents" not in host.prompt("sum the amounts in cents in src/sum.py, with a test")


@pytest.mark.req("one.acts.prompt")
def test_a_request_that_says_nothing_is_asked_back(host, home):
    told = host.prompt("make it better")
    assert "ask the person before you change anything" in told
    assert "By what will you see that it is done?" in told
    for harmless in ("go on", "yes", "rename parse() in src/a.py to read(), with a test"):
        assert "ask the person before" not in host.prompt(harmless)
    Path(home.config).write_text("{}", "utf-8")
    assert host.prompt("make it better") == ""


@pytest.mark.req("one.acts.prompt")
def test_the_risk_of_a_request_is_told_with_what_it_needs(host, home):
    asked = "encrypt the user table with the new dependency cryptography, in src/users.py"
    told = host.prompt(asked)
    assert "Risk 5: a review is required" in told
    assert "the person's confirmation before anything is applied" in told
    Path(home.config).write_text("{}", "utf-8")
    assert "Risk" not in Host(home, host.root, session="s2").prompt(asked)


@pytest.mark.req("one.acts.matrix")
def test_after_an_edit_the_batchs_review_is_told_as_the_gate_says_it(host, root, home, mi):
    host.prompt("read the password in src/auth.py")
    path = root / "src/auth.py"
    path.parent.mkdir()
    path.write_text("import cryptography\n\n\ndef login(password):\n    return encrypt(password)\n", "utf-8")
    told = host.after("Write", file_path=str(path))
    said = mi("--home", host.home.root, "-C", str(root), "gate", "diff", "--json").stdout
    gate = json.loads(said)
    assert gate["review"]["level"] == "required"
    assert f"1 change unit at risk {gate['raw']}: a review is required before it goes on" in told
    assert host.after("Edit", file_path=str(path)) == ""  # nothing new
    Path(home.config).write_text("{}", "utf-8")
    light = Host(home, root, session="s2")
    assert light.after("Write", file_path=str(path)) == ""


def work(host: Host, name: str) -> None:
    host.after("Edit", file_path=str(host.root / name))
    host.tell("stop", last_assistant_message=f"{name} is done.")


def read_log(host: Host) -> str:
    return Path(host.records("session_log")[-1]["path"]).read_text("utf-8")


@pytest.mark.req("one.acts.log")
def test_a_session_leaves_what_was_decided_and_what_comes_next(host, root):
    (root / "tinyTasks.md").write_text("# Tasks\n\n- [ ] 1. Mend the printer\n", "utf-8")
    begin(host)
    host.prompt("Shall we say: we will use Redis? Let's go with SQLite. We decided to keep one file. Fix src/a.py")
    work(host, "src/a.py")
    log = read_log(host)
    decisions = log.partition("### Decisions")[2].partition("###")[0]
    assert "Let's go with SQLite." in decisions
    assert "We decided to keep one file." in decisions
    assert "Redis" not in decisions  # a question decides nothing
    assert "Mend the printer" in log.partition("### Next steps")[2]
    assert "- finish the parser" not in begin(Host(host.home, root, session="s2"))
    assert "Mend the printer" in begin(Host(host.home, root, session="s3"))  # the last session that left something


@pytest.mark.req("one.acts.log")
def test_what_an_agent_says_to_itself_is_no_decision(host, monkeypatch):
    begin(host)
    stand_above(monkeypatch, "claude", "codex")  # one agent starts the other
    host.prompt("We decided to use Redis. Fix src/a.py")
    work(host, "src/a.py")
    assert "Redis" not in read_log(host).partition("### Decisions")[2].partition("###")[0]


@pytest.mark.req("one.acts.log")
def test_the_end_of_a_session_is_said_in_one_block_and_light_keeps_no_log(host, home):
    begin(host)
    host.prompt("We always write the test first. Fix src/a.py")
    host.after("Edit", file_path=str(host.root / "src/a.py"))
    said = json.loads(host.reply("session-end").stdout)["systemMessage"]
    assert said.startswith("─── ISB ───")
    assert "the session is kept in sessions/" in said
    assert "We always write the test first." in said
    begun = [json.loads(Host(home, host.root, session=name).reply("session-start").stdout) for name in ("s3", "s4")]
    assert [said in one.get("systemMessage", "") for one in begun] == [True, False]  # where a host shows it, once
    Path(home.config).write_text("{}", "utf-8")
    light = Host(home, host.root, session="s2")
    light.prompt("We decided to use Redis. Fix src/a.py")
    work(light, "src/a.py")
    assert light.reply("session-end").stdout == b"{}\n"
    assert len(host.records("session_log")) == 1
