"""Documents from evidence logs and thoughts."""

import json
import os
from pathlib import Path

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.thoughts import Snapshot, SourceRefs
from mi.kernel.home import Home
from mi.knowledge.search.backend import EVIDENCE, THOUGHTS, Hit, Query
from mi.knowledge.search.words import compact
from tests.knowledge.thoughts.lines import claim, write


def search(home: Home, words: str, kinds: tuple[str, ...] = THOUGHTS, project_id: str = "p1") -> list[Hit]:
    return build_recall(HomeContext(home)).index.search(Query(compact(words).tokens, kinds, project_id))


def test_a_snapshot_cites_its_events(home: Home) -> None:
    writer = EvidenceWriter.for_command(home.project("p1").evidence, HomeContext(home).notices)
    refs = SourceRefs(event_ids=["ev_a", "ev_b"])
    event = writer.append(Snapshot(snapshot_id="sn_1", text="cache dropped", tags=["perf"], source_refs=refs))
    (hit,) = search(home, "cache")
    assert hit.document.id == "sn_1"
    assert hit.document.event_ids == (event.event_id, "ev_a", "ev_b")
    assert hit.document.tags == ("perf",)


def test_a_very_long_thought_is_found_by_its_beginning(home: Home) -> None:
    write(Path(home.thoughts), claim("cl_long", "walrus " + "x " * 1_000_000), claim("cl_next", "walrus"))
    assert {hit.document.id for hit in search(home, "walrus")} == {"cl_long", "cl_next"}


def test_a_log_that_was_put_back_and_written_on_is_read_anew(home: Home) -> None:
    """As `cp` puts a copy back: the same file, and soon as long as before."""
    store = Path(home.thoughts)
    write(store, *(claim(f"cl_{number}", f"walrus {number}") for number in range(3)))
    log = store / "claims.jsonl"
    copy = log.read_bytes()
    write(store, *(claim(f"cl_late{number}", "walrus of later") for number in range(3)))
    assert len(search(home, "walrus")) == 6
    inode = log.stat().st_ino
    log.write_bytes(copy)
    write(store, *(claim(f"cl_new{number}", "walrus, " + "once more " * 20) for number in range(5)))
    assert log.stat().st_ino == inode
    found = {hit.document.id for hit in search(home, "walrus")}
    assert found == {"cl_0", "cl_1", "cl_2", *(f"cl_new{number}" for number in range(5))}


def test_records_of_any_kind_and_shape_are_searched(home: Home) -> None:
    log = Path(home.project("p1").evidence)
    log.parent.mkdir(parents=True)
    records = [
        {"kind": "from_the_future", "event_id": "ev_r_1", "run_id": "r", "seq": 1, "deep": [{"note": "zebra"}]},
        {"kind": "evidence", "event_id": "ev_r_2", "run_id": "r", "seq": 2, "facts": ["yak"], "ok": True},
        {"kind": "evidence", "event_id": "ev_r_3", "run_id": "r", "seq": 3, "facts": ["x" * (1 << 19) + " end"]},
    ]
    log.write_text("".join(json.dumps(one) + "\n" for one in records) + "no json\n\n", "utf-8")
    assert search(home, "zebra", EVIDENCE)[0].document.id == "ev_r_1"
    assert search(home, "ok true", EVIDENCE)[0].document.id == "ev_r_2"
    assert {hit.document.id for hit in search(home, "yak", EVIDENCE)} == {"ev_r_1", "ev_r_2", "ev_r_3"}


def test_secrets_in_evidence_are_not_in_the_index(home: Home) -> None:
    secret = "ghp_" + "a1B2" * 10
    log = Path(home.project("p1").evidence)
    log.parent.mkdir(parents=True)
    record = {"kind": "evidence", "event_id": "ev_1", "results": [f"token {secret} rejected", "AuthError"]}
    log.write_text(json.dumps(record) + "\n", "utf-8")
    assert secret not in str(search(home, "rejected", EVIDENCE))
    for path in Path(home.indexes).iterdir():
        assert secret.encode() not in path.read_bytes()
        assert secret.lower().encode() not in path.read_bytes()
    assert os.path.exists(home.memory_index)
