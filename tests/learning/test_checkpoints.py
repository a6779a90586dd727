"""Checkpoints in whole runs: where a stretch is cut, what is kept of it, and that nothing else is asked of anybody."""

import json
import os
import re
import signal
import threading
from pathlib import Path

import msgspec
import pytest

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.kernel.config.types import Runtime
from mi.kernel.home import Home
from mi.learning.checkpoint import is_enabled, materialise, snapshot
from mi.testing import Request
from tests.autopilot.test_run_resume import killed
from tests.autopilot.workbench import BROKEN, MEND, RIGHT, TEST, WRONG, Json, Workbench, edit, run, say
from tests.learning.conftest import Judged
from tests.learning.models import claim
from tests.learning.stored import RECALL_OFF, by_id, lines, state_file, texts
from tests.learning.stretches import Stretch
from tests.mind.answers import asked, model, parts

OFF: Json = {
    "thought_db": {"auto_mine": False, "auto_materialize_nodes": False},
    "preference_mining": {"auto_mine": False},
    "workflows": {"auto_mine": False},
}


@pytest.mark.req(
    "v1.ckpt.at-run-end",
    "v1.ckpt.snapshot",
    "v1.ckpt.reset",
    "v1.emit.checkpoint",
    "v1.rec.checkpoint-output",
    "mi.ids.snap",
    "mi.ids.seg",
    "v1.tdb.materialize-deterministic",
    "v1.tdb.materialize-sources",
    "v1.tdb.materialize-edges",
    "v1.storage.segment-state",
)
def test_the_end_of_a_run_is_cut_kept_and_put_into_the_graph(bench: Workbench) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    ran = bench.run()
    ran.ended("done")
    (checkpoint,) = ran.of("checkpoint")
    assert checkpoint["status_hint"] == "done"
    assert set(checkpoint["output"]) == {
        *("should_checkpoint", "checkpoint_kind", "should_mine_workflow", "should_mine_preferences"),
        *("confidence", "notes"),
    }
    (snapshot,) = ran.of("snapshot")
    assert snapshot["snapshot_id"].startswith("snap_")
    assert snapshot["segment_id"] == checkpoint["segment_id"]
    assert snapshot["segment_id"].startswith("seg_")
    assert "fix the failing test" in snapshot["text"]
    cited = [by_id(ran)[one]["kind"] for one in snapshot["source_refs"]["event_ids"]]
    assert cited == ["hands_input", "batch_end", "evidence", "decide_next"]
    (made,) = ran.of("node_materialized")
    nodes = lines(bench, "nodes")
    assert [one["node_type"] for one in nodes] == ["decision", "action", "summary"]
    assert [one["node_id"] for one in nodes] == made["node_ids"]
    assert all(one["source_refs"][0]["event_id"] == made["event_id"] for one in nodes)
    edges = lines(bench, "edges")
    assert [one["edge_id"] for one in edges] == made["edge_ids"]
    derived = {(one["edge_type"], by_id(ran)[one["to_id"]]["kind"]) for one in edges}
    assert derived == {("derived_from", kind) for kind in ("decide_next", "evidence", "snapshot")}
    state = state_file(bench, "segment_state.json")
    assert state["segment_id"] != snapshot["segment_id"]
    assert (state["events"], state["batches"]) == ([], 0)
    assert ran.end["spent"]["calls"] == 0


@pytest.mark.req("v1.ckpt.before-next-batch", "v1.ckpt.segment-buffer")
def test_a_stretch_is_judged_before_each_batch_and_goes_on_until_it_is_complete(bench: Workbench) -> None:
    bench.agent(
        [edit("calc.py", BROKEN, WRONG), say("Look.")],
        [TEST, say("Hm.")],
        [edit("calc.py", WRONG, RIGHT), TEST, say("Fixed.")],
    )
    ran = bench.run()
    ran.ended("done")
    checkpoints = ran.of("checkpoint")
    assert [one["planned_next_input"] for one in checkpoints] == [*ran.inputs[1:], ""]
    assert [one["output"]["should_checkpoint"] for one in checkpoints] == [False, False, True]
    assert [one["batch_id"] for one in checkpoints] == ["b0", "b1", "b2"]
    assert len({one["segment_id"] for one in checkpoints}) == 1
    (snapshot,) = ran.of("snapshot")
    batches = [one["event_id"] for one in ran.of("batch_end")]
    assert set(batches) <= set(snapshot["source_refs"]["event_ids"])


