"""A persona of its own for each test."""

from pathlib import Path

import pytest

from mi.persona.make import make
from mi.persona.place import PersonaView

CARD = """---
id: {id}
type: {type}
merge_key: {merge_key}
title: {title}
salience: {salience}
created: 2026-11-01
{more}---

{body}
"""


@pytest.fixture
def persona(tmp_path: Path) -> PersonaView:
    made = PersonaView(str(tmp_path / "persona"), "mi")
    make(made)
    return made


def put(persona: PersonaView, path: str, text: str) -> Path:
    """Write a file of the persona."""
    place = Path(persona.root) / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    return place


def put_card(
    persona: PersonaView,
    card_id: str = "H-001",
    *,
    title: str = "Small steps",
    merge_key: str = "small-steps",
    salience: int = 5,
    body: str = "Go in small steps.\n\n## Evidence\n\n- ev_1",
    more: str = "",
) -> Path:
    """Write a card into the folder of its type."""
    kind = {"X": "axiom", "P": "principle", "H": "heuristic", "M": "pattern"}[card_id[0]]
    text = CARD.format(id=card_id, type=kind, merge_key=merge_key, title=title, salience=salience, body=body, more=more)
    return put(persona, f"cards/{kind}s/{card_id.lower()}.md", text)
