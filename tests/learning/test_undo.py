"""`mi undo` and `mi redo`: shown first, done by appended lines, restored as it was."""

import json
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mi.app.home_context import HomeContext
from mi.app.learning import build_known_person
from mi.app.thoughts import build_thoughts
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.mind import TestlessStrategySet
from mi.evidence.records.run import RunStart
from mi.evidence.records.thoughts import ClaimMining, Snapshot
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.stores import CombinedStores
from mi.learning.candidates import PreferenceCandidates
from mi.learning.undo import Target, UndoPlace, describe_change, find_last_undone, redo, undo
from tests.conftest import Mi
from tests.knowledge.thoughts.lines import write


@pytest.fixture
def context(home: Home) -> HomeContext:
    context = HomeContext(home)
    context.use_project()
    return context


def learn(context: HomeContext, run_id: str) -> dict[str, str]:
    """What a run would teach: a claim of the project that replaces an older one, a node, a global preference."""
    old = build_thoughts(context).own.new_claim("Tests are slow", ["t"], "ev_before_1", "user", claim_type="fact")
    lost = build_thoughts(context).own.new_claim("Never deploy on Friday", ["t"], "ev_before_1", "user")
    build_thoughts(context).own.add_claims([old, lost])
    writer = EvidenceWriter(context.project_home.evidence, run_id, context.notices)
    writer.append(RunStart(task="x"))
    event = writer.append(ClaimMining())
    new = build_thoughts(context).own.new_claim("Tests are fast", ["t"], event.event_id, "mind", claim_type="fact")
    node = build_thoughts(context).own.new_node("decision", "Split the tests", "", [], event.event_id, "mind")
    build_thoughts(context).own.add_claims([new])
    build_thoughts(context).own.add_nodes([node])
    link = build_thoughts(context).own.link("supersedes", old.claim_id, new.claim_id, event.event_id, "mind")
    build_thoughts(context).own.retract([lost.claim_id], "consolidated", event.event_id, origin="mind")
    wide = build_thoughts(context).shared.new_claim("Prefer fast tests", ["mi:learned"], event.event_id, "mind")
    build_thoughts(context).shared.add_claims([wide])
    names = {"old": old.claim_id, "lost": lost.claim_id, "new": new.claim_id, "node": node.node_id}
    return names | {"edge": link.edge_id, "wide": wide.claim_id, "event": event.event_id}


def state(context: HomeContext, names: dict[str, str]) -> dict[str, str]:
    thoughts = build_thoughts(HomeContext(context.home)).read("effective")
    found = {name: thoughts.get(one) for name, one in names.items() if name != "event"}
    return {name: one.status if one else "none" for name, one in found.items()}


LEARNED = {
    "old": "superseded",
    "lost": "retracted",
    "new": "active",
    "node": "active",
    "edge": "active",
    "wide": "active",
}
BEFORE = {"old": "active", "lost": "active", **dict.fromkeys(("new", "node", "edge", "wide"), "retracted")}


