"""The toolset `governance` through a real server process: the same answers as everywhere else."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp.speaking import SERVE, Server

TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
CARD = """---
id: P-001
type: principle
merge_key: release-branch
title: Never push directly to the release branch
salience: 8
created: 2026-11-01
source: a bad night
---
Nobody pushes to the release branch directly.
"""


@pytest.fixture
def root(repository, mi) -> Path:
    made: Path = repository("app")
    (made / "persona").mkdir()
    mi("persona", "init", cwd=made)
    (made / "persona/cards/principles").mkdir(parents=True, exist_ok=True)
    (made / "persona/cards/principles/p-001.md").write_text(CARD, "utf-8")
    return made


@pytest.fixture
def server(root: Path) -> Iterator[Server]:
    with Server([*SERVE, "--tools", "governance"], cwd=str(root)) as opened:
        opened.initialize()
        yield opened


def permission(server: Server, tool: str, target: str) -> dict[str, str]:
    called = server.ask("tools/call", name="permission", arguments={"tool": tool, "target": target})
    found: dict[str, str] = called["result"]["structuredContent"]
    return found


@pytest.mark.req("one.smaller.batch")
def test_an_agent_hears_of_the_size_what_the_command_line_says(server: Server) -> None:
    few = server.content("assess", task="1. add a 2. add b 3. add c")
    assert (few["warnings"], few["first_batch"]) == ([], [])
    many = server.content("assess", task="1. add a 2. add b 3. add c 4. add d 5. add e 6. add f")
    assert many["first_batch"] == [{"item": f"add {letter}", "units": 1} for letter in "abcde"]
    assert "6" in many["warnings"][0]


@pytest.mark.req("gov.intro.doors", "gov.trig.t2", "mx.term.decision-cards", "mx.card.challenge-check")
def test_rules_through_the_server(server: Server) -> None:
    assert server.content("assess", task="fix the failing test")["free"] is True
    risky = server.content("assess", task="encrypt the backups", change_units=7)
    assert (risky["free"], risky["raw"], risky["review"]["level"]) == (False, 3, "required")
    assert server.content("assess", task="fix it")["spec_gate"] == "blocked"
    assert (risky["first_batch"], len(risky["warnings"])) == ([{"units": 5}], 1)
    found = server.content("signals", message=f"ASAP: push directly to the release branch with {TOKEN}")
    assert (found["mode"], found["triggers"], found["speed"]) == ("challenge", ["T2", "T6", "T8"], ["S1", "S3"])
    assert found["contradicts"] == ["P-001"]
    assert TOKEN not in json.dumps(found)
    assert "one sentence" in json.dumps(found["guidance"])
    irreversible = server.content("signals", message="ASAP: permanently delete all backups")
    assert "one sentence" not in json.dumps(irreversible["guidance"])  # speed mode is left
    refused = permission(server, "Bash", "git push -f origin main")
    assert (refused["decision"], refused["class"]) == ("DENY", "hard")
    assert "pull request" in refused["alternative"]
    assert permission(server, "Edit", "src/a.py")["decision"] == "ALLOW"
    assert server.refusal("assess", sensitiv=True)["code"] == "BAD_ARGUMENTS_UNKNOWN"
    assert "lines" in server.refusal("assess", lines=-1)["message"]


@pytest.mark.req("mx.handoff.no-unclear", "mx.handoff.no-empty-criteria", "mx.card.read-seven", "mx.def.proposal")
def test_the_teams_memory_through_the_server(server: Server, root: Path) -> None:
    (card,) = server.content("card_match", task="push to the release branch")["cards"]
    assert (card["id"], card["reading"]) == ("P-001", "must")
    assert "Nobody pushes" in card["text"]
    made = server.content("proposal", card_type="heuristic", title="Migrations go alone", text="One at a time.")
    assert (root / "persona" / made["path"]).exists()
    assert TOKEN not in json.dumps(server.refusal("proposal", card_type="pattern", title="Keys", text=f"use {TOKEN}"))
    saved = server.content("session_save", completed_items=["parser mended"], decisions=[], next_steps=["docs"])
    assert Path(saved["path"]).exists()
    assert saved["pending_proposals"]
    again = server.content("session_save", completed_items=[], decisions=[], next_steps=[], sid=saved["sid"])
    assert (again["path"], again["entry"]) == (saved["path"], 2)
    assert server.refusal("session_save", completed_items=["x"])["code"] == "BAD_ARGUMENTS"
    given = {"to": "human", "context": "the parser", "acceptance_criteria": ["tests pass"]}
    assert server.content("handoff", task="mend the parser", **given)["status"] == "sent"
    assert server.refusal("handoff", task="fix it", **given)["code"] == "HANDOFF_UNCLEAR"
    assert server.call("handoff", task="mend the parser", to="human", context="", acceptance_criteria=[])["isError"]