@pytest.mark.req(
    "v1.ckpt.enabled-any", "v1.ckpt.by-preference-mining", "v1.ckpt.by-claim-mining", "v1.ckpt.by-materialize"
)
@pytest.mark.parametrize(
    ("on", "wanted"),
    [
        ({}, False),
        ({"preference_mining": {"auto_mine": True}}, True),
        ({"workflows": {"auto_mine": True}}, True),
        ({"thought_db": {"auto_mine": True, "auto_materialize_nodes": False}}, True),
        ({"thought_db": {"auto_mine": False, "auto_materialize_nodes": True}}, True),
        ({"thought_db": {"enabled": False}}, False),
    ],
)
def test_any_feature_that_needs_checkpoints_turns_them_on(on: Json, wanted: bool) -> None:
    assert is_enabled(msgspec.convert(OFF | on, Runtime)) is wanted


@pytest.mark.req("v1.ckpt.enabled-any", "v1.tdb.auto-materialize", "v1.tdb.enabled")
@pytest.mark.req("v1.ckpt.by-preference-mining", "v1.ckpt.by-claim-mining", "v1.ckpt.by-materialize")
@pytest.mark.parametrize(
    ("on", "checkpoints", "nodes"),
    [
        ({}, 0, 0),
        ({"preference_mining": {"auto_mine": True}}, 1, 0),
        ({"thought_db": {"auto_mine": True, "auto_materialize_nodes": False}}, 1, 0),
        ({"thought_db": {"auto_mine": False, "auto_materialize_nodes": True}}, 1, 3),
    ],
)
def test_each_feature_alone_cuts_and_keeps_the_stretch_and_none_leaves_no_trace(
    bench: Workbench, on: Json, checkpoints: int, nodes: int
) -> None:
    """What was kept is found by the person; what is off leaves nothing to find."""
    bench.configure(runtime=RECALL_OFF | OFF | on)
    bench.agent([MEND, TEST, say("Done.")])
    ran = bench.run()
    ran.ended("done")
    assert len(ran.of("checkpoint")) == len(ran.of("snapshot")) == checkpoints
    assert len(lines(bench, "nodes")) == nodes
    found = json.loads(bench.mi("memory", "search", "failing test", "--json").stdout)
    assert len([one for one in found["hits"] if one["kind"] == "snapshot"]) == checkpoints


@pytest.mark.req("v1.ckpt.snapshot", "v1.ckpt.reset", "v1.ckpt.at-run-end")
def test_what_a_run_left_is_recalled_in_the_next_one_and_not_learned_from_again(
    bench: Workbench, judged: Judged
) -> None:
    server = judged(model())
    bench.configure(runtime={})
    bench.agent([MEND, TEST, say("The sign was wrong. Done.")])
    bench.run("fix the failing test of the calculator").ended("done")
    told = len(server.requests)
    bench.agent([say("It adds two numbers.")])
    bench.run("what does the failing test of the calculator say?")
    shown = [(asked(one), parts(one)) for one in server.requests[told:]]
    decided = next(given for name, given in shown if name == "decide_next")
    assert "fix the failing test of the calculator" in decided["RECENT EVIDENCE"]
    mined = [given for name, given in shown if name == "mine_claims"]
    assert mined
    assert all("It adds two numbers." in one["EVENTS"] for one in mined)
    assert not any("The sign was wrong." in one["EVENTS"] for one in mined)


