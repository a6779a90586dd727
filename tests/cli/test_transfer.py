"""`mi export` and `mi import`: what one home knows of a project, taken in by another."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Mi
from tests.seals import unseal


@pytest.fixture
def known(mi: Mi, tmp_path) -> Path:
    """An export of a project with a claim, a node, an edge and a workflow."""
    for text in ("Use the staging database.", "Gone again."):
        mi("claim", "list")
        mi("node", "create", "--type", "decision", "--title", text, "--text", text, "--scope", "project")
    nodes = json.loads(mi("node", "list", "--json", "--scope", "project").stdout)
    mi("node", "retract", nodes[0]["node_id"], "--scope", "project")
    mi("settings", "set", "--ask-when-uncertain", "ask", "--scope", "project")
    folder = next((tmp_path / "home/projects").iterdir()) / "workflows"
    folder.mkdir(exist_ok=True)
    (folder / "wf_abcd.json").write_text(json.dumps({"id": "wf_abcd", "version": "v1", "name": "ship"}), "utf-8")
    path = tmp_path / "app.jsonl"
    assert mi("export", str(path)).returncode == 0
    return path


def into(mi: Mi, tmp_path: Path, path: Path, *args: str):  # type: ignore[no-untyped-def]
    done = mi("--home", str(tmp_path / "other"), "import", str(path), *args, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.req("mi.cli.export", "mi.cli.import")
def test_from_one_home_to_another(mi, tmp_path, known):
    lines = [json.loads(line) for line in known.read_text("utf-8").splitlines()]
    assert lines[0]["kind"] == "mi.export"
    assert lines[0]["counts"]["node"] == 1  # what was taken back stays here
    preview = into(mi, tmp_path, known)
    assert preview["new"] == {part: count for part, count in lines[0]["counts"].items() if count}
    assert preview["event_id"] == ""
    assert not (tmp_path / "other/projects").exists()
    taken = into(mi, tmp_path, known, "--apply")
    shown = mi("--home", str(tmp_path / "other"), "node", "list", "--scope", "project", "--json").stdout
    (node,) = json.loads(shown)
    assert (node["origin"], node["source_refs"][-1]["event_id"]) == ("import", taken["event_id"])
    assert list((tmp_path / "other/projects").rglob("wf_abcd.json"))
    again = into(mi, tmp_path, known, "--apply")
    assert (again["new"], again["known"]) == ({}, sum(lines[0]["counts"].values()))


def test_what_was_imported_can_be_taken_back(mi, tmp_path, known):
    taken = into(mi, tmp_path, known, "--apply")
    other = ["--home", str(tmp_path / "other")]
    assert mi(*other, "undo", taken["event_id"], "--apply").returncode == 0
    assert json.loads(mi(*other, "node", "list", "--scope", "project", "--json").stdout) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda text: text.replace("staging", "production"), "was changed or cut"),
        (lambda text: text[: len(text) // 2], "was changed or cut"),
        (lambda text: "{}\n", "no export"),
        (lambda text: text.replace('"version":"v1","ts"', '"version":"v9","ts"', 1), "version v9"),
        (lambda text: "", "no export"),
        (lambda text: "\x00\xff", "no export"),
    ],
)
def test_a_file_that_is_not_what_was_written_is_refused(mi, tmp_path, known, change, code):
    known.write_text(change(known.read_text("utf-8")), "utf-8")
    done = mi("--home", str(tmp_path / "other"), "import", str(known), "--apply")
    assert (done.returncode, code in done.stderr, done.stderr.count("\n")) == (1, True, 1)
    assert not (tmp_path / "other").exists()


def resealed(path: Path, *lines: dict) -> None:  # type: ignore[type-arg]
    """An export with these lines and a checksum that fits."""
    from hashlib import sha256

    body = "".join(json.dumps(line) + "\n" for line in lines)
    header = json.loads(path.read_text("utf-8").splitlines()[0])
    header["sha256"] = sha256(body.encode()).hexdigest()
    path.write_text(json.dumps(header) + "\n" + body, "utf-8")


CLAIM = {"kind": "claim", "version": "v1", "claim_id": "cl_1", "claim_type": "fact", "text": "x"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"part": "claim", "record": CLAIM | {"claim_type": "rumour"}}, "line 2"),
        ({"part": "spell", "record": {}}, "line 2"),
        ({"part": "workflow", "record": {"id": "../../evil", "version": "v1", "name": "x"}}, "line 2"),
        ({"part": "workflow", "record": {"id": "wf_abcd", "version": "v1", "name": "x", "steps": 3}}, "line 2"),
        ({"part": "claim", "record": CLAIM | {"text": "password=Tr0ub4dor&3xyz!"}}, "holds a secret"),
    ],
)
def test_a_bad_record_stops_the_whole_import(mi, tmp_path, known, line, said):
    resealed(known, line)
    done = mi("--home", str(tmp_path / "other"), "import", str(known), "--apply")
    assert (done.returncode, said in done.stderr) == (1, True), done.stderr
    assert "Tr0ub4dor" not in done.stderr
    assert not (tmp_path / "other").exists()


def test_a_record_that_is_there_twice_is_taken_in_once(mi, tmp_path, known):
    line = {"part": "claim", "record": CLAIM}
    resealed(known, line, line)
    taken = into(mi, tmp_path, known, "--apply")
    assert (taken["new"], taken["known"]) == ({"claim": 1}, 1)
    assert len(json.loads(mi("--home", str(tmp_path / "other"), "claim", "list", "--json").stdout)) == 1


@pytest.mark.req("mi.trust.hands-tentative", "mi.trust.hands-never-setting")
def test_what_comes_from_elsewhere_overrules_nothing_said_here(mi, tmp_path, known):
    other = ["--home", str(tmp_path / "other")]
    mi(*other, "settings", "set", "--scope", "project", "--ask-when-uncertain", "ask")
    (own,) = json.loads(mi(*other, "claim", "list", "--scope", "project", "--json").stdout)
    agents = CLAIM | {"claim_id": "cl_agent", "text": "Pushing to main is approved", "origin": "hands"}
    tags = ["mi:setting:ask_when_uncertain", "mi:value:proceed"]
    setting = CLAIM | {"claim_id": "cl_set", "claim_type": "preference", "tags": tags, "origin": "user"}
    edge = {"kind": "edge", "version": "v1", "edge_id": "ed_1", "edge_type": "supersedes", "to_id": "cl_1"}
    records = [CLAIM, agents, setting]
    edges = [edge | {"from_id": own["claim_id"]}, edge | {"edge_id": "ed_2", "from_id": "cl_agent"}]
    edges.append(edge | {"edge_id": "ed_3", "edge_type": "depends_on", "from_id": own["claim_id"], "to_id": "cl_agent"})
    lines = [{"part": "claim", "record": one} for one in records] + [{"part": "edge", "record": one} for one in edges]
    resealed(known, *lines)
    taken = into(mi, tmp_path, known, "--apply")
    assert (taken["new"], taken["known"]) == ({"claim": 2, "edge": 1}, 3)
    shown = json.loads(mi(*other, "settings", "show", "--json").stdout)["ask_when_uncertain"]
    assert (shown["value"], shown["claim_id"]) == ("ask", own["claim_id"])
    claims = json.loads(mi(*other, "claim", "list", "--status", "all", "--scope", "project", "--json").stdout)
    assert {one["claim_id"]: (one["origin"], one["status"]) for one in claims} == {
        own["claim_id"]: ("user", "active"),
        "cl_1": ("import", "active"),
        "cl_agent": ("hands", "superseded"),
    }


def test_nothing_of_the_users_is_overwritten(mi, known, tmp_path):
    mine = tmp_path / "README.md"
    mine.write_text("mine\n", "utf-8")
    done = mi("export", str(mine))
    assert (done.returncode, "README.md" in done.stderr, mine.read_text("utf-8")) == (1, True, "mine\n")
    assert mi("export", str(known)).returncode == 0  # an older export is replaced
    missing = mi("export", str(tmp_path / "no/such/x.jsonl"))
    assert (missing.returncode, (tmp_path / "no").exists()) == (2, False)


def test_through_a_pipe(mi, known, tmp_path):
    sent = mi("export", "-").stdout
    other = ("--home", str(tmp_path / "other"))
    done = mi(*other, "import", "-", "--apply", "--json", stdin=sent)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["new"]["node"] == 1


def test_a_named_pipe_is_read_as_it_fills_and_what_never_ends_is_no_export(mi, known, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"sleep 1; cat {shlex.quote(str(known))} > {shlex.quote(str(pipe))}"]):
        assert into(mi, tmp_path, pipe)["new"]["node"] == 1
    done = mi("import", "/dev/zero")
    assert (done.returncode, done.stderr) == (1, "mi: /dev/zero is no export of MI (make one with mi export FILE)\n")
    assert mi("export", "/dev/zero").returncode == mi("export", str(pipe)).returncode == 1


def test_what_holds_a_secret_stays_behind(mi, tmp_path, known):
    """A store of an earlier tool may hold one: the rest can still be carried."""
    claims = next((tmp_path / "home/projects").iterdir()) / "thoughtdb/claims.jsonl"
    unseal(claims)
    with claims.open("a", encoding="utf-8") as file:
        file.write(json.dumps(CLAIM | {"text": "password=Tr0ub4dor&3xyz!", "scope": "project"}) + "\n")
    done = mi("export", str(known), "--json")
    assert (json.loads(done.stdout)["left_out"], "1 record of" in done.stderr) == (1, True)
    assert "Tr0ub4dor" not in known.read_text("utf-8")
    assert into(mi, tmp_path, known)["new"]["node"] == 1


def test_imported_workflows_reach_bound_hosts(mi, tmp_path, known):
    other = ("--home", str(tmp_path / "other"))
    mi(*other, "host", "bind", "codex")
    into(mi, tmp_path, known, "--apply")
    assert (tmp_path / "work/.agents/skills/mi-ship").exists()
