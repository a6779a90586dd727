"""Views that a former version left in a home are built again, and nothing in them is believed."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.contract.fact_status import Truths
from mi.evidence.index import EvidenceIndex
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.governed import MemoryWrite
from mi.evidence.records.run import RunStart
from mi.kernel.home import Home, ThoughtFiles
from mi.kernel.notices import Notices
from mi.knowledge.search.backend import Query
from mi.knowledge.thoughts.store import ThoughtStore


def former(path: str, version: int, script: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(f"{script}; PRAGMA user_version = {version}")


def version_of(path: str) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def test_an_evidence_index_of_version_3(home: Home) -> None:
    writer = EvidenceWriter.for_command(home.evidence, Notices())
    first, second = writer.append(RunStart(task="one")).event_id, writer.append(RunStart(task="two")).event_id
    former(
        home.evidence_index,
        3,
        f"""CREATE TABLE log (id INTEGER PRIMARY KEY, path TEXT UNIQUE, upto INTEGER, seal INTEGER);
        CREATE TABLE event (log INTEGER, event_id TEXT, offset INTEGER, PRIMARY KEY (log, event_id)) WITHOUT ROWID;
        CREATE TABLE landmark (log INTEGER, kind TEXT, offset INTEGER, ref TEXT, PRIMARY KEY (log, kind, offset));
        INSERT INTO log VALUES (1, 'global/evidence.jsonl', {Path(home.evidence).stat().st_size}, 0);
        INSERT INTO event VALUES (1, '{second}', 0)""",
    )
    index = EvidenceIndex(home)
    assert index.seen_last(home.evidence, ["run_start"]) == []
    for event_id, task in ((first, "one"), (second, "two")):
        event = index.find(home.evidence, event_id, lambda done, total: None)
        assert event is not None
        assert event.fields()["task"] == task
    assert version_of(home.evidence_index) > 3


def test_a_store_view_of_version_5(home: Home) -> None:
    files = ThoughtFiles(home.thoughts)
    columns = "seq INTEGER PRIMARY KEY, id TEXT, retracted INTEGER, superseded INTEGER"
    former(
        files.view,
        5,
        f"""CREATE TABLE file (kind TEXT PRIMARY KEY, upto INTEGER, inode INTEGER, tail INTEGER);
        CREATE TABLE claim ({columns}); INSERT INTO claim VALUES (1, 'cl_1', 1, 0)""",
    )
    Path(files.claims).write_text(json.dumps({"kind": "claim", "claim_id": "cl_1", "text": "stands"}) + "\n")
    found = ThoughtStore(home.thoughts, "global", "", Notices()).read().get("cl_1")
    assert found is not None
    assert (found.status, found.raw["text"]) == ("active", "stands")
    assert version_of(files.view) > 5


def test_a_text_index_of_version_3(home: Home) -> None:
    files = ThoughtFiles(home.thoughts)
    former(
        home.memory_index,
        3,
        """CREATE TABLE source (no INTEGER PRIMARY KEY, name TEXT UNIQUE, cursor TEXT);
        CREATE TABLE document (row INTEGER PRIMARY KEY, id TEXT, text TEXT, corrected_by TEXT);
        CREATE TABLE mark (at INTEGER PRIMARY KEY, id TEXT, source INTEGER, project_id TEXT, target TEXT, by TEXT);
        INSERT INTO mark VALUES (1, 'retract:cl_1', 1, '', 'cl_1', '')""",
    )
    Path(files.claims).parent.mkdir(parents=True)
    Path(files.claims).write_text(json.dumps({"kind": "claim", "claim_id": "cl_1", "text": "walrus"}) + "\n")
    context = HomeContext(home)
    index = build_recall(context).index
    assert index.status()[0].documents == {}
    assert [hit.document.id for hit in index.search(Query(("walrus",)))] == ["cl_1"]
    assert list(context.notices) == []
    assert version_of(home.memory_index) > 3


def test_facts_of_version_1(home: Home) -> None:
    path = home.path("facts.sqlite")
    former(
        path,
        1,
        """CREATE TABLE upto (offset INTEGER, inode INTEGER); INSERT INTO upto VALUES (0, 0);
        CREATE TABLE fact (id TEXT PRIMARY KEY, event_id TEXT, proofs BLOB, checked TEXT, stale INTEGER, why TEXT);
        INSERT INTO fact VALUES ('cl_1', 'ev_0', '[]', '', 1, 'misread')""",
    )
    log = home.project("p").evidence
    proof = [{"kind": "file_exists", "value": "a"}]
    event = EvidenceWriter.for_command(log, Notices()).append(MemoryWrite(record_id="cl_1", evidence=proof))
    truths = Truths(log, path)
    known = truths.of(["cl_1"])["cl_1"]
    assert (known.event_id, known.stale, truths.stale()) == (event.event_id, False, [])
    truths.close()
    assert version_of(path) > 1
