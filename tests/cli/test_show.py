"""`mi show`: one thing, by its id, its path or a name such as `last`."""

import gzip
import json
from pathlib import Path

import pytest

from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import AutoAnswer, LoopBreak, LoopGuard, RiskEvent
from mi.evidence.records.run import BatchEnd, StateCorrupt
from mi.evidence.records.thoughts import LearnUpdate, WhyTrace
from tests.cli.conftest import Stage
from tests.seals import unseal

HEADER = '{"type":"mi.transcript.header","ts":"2026-01-01T00:00:00.000Z","kind":"hands","cwd":"/","argv":["codex"]}'


def line(number: int) -> str:
    return json.dumps({"ts": f"2026-01-01T00:00:{number % 60:02}.000Z", "stream": "stdout", "line": f"line {number}"})


@pytest.mark.req("v1.cli.show", "v1.cli.show-ev", "v1.transp.expand")
def test_event_by_id(mi, recorded: Stage):
    (event,) = recorded.append(HandsInput(batch_id="b7", input="first\nsecond", thread_id="t1"))
    shown = mi("show", event.event_id, "--cd", str(recorded.root))
    assert shown.returncode == 0
    assert "hands_input" in shown.stdout
    assert "first" in shown.stdout
    assert "second" in shown.stdout
    as_json = json.loads(mi("show", event.event_id, "--json").stdout)
    assert as_json["event_id"] == event.event_id
    assert as_json["input"] == "first\nsecond"
    assert as_json["v"] == 1


@pytest.mark.req("v1.cli.show-ev-fallback", "v1.cli.show-ev-global")
def test_event_of_the_project_then_of_everything(mi, recorded: Stage, home):
    (mine,) = recorded.append(HandsInput(input="x"))
    stored = json.loads(mi("init", "--values", "Keep changes small.", "--json").stdout)["event_id"]
    assert mi("show", stored).returncode == 0
    assert mi("show", stored, "--global").returncode == 0
    assert mi("show", mine.event_id).returncode == 0
    done = mi("show", mine.event_id, "--global")
    assert done.returncode == 1
    assert done.stderr == f"mi: no {mine.event_id} in {home.evidence} (list what is there with mi tail)\n"


def test_event_in_both_logs_is_the_projects(mi, recorded: Stage, home):
    for log, text in ((recorded.log, "of the project"), (Path(home.evidence), "of all")):
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"kind": "note", "event_id": "ev_same", "text": text}) + "\n")
    assert "of the project" in mi("show", "ev_same").stdout
    assert "of all" in mi("show", "ev_same", "--global").stdout


def test_event_of_a_kind_or_a_time_unknown_to_this_version(mi, recorded: Stage):
    unseal(recorded.log)
    with recorded.log.open("a", encoding="utf-8") as file:
        file.write('{"kind":"telepathy","event_id":"ev_new","v":7,"thought":{"of":["a","b"]}}\n')
    assert json.loads(mi("show", "ev_new", "--json").stdout)["thought"] == {"of": ["a", "b"]}
    assert '{"of":["a","b"]}' in mi("show", "ev_new").stdout


@pytest.mark.req("v1.cli.show-cl", "v1.cli.show")
def test_claim_by_id_of_the_project_then_of_everything(mi, stage: Stage):
    mi("init", "--values", "Keep changes small.")
    mi("settings", "set", "--scope", "project", "--ask-when-uncertain", "ask")
    everywhere = json.loads(mi("values", "show", "--json").stdout)["values"][0]["claim_id"]
    here = json.loads(mi("settings", "show", "--json").stdout)["ask_when_uncertain"]["claim_id"]
    assert "Keep changes small." in mi("show", everywhere).stdout
    assert json.loads(mi("show", here, "--json").stdout)["project_id"] == stage.project_id
    assert json.loads(mi("show", everywhere, "--global", "--json").stdout)["scope"] == "global"
    assert mi("show", here, "--global").returncode == 1


@pytest.mark.parametrize(
    ("ref", "name", "line"),
    [
        ("nd_1", "nodes.jsonl", {"kind": "node", "version": "v1", "node_id": "nd_1", "title": "Decided"}),
        ("ed_1", "edges.jsonl", {"kind": "edge", "version": "v1", "edge_id": "ed_1", "from_id": "a", "to_id": "b"}),
    ],
)
def test_node_and_edge_by_id(mi, stage: Stage, home, ref, name, line):
    for folder, scope in ((home.thoughts, "global"), (stage.place.thoughts, "project")):
        path = Path(folder, name)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(line | {"scope": scope}) + "\n", "utf-8")
    assert json.loads(mi("show", ref, "--json").stdout).items() >= (line | {"scope": "project"}).items()
    assert json.loads(mi("show", ref, "--json", "--global").stdout)["scope"] == "global"


