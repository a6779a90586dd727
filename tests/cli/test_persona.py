"""`mi persona|card|proposal|session|handoff` as a member of a team uses them."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import MI, Mi
from tests.persona.ciphers import PROGRAMS, make_path
from tests.terminals import Terminal


@pytest.fixture
def team(repository, monkeypatch) -> Path:
    root: Path = repository("team")
    monkeypatch.chdir(root)
    return root


def answer(mi: Mi, *args: str, code: int = 0, stdin: str = ""):  # type: ignore[no-untyped-def]
    done = mi(*args, "--json", stdin=stdin)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def refused(mi: Mi, *args: str, code: int = 1) -> str:
    done = mi(*args)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1), done.stdout + done.stderr
    return done.stderr


def kinds(mi: Mi) -> list[str]:
    return [json.loads(line)["kind"] for line in mi("tail", "-n", "50", "--raw").stdout.splitlines()]


@pytest.mark.req("gov.dir.init", "gov.boot.command", "gov.boot.json", "gov.boot.member", "mx.boot.first-boot-say")
def test_init_and_boot(mi, team):
    assert "mi persona init" in refused(mi, "persona", "boot")
    made = answer(mi, "persona", "init", "--project")
    assert made["root"] == str(team / "persona")
    assert answer(mi, "persona", "init")["made"] == []
    first = mi("persona", "boot", "--member", "human", env={"MI_LANG": "zh"}).stdout
    assert "首次启动,无历史session。本次session结束时将创建第一份session log。" in first
    assert "系统就绪。建议先完成一个小任务验证协作流程。" in first
    second = answer(mi, "persona", "boot")
    assert (second["slot"], second["member"], second["first_boot"]) == ("B", "mi", False)
    assert [one["slot"] for one in second["windows"]] == ["A"]
    (team / "persona/core/boot.md").unlink()
    assert "core/boot.md" in refused(mi, "persona", "boot")


@pytest.mark.req("mx.boot.first-boot-ready")
def test_without_a_project_persona_the_home_holds_it(mi, tmp_path):
    assert answer(mi, "persona", "init")["root"] == str(tmp_path / "home/persona")
    assert "系统就绪" in mi("persona", "boot", env={"MI_LANG": "zh"}).stdout


@pytest.mark.req("mi.config.persona-root", "mi.config.persona-member")
def test_root_and_member_of_the_configuration(mi, tmp_path):
    mi("config", "init")
    path = tmp_path / "home/config.json"
    config = json.loads(path.read_text("utf-8"))
    config["persona"] = {"root": str(tmp_path / "elsewhere"), "member": "human"}
    path.write_text(json.dumps(config), "utf-8")
    assert answer(mi, "persona", "init")["root"] == str(tmp_path / "elsewhere")
    assert answer(mi, "persona", "boot")["member"] == "human"


@pytest.mark.req(
    *("gov.prop.from-claim", "gov.prop.from-claim-content", "mi.product.cards-from-claims", "mi.kind.proposal-written"),
)
def test_from_a_claim_to_a_card(mi, team):
    mi("persona", "init", "--project")
    mi("init", "--values", "Migrations go alone.")
    (claim, *_) = answer(mi, "claim", "list", "--scope", "effective")
    kept = answer(mi, "proposal", "add", "--type", "heuristic", "--from", claim["claim_id"])
    assert kept["title"] == "Migrations go alone."
    text = (team / "persona" / kept["path"]).read_text("utf-8")
    assert f"- {claim['claim_id']}" in text
    assert claim["source_refs"][0]["event_id"] in text
    assert kept["tags"] == claim["tags"]
    own = mi("proposal", "review", kept["name"], "--verdict", "accept", "--reason", "ok", env={"CLAUDECODE": "1"})
    assert (own.returncode, "another member" in own.stderr) == (3, True)
    decided = answer(mi, "proposal", "review", kept["name"], "--verdict", "accept", "--by", "human", "--reason", "ok")
    assert (decided["card"], decided["status"]) == ("H-001", "accepted")
    assert kinds(mi).count("proposal") == 2
    (matched,) = answer(mi, "card", "match", "write", "the", "migrations")
    assert (matched["id"], matched["read"]) == ("H-001", "may")
    assert "Migrations go alone" in mi("card", "show", "H-001").stdout
    assert "H-001" in mi("card", "list").stdout
    assert answer(mi, "card", "health")["active"] == 1
    assert answer(mi, "card", "index") == {"cards": 1, "written": False}
    assert answer(mi, "card", "archive", "H-001")["status"] == "archived"
    assert answer(mi, "card", "list") == []
    assert "no cl_nope" in refused(mi, "proposal", "add", "--type", "pattern", "--from", "cl_nope")


@pytest.mark.req("mx.sal.action", "mx.sal.warning")
def test_health_says_what_to_do(mi, team):
    mi("persona", "init", "--project")
    for number in range(10):
        text = f"Say it {number}.\n\n## Evidence\n\n- ev_1\n"
        name = answer(mi, "proposal", "add", "--type", "pattern", "--title", f"Way {number} holds", "--text", text)[
            "name"
        ]
        mi("proposal", "review", name, "--verdict", "accept", "--by", "human", "--reason", "ok")
    assert "re-evaluate salience against actual use" in mi("card", "health").stdout


@pytest.mark.req(
    "gov.session.save-proposals", "mi.kind.session-log-written", "mx.end.review-proposals", "mx.mem.log-at-end"
)
def test_saving_a_session_shows_pending_proposals(mi, team):
    mi("persona", "init", "--project")
    sid = answer(mi, "persona", "boot")["sid"]
    mi("proposal", "add", "--type", "pattern", "--title", "Small steps hold", "--text", "Yes.")
    done = mi(
        "session", "save", "--sid", sid, "--completed", "login", "--decision", "sessions :: simpler", "--next", ""
    )
    assert "Saved to window A, session 1" in done.stdout
    assert "proposal-pattern-small-steps-hold" in done.stdout
    shown = answer(mi, "session", "show", "--sid", sid)
    assert shown["sections"] == {"completed_items": ["login"], "decisions": ["sessions — simpler"], "next_steps": []}
    assert "session_log" in kinds(mi)
    assert "decisions" in refused(mi, "session", "save", "--completed", "x", "--next", "y", code=2)
    assert len(list((team / "persona/sessions").rglob("*.md"))) == 1  # nothing was made by the refused one


def test_a_session_entry_as_json(mi, team):
    mi("persona", "init", "--project")
    entry = {
        "completed_items": ["a"],
        "decisions": [{"text": "b", "reason": "c"}],
        "next_steps": [],
        "incidents": ["d"],
    }
    saved = answer(mi, "session", "save", "--file", "-", stdin=json.dumps(entry))
    assert (saved["slot"], saved["entry"], saved["pending_proposals"]) == ("A", 1, [])
    assert "decisions" in refused_json(mi, {"completed_items": [], "decisions": "x", "next_steps": []})


def refused_json(mi: Mi, entry: object) -> str:
    done = mi("session", "save", "--file", "-", stdin=json.dumps(entry))
    assert done.returncode == 2
    return done.stderr


@pytest.mark.req("mi.kind.handoff-written")
def test_a_handoff_from_one_member_to_another(mi, team):
    mi("persona", "init", "--project")
    new = ["handoff", "new", "--to", "human", "--task", "Add login", "--context", "see docs"]
    assert "--criterion" in refused(mi, *new, code=3)
    made = answer(mi, *new, "--criterion", "tests pass")
    assert (made["from"], made["to"], made["status"]) == ("mi", "human", "sent")
    assert "human's" in refused(mi, "handoff", "accept", made["id"], code=3)
    assert answer(mi, "handoff", "accept", made["id"], "--member", "human")["status"] == "accepted"
    done = ["handoff", "done", made["id"], "--member", "human", "--deliverable"]
    assert "TYPE:PATH:TEXT" in refused(mi, *done, "song:x", code=2)
    assert answer(mi, *done, "patch:src/login.py:the form")["deliverables"][0]["type"] == "patch"
    assert "Add login" in mi("handoff", "show").stdout
    assert "done when: tests pass" in mi("handoff", "show", made["id"]).stdout
    assert kinds(mi).count("handoff") == 3


@pytest.mark.req("gov.note.add", "gov.note.list", "mx.mem.private-others")
def test_private_notes_lint_and_publish(mi, team, tmp_path):
    mi("persona", "init", "--project")
    mi("persona", "note", "prefers short answers", "--member", "human")
    assert "prefers short answers" in mi("persona", "notes", "--member", "human").stdout
    assert answer(mi, "persona", "notes") == []
    assert answer(mi, "persona", "lint") == []
    out = tmp_path / "out"
    assert "core/boot.md" in answer(mi, "persona", "publish", str(out))["written"]
    assert "prefers" not in "".join(path.read_text("utf-8") for path in out.rglob("*") if path.is_file())
    (team / "persona/core/principles.md").write_text("see /home/ada/x\n", "utf-8")
    done = mi("persona", "lint")
    assert (done.returncode, "line 1" in done.stdout) == (1, True)


@pytest.mark.req("gov.conf.command", "gov.conf.never-hidden", "gov.conf.not-supported")
def test_conformance_shows_every_item_and_hides_none(mi):
    items = answer(mi, "persona", "conformance")
    assert len([one for one in items if one["id"].startswith("mx.conf.")]) == 18
    assert all(one["tests"] for one in items if one["supported"])
    shown = mi("persona", "conformance").stdout
    assert "cross-device synchronisation" in shown
    assert "not supported" in shown


def held(folder: Path, word: str) -> list[str]:
    """The files below a folder in which a word can be read."""
    found = (path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes())
    return [str(path.relative_to(folder)) for path in found]


@pytest.mark.req("mx.publish.encrypt", "hub.private-encrypted")
@pytest.mark.parametrize("cipher", sorted(PROGRAMS))
def test_encrypted_notes_are_closed_without_the_key(mi, team, tmp_path, monkeypatch, cipher):
    only = make_path(tmp_path / "programs", cipher, "git")
    monkeypatch.setenv("PATH", only)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    mi("persona", "init", "--project")
    mi("persona", "note", "likes marzipan")
    notes = team / "persona/.mi/private/notes.md"
    assert "copy it to a safe place" in refused(mi, "persona", "encrypt", code=3)
    assert (notes.exists(), (tmp_path / "own").exists()) == (True, False)
    said = mi("persona", "encrypt", "--yes").stdout
    key = tmp_path / "own/mind-incarnation/persona.key"
    assert (str(key) in said, f"{cipher} makes a key" in said, "nobody can read" in said) == (True, True, True)
    assert str(key) not in mi("persona", "encrypt").stdout
    assert (notes.exists(), key.stat().st_mode & 0o777) == (False, 0o600)
    assert mi("persona", "notes").stdout.endswith("likes marzipan\n")
    key.rename(tmp_path / "stick.key")
    for words in (["notes"], ["note", "more"], ["encrypt", "--yes"], ["decrypt"]):
        assert str(key) in refused(mi, "persona", *words, code=3)
    assert "stay closed" in mi("persona", "boot").stdout
    assert answer(mi, "persona", "boot")["private"] == {}
    mi("memory", "index", "rebuild")
    assert answer(mi, "search", "marzipan")["hits"] == []
    mi("export", str(tmp_path / "home/all.jsonl"))
    answer(mi, "persona", "publish", str(tmp_path / "home/published"))
    assert held(tmp_path / "home", "likes marzipan") + held(team, "marzipan") == []
    (tmp_path / "stick.key").rename(key)
    assert "plain again" in mi("persona", "decrypt").stdout
    assert "likes marzipan" in notes.read_text("utf-8")
    assert "Nothing in" in mi("persona", "decrypt").stdout


def test_an_agent_encrypts_nothing(mi, team):
    mi("persona", "init", "--project")
    done = mi("persona", "encrypt", "--yes", env={"CLAUDECODE": "1"})
    assert (done.returncode, (team / "persona/.mi").exists()) == (3, False)


def test_a_person_is_asked_before_a_key_is_made(mi, team, tmp_path):
    mi("persona", "init", "--project")
    mi("persona", "note", "likes marzipan")
    place = {"XDG_CONFIG_HOME": str(tmp_path / "own")}
    for typed, made in (("n", False), ("y", True)):
        with closing(Terminal([str(MI), "persona", "encrypt"], team, **place)) as terminal:
            assert "nobody can read" in terminal.read_until("[y/N]")
            terminal.type(f"{typed}\n")
            terminal.finish(0 if made else 3)
        assert (tmp_path / "own/mind-incarnation/persona.key").exists() is made