def test_an_interrupted_stretch_goes_on_in_the_resumed_run(bench: Workbench) -> None:
    bench.agent([edit("calc.py", BROKEN, RIGHT), say("Which colour?")], [TEST, say("Done.")])
    waiting = bench.run()
    waiting.ended("blocked")
    bench.mi("answer", bench.inbox()[0]["id"], "Green, always green.")
    ran = bench.run("--resume")
    ran.ended("done")
    snapshots = ran.of("snapshot")
    assert snapshots[0]["checkpoint_kind"] == "blocked"
    assert "Green, always green." in snapshots[-1]["text"]


@pytest.mark.req("alive.learn.nodes-in-context", "v1.ctx.nodes")
def test_the_next_run_is_decided_with_what_was_done_before(bench: Workbench, judged: Judged) -> None:
    seen = {"facts": [], "actions": [{"kind": "edit", "detail": "the sign in calc.py"}], "results": [], "unknowns": []}
    server = judged(model(extract_evidence=seen | {"risk_signals": []}))
    bench.agent([MEND, TEST, say("Done.")])
    bench.run("mend the sum").ended("done")
    bench.run("look at it again")
    last = [one.user_texts[-1] for one in server.requests if asked(one) == "decide_next"][-1]
    nodes = last.partition("\nnodes (")[2].partition("\nedges:")[0]
    assert "no word of the person's" in nodes
    assert ", mind) done, stop: it looks done" in nodes  # the decision
    assert "(action, hands) edit: the sign in calc.py" in nodes
    assert "(summary, hands) Task: mend the sum" in nodes


@pytest.mark.req("alive.learn.overridden-decision")
def test_a_judgement_that_was_not_followed_is_not_remembered_as_made(bench: Workbench, judged: Judged) -> None:
    """The model says done; no check was seen to pass, so the run is blocked."""
    server = judged(model(decide_next={"notes": "all is well"}))
    bench.agent([edit("calc.py", BROKEN, WRONG), say("Done.")])
    bench.run("mend the sum").ended("blocked")
    (decision,) = [one for one in lines(bench, "nodes") if one["node_type"] == "decision"]
    assert decision["title"] == "blocked: mend the sum"
    assert decision["text"].startswith("blocked: ")
    assert "The judgement 'done' was not followed." in decision["text"]
    bench.run("look at it again")
    last = [one.user_texts[-1] for one in server.requests if asked(one) == "decide_next"][-1]
    nodes = last.partition("\nnodes (")[2].partition("\nedges:")[0]
    assert "Task: mend the sum" in nodes
    assert "all is well" not in nodes
    assert "done, stop" not in nodes


@pytest.mark.req("v1.tdb.materialize-deterministic", "alive.learn.ordinary-runs")
def test_an_ordinary_run_is_looked_at_for_what_it_teaches(bench: Workbench, judged: Judged) -> None:
    """Nobody spoke, nothing was risky: it costs two calls more, which are asked side by side at the end."""
    server = judged(model())
    bench.agent([MEND, TEST, say("Done.")])
    ran = bench.run()
    ran.ended("done")
    calls = [asked(request) for request in server.requests]
    assert calls[:2] == ["extract_evidence", "decide_next"]
    assert sorted(calls[2:]) == ["checkpoint_decide", "mine_claims"]
    assert [one["state"] for one in ran.of("checkpoint")] == ["ok"]
    assert [one["node_type"] for one in lines(bench, "nodes")] == ["decision", "summary"]  # the model saw no action


GO_ON: Json = {"next_action": "send_to_hands", "status": "not_done", "next_hands_input": "Go on."}


def decide(request: Request) -> Json:
    """Done when a check passed, else another batch."""
    return {} if "verified" in request.user_texts[-1] else GO_ON


