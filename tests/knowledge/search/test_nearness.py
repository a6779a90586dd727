"""Finding by meaning: with the real model, on real tables."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.knowledge.search import model as models
from mi.knowledge.search.backend import BACKENDS, Hit, Query
from mi.knowledge.search.documents import Change, Correction, Document, DocumentChanges, Gone
from mi.knowledge.search.fts import FtsBackend
from mi.knowledge.search.index import TextIndex
from mi.knowledge.search.model import Array, Model, load_model
from mi.knowledge.search.nearness import Nearness
from mi.knowledge.search.words import compact

ASKED = "physician, patient, clinic, nurse"
DOCTOR = "The doctor saw the sick child at the hospital."


class Counting(Model):
    """The installed model; says which texts it was given."""

    def __init__(self, name: str = "") -> None:
        self.__dict__ |= load_model().__dict__
        self.name = name or self.name
        self.given: list[str] = []

    def embed(self, texts: Sequence[str], weights: Array) -> Array:
        self.given += texts
        return super().embed(texts, weights)


class Store:
    def __init__(self, path: str) -> None:
        self.path = path
        self.model = Counting()
        self.open()
        self.put(*(one(f"i{n}", f"Invoice {n} was paid by bank.") for n in range(40)), one("doctor", DOCTOR))

    def open(self) -> None:
        self.backend = FtsBackend(self.path, find_nearness=lambda: Nearness(self.model))

    def put(self, *changes: Change) -> None:
        since = self.backend.cursors().get("s", "")
        assert self.backend.apply("s", "p", since, DocumentChanges(list(changes), since + "."))

    def search(self, words: str = ASKED, **more: object) -> list[Hit]:
        query = Query(**{"tokens": compact(words).tokens, "project_id": "p", "text": words} | more)  # type: ignore[arg-type]
        return self.backend.search(query)

    def found(self, words: str = ASKED, **more: object) -> list[str]:
        return [hit.document.id for hit in self.search(words, **more)]

    def vectors(self) -> int:
        return int(self.backend._view.db.execute("SELECT count(*) FROM thought_vectors").fetchone()[0])


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = Store("" if request.param == "in_memory" else str(tmp_path / "memory.sqlite"))
    yield made
    made.backend.close()


def one(name: str, text: str, **more: object) -> Document:
    return Document(**{"id": name, "kind": "claim", "text": text, "project_id": "p"} | more)  # type: ignore[arg-type]


@pytest.mark.req("mi.recall.semantic")
def test_what_shares_no_word_is_found_by_its_meaning(store: Store) -> None:
    assert store.found() == ["doctor"]
    store.backend._find_nearness = lambda: None
    assert store.found() == []


@pytest.mark.req("mi.recall.semantic")
def test_what_matches_the_words_stays_first(store: Store) -> None:
    store.put(one("nurse", "Payroll: nurse nurse patient clinic physician."))
    assert store.found()[0] == "nurse"


def test_neighbours_of_a_conversation_lend_their_meaning(store: Store) -> None:
    talk = ["Was the patient seen by the physician?", "Yes, at noon.", "Good."]
    store.put(*(one(f"t{at}", text, group="talk", position=at) for at, text in enumerate(talk)))
    question = "Who was treated in the clinic by the nurse?"
    store.found(question)
    db = store.backend._view.db
    near = Nearness(store.model).measure(db, "thought_words", question, (0, 1 << 62))
    names = dict(db.execute("SELECT row, id FROM document"))
    order = [names[row] for _, row in sorted(zip(-near.deviations, near.rows.tolist(), strict=True))]
    assert order.index("t0") < order.index("t1") < 4


@pytest.mark.parametrize(
    "change",
    [Gone("doctor"), Correction("c", "doctor"), one("doctor", "Invoice 99 was paid by bank.")],
    ids=["gone", "retracted", "replaced"],
)
def test_what_no_longer_stands_is_not_found_by_its_meaning(store: Store, change: Change) -> None:
    assert store.found() == ["doctor"]
    store.put(change)
    assert store.found() == []


def test_what_a_query_leaves_out_is_not_found_by_its_meaning_either(store: Store) -> None:
    store.put(one("doctor", DOCTOR, valid_to=5.0, tags=("health",)))
    assert store.found(now=4.0) == ["doctor"]
    assert store.found(now=6.0) == []
    assert (store.found(tags=("health",)), store.found(tags=("money",))) == (["doctor"], [])
    assert (store.found(sources=("s",)), store.found(sources=("t",))) == (["doctor"], [])
    assert store.found(kinds=("node",)) == []
    assert store.found(project_id="q") == []
    assert store.found(project_id="p", only_project=False, without_project=True) == []
    assert store.found(project_id="q", only_project=False, without_project=True) == ["doctor"]


@pytest.mark.req("mi.recall.semantic-cached")
def test_only_what_is_new_is_embedded(store: Store) -> None:
    store.found()
    store.model.given.clear()
    store.found()
    assert store.model.given == [ASKED]
    store.model.given.clear()
    store.put(one("new", "The surgeon operated on a patient."))
    assert set(store.found()) == {"new", "doctor"}
    assert sorted(store.model.given) == sorted(["The surgeon operated on a patient.", ASKED])


@pytest.mark.req("mi.recall.semantic-cached")
def test_vectors_are_kept_in_the_file_and_go_with_their_documents(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "memory.sqlite"))
    store.found()
    store.backend.close()
    store.open()
    store.model.given.clear()
    assert store.found() == ["doctor"]
    assert store.model.given == [ASKED]
    assert store.vectors() == 41
    store.put(Gone("doctor"))
    assert store.vectors() == 40
    store.backend.close()
    os.unlink(store.path)
    store.open()
    assert store.found() == []
    store.backend.close()


@pytest.mark.req("mi.recall.semantic-cached")
def test_another_model_embeds_everything_anew(store: Store) -> None:
    store.found()
    store.model = Counting("another")
    assert store.found() == ["doctor"]
    assert {DOCTOR, "Invoice 7 was paid by bank."} <= set(store.model.given)
    assert store.vectors() == 41


def test_words_are_counted_again_while_there_are_few_documents(store: Store) -> None:
    store.found()
    store.put(*(one(f"more{n}", f"Ticket {n} was closed by hand.") for n in range(400)))
    store.model.given.clear()
    assert store.found() == ["doctor"]
    assert DOCTOR in store.model.given
    store.model.given.clear()
    assert store.found() == ["doctor"]
    assert store.model.given == [ASKED]


@pytest.mark.parametrize("words", ["", "\0", "🚀 \u202e", "x" * 30_000, "了", "''\"; DROP TABLE document"])
def test_any_question_is_answered(store: Store, words: str) -> None:
    store.put(one("empty", ""), one("odd", "\0\u202e" * 50))
    store.found(words)
    assert store.found() == ["doctor"]


@pytest.mark.req("mi.recall.semantic-missing")
def test_a_missing_model_is_said_once_and_words_still_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_model.cache_clear()
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    notices = Notices()
    index = TextIndex(Home(str(tmp_path / "home")), lambda project_id: [], notices, near=True)
    for _ in range(2):
        assert index.search(Query(("word",), ("claim",), "p")) == []
    lines = [notice.line() for notice in notices.take()]
    index.close()
    load_model.cache_clear()
    assert len(lines) == 1
    assert "mind-incarnation[semantic]" in lines[0]


@pytest.mark.req("mi.recall.semantic-late")
@pytest.mark.parametrize(
    ("setting", "command", "loaded"),
    [
        ("off", ["search", "release"], False),
        ("on", ["status"], False),
        ("on", ["hook", "prompt", "--host", "claude-code", "--enforce", "contract"], False),
        ("on", ["search", "release"], True),
    ],
)
def test_the_model_is_loaded_by_a_search_where_it_is_on(
    tmp_path: Path, setting: str, command: list[str], loaded: bool
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (home / "config.json").write_text(f'{{"memory": {{"semantic": "{setting}"}}}}', "utf-8")
    env = os.environ | {"MI_HOME": str(home), "MI_CD": str(project), "PYTHONPROFILEIMPORTTIME": "1"}
    event = f'{{"session_id": "s", "cwd": "{project}", "prompt": "fix the failing test of the release"}}'
    run = [sys.executable, "-m", "mi", *command]
    done = subprocess.run(
        run, env=env, input=event, capture_output=True, encoding="utf-8", cwd=project, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout
    assert "mi.cli" in done.stderr
    assert ("numpy" in done.stderr) is loaded


def test_who_waits_for_vectors_is_told_how_far_they_are(store: Store) -> None:
    told: list[tuple[int, int]] = []
    store.backend._find_nearness = lambda: Nearness(store.model, lambda *far: told.append(far))
    store.put(*(one(f"more{n}", f"Order {n} was sent.") for n in range(1200)))
    assert "doctor" in store.found()
    assert told[0][0] < told[-1][0] < told[-1][1]
    assert len({total for _, total in told}) == 1
    told.clear()
    store.search()
    assert told == []
