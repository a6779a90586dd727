"""Short ways to say a command."""

import json

import pytest

from tests.cli.conftest import Stage


@pytest.mark.req("mi.cli.path-first")
def test_a_path_before_the_command_is_the_project(mi, repository, tmp_path):
    root = repository("app")
    for way in (str(root), f"{root}/", "../app"):
        shown = json.loads(mi(way, "status", "--json").stdout)
        assert (shown["project"]["root"], shown["project"]["chosen_by"]) == (str(root), "cd")
    assert json.loads(mi("app", "status", "--json", cwd=tmp_path).stdout)["project"]["root"] == str(root)
    mi("project", "alias", "add", "web", "--cd", str(root))
    assert json.loads(mi("@web", "status", "--json").stdout)["project"]["root"] == str(root)
    assert mi(str(root)).stdout == mi(str(root), "status").stdout
    missing = mi("./nowhere", "status")
    assert (missing.returncode, "./nowhere" in missing.stderr) == (1, True)


def test_a_mistyped_command_is_not_a_folder(mi, tmp_path):
    (tmp_path / "work/stauts").mkdir()
    done = mi("stauts")
    assert (done.returncode, "mi status" in done.stderr) == (2, True)


@pytest.mark.req("mi.cli.ref-ev", "mi.cli.ref-last", "mi.cli.ref-hands")
def test_the_name_of_a_thing_shows_it(mi, recorded: Stage):
    event_id = json.loads(mi("tail", "-n", "1", "--raw").stdout)["event_id"]
    assert mi(event_id).stdout == mi("show", event_id).stdout != ""
    assert mi("last", "--json").stdout == mi("show", "last", "--json").stdout != ""
    for name in ("hands", "mind"):
        assert (mi(name).stdout, mi(name).returncode) == (mi("show", name).stdout, mi("show", name).returncode)


def test_why_takes_the_id_of_a_run_an_event_or_a_claim(mi, recorded: Stage):
    def explain(*words: str) -> dict[str, object]:
        shown = json.loads(mi("why", *words, "--json").stdout)
        return {name: value for name, value in shown.items() if name not in ("event_id", "as_of_ts", "ts")}

    run_id = json.loads(mi("status", "--json").stdout)["run"]["id"]
    event_id = json.loads(mi("tail", "-n", "1", "--raw").stdout)["event_id"]
    assert explain(run_id) == explain("last", run_id) != {}
    assert explain(event_id) == explain("event", event_id) != {}
    mi("init", "--values", "Keep changes small.")
    claim_id = json.loads(mi("claim", "list", "--scope", "global", "--json").stdout)[0]["claim_id"]
    assert explain(claim_id) == explain("claim", claim_id) != {}
    refused = mi("why", "qu_1")
    assert (refused.returncode, "qu_1" in refused.stderr) == (2, True)


def test_whatever_mi_names_can_be_typed(mi, recorded: Stage, tmp_path):
    """A run, a question and a suggestion by their ids, a transcript by its path; also from another project."""
    run_id = json.loads(mi("status", "--json").stdout)["run"]["id"]
    shown = json.loads(mi(run_id, "--json").stdout)
    assert (shown["run_id"], shown["status"], shown["task"], shown["batches"]) == (run_id, "done", "add a flag", 2)
    assert shown["marks"] == {"ran": True, "claimed": True, "verified": True, "proved": None}
    (tmp_path / "elsewhere").mkdir()
    question = json.loads(mi("qu_1", "--json", cwd=tmp_path / "elsewhere").stdout)
    assert (question["text"], question["answered_by"]) == ("Push to main?", None)
    assert json.loads(mi("ls_2", "--json").stdout)["answered_by"]["kind"] == "learn_applied"
    mi("answer", "qu_1", "Never.")
    assert json.loads(mi("qu_1", "--json").stdout)["answered_by"]["answer"] == "Never."
    path = recorded.transcript("hands", "t.jsonl", '{"ts": "2026-01-01T00:00:00Z", "stream": "stdout", "line": "hi"}')
    assert mi(str(path)).stdout == mi("show", str(path)).stdout != ""


@pytest.mark.parametrize("ref", ["run_nothing", "qu_nothing", "ls_nothing", "ev_nothing"])
def test_an_id_that_is_not_there_is_named(mi, recorded: Stage, ref):
    done = mi(ref)
    assert (done.returncode, ref in done.stderr, done.stderr.count("\n")) == (1, True, 1)


def test_a_folder_of_a_shown_name_is_meant_with_its_path(mi, tmp_path):
    (tmp_path / "work/last").mkdir()
    assert json.loads(mi("./last", "status", "--json").stdout)["project"]["root"] == str(tmp_path / "work/last")
