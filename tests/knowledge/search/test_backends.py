"""What every memory backend must do: one suite, run for each of them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mi.knowledge import status
from mi.knowledge.search import query as search
from mi.knowledge.search.backend import BACKENDS, Backend, Hit, Query
from mi.knowledge.search.documents import Change, Document, DocumentChanges, Gone, Unmark
from mi.knowledge.search.fts import FtsBackend
from mi.knowledge.search.words import compact
from mi.knowledge.status import Correction

NOW = 1_000_000.0
HOSTILE = """C++ | a:b | foo-bar | NOT NEAR AND OR | " | '; DROP TABLE document; -- | * | col:x | ^start | ( | ) | {}
 | own : x | NEAR(a b, 3) | - | + | a* | 🚀 | 备份* | \0 | % | a AND | OR OR | \\ | \u202e"""


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    opened = FtsBackend() if request.param == "in_memory" else FtsBackend(str(tmp_path / "memory.sqlite"))
    assert opened.name == request.param
    yield opened
    opened.close()


def put(backend: Backend, *changes: Change, source: str = "s", project_id: str = "p") -> None:
    since = backend.cursors().get(source, "")
    assert backend.apply(source, project_id, since, DocumentChanges(list(changes), since + "."))


def claim(name: str, text: str, **more: object) -> Document:
    return Document(**{"id": name, "kind": "claim", "text": text, "project_id": "p"} | more)  # type: ignore[arg-type]


def found(backend: Backend, words: str, **more: object) -> list[str]:
    query = Query(**{"tokens": compact(words).tokens, "project_id": "p"} | more)  # type: ignore[arg-type]
    return [hit.document.id for hit in backend.search(query)]


def test_what_was_put_comes_back_whole(backend: Backend) -> None:
    one = Document(
        "cl_1",
        "claim",
        "Releases are cut on Fridays",
        "p",
        title="Release day",
        ts="2026-01-02T00:00:00.000Z",
        tags=("fact", "team"),
        event_ids=("ev_1", "ev_2"),
        valid_from=1.0,
        valid_to=2.0,
        weight=0.5,
        group="g",
        position=3,
    )
    put(backend, one)
    (hit,) = backend.search(Query(compact("friday release").tokens, project_id="p"))
    assert hit.document == one
    assert hit.score > 0
    assert hit.corrected_by == ""


@pytest.mark.req("mi.recall.fts5-stemming")
def test_words_are_found_in_their_other_forms(backend: Backend) -> None:
    put(backend, claim("a", "The deployments were running"), claim("b", "She went to the office"))
    assert found(backend, "deployment runs") == ["a"]
    assert found(backend, "going") == ["b"]


@pytest.mark.req("mi.recall.cjk-bigrams", "mi.fail.recall-non-ascii")
def test_chinese_is_found_by_words_inside_a_sentence(backend: Backend) -> None:
    put(backend, claim("a", "上线之前必须先备份数据库"), claim("b", "每周五发布新版本"))
    assert found(backend, "数据库备份怎么做？") == ["a"]
    assert found(backend, "发布") == ["b"]
    assert found(backend, "库") == ["a"]
    assert found(backend, "版本 backup") == ["b"]


@pytest.mark.parametrize("words", HOSTILE.split(" | "))
@pytest.mark.req("mi.recall.tokens-quoted")
def test_nothing_in_a_query_is_syntax(backend: Backend, words: str) -> None:
    put(backend, claim("a", f"text with {words} inside"), claim("b", "something else"))
    assert found(backend, words)[:1] == (["a"] if compact(words).tokens else [])


@pytest.mark.req("mi.recall.tokens-quoted")
@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_no_query_fails(words: str) -> None:
    backend = FtsBackend()
    put(backend, claim("a", words))
    found(backend, words)
    backend.search(Query(tuple(words.split()), project_id="p"))
    backend.close()


@settings(max_examples=100, deadline=None)
@given(st.text("abcXYZ019 +#-_:*\"'éÄж备份数据库。🚀かな한글", min_size=1, max_size=40))
def test_a_document_is_found_by_its_own_words(text: str) -> None:
    backend = FtsBackend()
    put(backend, claim("a", text), claim("b", "nothing of the kind"))
    asked = [token for token in compact(text).tokens if token.strip("+#")]
    assert found(backend, text)[:1] == (["a"] if asked else [])
    backend.close()


@pytest.mark.req("mi.fail.recall-not-and-all")
def test_a_whole_task_finds_what_shares_some_words(backend: Backend) -> None:
    put(backend, claim("a", "Use ruff for linting"), claim("b", "Postgres 16 in production"))
    task = "Please add linting to the build of the frontend, make sure that nothing else changes, then report back"
    assert found(backend, task) == ["a"]


@pytest.mark.req("mi.recall.project-first")
def test_a_project_sees_its_own_and_the_global_part(backend: Backend) -> None:
    put(backend, claim("mine", "cache policy"))
    put(backend, claim("all", "cache policy", project_id=""), source="g", project_id="")
    put(backend, claim("other", "cache policy", project_id="q"), source="q", project_id="q")
    assert set(found(backend, "cache")) == {"mine", "all"}
    assert set(found(backend, "cache", project_id="q")) == {"other", "all"}
    assert set(found(backend, "cache", only_project=False)) == {"mine", "all", "other"}
    assert set(found(backend, "cache", only_project=False, without_project=True)) == {"all", "other"}
    assert found(backend, "cache", project_id="unknown") == ["all"]


def test_only_the_wanted_kinds(backend: Backend) -> None:
    put(backend, claim("c", "cache"), claim("n", "cache", kind="node"), claim("e", "cache", kind="evidence"))
    assert found(backend, "cache", kinds=("node",)) == ["n"]
    assert set(found(backend, "cache")) == {"c", "n"}
    assert set(found(backend, "cache", kinds=("claim", "evidence"))) == {"c", "e"}


def test_limits(backend: Backend) -> None:
    put(backend, *(claim(f"c{number}", f"cache {number}") for number in range(30)))
    assert len(found(backend, "cache", limit=7)) == 7
    assert found(backend, "cache", limit=0) == []
    assert len(found(backend, "cache", limit=100)) == 30


@pytest.mark.req("mi.recall.neighbours-date")
def test_an_answer_is_found_by_its_question_and_its_date(backend: Backend) -> None:
    talk = [
        claim("q", "Which database do we take?", group="run", position=1),
        claim("a", "Postgres, the newest one", group="run", position=2, ts="2026-03-09T08:00:00.000Z"),
        claim("x", "Postgres and the weather", group="other", position=1),
    ]
    put(backend, *talk)
    assert set(found(backend, "database")) == {"q", "a"}
    assert found(backend, "march 2026") == ["a"]
    assert "q" in found(backend, "newest")  # what follows helps, too


@pytest.mark.req("mi.recall.neighbours-date")
def test_neighbours_that_come_later_count(backend: Backend) -> None:
    put(backend, claim("q", "Which database?", group="run", position=1))
    assert found(backend, "postgres") == []
    put(backend, claim("a", "Postgres", group="run", position=2))
    assert set(found(backend, "postgres")) == {"a", "q"}
    put(backend, claim("b", "Fine", group="run", position=3))
    assert set(found(backend, "database")) == {"q", "a", "b"}
    assert backend.status().documents == {"claim": 3}


def test_a_named_title_ranks_first(backend: Backend) -> None:
    put(
        backend,
        claim("a", "I like hiking in the hills", title="Mina"),
        claim("b", "I like hiking in the hills", title="Oleg"),
    )
    assert found(backend, "Does Oleg like hiking?")[0] == "b"
    assert found(backend, "Does Mina like hiking?")[0] == "a"


def test_weight_and_then_the_newer_first(backend: Backend) -> None:
    put(
        backend,
        claim("old", "cache policy", ts="2026-01-01T00:00:00.000Z"),
        claim("new", "cache policy", ts="2026-01-01T00:00:00.001Z"),
        claim("weak", "cache policy", ts="2026-02-01T00:00:00.000Z", weight=0.5),
    )
    assert found(backend, "cache") == ["new", "old", "weak"]


def test_validity_is_compared_as_time(backend: Backend) -> None:
    put(
        backend,
        claim("over", "cache", valid_to=NOW),
        claim("now", "cache", valid_from=NOW, valid_to=NOW + 1),
        claim("later", "cache", valid_from=NOW + 0.5),
    )
    assert found(backend, "cache", now=NOW) == ["now"]
    assert set(found(backend, "cache")) == {"over", "now", "later"}


@pytest.mark.req("mi.fail.recall-retracted", "mi.recall.correction-outranks")
def test_what_was_taken_back_is_not_found_until_said_again(backend: Backend) -> None:
    put(backend, claim("a", "cache policy"), Correction("retract:a", "a"))
    assert found(backend, "cache") == []
    assert found(backend, "cache", corrected=True) == ["a"]
    put(backend, claim("a", "cache policy"))
    assert found(backend, "cache") == ["a"]


@pytest.mark.req("mi.recall.correction-outranks")
def test_a_correction_hides_or_outranks_what_it_corrects(backend: Backend) -> None:
    put(
        backend,
        claim("old", "cache cache policy cache"),
        claim("new", "cache policy is none"),
        Correction("ed", "old", "new"),
    )
    assert found(backend, "cache policy") == ["new"]
    hits = backend.search(Query(("cache", "policy"), project_id="p", corrected=True))
    assert [(hit.document.id, hit.corrected_by) for hit in hits] == [("new", ""), ("old", "new")]
    put(backend, Unmark("ed"))
    assert set(found(backend, "cache policy")) == {"old", "new"}


def test_many_new_corrections_do_not_hide_what_stands(backend: Backend) -> None:
    put(backend, claim("stands", "cache policy, said among much else that is not asked for"))
    put(backend, *(claim(f"old{number}", "cache policy") for number in range(150)))
    put(backend, *(Correction(f"ed{number}", f"old{number}", "stands") for number in range(150)))
    assert found(backend, "cache policy", limit=5) == ["stands"]
    assert backend.status().corrected == 150
    put(backend, Unmark("ed7"))
    assert found(backend, "cache policy", limit=5) == ["old7", "stands"]


def test_new_corrections_hide_nothing_that_stands_in_another_part(backend: Backend) -> None:
    """The project's best are hidden by what was taken back there, and the global part has enough poor ones."""
    put(backend, *(claim(f"good{number}", "pelican is what we want") for number in range(5)))
    put(backend, *(claim(f"old{number}", "pelican") for number in range(120)))
    poor = [claim(f"poor{number}", "a pelican " + "and so on " * 40, project_id="") for number in range(5)]
    put(backend, *poor, source="g", project_id="")
    put(backend, *(Correction(f"retract:old{number}", f"old{number}") for number in range(120)))
    assert set(found(backend, "pelican", limit=5)) == {f"good{number}" for number in range(5)}


