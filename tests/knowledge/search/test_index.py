"""The memory of a home: caught up before each search, deletable, mended when broken, shared by processes."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import UserInput
from mi.evidence.records.thoughts import Snapshot
from mi.kernel.home import Home
from mi.knowledge.search.backend import EVIDENCE, THOUGHTS, Query
from mi.knowledge.search.documents import Document, DocumentChanges
from mi.knowledge.search.fts import FtsBackend
from mi.knowledge.search.index import TextIndex
from mi.knowledge.search.words import compact
from tests.disks import read_only_disk


def snapshot(home: Home, text: str, project_id: str = "p1") -> str:
    writer = EvidenceWriter.for_command(home.project(project_id).evidence, HomeContext(home).notices)
    return writer.append(Snapshot(snapshot_id=f"sn_{text.split()[0]}", text=text)).event_id


def found(context: HomeContext, words: str, kinds: tuple[str, ...] = THOUGHTS, project_id: str = "p1") -> list[str]:
    return [
        hit.document.text for hit in build_recall(context).index.search(Query(compact(words).tokens, kinds, project_id))
    ]


def keys(context: HomeContext) -> list[str]:
    return [notice.key for notice in context.notices]


@pytest.mark.req(
    "v1.recall.index-file", "v1.recall.index-is-view", "v1.cli.memory-sqlite", "mi.recall.claims-not-replace"
)
def test_the_index_can_be_deleted_at_any_time(home: Home) -> None:
    snapshot(home, "gateway migrated to envoy")
    assert found(HomeContext(home), "envoy") == ["gateway migrated to envoy"]
    assert home.memory_index == home.path("indexes", "memory.sqlite")
    assert os.stat(home.memory_index).st_mode & 0o777 == 0o600
    before = Path(home.project("p1").evidence).read_bytes()
    os.unlink(home.memory_index)
    assert found(HomeContext(home), "envoy") == ["gateway migrated to envoy"]
    assert Path(home.project("p1").evidence).read_bytes() == before


@pytest.mark.req("mi.fail.no-reingest")
def test_only_what_is_new_is_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    apply = FtsBackend.apply

    def counting(self: FtsBackend, source: str, project_id: str, since: str, batch: DocumentChanges) -> bool:
        taken.append(len(batch.changes))
        return apply(self, source, project_id, since, batch)

    monkeypatch.setattr(FtsBackend, "apply", counting)
    for number in range(20):
        snapshot(home, f"number{number} snapshot")
    found(HomeContext(home), "snapshot")
    found(HomeContext(home), "snapshot")
    assert sum(taken) == 20
    snapshot(home, "later snapshot")
    assert found(HomeContext(home), "later") == ["later snapshot"]
    assert sum(taken) == 21


def test_one_app_sees_what_is_written_meanwhile(home: Home) -> None:
    context = HomeContext(home)
    snapshot(home, "first word")
    assert found(context, "first") == ["first word"]
    snapshot(home, "second word")
    assert found(context, "second") == ["second word"]


@pytest.mark.parametrize("damage", [b"this is no database, " * 400, b""])
def test_a_damaged_index_is_built_again(home: Home, damage: bytes) -> None:
    snapshot(home, "gateway migrated")
    found(HomeContext(home), "gateway")
    Path(home.memory_index).write_bytes(damage)
    context = HomeContext(home)
    assert found(context, "gateway") == ["gateway migrated"]
    assert keys(context) == (["memory-index-broken"] if damage else [])
    assert keys(HomeContext(home)) == []


def test_an_index_with_a_broken_page_or_a_missing_table_is_built_again(home: Home) -> None:
    snapshot(home, "gateway migrated")
    found(HomeContext(home), "gateway")
    db = sqlite3.connect(home.memory_index)
    db.execute("DROP TABLE document")
    db.commit()
    db.close()
    assert found(HomeContext(home), "gateway") == ["gateway migrated"]
    size = os.path.getsize(home.memory_index)
    with open(home.memory_index, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    assert found(HomeContext(home), "gateway") == ["gateway migrated"]


def test_an_index_of_another_version_is_built_again(home: Home) -> None:
    snapshot(home, "gateway migrated")
    found(HomeContext(home), "gateway")
    db = sqlite3.connect(home.memory_index)
    db.execute("PRAGMA user_version = 99")
    db.execute("DELETE FROM document")
    db.commit()
    db.close()
    assert found(HomeContext(home), "gateway") == ["gateway migrated"]


def test_a_home_where_the_index_cannot_be_written_is_searched_all_the_same(home: Home) -> None:
    snapshot(home, "gateway migrated")
    Path(home.indexes).write_text("in the way", "utf-8")
    context = HomeContext(home)
    assert found(context, "gateway") == ["gateway migrated"]
    assert keys(context) == ["memory-index-unwritable"]


def test_an_index_that_is_damaged_and_cannot_be_replaced_is_done_without(home: Home) -> None:
    snapshot(home, "gateway migrated")
    os.makedirs(home.memory_index)  # a folder in its place: neither opened nor deleted as a file
    context = HomeContext(home)
    assert found(context, "gateway") == ["gateway migrated"]
    assert found(context, "gateway") == ["gateway migrated"]
    assert keys(context) == ["memory-index-unwritable"]


def test_what_a_read_only_index_holds_is_not_read_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot(home, "gateway migrated")
    found(HomeContext(home), "gateway")
    snapshot(home, "drained gateway")
    taken: list[str] = []
    apply = FtsBackend.apply

    def noting(self: FtsBackend, source: str, project_id: str, since: str, batch: DocumentChanges) -> bool:
        done = apply(self, source, project_id, since, batch)
        taken.extend(change.text for change in batch.changes if isinstance(change, Document))
        return done

    monkeypatch.setattr(FtsBackend, "apply", noting)
    stored = Path(home.memory_index).read_bytes()
    with read_only_disk(Path(home.root)):
        context = HomeContext(home)
        assert set(found(context, "gateway")) == {"gateway migrated", "drained gateway"}
        assert (taken, keys(context)) == (["drained gateway"], ["memory-index-unwritable"])
    assert Path(home.memory_index).read_bytes() == stored


def test_a_home_that_does_not_exist_is_not_made_by_searching(home: Home) -> None:
    assert found(HomeContext(home), "anything") == []
    assert not home.exists()


@pytest.mark.req("v1.recall.prune-orphans")
def test_a_project_that_is_gone_is_no_longer_found(home: Home) -> None:
    snapshot(home, "gateway migrated")
    snapshot(home, "gateway stays", "p2")
    query = Query(("gateway",), only_project=False)
    assert len(build_recall(HomeContext(home)).index.search(query)) == 2
    os.rename(home.project("p1").root, home.path("elsewhere"))
    assert [hit.document.text for hit in build_recall(HomeContext(home)).index.search(query)] == ["gateway stays"]


def test_a_replaced_log_is_taken_up_anew(home: Home) -> None:
    snapshot(home, "gateway migrated to envoy last week")
    found(HomeContext(home), "gateway")
    os.rename(home.project("p1").evidence, home.project("p1").evidence + ".old")
    snapshot(home, "queue")
    assert found(HomeContext(home), "gateway") == []
    assert found(HomeContext(home), "queue") == ["queue"]
    os.unlink(home.project("p1").evidence)
    assert found(HomeContext(home), "queue") == []


def test_a_torn_line_is_taken_in_once_it_is_whole(home: Home) -> None:
    snapshot(home, "gateway migrated")
    log = Path(home.project("p1").evidence)
    whole = log.read_bytes()
    log.write_bytes(whole + whole[:-40].replace(b"gateway", b"quantum"))
    assert found(HomeContext(home), "gateway quantum") == ["gateway migrated"]
    snapshot(home, "later")
    assert found(HomeContext(home), "later") == ["later"]


@pytest.mark.req("v1.recall.index-rebuild", "v1.cli.memory-index-rebuild", "v1.cli.memory-index-no-snapshots")
def test_rebuilding_with_and_without_snapshots(home: Home) -> None:
    snapshot(home, "gateway migrated")
    status = build_recall(HomeContext(home)).index.rebuild(["snapshot"], lambda done, total: None)
    assert "snapshot" not in status.documents
    assert found(HomeContext(home), "gateway") == []
    snapshot(home, "queue drained")
    assert found(HomeContext(home), "queue") == ["queue drained"]
    assert build_recall(HomeContext(home)).index.rebuild([], lambda done, total: None).documents["snapshot"] == 2
    assert found(HomeContext(home), "gateway") == ["gateway migrated"]


@pytest.mark.req("mi.recall.evidence-search", "mi.recall.claims-not-replace")
def test_evidence_is_found_verbatim_with_its_run_around_it(home: Home) -> None:
    context = HomeContext(home)
    writer = EvidenceWriter.for_command(home.project("p1").evidence, context.notices)
    asked = writer.append(UserInput(question="Which port shall the proxy use?", answer="8443, and never 8080"))
    assert found(context, "8443", EVIDENCE) == ["Which port shall the proxy use?\n8443, and never 8080"]
    assert found(context, "8443") == []
    (hit,) = build_recall(context).index.search(Query(("proxy",), EVIDENCE, "p1"))
    assert (hit.document.id, hit.document.event_ids) == (asked.event_id, (asked.event_id,))
    assert hit.document.tags == ("user_input",)


@pytest.mark.req("v1.cli.memory-backend-env", "mi.env.memory-backend", "v1.cli.memory-backend-default")
def test_the_backend_is_chosen_by_the_environment(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot(home, "gateway migrated")
    assert build_recall(HomeContext(home)).index.name == "sqlite_fts"
    monkeypatch.setenv("MI_MEMORY_BACKEND", "in_memory")
    context = HomeContext(home)
    assert build_recall(context).index.name == "in_memory"
    assert found(context, "gateway") == ["gateway migrated"]
    assert not os.path.exists(home.memory_index)


WORKER = """
import sys
from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.kernel.home import Home
from mi.knowledge.search.backend import EVIDENCE, Query
for _ in range(3):
    hits = build_recall(HomeContext(Home(sys.argv[1]))).search(Query(("record",), EVIDENCE, "p1", limit=100000))