def test_workflow_by_id_of_the_project_then_of_everything(mi, stage: Stage, home):
    for folder, name in ((home.workflows, "shared"), (stage.place.workflows, "own")):
        Path(folder).mkdir(parents=True)
        Path(folder, "wf_1.json").write_text(json.dumps({"version": "v1", "id": "wf_1", "name": name}), "utf-8")
    assert json.loads(mi("show", "wf_1", "--json").stdout)["name"] == "own"
    assert "shared" in mi("show", "wf_1", "--global").stdout
    Path(stage.place.workflows, "wf_2.json").write_text('["no workflow"]', "utf-8")
    done = mi("show", "wf_2")
    assert done.returncode == 1
    assert done.stderr.startswith("mi: the stored record cannot be read: ")


@pytest.mark.parametrize("ref", ["ev_nothing", "cl_nothing", "nd_nothing", "ed_nothing", "wf_nothing", "wf_../../x"])
def test_unknown_id(mi, recorded: Stage, ref):
    done = mi("show", ref)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert ref in done.stderr
    assert "mi tail" in done.stderr


@pytest.mark.parametrize("ref", ["nothing", "qx_1", "", "ev", "a\nb", "LAST"])
def test_what_cannot_be_shown(mi, ref):
    done = mi("show", ref)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "ev_ cl_ nd_ ed_ wf_" in done.stderr


@pytest.mark.req("v1.cli.show-path", "v1.cli.show-path-n")
def test_transcript_by_its_path(mi, tmp_path: Path):
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join([HEADER, *map(line, range(300))]) + "\n", "utf-8")
    shown = mi("show", str(path)).stdout.splitlines()
    assert len(shown) == 200
    assert shown[-1] == "00:00:59 stdout line 299"
    assert mi("show", str(path), "-n", "2").stdout.splitlines() == [
        "00:00:58 stdout line 298",
        "00:00:59 stdout line 299",
    ]
    assert json.loads(mi("show", str(path), "-n", "1", "--json").stdout) == [json.loads(line(299))]
    assert mi("show", str(path), "-n", "0").stdout == ""
    assert mi("show", "some.jsonl", "-n", "1", cwd=tmp_path).stdout == "00:00:59 stdout line 299\n"


@pytest.mark.req("v1.cli.show-path")
def test_transcript_that_was_archived(mi, tmp_path: Path):
    archive = tmp_path / "archive" / "some.jsonl.gz"
    archive.parent.mkdir()
    with gzip.open(archive, "wt", encoding="utf-8") as file:
        file.write("\n".join([HEADER, *map(line, range(5))]) + "\n")
    stub = tmp_path / "some.jsonl"
    stub.write_text(json.dumps({"type": "mi.transcript.archived", "archived_path": str(archive)}) + "\n", "utf-8")
    for path in (stub, archive):
        assert mi("show", str(path), "-n", "2").stdout.splitlines()[-1] == "00:00:04 stdout line 4"
    archive.write_bytes(archive.read_bytes()[:-20])
    done = mi("show", str(archive))
    assert done.returncode == 1
    assert done.stderr.startswith(f"mi: the archive {archive} cannot be read")


def test_transcript_that_is_not_there(mi, tmp_path: Path):
    (tmp_path / "folder.jsonl").mkdir()
    for path in (tmp_path / "no.jsonl", tmp_path / "no.jsonl.gz", tmp_path / "folder.jsonl"):
        done = mi("show", str(path))
        assert (done.returncode, done.stderr) == (1, f"mi: no transcript at {path}\n")


@pytest.mark.req(
    *("v1.cli.show-hands", "v1.cli.show-hands-n", "v1.cli.show-mind", "v1.cli.show-mind-n", "v1.transp.expand")
)
@pytest.mark.parametrize("kind", ["hands", "mind"])
def test_latest_transcript(mi, stage: Stage, kind):
    done = mi("show", kind)
    assert (done.returncode, done.stdout) == (1, "")
    assert stage.place.path("transcripts", kind) in done.stderr
    stage.transcript(kind, "20260101T000000Z.jsonl", HEADER, line(1))
    stage.transcript(kind, "20260102T000000Z.jsonl", HEADER, *map(line, range(2, 300)))
    assert mi("show", kind, "--cd", str(stage.root), "-n", "1").stdout == "00:00:59 stdout line 299\n"
    assert len(mi("show", kind).stdout.splitlines()) == 200
    assert mi("show", kind, "-n", "1000").stdout.splitlines()[0] == "00:00:00 meta   mi.transcript.header hands"
    assert len(json.loads(mi("show", kind, "--json").stdout)) == 200


