"""`mi init`, `mi values` and `mi settings`: what a person says once, kept as claims that cite the saying."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Stage, tree
from tests.conftest import MI
from tests.terminals import Terminal

TEXT = "Keep changes small. Run the tests before you say done."
SETTERS = [["init", "--values"], ["values", "set", "--text"]]


def lines(path: str | Path) -> list[dict]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def claims(home) -> list[dict]:
    return lines(home.path("thoughtdb", "global", "claims.jsonl"))


@pytest.mark.req(
    "v1.cli.values-set",
    "v1.cli.values-set-text",
    "v1.cli.init",
    "v1.cli.init-values",
    "v1.cli.values-set-event",
    "v1.cli.values-claims-cite",
    "v1.cli.values-raw-claim",
    "v1.cfg.values-raw-claim",
    "v1.cfg.values-set-payload",
    "v1.tdb.values-set",
    "v1.storage.global-evidence",
    "v1.storage.global-evidence-provenance",
    "v1.storage.global-claims",
)
@pytest.mark.parametrize("command", SETTERS)
def test_values_become_claims_that_cite_their_event(mi, home, command):
    done = mi(*command, TEXT)
    assert (done.returncode, done.stderr) == (0, "")
    (event,) = lines(home.path("global", "evidence.jsonl"))
    assert (event["kind"], event["values_text"], event["v"]) == ("values_set", TEXT, 1)
    assert event["event_id"] in done.stdout
    stored = claims(home)
    assert [(one["tags"], one["text"]) for one in stored] == [
        (["values:raw"], TEXT),
        (["values:base"], "Keep changes small."),
        (["values:base"], "Run the tests before you say done."),
    ]
    for one in stored:
        assert one["source_refs"] == [{"kind": "evidence_event", "event_id": event["event_id"]}]
        assert (one["claim_type"], one["scope"], one["project_id"], one["origin"]) == (
            "preference",
            "global",
            "",
            "user",
        )


@pytest.mark.req("v1.cli.values-show")
def test_show(mi):
    nothing = mi("values", "show")
    assert nothing.returncode == 0
    assert "mi init" in nothing.stdout
    assert json.loads(mi("values", "show", "--json").stdout) == {"values": [], "raw": "", "ready": False}
    event_id = json.loads(mi("init", "--values", TEXT, "--json").stdout)["event_id"]
    shown = mi("values", "show").stdout
    assert [line.partition("  ")[2] for line in shown.splitlines()] == [
        "Keep changes small.",
        "Run the tests before you say done.",
    ]
    as_json = json.loads(mi("values", "show", "--json").stdout)
    assert as_json["ready"] is True
    assert as_json["raw"] == TEXT
    assert [one["event_id"] for one in as_json["values"]] == [event_id, event_id]
    assert mi("show", as_json["values"][0]["claim_id"]).returncode == 0


def test_said_anew(mi, home):
    mi("init", "--values", TEXT)
    before = json.loads(mi("values", "show", "--json").stdout)["values"]
    done = json.loads(mi("values", "set", "--text", "Keep changes small. Never push.", "--json").stdout)
    assert done["values"] == ["Keep changes small.", "Never push."]
    assert done["retracted"] == 1
    after = json.loads(mi("values", "show", "--json").stdout)
    assert [one["text"] for one in after["values"]] == ["Keep changes small.", "Never push."]
    assert after["values"][0]["claim_id"] == before[0]["claim_id"]
    assert after["raw"] == "Keep changes small. Never push."
    mi("init", "--values", TEXT)  # what was taken back can be said again
    assert [one["text"] for one in json.loads(mi("values", "show", "--json").stdout)["values"]] == [
        "Keep changes small.",
        "Run the tests before you say done.",
    ]
    assert len([one for one in claims(home) if one["kind"] == "claim"]) == 3 + 2 + 2


def test_show_flag_and_dry_run(mi, home):
    command = ["init", "--values"]
    dry = mi(*command, TEXT, "--dry-run")
    assert dry.returncode == 0
    assert "Nothing was stored" in dry.stdout
    assert "  · Keep changes small.\n" in dry.stdout
    assert not os.path.exists(home.root)
    assert "·" not in mi(*command, TEXT).stdout
    before = tree(home.root)
    again = json.loads(mi(*command, "Keep changes small. New.", "--dry-run", "--json").stdout)
    assert (again["stored"], again["event_id"], again["retracted"]) == (False, "", 1)
    assert again["values"] == again["compiled_values"]["values_summary"] == ["Keep changes small.", "New."]
    raw = json.loads(mi(*command, "New.", "--no-compile", "--dry-run", "--json").stdout)
    assert raw["values"] == ["Keep changes small.", "Run the tests before you say done."]
    assert raw["retracted"] == 0
    assert tree(home.root) == before
    assert "  · New.\n" in mi(*command, "New.", "--show").stdout


@pytest.mark.req("v1.cli.values-flag-no-compile")
@pytest.mark.parametrize("flag", ["--no-compile", "--no-values-claims"])
def test_text_only(mi, home, flag):
    assert json.loads(mi("init", "--values", TEXT, flag, "--json").stdout)["values"] == []
    assert [one["tags"] for one in claims(home)] == [["values:raw"]]
    assert [one["kind"] for one in lines(home.evidence)] == ["values_set"]
    shown = mi("values", "show").stdout
    assert TEXT in shown
    assert json.loads(mi("status", "--json").stdout)["values"] == {"ready": False, "claims": 0}


def test_from_standard_input_or_a_file(mi, tmp_path: Path):
    command = ["values", "set", "--text"]
    assert mi(*command, "-", stdin="- Be kind\n- Be brief\n").returncode == 0
    assert [one["text"] for one in json.loads(mi("values", "show", "--json").stdout)["values"]] == [
        "Be kind",
        "Be brief",
    ]
    (tmp_path / "values.txt").write_bytes("1. 改动要小。\n2. Caf\xe9 first.".encode("latin-1", "ignore"))
    done = mi(*command[:-1], "--file", str(tmp_path / "values.txt"))
    assert done.returncode == 0
    assert "Caf\ufffd first." in mi("values", "show").stdout


def test_invalid_utf8_costs_a_character_not_the_values(mi):
    assert mi("init", "--values", "Keep \udcff it.").returncode == 0
    assert "Keep \ufffd it." in mi("values", "show").stdout


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (["init"], 2, "--values TEXT"),
        (["values", "set"], 2, "--text TEXT"),
        (["init", "--values", "a.", "--file", "b"], 2, "--file FILE"),
        (["init", "--values", ""], 1, "no sentence"),
        (["init", "--values", " .!? \n"], 1, "no sentence"),
        (["init", "--file", "/no/such/file"], 1, "/no/such/file"),
        (["init", "--file", "/"], 1, "/: "),
        (["values"], 2, "mi values --help"),
    ],
)
def test_values_that_are_none(mi, home, args, code, text):
    done = mi(*args)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.count("\n") == 1
    assert text in done.stderr
    assert not os.path.exists(home.root)


def test_values_with_a_secret_are_refused_without_repeating_it(mi, home):
    token = "ghp_" + "A1b2C3d4E5" * 4
    done = mi("init", "--values", f"Be kind.\nUse {token} to push.")
    assert (done.returncode, done.stdout) == (1, "")
    assert "line 2, column 5" in done.stderr
    assert token not in done.stderr
    assert not os.path.exists(home.root)


def settings(mi, *args: str) -> dict:
    return {name: one["value"] for name, one in json.loads(mi("settings", "show", "--json", *args).stdout).items()}


@pytest.mark.req("v1.cli.settings-show", "v1.cli.settings-set", "v1.cli.settings-ask", "v1.cli.settings-refactor")
def test_settings(mi, stage: Stage, home):
    assert settings(mi) == {"ask_when_uncertain": "ask", "refactor_intent": "behavior_preserving", "prove": "no"}
    assert mi("settings", "show", "--cd", str(stage.root)).stdout.count("(default)") == 3
    done = mi("settings", "set", "--ask-when-uncertain", "proceed", "--refactor-intent", "behavior_changing")
    assert (done.returncode, done.stderr) == (0, "")
    changed = {"ask_when_uncertain": "proceed", "refactor_intent": "behavior_changing"}
    assert settings(mi) == {**changed, "prove": "no"}
    assert mi("settings", "show").stdout.count("(global)") == 2
    (event,) = lines(home.evidence)
    assert event["kind"] == "settings_set"
    assert event["event_id"] in done.stdout
    tags = [one["tags"] for one in claims(home)]
    assert tags == [
        ["mi:setting:ask_when_uncertain", "mi:value:proceed"],
        ["mi:setting:refactor_intent", "mi:value:behavior_changing"],
    ]


@pytest.mark.req("v1.cli.settings-scope", "v1.emit.settings-set", "v1.storage.project-claims")
def test_setting_of_one_project(mi, stage: Stage, home, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    done = mi("settings", "set", "--scope", "project", "--cd", str(other), "--ask-when-uncertain", "proceed", "--json")
    event_id = json.loads(done.stdout)["event_id"]
    assert settings(mi, "--cd", str(other))["ask_when_uncertain"] == "proceed"
    assert settings(mi, "--cd", str(stage.root))["ask_when_uncertain"] == "ask"
    assert "(this project)" in mi("settings", "show", "--cd", str(other)).stdout
    project_id = json.loads(mi("project", "status", "--cd", str(other), "--json").stdout)["project_id"]
    (event,) = lines(home.path("projects", project_id, "evidence.jsonl"))
    assert (event["kind"], event["scope"], event["event_id"]) == ("settings_set", "project", event_id)
    (claim,) = lines(home.path("projects", project_id, "thoughtdb", "claims.jsonl"))
    assert claim["source_refs"] == [{"kind": "evidence_event", "event_id": event_id}]
    assert claim["project_id"] == project_id
    assert not os.path.exists(home.evidence)


@pytest.mark.req("mi.fail.settings-toggle")
def test_setting_toggled_there_and_back(mi):
    for value in ("proceed", "ask", "proceed", "ask"):
        mi("settings", "set", "--ask-when-uncertain", value)
        assert settings(mi)["ask_when_uncertain"] == value
    mi("settings", "set", "--scope", "project", "--ask-when-uncertain", "proceed")
    mi("settings", "set", "--ask-when-uncertain", "ask")
    assert settings(mi)["ask_when_uncertain"] == "proceed"


@pytest.mark.parametrize(
    "args",
    [["set"], ["set", "--ask-when-uncertain", "maybe"], ["set", "--scope", "world", "--ask-when-uncertain", "ask"], []],
)
def test_settings_that_are_none(mi, home, args):
    done = mi("settings", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert not os.path.exists(home.root)


@pytest.mark.req("one.smaller.init-bounded")
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_model_that_never_answers_is_waited_for_only_so_long(home, tmp_path, monkeypatch, capfd, more):
    from mi.cli import main, values

    silent = tmp_path / "codex"
    silent.write_text("#!/bin/sh\nexec tail -f /dev/null\n", "utf-8")
    silent.chmod(0o755)
    os.makedirs(home.root)
    config = {"mind": {"provider": "codex_schema", "codex_schema": {"path": str(silent)}}}
    Path(home.config).write_text(json.dumps(config), "utf-8")
    monkeypatch.setattr(values, "_LONGEST_S", 0.5)
    assert main.run(["init", "--values", TEXT, *more]) == 0
    said = capfd.readouterr()
    assert "no answer within 0.5 s" in said.err
    assert "Run the tests before you say done." in said.out or "Values in force: 2" in said.out


def test_headings_of_markdown_are_no_values(mi, home):
    text = "# How I work\n\n- Keep changes small.\n\n## Tests\nRun the tests. #1 first.\n\nStyle\n-----\nNo globals.\n"
    assert mi("init", "--values", text).returncode == 0
    kept = [one["text"] for one in claims(home) if "values:base" in one["tags"] and "values:raw" not in one["tags"]]
    assert kept == ["Keep changes small.", "Run the tests.", "#1 first.", "No globals."]


def test_a_bare_init_asks_at_a_terminal(mi, home, tmp_path: Path):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    (programs / "codex").chmod(0o755)
    env = {"MI_HOME": home.root, "HOME": str(tmp_path / "user"), "PATH": f"{programs}:/usr/bin:/bin"}
    with closing(Terminal([str(MI), "init"], tmp_path, **env)) as terminal:
        terminal.read_until("an empty line ends.")
        terminal.type("Keep changes small.\nNever push.\n\n")
        assert "rules, codex_schema" in terminal.read_until("else the rules)")
        terminal.type("rules\n")
        terminal.read_until("(yes/no)")
        terminal.type("yes\n")
        assert "Values in force: 2" in terminal.finish()
    assert json.loads(mi("config", "get", "mind.provider", "--json").stdout)["value"] == "rules"
    assert json.loads(mi("settings", "show", "--json").stdout)["prove"]["value"] == "yes"
    done = mi("init")
    assert (done.returncode, "--values TEXT" in done.stderr) == (2, True)
