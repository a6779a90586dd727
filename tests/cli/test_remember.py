"""`mi remember`: a person writes something down, for themselves or for the team; the gate is for agents."""

import json
from pathlib import Path

import pytest

from tests.conftest import Mi


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "work"


def recall(mi: Mi, word: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(mi("memory", "query", word, "--json").stdout)["results"]
    return found


@pytest.mark.req("one.remember.person", "one.remember.mine")
@pytest.mark.parametrize("kind", ["fact", "decision", "rule", "preference", "pattern", "note"])
def test_a_persons_word_is_kept_without_ceremony(mi: Mi, project: Path, kind: str):
    kept = json.loads(mi("remember", "The walrus likes herring.", "--kind", kind, "--json").stdout)
    assert (kept["kind"], kept["reach"]) == (kind, "mine")
    (found,) = recall(mi, "walrus")
    assert found["id"] == kept["id"]
    assert (found["kind"], found["summary"], found["truth"]) == (kind, "The walrus likes herring.", "asserted")
    assert found["tier"] == ("always" if kind == "rule" else found["tier"])
    assert mi(*kept["undo"].split()[1:]).returncode == 0
    assert recall(mi, "walrus") == []


@pytest.mark.req("one.remember.person")
def test_a_long_text_is_kept_whole(mi: Mi, project: Path):
    said = "walrus " + "herring " * 200 + "end"
    assert mi("remember", said).stdout.startswith("Remembered as ")
    (found,) = recall(mi, "walrus")
    assert f"{found['summary']} {found['detail']}".split() == said.split()
    assert mi("remember", " ").returncode == 2
    assert mi("remember", " ", "--team").returncode == 2


@pytest.mark.req("one.remember.person", "one.remember.memory-write")
def test_memory_write_asks_a_person_for_nothing_and_an_agent_for_all(
    mi: Mi, project: Path, monkeypatch: pytest.MonkeyPatch
):
    for kind in ("fact", "decision", "constraint"):
        kept = json.loads(mi("memory", "write", kind, f"walrus {kind}", "--json").stdout)
        assert kept["truth"] == "asserted"
    assert [one["truth"] for one in recall(mi, "walrus")] == ["asserted"] * 3
    failed = mi("memory", "write", "fact", "it is there", "--evidence", "file_exists", "nowhere.txt")
    assert (failed.returncode, "EVIDENCE_FAILED" in failed.stderr) == (3, True)
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "RECALL_REQUIRED" in mi("memory", "write", "note", "walrus note").stderr
    refused = mi("remember", "walrus")
    assert (refused.returncode, refused.stdout) == (3, "")


@pytest.mark.req("one.remember.team")
def test_a_word_for_the_team_goes_where_its_kind_belongs(mi: Mi, project: Path):
    for kind in ("rule", "fact", "note"):
        refused = mi("remember", "Walrus writes take half the time with WAL.", "--kind", kind, "--team")
        assert (refused.returncode, "mkdir" in refused.stderr) == (1, True)
    for kind in ("decision", "pattern", "preference"):
        refused = mi("remember", "Walrus writes go through one queue.", "--kind", kind, "--team")
        assert (refused.returncode, "mi persona init" in refused.stderr) == (1, True)
    (project / ".nexus").mkdir()
    assert mi("persona", "init", "--project").returncode == 0
    places = {
        "rule": ".nexus/rules/walrus-rule-writes-take.md",
        "fact": ".nexus/memory/empirical-walrus-fact-writes-take.md",
        "note": ".nexus/memory/walrus-note-writes-take.md",
        "decision": "proposal-heuristic-",
        "pattern": "proposal-pattern-",
        "preference": "proposal-principle-",
    }
    for kind, place in places.items():
        said = f"Walrus {kind} writes take" + "".join(f" {kind}{number}" for number in range(9)) + "."
        kept = json.loads(mi("remember", said, "--kind", kind, "--team", "--json").stdout)
        assert place in kept["path"], kept
        assert said in Path(kept["path"]).read_text("utf-8")
        assert kept["proposal"] == place.startswith("proposal")
    waiting = json.loads(mi("proposal", "list", "--json").stdout)
    assert {one["proposed_card_type"] for one in waiting} == {"heuristic", "pattern", "principle"}
    found = {one["kind"] for one in recall(mi, "walrus") if one["reach"] == "team"}
    assert found >= {"rule", "fact", "note"}
    assert mi("remember", "Use tabs.", "--kind", "rule", "--team").stdout.startswith("Written to ")
    assert mi("remember", "Small steps win.", "--kind", "pattern", "--team").stdout.startswith("Proposed as ")


@pytest.mark.req("one.remember.team")
def test_no_secret_is_written_into_the_teams_files(mi: Mi, project: Path):
    (project / ".nexus").mkdir()
    secret = "ghp_" + "a1B2" * 9
    for kind in ("rule", "note"):
        assert mi("remember", f"The token is {secret}", "--kind", kind, "--team").returncode != 0
    assert not [path for path in project.rglob("*.md") if secret in path.read_text("utf-8")]