def run(mi: Mi, *args: str) -> dict[str, Any]:
    done = mi(*args, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.req(
    "mi.undo.apply", "mi.undo.redo", "mi.kind.undo-written", "mi.kind.redo-written", "v1.root.learning-reversible"
)
@pytest.mark.parametrize("by", ["run", "event"])
def test_a_run_is_taken_back_and_restored_any_number_of_times(mi: Mi, context: HomeContext, by: str) -> None:
    run_id = "run_20260101T000000Z_aaaaaaaa"
    names = learn(context, run_id)
    ref = run_id if by == "run" else names["event"]
    assert state(context, names) == LEARNED
    for _ in range(2):
        preview = run(mi, "undo", ref)
        assert preview["applied"] is False
        todo = {one["id"]: one["do"] for one in preview["taught"]}
        expected = {names[name]: "take back" for name in ("new", "node", "edge", "wide")} | {names["lost"]: "restore"}
        assert todo == expected
        assert state(context, names) == LEARNED
        logs = {path: path.read_bytes() for path in Path(context.home.root).rglob("*s.jsonl")}
        done = run(mi, "undo", ref, "--apply")
        assert len(done["event_ids"]) == 2  # one for the project's store, one for the global
        assert state(context, names) == BEFORE
        assert all(path.read_bytes().startswith(content) for path, content in logs.items())
        assert run(mi, "undo", ref)["taught"] == []
        restored = run(mi, "redo", "--apply")
        assert restored["target"] == ref
        assert state(context, names) == LEARNED
        kinds = [json.loads(line)["kind"] for line in Path(context.project_home.evidence).read_bytes().splitlines()]
        assert kinds[-2:] == ["undo", "redo"]
    assert mi("redo").returncode == 1
    assert mi("redo", ref).returncode == 1


@pytest.mark.req("mi.undo.event")
def test_the_undo_itself_can_be_undone(mi: Mi, context: HomeContext) -> None:
    names = learn(context, "run_x")
    done = run(mi, "undo", "run_x", "--apply")
    for event_id in done["event_ids"]:
        run(mi, "undo", event_id, "--yes")  # as `mi restore` calls it
    assert state(context, names) == LEARNED


@pytest.mark.req("mi.undo.redo")
def test_redo_goes_back_through_everything_that_was_undone(mi: Mi, context: HomeContext) -> None:
    first, second = learn(context, "run_a"), learn(context, "run_b")
    for run_id in ("run_a", "run_b"):
        run(mi, "undo", run_id, "--apply")
    assert run(mi, "redo", "--apply")["target"] == "run_b"
    assert (state(context, first), state(context, second)) == (BEFORE, LEARNED)
    assert run(mi, "redo", "--apply")["target"] == "run_a"
    assert (state(context, first), state(context, second)) == (LEARNED, LEARNED)
    done = mi("redo", "--apply")
    assert (done.returncode, "nothing is undone" in done.stderr) == (1, True)
    assert mi("redo", "cl_1").returncode == 2


@pytest.mark.req("mi.undo.redo")
def test_what_a_run_taught_after_it_was_undone_is_undone_and_restored_with_the_rest(
    mi: Mi, context: HomeContext
) -> None:
    """Undone, then resumed; or the undo was killed half way."""
    writer = EvidenceWriter(context.project_home.evidence, "run_x", context.notices)
    writer.append(RunStart(task="x"))
    nodes: list[str] = []
    for number in range(2):
        event = writer.append(Snapshot(snapshot_id=f"snap_{number}", text="The gateway moved"))
        node = build_thoughts(context).own.new_node("decision", f"part {number}", "", [], event.event_id, "mind")
        build_thoughts(context).own.add_nodes([node])
        nodes.append(node.node_id)
        taught = run(mi, "undo", "run_x", "--apply")["taught"]
        assert [one["id"] for one in taught] == [node.node_id, f"snap_{number}"]
    assert run(mi, "redo", "run_x", "--apply")["restored"] == [*nodes, "snap_0", "snap_1"]
    assert {one["node_id"] for one in json.loads(mi("node", "list", "--json").stdout)} == set(nodes)
    hits = json.loads(mi("memory", "search", "gateway", "--kind", "snapshot", "--json").stdout)["hits"]
    assert {hit["id"] for hit in hits} == {"snap_0", "snap_1"}


@pytest.mark.req("mi.undo.event")
def test_undoing_an_undo_restores_all_of_it_and_undoing_that_takes_it_back(mi: Mi, context: HomeContext) -> None:
    writer = EvidenceWriter(context.project_home.evidence, "run_x", context.notices)
    writer.append(RunStart(task="x"))
    event = writer.append(Snapshot(snapshot_id="snap_x", text="The gateway moved"))
    counted = PreferenceCandidates(context.project_home.preference_candidates, context.notices)
    counted.see("project", "Use tabs.", "run_x", event.event_id)

    def standing() -> tuple[int, int]:
        hits = json.loads(mi("memory", "search", "gateway", "--json").stdout)["hits"]
        return len(hits), counted.find("project", "Use tabs.")[1].count

    ref = "run_x"
    for expected in ((0, 0), (1, 1), (0, 0)):
        preview = run(mi, "undo", ref)
        assert [one["kind"] for one in preview["taught"]] == ["snapshot", "preference_candidates"]
        (ref,) = run(mi, "undo", ref, "--apply")["event_ids"]
        assert standing() == expected
    (ref,) = run(mi, "undo", ref, "--apply")["event_ids"]
    assert standing() == (1, 1)
    assert run(mi, "undo", ref.removeprefix("ev_").rpartition("_")[0])["taught"]  # the command that did it


@pytest.mark.req("mi.undo.event")
def test_the_preview_of_undoing_an_undo_speaks_of_restoring(mi: Mi, context: HomeContext) -> None:
    learn(context, "run_x")
    ref = run(mi, "undo", "run_x", "--apply")["event_ids"][0]
    assert "would be restored" in mi("undo", ref).stdout
    assert "are restored" in mi("undo", ref, "--apply").stdout
    assert f"Nothing that {ref} took back is left" in mi("undo", ref).stdout


IDS = ("cl_0", "cl_1", "cl_2", "ed_0", "ed_1", "ed_2", "ed_3")
ENDS = st.tuples(st.sampled_from(IDS[:3]), st.sampled_from(IDS[:3]))
STEPS = st.lists(
    st.tuples(st.sampled_from(["say", "say", "retract"]), st.sampled_from(IDS), st.sampled_from("abc")), max_size=20
)


@pytest.mark.req("mi.undo.redo")
@settings(max_examples=60, deadline=None)
@given(STEPS, st.lists(ENDS, min_size=4, max_size=4))
@example([("say", one, "c") for one in IDS[:3]] + [("say", "ed_0", "a"), ("say", "ed_1", "b")], [("cl_0", "cl_1")] * 4)
@example(
    [("say", one, "c") for one in IDS[:3]] + [("say", "ed_0", "a"), ("say", "ed_1", "b")],
    [("cl_0", "cl_1"), ("cl_1", "cl_0")] * 2,
)
def test_whatever_happened_undone_and_redone_it_is_as_before(
    steps: list[tuple[str, str, str]], ends: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = ThoughtStore(folder, "project", "p", Notices())
        for number, (action, one, by) in enumerate(steps):
            kind = "claim" if one.startswith("cl_") else "edge"
            refs = [{"kind": "evidence_event", "event_id": f"ev_run_{by}_{number}"}]
            raw = {"kind": kind, f"{kind}_id": one, "asserted_ts": "2026-01-01T00:00:00Z", "source_refs": refs}
            if kind == "edge":
                from_id, to_id = ends[int(one[3:])]
                raw |= {"edge_type": "same_as", "from_id": from_id, "to_id": to_id}
            if action == "retract":
                raw = {"kind": f"{kind}_retract", f"{kind}_id": one, "ts": "2026-01-01T00:00:00Z", "source_refs": refs}
            write(Path(folder), raw)
        log = f"{folder}/evidence.jsonl"
        numbers = count()
        places = [UndoPlace(store, log, lambda: EvidenceWriter(log, f"cli_{next(numbers)}", Notices()))]
        before = believed(store)
        for _ in range(2):
            undo(places, Target("run_a"), [])
            redo(places, Target("run_a"), [], Notices())
            assert believed(store) == before


def believed(store: ThoughtStore) -> list[Any]:
    """What stands, and where everything leads."""
    thoughts = CombinedStores(store.read())
    found = {one: thoughts.get(one) for one in IDS}
    return [{one: it.status for one, it in found.items() if it}, [thoughts.head(one) for one in IDS[:3]]]


@pytest.mark.req("mi.undo.apply")
@pytest.mark.parametrize("by", ["run", "event"])
def test_the_snapshots_of_what_was_undone_are_recalled_no_more(mi: Mi, context: HomeContext, by: str) -> None:
    for run_id, said in (("run_1", "The gateway is in /opt/gate"), ("run_2", "The gateway moved")):
        writer = EvidenceWriter(context.project_home.evidence, run_id, context.notices)
        writer.append(RunStart(task="x"))
        event = writer.append(Snapshot(snapshot_id=f"snap_{run_id}", text=said))
    ref = "run_2" if by == "run" else event.event_id

    def recalled(*flags: str) -> set[str]:
        hits = json.loads(mi("memory", "search", "gateway", "--json", *flags).stdout)["hits"]
        return {hit["id"] for hit in hits}

    assert recalled() == {"snap_run_1", "snap_run_2"}
    (preview,) = json.loads(mi("undo", ref, "--json").stdout)["taught"]
    assert (preview["kind"], preview["id"], preview["text"]) == ("snapshot", "snap_run_2", "The gateway moved")
    assert recalled() == {"snap_run_1", "snap_run_2"}
    for _ in range(2):
        assert json.loads(mi("undo", ref, "--apply", "--json").stdout)["applied"] is True
        assert recalled() == {"snap_run_1"}
        assert json.loads(mi("undo", ref, "--apply", "--json").stdout)["taught"] == []
        assert json.loads(mi("redo", ref, "--apply", "--json").stdout)["restored"] == ["snap_run_2"]
        assert recalled() == {"snap_run_1", "snap_run_2"}
    mi("undo", ref, "--apply")
    mi("memory", "index", "rebuild")
    assert recalled() == {"snap_run_1"}
    assert recalled("--corrected") == {"snap_run_1", "snap_run_2"}


def test_what_others_said_stays(mi: Mi, context: HomeContext) -> None:
    names = learn(context, "run_x")
    learn(context, "run_xy")
    kept = run(mi, "claim", "supersede", names["new"], "--text", "Tests are fast now")["claim_id"]
    run(mi, "undo", "run_x", "--apply")
    thoughts = build_thoughts(HomeContext(context.home)).read("effective")
    assert thoughts.get(kept).status == "active"  # type: ignore[union-attr]
    assert sum(1 for one in thoughts.find("claim") if one.raw["text"] == "Tests are fast") == 1


def test_what_was_believed_between_undo_and_redo_is_still_told(mi: Mi, context: HomeContext) -> None:
    names = learn(context, "run_x")
    run(mi, "undo", "run_x", "--apply")
    between = json.loads(mi("tail", "-n", "1", "--json").stdout)[0]["ts"]
    between = json.loads(Path(build_thoughts(context).own.files.nodes).read_bytes().splitlines()[-1])["ts"]
    run(mi, "redo", "--apply")
    then = json.loads(mi("node", "show", names["node"], "--as-of", between, "--json").stdout)
    assert then["status"] == "retracted"
    assert run(mi, "node", "show", names["node"])["status"] == "active"


def test_origin_survives_undo_and_redo(mi: Mi, context: HomeContext) -> None:
    names = learn(context, "run_x")
    run(mi, "undo", "run_x", "--apply")
    run(mi, "redo", "run_x", "--apply")
    again = run(mi, "claim", "show", names["new"])
    assert (again["origin"], again["trust"]) == ("mind", "mind")
    assert again["source_refs"][0]["event_id"] == names["event"]


@pytest.mark.req("mi.undo.preview")
def test_the_preview_tells_what_was_taught(mi: Mi, context: HomeContext) -> None:
    learn(context, "run_x")
    shown = mi("undo", "run_x").stdout
    for text in ("Tests are fast", "Split the tests", "Prefer fast tests", "supersedes", "Never deploy on Friday"):
        assert text in shown
    assert "--apply" in shown


@pytest.mark.parametrize(("ref", "code"), [("run_nowhere", 1), ("ev_run_nowhere_1", 1), ("cl_1", 2), ("", 2)])
def test_an_unknown_target_is_an_error(mi: Mi, context: HomeContext, ref: str, code: int) -> None:
    learn(context, "run_x")
    assert mi("undo", ref, "--apply").returncode == code


def test_a_run_of_another_project_is_not_half_undone_from_here(mi: Mi, context: HomeContext, tmp_path: Path) -> None:
    names = learn(context, "run_x")
    other = tmp_path / "other"
    other.mkdir()
    done = mi("undo", "run_x", "--apply", "--cd", str(other))
    assert (done.returncode, "--cd" in done.stderr) == (1, True)
    assert state(context, names) == LEARNED


def test_a_run_that_taught_nothing_is_no_error(mi: Mi, context: HomeContext) -> None:
    EvidenceWriter(context.project_home.evidence, "run_quiet", context.notices).append(RunStart(task="x"))
    done = mi("undo", "run_quiet", "--apply")
    assert done.returncode == 0
    assert "nothing" in done.stdout


def test_values_set_by_mistake_are_undone(mi: Mi) -> None:
    mi("init", "--values", "Keep changes small. Run the tests.")
    wrong = run(mi, "values", "set", "--text", "Move fast.")["event_id"]
    run(mi, "undo", wrong, "--apply")
    assert [one["text"] for one in run(mi, "values", "show")["values"]] == ["Keep changes small.", "Run the tests."]
    assert run(mi, "values", "show")["raw"] == "Keep changes small. Run the tests."


@pytest.mark.req("mi.undo.preview", "mi.undo.apply")
def test_the_overlay_follows_what_is_undone_and_restored(mi: Mi, context: HomeContext) -> None:
    def choose(run_id: str, strategy: str) -> str:
        writer = EvidenceWriter(context.project_home.evidence, run_id, context.notices)
        writer.append(RunStart(task="x"))
        event = writer.append(TestlessStrategySet(strategy=strategy))
        return build_known_person(context).remember_strategy(strategy, "chosen by the person", event.event_id).id

    def pointer() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(Path(context.project_home.overlay).read_text())[
            "testless_verification_strategy"
        ]
        return found

    first, second = choose("run_a", "Show the page"), choose("run_b", "Show the log")
    assert pointer() == {"chosen_once": True, "claim_id": second, "rationale": "chosen by the person"}
    shown = mi("undo", "run_b").stdout
    assert f"testless_verification_strategy → {second}" in shown
    assert pointer()["claim_id"] == second
    done = run(mi, "undo", "run_b", "--apply")
    assert pointer()["claim_id"] == first
    record = json.loads(Path(context.project_home.evidence).read_bytes().splitlines()[-1])
    assert record["event_id"] == done["event_ids"][0]
    assert list(record["retracted"]["others"]) == ["overlay"]
    run(mi, "undo", "run_a", "--apply")
    assert pointer() == {"chosen_once": False, "claim_id": "", "rationale": ""}
    run(mi, "redo", "run_a", "--apply")
    run(mi, "redo", "run_b", "--apply")
    assert pointer()["claim_id"] == second


class Shelf:
    """A room that keeps something of its own, outside the Thought DB."""

    name = "shelf"

    def __init__(self, *event_ids: str) -> None:
        self.standing = dict.fromkeys(event_ids, True)
        self.cited: list[str] = []

    def taught(self, holds: Callable[[str], bool]) -> list[str]:
        return [f"book of {one}" for one, stands in self.standing.items() if stands and holds(one)]

    def take_back(self, holds: Callable[[str], bool], event_id: str) -> None:
        self._set(holds, event_id, False)

    def restore(self, holds: Callable[[str], bool], event_id: str) -> None:
        self._set(holds, event_id, True)

    def _set(self, holds: Callable[[str], bool], event_id: str, stands: bool) -> None:
        self.standing |= {one: stands for one in self.standing if holds(one)}
        self.cited.append(event_id)


def test_another_room_takes_part_even_when_no_thought_changed(context: HomeContext) -> None:
    shelf = Shelf("ev_run_x_1", "ev_run_y_1")
    places = [UndoPlace(build_thoughts(context).own, context.project_home.evidence, context.open_project_log)]
    target = Target("run_x")
    assert [one["text"] for one in describe_change(places, target, [shelf])] == ["book of ev_run_x_1"]
    event_ids = undo(places, target, [shelf])
    assert shelf.standing == {"ev_run_x_1": False, "ev_run_y_1": True}
    assert undo(places, target, [shelf]) == []
    done = redo(places, find_last_undone(places, None, context.notices), [shelf], context.notices)
    assert shelf.standing == {"ev_run_x_1": True, "ev_run_y_1": True}
    assert shelf.cited == [*event_ids, *done["event_ids"]]
    assert done["restored"] == [shelf.name]  # as many as were shown and taken back