def test_what_one_project_takes_back_or_says_again_is_its_own(backend: Backend) -> None:
    """The same thought is in two projects, as after an import."""
    for project in ("p", "q"):
        put(backend, claim("a", "cache", project_id=project), source=project, project_id=project)
        put(backend, Correction("retract:a", "a"), source=project, project_id=project)
    put(backend, claim("a", "cache"), source="p")
    assert (found(backend, "cache"), found(backend, "cache", project_id="q")) == (["a"], [])
    assert found(backend, "cache", project_id="q", only_project=False) == ["a"]  # of the other project


def test_a_circle_of_new_corrections_is_counted_as_it_stands(backend: Backend) -> None:
    put(backend, claim("a", "cache"), claim("b", "cache"), Correction("e1", "a", "b"), Correction("e2", "b", "a"))
    assert (found(backend, "cache"), backend.status().corrected) == (["a"], 1)


def test_a_search_sees_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process that writes meanwhile changes no answer, and is only kept waiting."""
    path = str(tmp_path / "memory.sqlite")
    backend = FtsBackend(path)
    put(backend, claim("a", "cache"))
    hits = search._hits

    def meanwhile(*args: Any) -> list[Hit]:
        other = sqlite3.connect(path, timeout=0, isolation_level=None)
        with closing(other), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("DELETE FROM document")
        return hits(*args)

    monkeypatch.setattr(search, "_hits", meanwhile)
    assert found(backend, "cache") == ["a"]
    backend.close()


def test_a_correction_may_come_before_what_it_corrects(backend: Backend) -> None:
    put(backend, Correction("ed", "old", "new"), source="edges")
    put(backend, claim("old", "cache"), claim("new", "cache"))
    assert found(backend, "cache") == ["new"]


def test_a_project_corrects_the_global_part_for_itself_only(backend: Backend) -> None:
    put(backend, claim("g", "cache", project_id=""), source="g", project_id="")
    put(backend, claim("m", "cache"), Correction("ed", "g", "m"))
    assert found(backend, "cache") == ["m"]
    assert found(backend, "cache", project_id="q") == ["g"]


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abcd")),
        st.tuples(st.just("retract"), st.sampled_from("abcd")),
        st.tuples(st.just("replace"), st.sampled_from("abcd"), st.sampled_from("abcd"), st.integers(0, 3)),
        st.tuples(st.just("undo"), st.integers(0, 3)),
    ),
    max_size=14,
)


@settings(max_examples=300, deadline=None)
@given(ACTIONS, st.sampled_from([1, 3, 14]), st.sampled_from([0, 2, 2000]))
def test_any_order_of_corrections_leaves_what_a_naive_model_says(actions: list[tuple], at_once: int, new: int) -> None:
    said: set[str] = set()
    retracted: set[str] = set()
    edges: dict[int, tuple[str, str]] = {}  # in the order of their assertion
    changes: list[Change] = []
    for action in actions:
        if action[0] == "put":
            changes.append(claim(action[1], "thing"))
            retracted.discard(action[1]) if action[1] in said else None
            said.add(action[1])
        elif action[0] == "retract" and action[1] in said:
            changes.append(Correction(f"retract:{action[1]}", action[1]))
            retracted.add(action[1])
        elif action[0] == "replace" and action[1] != action[2]:
            edges.pop(action[3], None)
            edges[action[3]] = (action[1], action[2])
            changes.append(Correction(f"ed{action[3]}", action[1], action[2]))
        elif action[0] == "undo":
            edges.pop(action[1], None)
            changes.append(Unmark(f"ed{action[1]}"))
    expected = {one for one in said - retracted if _head(one, list(edges.values())) == one}
    backend = FtsBackend()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(status, "WAITING", new)  # how many marks are kept apart: none, some, all
        for start in range(0, len(changes), at_once):
            put(backend, *changes[start : start + at_once])
    assert set(found(backend, "thing")) == expected
    backend.close()


def _head(start: str, edges: list[tuple[str, str]]) -> str:
    """Follow the newest edge out of each; of a cycle, the target of its newest edge stands."""
    newest = {old: (at, new) for at, (old, new) in enumerate(edges)}
    path = [start]
    while path[-1] in newest:
        step = newest[path[-1]][1]
        if step in path:
            cycle = path[path.index(step) :]
            return max(newest[one] for one in cycle)[1] if start in cycle else step
        path.append(step)
    return path[-1]


def test_documents_that_are_gone_or_changed(backend: Backend) -> None:
    put(backend, claim("a", "cache"), claim("b", "cache"))
    put(backend, Gone("a"), claim("b", "queue"))
    assert found(backend, "cache") == []
    assert found(backend, "queue") == ["b"]
    assert backend.status().documents == {"claim": 1}


def test_sources_are_kept_apart_and_forgotten_whole(backend: Backend) -> None:
    put(backend, claim("a", "cache"), source="one")
    put(backend, claim("b", "cache"), Correction("ed", "a", "b"), source="two")
    assert found(backend, "cache") == ["b"]
    backend.forget("two")
    assert found(backend, "cache") == ["a"]
    assert backend.cursors() == {"one": "."}
    backend.forget("never there")


def test_a_replaced_source_begins_anew(backend: Backend) -> None:
    put(backend, claim("a", "cache"), Correction("m", "b"))
    assert backend.apply("s", "p", ".", DocumentChanges([claim("b", "cache")], "9", anew=True))
    assert found(backend, "cache") == ["b"]
    assert backend.cursors() == {"s": "9"}


def test_a_batch_read_from_elsewhere_is_refused(backend: Backend) -> None:
    put(backend, claim("a", "cache"))
    assert not backend.apply("s", "p", "", DocumentChanges([claim("b", "cache")], "2"))
    assert found(backend, "cache") == ["a"]


def test_secrets_are_never_indexed(backend: Backend) -> None:
    secret = "sk-ant-" + "api03-abcdEFGH1234ijklMNOP5678"
    put(backend, claim("a", f"use the key {secret} for staging", title=f"key {secret}"))
    (hit,) = backend.search(Query(("staging",), project_id="p"))
    assert secret not in str(hit)
    assert found(backend, secret.removeprefix("sk-ant-")) == []


@pytest.mark.req("mi.recall.and-before-or")
def test_a_large_store_finds_what_has_all_words_first(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "EXACT", 50)
    monkeypatch.setattr(search, "COMMON", 40)
    many = [claim(f"c{number}", f"cache policy number {number} " + "filler " * 20) for number in range(300)]
    put(backend, *many, claim("both", "the cache policy of the gateway"), claim("rare", "gateway"))
    assert found(backend, "cache policy gateway")[:2] == ["both", "rare"]
    newest = [f"c{number}" for number in range(299, 289, -1)]
    assert found(backend, "cache number") == newest, "words of every document: the latest"
    with_a_rare_word = found(backend, "cache number gateway")
    assert (set(with_a_rare_word[:2]), with_a_rare_word[2:]) == ({"both", "rare"}, newest[:8])
    assert len(found(backend, "cache policy")) == 10
    assert found(backend, "cache nonsense") != []
    assert found(backend, "nonsense") == []
    assert found(backend, "number 77")[0] == "c77"


def test_status_counts(backend: Backend) -> None:
    put(backend, claim("a", "x"), claim("b", "y"), Correction("r", "a"), claim("e", "z", kind="evidence"))
    status = backend.status()
    assert status.documents == {"claim": 2, "evidence": 1}
    assert (status.corrected, status.sources) == (1, 1)
    assert status.bytes > 0


def test_rubbish_is_noticed(backend: Backend) -> None:
    assert not backend.wasted()
    put(backend, *(claim(f"c{number}", "x") for number in range(6000)))
    for _ in range(2):
        put(backend, *(claim(f"c{number}", "y") for number in range(6000)))
    assert not backend.wasted()
    backend.forget("s")
    assert backend.wasted()
    backend.clear()
    assert not backend.wasted()
    assert (backend.cursors(), backend.status().documents) == ({}, {})


def chain(length: int) -> list[Change]:
    steps: list[Change] = [claim("c0", "thing")]
    for number in range(length):
        steps += [claim(f"c{number + 1}", "thing"), Correction(f"e{number}", f"c{number}", f"c{number + 1}")]
    return steps


def test_a_long_chain_of_corrections_ends_at_its_last(backend: Backend) -> None:
    put(backend, *chain(1500))
    assert found(backend, "thing") == ["c1500"]


@pytest.mark.req("mi.fail.index-not-quadratic")
@pytest.mark.parametrize("backwards", [False, True])
def test_twice_as_much_is_twice_the_work(backwards: bool) -> None:
    work = []
    for length in (400, 800):
        backend = FtsBackend()
        statements: list[str] = []
        backend._view.db.set_trace_callback(statements.append)
        steps = chain(length)
        put(backend, *(reversed(steps) if backwards else steps))
        put(backend, *(claim(f"g{n}", "talk", group="g", position=n) for n in range(length)), source="t")
        work.append(len(statements))
        backend.close()
    assert work[1] < 2.2 * work[0]
