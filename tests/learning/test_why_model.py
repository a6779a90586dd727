"""`mi why` and `mi run --why` with a model: it chooses among claims that were there; what it invents is dropped."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mi.app.home_context import HomeContext
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.mind import DecideNext, ThoughtsUsed
from mi.kernel.home import Home
from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.conftest import Mi
from tests.knowledge.thoughts.lines import claim, retract, write
from tests.learning.models import answering, name_of, settings
from tests.mind.answers import ANSWERS

Json = dict[str, Any]


def answer(*chosen: str, confidence: float = 0.9, status: str = "ok") -> Json:
    return {
        "status": status,
        "confidence": confidence,
        "chosen_claim_ids": list(chosen),
        "explanation": "Because small is beautiful.",
        "notes": "",
    }


@pytest.fixture
def context(home: Home) -> HomeContext:
    context = HomeContext(home)
    context.use_project()
    root = Path(context.project_home.thoughts)
    write(root, claim("cl_cited", "cited"), claim("cl_seen", "in view"), claim("cl_gone", "banana reasons"))
    write(root, claim("cl_found", "small banana diffs are liked"), claim("cl_raw", "banana", tags=["values:raw"]))
    write(root, claim("cl_agent", "banana diffs are what the owner wants", origin="hands"))
    write(root, retract("claim", "cl_gone", "2026-01-02T00:00:00Z"))
    return context


@pytest.fixture
def event_id(context: HomeContext) -> str:
    used = ThoughtsUsed(values_claim_ids=["cl_seen"])
    record = DecideNext(notes="banana diffs", thought_db=used, decision={"cited_ids": ["cl_cited"]}, status="done")
    return EvidenceWriter(context.project_home.evidence, "run_a", context.notices).append(record).event_id


def ask(mi: Mi, context: HomeContext, reply: Json | None, *args: str, **knobs: Any) -> tuple[Json, ScriptedServer]:
    with answering(**({"why_trace": reply} if reply else {})) as server:
        config = settings(server) | {"runtime": {"thought_db": {"why_trace": knobs}}}
        Path(context.home.config).write_text(json.dumps(config))
        done = mi("why", *args, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), server


def edges(mi: Mi) -> set[tuple[str, str, str]]:
    found = json.loads(mi("edge", "list", "--json").stdout)
    return {(one["edge_type"], one["from_id"], one["to_id"]) for one in found}


@pytest.mark.req("v1.prompt.why-in", "v1.prompt.why-edges", "v1.rec.why-trace-output", "mi.prompt.unknown-claim-ids")
def test_a_model_chooses_and_the_edges_cite_its_answer(mi: Mi, context: HomeContext, event_id: str) -> None:
    reply = answer("cl_found", "cl_cited", "cl_invented", "cl_raw", "cl_agent")
    found, server = ask(mi, context, reply, "event", event_id)
    assert (found["state"], found["output"]) == ("ok", reply)
    assert found["chosen_claim_ids"] == ["cl_found", "cl_cited"]
    assert found["dropped_ids"] == ["cl_invented", "cl_raw", "cl_agent"]
    (request,) = server.requests
    shown = request.user_texts[-1]
    for part in (f"[{event_id}]", "banana diffs", "[cl_cited]", "[cl_seen]", "[cl_found]", found["as_of_ts"]):
        assert part in shown
    assert "cl_gone" not in shown
    assert "cl_raw" not in shown
    assert edges(mi) == {("depends_on", event_id, one) for one in ("cl_found", "cl_cited")}
    record = json.loads(mi("tail", "-n", "1", "--json").stdout)[0]
    assert (record["kind"], record["state"], record["output"]) == ("why_trace", "ok", reply)
    assert (record["candidate_claim_ids"], len(record["written_edge_ids"])) == (["cl_cited", "cl_seen", "cl_found"], 2)
    assert Path(context.home.path(record["mind_transcript_ref"])).exists()
    (edge,) = [one for one in json.loads(mi("edge", "list", "--json").stdout) if one["to_id"] == "cl_found"]
    assert edge["source_refs"][0]["event_id"] == record["event_id"]
    assert edge["origin"] == "mind"
    again, _ = ask(mi, context, reply, "event", event_id)
    assert again["written_edge_ids"] == []  # they are there


@pytest.mark.req("v1.tdb.why-min-write", "v1.tdb.why-write-edges")
@pytest.mark.parametrize(
    ("reply", "knobs", "written"),
    [
        (answer("cl_cited", confidence=0.7), {}, 1),
        (answer("cl_cited", confidence=0.69), {}, 0),
        (answer("cl_cited", confidence=0.5), {"min_write_confidence": 0.5}, 1),
        (answer("cl_cited"), {"write_edges": False}, 0),
        (answer("cl_cited", status="insufficient"), {}, 0),
        (answer("cl_invented"), {}, 0),
    ],
)
def test_edges_are_written_only_when_sure_and_wanted(
    mi: Mi, context: HomeContext, event_id: str, reply: Json, knobs: Json, written: int
) -> None:
    found, _ = ask(mi, context, reply, "last", **knobs)
    assert len(found["written_edge_ids"]) == len(edges(mi)) == written


def test_a_claim_is_explained_without_edges(mi: Mi, context: HomeContext) -> None:
    found, server = ask(mi, context, answer("cl_found"), "claim", "cl_cited")
    assert found["state"] == "ok"
    assert edges(mi) == set()
    assert "[cl_cited]" not in server.requests[0].user_texts[-1].partition("CANDIDATE")[2]


def test_a_model_that_is_down_leaves_the_recorded_ids(mi: Mi, context: HomeContext, event_id: str) -> None:
    found, _ = ask(mi, context, None, "last")
    assert (found["state"], found["output"]["chosen_claim_ids"]) == ("error", ["cl_cited"])
    kinds = [json.loads(line)["kind"] for line in Path(context.project_home.evidence).read_bytes().splitlines()]
    assert kinds == ["decide_next", "mind_error", "why_trace"]
    assert edges(mi) == set()


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.values("Keep changes small.")
    bench.agent([MEND, TEST, say("Done.")])
    return bench


@pytest.fixture
def judged(bench: Workbench) -> Iterator[ScriptedServer]:
    def chosen(request: Any) -> Json:
        said = request.user_texts[-1]
        return answer(said[said.index("[cl_") + 1 :].partition("]")[0])

    answers = {name: ANSWERS[name] for name in ("extract_evidence", "decide_next")}
    with answering(**answers, why_trace=chosen) as server:
        bench.configure(**settings(server))
        yield server


@pytest.mark.req("v1.cli.run-why", "v1.cli.run-why-edges", "v1.tdb.why-run-flag", "v1.emit.why-run-end")
@pytest.mark.req("v1.cli.show-last-why", "v1.tdb.why-auto", "v1.cli.why-auto-on-run-end")
@pytest.mark.parametrize("by", ["flag", "setting"])
def test_a_run_says_why_once_at_its_end(bench: Workbench, judged: ScriptedServer, by: str) -> None:
    if by == "setting":
        runtime = bench.config["runtime"]
        bench.configure(
            runtime=runtime | {"thought_db": runtime["thought_db"] | {"why_trace": {"auto_on_run_end": True}}}
        )
    ran = bench.run("fix", "the", "test", *(["--why"] if by == "flag" else []))
    ran.ended("done")
    assert [name_of(one) for one in judged.requests].count("why_trace") == 1
    (trace,) = ran.of("why_trace")
    (decision,) = ran.of("decide_next")
    assert trace["target"] == {"target_type": "evidence_event", "id": decision["event_id"]}
    assert trace["batch_id"] == decision["batch_id"]
    assert (ran.end["spent"]["calls"], ran.of("run_learned")[0]["spent"]["calls"]) == (2, 1)
    assert len(trace["written_edge_ids"]) == 1
    shown = json.loads(bench.mi("show", "last", "--json").stdout)
    assert shown["why_trace"]["event_id"] == trace["event_id"]
    assert len(shown["why_traces"]) == 1
    linked = json.loads(bench.mi("edge", "list", "--from", decision["event_id"], "--json").stdout)
    assert [one["edge_type"] for one in linked] == ["depends_on"]


def test_without_a_wish_or_a_model_nothing_is_asked(bench: Workbench) -> None:
    assert bench.run().of("why_trace") == []
    bench.agent([TEST, say("Done.")])
    (trace,) = bench.run("is", "it", "green?", "--why").of("why_trace")
    assert trace["state"] == "skipped"
    assert trace["written_edge_ids"] == []