@pytest.mark.req("alive.learn.beside-the-agent", "v1.ckpt.before-next-batch")
def test_a_checkpoint_is_judged_while_the_agent_works_on(bench: Workbench, judged: Judged) -> None:
    """The model says what it thinks of the first batch only when it is asked about the second."""
    second = threading.Event()
    came: list[bool] = []

    def extract(request: Request) -> Json:
        if len([one for one in server.requests if asked(one) == "extract_evidence"]) > 1:
            second.set()
        return {}

    def checkpoint(request: Request) -> Json:
        came.append(second.wait(20))
        return {}

    server = judged(model(extract_evidence=extract, checkpoint_decide=checkpoint, decide_next=decide))
    bench.agent([say("First.")], [MEND, TEST, say("Done.")])
    ran = bench.run()
    ran.ended("done")
    assert came == [True, True]
    first, _ = ran.of("checkpoint")
    assert (first["batch_id"], first["planned_next_input"], first["state"]) == ("b0", "Go on.", "ok")
    assert first["seq"] > ran.of("batch_end")[1]["seq"]  # written when it was said
    kept = ran.of("snapshot")
    batches = [one["event_id"] for one in ran.of("batch_end")]
    assert [[one in each["source_refs"]["event_ids"] for one in batches] for each in kept] == [
        [True, False],
        [False, True],
    ]
    paid = [ran.end["spent"]["calls"], ran.of("run_learned")[0]["spent"]["calls"]]
    assert sum(paid) == len(server.requests)
    assert json.loads(bench.mi("cost", "--json").stdout)["total"]["spent"]["calls"] == sum(paid)


TOLD = "Fix the failing test first."


def mine_task(request: Request) -> Json:
    event_id = re.findall(r"\[(ev_\w+)\] task:", request.user_texts[-1])[0]
    return {"claims": [claim(TOLD, event_id, scope="project", confidence=0.95)], "edges": [], "notes": ""}


@pytest.mark.req("alive.learn.verdict-first")
@pytest.mark.parametrize("then", ["goes on", "stopped", "killed"])
def test_the_verdict_is_told_before_anything_is_learned(bench: Workbench, judged: Judged, then: str) -> None:
    """The model says nothing about the run's end until its verdict was read at the terminal and by a command."""
    told = threading.Event()

    def checkpoint(request: Request) -> Json:
        told.wait(30)
        return {}

    judged(model(checkpoint_decide=checkpoint, mine_claims=mine_task))
    notified = bench.folder / "notified"
    os.mkfifo(notified)
    tell = f"sh -c 'echo $MI_EVENT > {notified}'"
    bench.configure(notify=[{"kind": "command", "command": tell, "events": ["done"]}])
    bench.agent([MEND, TEST, say("Done.")])
    process = bench.start("fix the failing test first")
    assert process.stdout is not None
    shown = list(iter(process.stdout.readline, "  learns   now, from this run; Ctrl-C leaves that to the next one\n"))
    assert any("Done" in line for line in shown)
    assert json.loads(bench.mi("status", "--json").stdout)["run"]["status"] == "done"
    assert notified.read_text("utf-8") == "done\n"
    if then != "goes on":
        process.send_signal(signal.SIGINT if then == "stopped" else signal.SIGKILL)
        process.wait(30)
    told.set()
    ran = bench.finish(process)
    assert ran.code == (-signal.SIGKILL if then == "killed" else 0)
    assert ran.end["status"] == "done"
    assert texts(bench, "--tag", "mi:mined") == ([TOLD] if then == "goes on" else [])
    bench.agent([run("ls"), say("Done.")])
    bench.configure(notify=[])
    again = bench.run("what is there?")
    assert texts(bench, "--tag", "mi:mined") == [TOLD]
    assert [one["text"].splitlines()[0] for one in again.of("snapshot")] == [
        "Task: fix the failing test first",
        "Task: what is there?",
    ]


@pytest.mark.req("alive.learn.interrupted-loses-nothing")
def test_a_stretch_whose_learning_was_interrupted_is_learned_from_when_the_run_goes_on(
    bench: Workbench, judged: Judged
) -> None:
    over = threading.Event()

    def checkpoint(request: Request) -> Json:
        over.wait(60)
        return {}

    server = judged(model(checkpoint_decide=checkpoint, decide_next=decide))
    bench.agent([say("First.")], [MEND, TEST, say("Done.")])
    process = bench.start("fix the failing test")
    while asked(server.wait_for_requests(len(server.requests) + 1)[-1]) != "checkpoint_decide":
        pass
    process.send_signal(signal.SIGINT)
    ran = bench.finish(process)
    over.set()
    ran.ended("interrupted")
    assert ran.of("snapshot") == []
    ran = bench.run("--resume")
    cited = {one for each in ran.of("snapshot") for one in each["source_refs"]["event_ids"]}
    assert {one["event_id"] for one in ran.of("batch_end")} <= cited
    mined = [request.user_texts[-1] for request in server.requests if asked(request) == "mine_claims"]
    assert any("First." in one for one in mined)


