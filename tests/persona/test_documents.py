"""Cards are found by their words beside everything else."""

import json
from pathlib import Path

import pytest

from mi.persona.documents import list_persona_producers
from mi.persona.place import PersonaView
from tests.persona.conftest import put_card


def handed_over(producer, cursor=""):  # type: ignore[no-untyped-def]
    return [change for batch in producer.read(cursor) for change in batch.changes]


@pytest.mark.req("mi.product.cards-recall")
def test_a_card_is_found_changed_and_forgotten(mi, repository, monkeypatch):
    root: Path = repository("team")
    monkeypatch.chdir(root)
    mi("persona", "init", "--project")
    mi("init", "--values", "Be kind.")
    mi("project", "use")
    persona = PersonaView(str(root / "persona"), "mi")
    path = put_card(
        persona, title="Migrations go alone", body="Never mix 数据库迁移 with code.\n\n## Evidence\n\n- ev_1"
    )

    def found(*words: str) -> list[str]:
        hits = json.loads(mi("memory", "search", *words, "--json").stdout)["hits"]
        return [hit["title"] for hit in hits if hit["kind"] == "card"]

    assert found("migrations") == ["H-001 Migrations go alone"]
    assert found("数据库") == ["H-001 Migrations go alone"]
    put_card(persona, title="Deployments go alone", body="x\n\n## Evidence\n\n- ev_1")
    assert (found("migrations"), found("deployments")) == ([], ["H-001 Deployments go alone"])
    path.unlink()
    assert found("deployments") == []


@pytest.mark.parametrize("more", ["status: archived\n", "source: password=Tr0ub4dor&3xyz!\n", "salience: many\n"])
def test_archived_broken_and_secret_cards_are_not_indexed(persona, more):
    put_card(persona, more=more)
    (change,) = handed_over(list_persona_producers(persona.root, "persona", "")[0])
    assert type(change).__name__ == "Gone"


def test_private_spaces_and_links_are_not_read(persona, tmp_path):
    put_card(persona)
    hidden = Path(persona.root) / "cards/.ada/private"
    hidden.mkdir(parents=True)
    (hidden / "x.md").write_text((Path(persona.root) / "cards/heuristics/h-001.md").read_text("utf-8"), "utf-8")
    (Path(persona.root) / "cards/link").symlink_to(hidden)
    assert len(handed_over(list_persona_producers(persona.root, "persona", "")[0])) == 1
