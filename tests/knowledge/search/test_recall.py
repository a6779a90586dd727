"""Cross-project recall: when, what, how much, and the record it leaves."""

import msgspec
import pytest

from mi.app.home_context import HomeContext
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.thoughts import CrossProjectRecall
from mi.kernel.config.types import CrossProjectRecallConfig as Settings
from mi.kernel.config.types import RecallTriggers
from mi.kernel.home import Home
from mi.knowledge.search.backend import Backend, Hit, Query
from mi.knowledge.search.documents import Document, DocumentChanges
from mi.knowledge.search.fts import FtsBackend
from mi.knowledge.search.recall import Trigger, due, recall
from mi.knowledge.status import Correction

TRIGGERS: tuple[Trigger, ...] = ("run_start", "before_ask_user", "risk_signal")
TASK = "Please migrate the gateway to envoy, keep the old routes"


@pytest.fixture
def backend() -> Backend:
    backend = FtsBackend()
    documents = [
        Document("cl_mine", "claim", "The gateway keeps its old routes", "p1", event_ids=("ev_1",)),
        Document("cl_all", "claim", "A gateway migration needs a rollback plan", "", event_ids=("ev_2",)),
        Document("sn_other", "snapshot", "Migrated the gateway to envoy; please keep the old routes", "p2"),
        Document("wf_other", "workflow", "gateway envoy migrate checklist", "p2", title="Migrate"),
        Document("nd_other", "node", "Decision: envoy", "p2"),
        Document("ev_9", "evidence", "migrate the gateway to envoy", "p1"),
    ]
    for number, one in enumerate(documents):
        backend.apply(str(number), one.project_id, "", DocumentChanges([one], "1"))
    filler = [Document(f"cl_f{n}", "claim", f"unrelated remark {n}", "p2") for n in range(40)]
    backend.apply("filler", "p2", "", DocumentChanges(list(filler), "1"))
    return backend


def ids(backend: Backend, **more: object) -> list[str]:
    record = recall(backend.search, Settings(**more), "run_start", TASK, "p1")  # type: ignore[arg-type]
    assert record is not None
    return [item.id for item in record.items]


@pytest.mark.req(
    "v1.recall.query-audit-fields", "v1.cli.recall-record", "v1.cli.recall-text-only", "v1.recall.no-embeddings"
)
def test_the_record_says_what_was_asked_and_what_came(backend: Backend) -> None:
    record = recall(backend.search, Settings(), "run_start", TASK, "p1")
    assert record is not None
    assert record.reason == "run_start"
    assert record.query_raw == TASK
    assert record.tokens_used == ["please", "migrate", "gateway", "envoy", "keep", "old", "routes"]
    assert record.query_compact == " ".join(record.tokens_used)
    first = record.items[0]
    assert (first.kind, first.id, first.project_id) == ("claim", "cl_mine", "p1")
    assert first.source_refs == [{"kind": "evidence_event", "event_id": "ev_1"}]
    assert first.score is not None


def test_the_record_can_be_appended_and_read_back(backend: Backend, home: Home) -> None:
    record = recall(backend.search, Settings(), "risk_signal", TASK, "p1")
    assert record is not None
    stored = EvidenceWriter.for_command(home.evidence, HomeContext(home).notices).append(record)
    with open(home.evidence, "rb") as file:
        assert msgspec.json.decode(file.read(), type=CrossProjectRecall) == stored


@pytest.mark.req(
    "v1.recall.default-on", "v1.cli.recall-include-kinds", "mi.recall.include-kinds-seed", "v1.recall.own-stores-only"
)
def test_by_default_it_is_on_and_leaves_evidence_out(backend: Backend) -> None:
    assert all(due(Settings(), trigger) for trigger in TRIGGERS)
    assert set(ids(backend, top_k=50)) == {"cl_mine", "cl_all", "sn_other", "wf_other", "nd_other"}


@pytest.mark.req("v1.cfg.recall-enabled-behaviour")
def test_it_can_be_turned_off(backend: Backend) -> None:
    assert recall(backend.search, Settings(enabled=False), "run_start", TASK, "p1") is None


@pytest.mark.parametrize("off", TRIGGERS)
@pytest.mark.req("v1.cfg.recall-trig-behaviour")
def test_each_trigger_turns_off_exactly_itself(backend: Backend, off: Trigger) -> None:
    settings = Settings(triggers=RecallTriggers(**{off: False}))
    for trigger in TRIGGERS:
        assert (recall(backend.search, settings, trigger, TASK, "p1") is None) == (trigger == off)


@pytest.mark.req("v1.cfg.recall-top-k-behaviour")
def test_at_most_top_k(backend: Backend) -> None:
    assert len(ids(backend)) == 3
    assert len(ids(backend, top_k=1)) == 1
    assert ids(backend, top_k=0) == []