@pytest.mark.req("alive.learn.interrupted-loses-nothing")
def test_what_was_mined_before_a_kill_stands_once_after_it(bench: Workbench, judged: Judged) -> None:
    """The answer is in the log, the claim not yet in the store."""
    judged(model(mine_claims=mine_task))
    bench.agent([MEND, TEST, say("Done.")])
    killed(bench, "claim_mining", "fix the failing test first")
    assert lines(bench, "claims") == []
    bench.agent([run("ls"), say("Done.")])
    ran = bench.run("what is there?")
    assert texts(bench, "--tag", "mi:mined") == [TOLD]
    assert len(ran.of("snapshot")) == 2


@pytest.mark.req("v1.ckpt.segment-buffer", "v1.storage.segment-state")
def test_the_stretch_is_carried_over_a_kill(bench: Workbench) -> None:
    bench.agent([edit("calc.py", BROKEN, WRONG), say("Look.")], [edit("calc.py", WRONG, RIGHT), TEST, say("Done.")])
    before = killed(bench, "checkpoint", "fix", "the", "failing", "test")
    state = state_file(bench, "segment_state.json")
    assert (state["run_id"], state["task"], state["batches"]) == (before[0]["run_id"], "fix the failing test", 1)
    assert [one["kind"] for one in state["events"]] == ["hands_input", "batch_end", "evidence"]
    ran = bench.run("--resume")
    ran.ended("done")
    (snapshot,) = ran.of("snapshot")
    assert snapshot["segment_id"] == state["segment_id"]
    assert {one["event_id"] for one in ran.of("batch_end")} <= set(snapshot["source_refs"]["event_ids"])


@pytest.mark.parametrize("kind", ["batch_end", "checkpoint", "snapshot"])
def test_a_stretch_is_kept_once_wherever_the_run_was_killed(bench: Workbench, kind: str) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    killed(bench, kind, "fix", "the", "failing", "test")
    if kind == "batch_end":  # before the verdict: the run itself goes on
        bench.run("--resume").ended("done")
    else:
        assert "is done" in bench.run("--resume").stderr
    bench.agent([run("ls"), say("Done.")])
    again = bench.run("fix", "it", "again")
    tasks = [one["text"].splitlines()[0] for one in again.of("snapshot")]
    assert tasks == ["Task: fix the failing test", "Task: fix it again"]
    nodes = [one for one in lines(bench, "nodes") if "fix the failing test" in one["title"]]
    assert len(nodes) == (0 if kind == "snapshot" else 3)


@pytest.mark.req("v1.ckpt.snapshot")
@pytest.mark.parametrize("before", [5, 70, 1170])
def test_neither_snapshot_nor_node_holds_a_secret_not_even_half_of_one(home: Home, before: int) -> None:
    key = "ghp_" + "aB3dE5gH7jK9" * 3
    stretch = Stretch(HomeContext(home), {}, "x" * before + f" {key} " + "y" * 5000)
    kept = snapshot(stretch.segment)
    assert kept.text.startswith("Task: x")
    assert len(kept.text) <= 1200
    assert kept.source_refs.event_ids == [one.id for one in stretch.segment.events]
    with stretch.judged() as (hand, _):
        materialise(build_thoughts(stretch.context).own, hand, stretch.segment._replace(snapshot=hand.append(kept)))
    nodes = Path(build_thoughts(stretch.context).own.files.nodes).read_text("utf-8")
    for text in (kept.text, nodes):
        assert key[:10] not in text