print(len(hits), len({hit.document.id for hit in hits}))
"""


def test_two_processes_may_build_and_search_at_once(home: Home) -> None:
    writer = EvidenceWriter.for_command(home.project("p1").evidence, HomeContext(home).notices)
    for number in range(5000):
        writer.append(UserInput(question="record", answer=str(number)))
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, home.root], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )
        for _ in range(3)
    ]
    answers = [worker.communicate(timeout=120) for worker in workers]
    assert answers == [("5000 5000\n", "")] * 3
    assert build_recall(HomeContext(home)).index.status()[0].documents == {"evidence": 5000}


def test_a_process_killed_while_building_leaves_a_usable_index(home: Home) -> None:
    writer = EvidenceWriter.for_command(home.project("p1").evidence, HomeContext(home).notices)
    for number in range(4500):
        writer.append(UserInput(question="record", answer=str(number)))
    killer = WORKER.replace(
        "for _ in range(3):",
        "import os, signal\nfrom mi.knowledge.search.fts import FtsBackend\napply = FtsBackend.apply\n"
        "def once(self, *args):\n    done = apply(self, *args)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "FtsBackend.apply = once\nfor _ in range(3):",
    )
    done = subprocess.run([sys.executable, "-c", killer, home.root], check=False, timeout=60)
    assert done.returncode == -9
    hits = build_recall(HomeContext(home)).index.search(Query(("record",), EVIDENCE, "p1", limit=10_000))
    assert len({hit.document.id for hit in hits}) == len(hits) == 4500


def test_much_rubbish_is_cleared_away(home: Home) -> None:
    class Fickle:
        source, project_id, kinds = "fickle", "", frozenset(["claim"])

        def __init__(self) -> None:
            self.version = 0

        def end(self) -> str:
            return str(self.version)

        def read(self, cursor: str):  # type: ignore[no-untyped-def]
            yield DocumentChanges(
                [Document(f"c{n}", "claim", f"version{self.version}") for n in range(4000)], self.end()
            )

    os.makedirs(home.root)
    fickle = Fickle()
    memory = TextIndex(home, lambda project_id: [fickle], HomeContext(home).notices)
    sizes = []
    for version in range(1, 12):
        fickle.version = version
        assert len(memory.search(Query((f"version{version}",), limit=5000))) == 4000
        sizes.append(os.path.getsize(home.memory_index))
    memory.close()
    assert max(sizes) < 5 * sizes[0]


def test_status_reads_and_changes_nothing(home: Home) -> None:
    status, behind = build_recall(HomeContext(home)).index.status()
    assert (status.documents, behind, home.exists()) == ({}, 0, False)
    snapshot(home, "gateway")
    status, behind = build_recall(HomeContext(home)).index.status()
    assert (status.documents, behind) == ({}, 2)  # its snapshots and its records
    assert not os.path.exists(home.memory_index)
    found(HomeContext(home), "gateway")
    status, behind = build_recall(HomeContext(home)).index.status()
    assert (status.documents, behind) == ({"snapshot": 1}, 1)
    Path(home.memory_index).write_bytes(b"rubbish" * 1000)
    context = HomeContext(home)
    assert build_recall(context).index.status()[0].documents == {}
    assert keys(context) == ["state-broken"]
    assert Path(home.memory_index).read_bytes() == b"rubbish" * 1000