@pytest.mark.req("v1.cfg.recall-max-chars-behaviour")
def test_at_most_max_chars(backend: Backend) -> None:
    for room in (0, 1, 10, 40, 1800):
        record = recall(backend.search, Settings(max_chars=room), "run_start", TASK, "p1")
        assert record is not None
        assert sum(len(item.text) for item in record.items) <= room
    assert len(ids(backend, max_chars=40)) < 3


@pytest.mark.req("v1.cfg.recall-kinds-behaviour")
def test_only_the_included_kinds(backend: Backend) -> None:
    assert set(ids(backend, include_kinds=("snapshot", "node"), top_k=9)) == {"sn_other", "nd_other"}
    assert ids(backend, include_kinds=("evidence",)) == ["ev_9"]


@pytest.mark.req("v1.cfg.recall-exclude-behaviour")
def test_the_current_project_can_be_left_out(backend: Backend) -> None:
    found = ids(backend, exclude_current_project=True, top_k=9)
    assert "cl_mine" not in found
    assert "cl_all" in found


@pytest.mark.req("v1.cfg.recall-prefer-behaviour", "v1.cli.recall-prefer-current")
def test_the_current_project_comes_first_then_global_then_others(backend: Backend) -> None:
    assert ids(backend, top_k=4)[:2] == ["cl_mine", "cl_all"]
    assert ids(backend, prefer_current_project=False, top_k=4)[0] == "sn_other"


@pytest.mark.req("mi.fail.recall-retracted", "mi.inject.raw-never-recalled", "v1.tdb.values-raw-excluded")
def test_what_was_taken_back_and_raw_values_are_not_recalled(backend: Backend) -> None:
    raw = Document("cl_raw", "claim", TASK, "", tags=("values:raw",))
    backend.apply("later", "", "", DocumentChanges([Correction("retract:cl_mine", "cl_mine"), raw], "1"))
    backend.apply("own", "p1", "", DocumentChanges([Correction("retract", "cl_mine")], "1"))
    assert set(ids(backend, top_k=9)).isdisjoint({"cl_mine", "cl_raw"})


def test_what_is_over_is_not_recalled(backend: Backend) -> None:
    backend.apply(
        "more", "p1", "", DocumentChanges([Document("cl_x", "claim", "gateway envoy", "p1", valid_to=100.0)], "1")
    )
    at = lambda now: recall(backend.search, Settings(top_k=9), "run_start", TASK, "p1", now)  # noqa: E731
    assert "cl_x" in [item.id for item in at(99.0).items]  # type: ignore[union-attr]
    assert "cl_x" not in [item.id for item in at(100.0).items]  # type: ignore[union-attr]


def test_a_task_without_words_recalls_nothing_and_a_secret_is_not_recorded(backend: Backend) -> None:
    assert recall(backend.search, Settings(), "run_start", " ... ", "p1") is None
    secret = "ghp_" + "a1B2" * 10
    record = recall(backend.search, Settings(), "run_start", f"use token {secret} for the gateway", "p1")
    assert secret not in str(record)
    assert secret.lower() not in str(record)


def test_a_word_in_common_is_no_memory(backend: Backend) -> None:
    backend.apply(
        "more", "p1", "", DocumentChanges([Document("cl_y", "claim", "please " + "and so on " * 60, "p1")], "1")
    )
    assert "cl_y" not in ids(backend, top_k=9)


def test_the_best_match_is_recalled_behind_one_that_has_all_the_words(backend: Backend) -> None:
    """In a large part, what has all the words comes first, whatever its score."""
    many = [Document(f"cl_m{n}", "claim", f"deploy filler{n}", "p1") for n in range(6500)]
    whole = Document("cl_whole", "claim", "deploy zebra quokka " + " ".join(f"pad{n}" for n in range(120)), "p1")
    best = Document("cl_best", "claim", "zebra quokka zebra quokka", "p1")
    backend.apply("many", "p1", "", DocumentChanges([*many, whole, best], "1"))
    record = recall(backend.search, Settings(), "run_start", "deploy zebra quokka", "p1")
    assert record is not None
    assert {"cl_whole", "cl_best"} <= {item.id for item in record.items}


def test_only_where_few_are_heard_is_more_asked_for(backend: Backend) -> None:
    """Fainter matches are no memory: to look for more of them would cost and bring nothing."""
    more = [Document(f"cl_m{n}", "claim", f"deploy filler{n} " + "word " * 30, "p1") for n in range(300)]
    clear = Document("cl_clear", "claim", "deploy zebra quokka", "p1")
    backend.apply("more", "p1", "", DocumentChanges([*more, clear], "1"))
    limits: list[int] = []

    def asked(query: Query) -> list[Hit]:
        limits.append(query.limit)
        return backend.search(query)

    recall(asked, Settings(), "run_start", "deploy zebra quokka", "p1")
    assert len(limits) == 1
    recall(asked, Settings(), "run_start", "deploy zebra quokka", "p1", is_heard=lambda hit: hit.document.id == "cl_m0")
    assert len(limits) > 2
