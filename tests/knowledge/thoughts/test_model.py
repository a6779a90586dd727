"""Any interleaving of appends, retractions, supersedes and same_as equals the plainest model, at any time."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mi.kernel.clock import format_ms
from mi.kernel.home import ThoughtFiles
from mi.kernel.notices import Notices
from mi.knowledge import status
from mi.knowledge.thoughts import compact, intake
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.store_state import Filter, Reading
from tests.knowledge.thoughts.naive import Naive

START = 1_767_225_600_000
CLAIMS = [f"cl_{number}" for number in range(3)]
NODES = [f"nd_{number}" for number in range(1)]
EDGES = [f"ed_{number}" for number in range(6)]
TYPES = ["supersedes", "same_as", "supersedes", "depends_on"]
# An edge keeps its ends however often it is said: they are drawn once per example.
ENDS = st.lists(
    st.tuples(st.sampled_from(CLAIMS + NODES), st.sampled_from(CLAIMS + NODES), st.sampled_from(TYPES)),
    min_size=len(EDGES),
    max_size=len(EDGES),
)
TIMES = st.integers(0, 4)  # few, so that bounds and moments often meet
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "retract", "torn", "read", "blank"]),
        st.sampled_from(CLAIMS + NODES + EDGES * 2),
        TIMES,
        st.one_of(st.none(), TIMES),
        st.one_of(st.none(), TIMES),
    ),
    max_size=30,
)


def line(step: tuple[Any, ...], ends: list[tuple[str, str, str]]) -> dict[str, Any]:
    action, one, time, valid_from, valid_to = step
    kind = {"cl": "claim", "nd": "node", "ed": "edge"}[one[:2]]
    stamp = format_ms(START + time * 1000)
    if action == "retract":
        return {"kind": kind + "_retract", kind + "_id": one, "ts": stamp}
    raw: dict[str, Any] = {"kind": kind, kind + "_id": one, "asserted_ts": stamp}
    if kind == "claim":
        bounds = {"valid_from": valid_from, "valid_to": valid_to}
        times = {name: None if at is None else format_ms(START + at * 1000) for name, at in bounds.items()}
        return raw | times | {"claim_type": "fact", "text": one, "tags": [f"t{time % 2}"]}
    if kind == "node":
        return raw | {"node_type": "decision", "title": one}
    from_id, to_id, edge_type = ends[EDGES.index(one)]
    return raw | {"edge_type": edge_type, "from_id": from_id, "to_id": to_id}


def append(files: ThoughtFiles, raw: dict[str, Any]) -> None:
    name = {"claim": files.claims, "node": files.nodes, "edge": files.edges}[raw["kind"].partition("_")[0]]
    with Path(name).open("ab") as file:
        file.write(json.dumps(raw).encode() + b"\n")


def check(reading: Reading, root: Path, as_of: int | None, at: int) -> None:
    naive = Naive(root, as_of)
    for kind, ids in (("claim", CLAIMS), ("node", NODES), ("edge", EDGES)):
        for one in ids:
            found = reading.get(one)
            assert (found.status if found else None) == naive.status(kind, one), (one, as_of)
            if found and kind == "claim":
                assert found.valid == naive.valid(one, at)
                assert found.raw == naive.claims[one][0]
    for one in CLAIMS + NODES:
        assert _head(reading, one) == naive.head(one)
    for tag in ("t0", "t1"):
        tagged = {one for one, (raw, _, _) in naive.claims.items() if tag in raw["tags"]}
        standing = {one for one in tagged if naive.status("claim", one) == "active" and naive.valid(one, at)}
        assert {thought.id for thought in reading.find("claim", Filter(tags=(tag,)))} == standing
        assert {thought.id for thought in reading.find("claim", Filter(None, tags=(tag,)))} == tagged


def _head(reading: Reading, one: str) -> str:
    from mi.knowledge.thoughts.stores import CombinedStores

    return CombinedStores(reading).head(one)


@pytest.mark.req(
    "mi.tdb.status-order",
    "mi.tdb.status-derived",
    "mi.tdb.validity-interval",
    "mi.tdb.redirect-chains",
    "mi.tdb.redirect-cycles",
    "mi.tdb.supersedes-direction",
    "mi.tdb.same-as-direction",
)
@settings(max_examples=120, deadline=None)
@given(st.sampled_from([0, 2, 2000]), st.sampled_from([[], CLAIMS, EDGES, CLAIMS + EDGES]), STEPS, ENDS, TIMES)
def test_any_history_gives_the_state_of_the_model(
    waiting: int, known: list[str], steps: list[tuple[Any, ...]], ends: list[tuple[str, str, str]], as_of: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(intake, "_WAITING", waiting)
        patch.setattr(status, "WAITING", waiting)  # how many tags and edges stay unsorted: none, some, all
        root = Path(folder)
        store = ThoughtStore(folder, "project", "p", Notices())
        for one in known:
            append(store.files, line(("say", one, 0, None, None), ends))
        store.read()  # so that edges may be known before what they join
        for step in steps:
            if step[0] == "read":
                store.read()  # so that the rest is taken in piece by piece
            elif step[0] in ("torn", "blank"):
                with Path(store.files.claims).open("ab") as file:
                    file.write(b'{"kind":"claim","claim_id\n' if step[0] == "torn" else b"\n")
            else:
                append(store.files, line(step, ends))
        now = START + 100_000_000_000
        then = START + as_of * 1000
        for reader in (store, ThoughtStore(folder, "project", "p", Notices())):
            check(reader.read(now), root, now, now)
            check(reader.read(then), root, then, then)
            assert_same_now(reader, root)
        before = answers(store, steps)
        compact.apply(store.files)
        assert answers(ThoughtStore(folder, "project", "p", Notices()), steps) == before
        check(store.read(then), root, then, then)


def assert_same_now(store: ThoughtStore, root: Path) -> None:
    """Without a time everything counts, whatever its clock said."""
    naive = Naive(root)
    for kind, ids in (("claim", CLAIMS), ("node", NODES), ("edge", EDGES)):
        for one in ids:
            found = store.read().get(one)
            assert (found.status if found else None) == naive.status(kind, one)
    for one in CLAIMS + NODES:
        assert _head(store.read(), one) == naive.head(one)


def answers(store: ThoughtStore, steps: list[tuple[Any, ...]]) -> list[Any]:
    """Everything a reader can be asked, now and at every time of the history."""
    found: list[Any] = []
    for time in (None, *range(-1, 6)):
        reading = store.read(None if time is None else START + time * 1000)
        for one in CLAIMS + NODES + EDGES:
            thought = reading.get(one)
            if thought is None:
                found.append(None)
                continue
            retraction = reading.retraction(thought)
            found.append((one, thought.status, thought.valid, thought.raw, retraction and retraction["ts"]))
        found += [_head(reading, one) for one in CLAIMS + NODES]
    return found