KEYS = {
    *("run", "run_id", "batch_id", "thread_id", "ts", "hands_input", "batch_end", "hands_last_message", "evidence"),
    *("risk_event", "check_plan", "auto_answer", "decide_next", "workflow_progress", "checkpoint", "snapshot"),
    *("learn_update", "learn_suggested", "learn_applied", "why_trace", "why_traces", "loop_guard", "loop_break"),
    *(
        "hands_retry",
        "hands_leftovers",
        "closing",
        "proof",
        "state_corrupt_recent",
        "hands_transcript_ref",
        "mind_transcript_refs",
        "event_ids",
    ),
}


@pytest.mark.req("v1.cli.show-last-json", "mi.json.show-last", "v1.cli.show-last-state-corrupt")
def test_latest_batch_as_json(mi, recorded: Stage):
    assert json.loads(mi("show", "last", "--json").stdout)["state_corrupt_recent"] is None
    recorded.append(StateCorrupt(path="overlay.json", reason="torn"))
    bundle = json.loads(mi("show", "last", "--json", "--cd", str(recorded.root)).stdout)
    assert set(bundle) == KEYS
    assert bundle["batch_id"] == "b1"
    assert bundle["hands_input"]["input"] == "task b1"
    assert bundle["hands_last_message"] == "done with b1"
    assert bundle["hands_transcript_ref"] == "hands/b1.jsonl"
    assert bundle["mind_transcript_refs"] == ["mind/b1.jsonl"]
    assert bundle["decide_next"]["status"] == "done"
    assert [one["id"] for one in bundle["learn_suggested"]] == ["ls_1", "ls_2"]
    assert [one["suggestion_id"] for one in bundle["learn_applied"]] == ["ls_2"]
    assert bundle["state_corrupt_recent"]["path"] == "overlay.json"
    assert len(bundle["event_ids"]) == len(set(bundle["event_ids"])) > 5


@pytest.mark.req("v1.cli.show-last", "v1.cli.show-last-content", "v1.transp.summaries-only")
def test_latest_batch_for_people(mi, recorded: Stage):
    recorded.append(
        RiskEvent(batch_id="b1", risk_signals=["git push"]),
        AutoAnswer(batch_id="b1"),
        LoopGuard(batch_id="b1", reason="same again"),
        LoopBreak(batch_id="b1"),
        LearnUpdate(batch_id="b1", applied={"claims": 1}),
        WhyTrace(batch_id="b1"),
    )
    shown = mi("show", "last").stdout
    assert "run_20260101T000000Z_aaaaaaaa" in shown
    for text in ("mi->hands", "Purpose: help.", "task b1", "done with b1", "hands/b1.jsonl", "mind/b1.jsonl"):
        assert text in shown
    kinds = "evidence check_plan decide_next risk_event auto_answer loop_guard loop_break learn_update why_trace"
    for kind in kinds.split():
        assert f"\n{kind} " in shown
    for text in ("ls_1 Never push to main", "learn_applied", "ls_2", "all checks pass", "same again", "git push"):
        assert text in shown


@pytest.mark.req("v1.cli.show-last")
def test_no_batch_yet(mi, stage: Stage):
    done = mi("show", "last")
    assert (done.returncode, done.stdout) == (1, "")
    assert str(stage.log) in done.stderr
    assert done.stderr.count("\n") == 1


def test_latest_batch_far_back_in_a_long_log(mi, recorded: Stage):
    filler = json.dumps({"kind": "note", "event_id": "ev_n", "run_id": "cli_1", "text": "." * 1000}) + "\n"
    unseal(recorded.log)
    with recorded.log.open("a", encoding="utf-8") as file:
        file.write(filler * 600)
    assert json.loads(mi("show", "last", "--json").stdout)["batch_id"] == "b1"


@pytest.mark.req("mi.config.ui-expandable", "v1.cfg.ui-expandable", "v1.transp.expand")
def test_long_texts_are_folded_unless_configured_or_asked(mi, recorded: Stage, home):
    recorded.append(
        HandsInput(batch_id="b9", input="start " + "x" * 5000 + " sent"),
        BatchEnd(batch_id="b9", last_message="said " + "y" * 5000 + " end"),
    )
    folded = mi("show", "last").stdout
    assert " sent" not in folded
    assert folded.count("--full") == 2
    for shown in (mi("show", "last", "--full").stdout, json.loads(mi("show", "last", "--json").stdout)):
        assert " sent" in str(shown)
        assert "--full" not in str(shown)
    Path(home.config).write_text('{"runtime": {"transparency": {"ui_expandable_transcript": false}}}', "utf-8")
    assert mi("show", "last").stdout == mi("show", "last", "--full").stdout


@pytest.mark.req("v1.cli.show-project")
def test_project(mi, stage: Stage):
    named = ["--cd", str(stage.root)]
    assert mi("show", "project", *named).stdout == mi("project", "show", *named).stdout
    assert json.loads(mi("show", "project", "--json").stdout)["overlay"]["project_id"] == stage.project_id
