"""What a persona hands to the search index: cards, principles and the decisions of session logs."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from mi.kernel.errors import StorageError
from mi.kernel.secrets import find_secrets
from mi.kernel.text import decode
from mi.knowledge.search.documents import Document, Producer
from mi.knowledge.search.sources import FolderProducer
from mi.knowledge.search.team import CARD, DECISION, PRINCIPLE, tag_salience
from mi.persona.place import PersonaView

if TYPE_CHECKING:
    from mi.persona.cards import CardFile

ReadText = Callable[[str, str], Document | None]  # path and text of a file → what is found in it


def list_persona_producers(root: str, source: str, project_id: str, within: str = "") -> list[Producer]:
    """Return what a persona has to find.

    Nothing where a link leads out of it, or out of the project that brought it along.
    """
    if not os.path.isdir(root):
        return []
    persona = PersonaView(root, "", within)
    return [
        _Files(_find_folder(persona, "cards"), source, project_id, CARD, _read_card),
        _Files(_find_folder(persona, "core"), f"{source}#principles", project_id, PRINCIPLE, _read_principles),
        _Files(_find_folder(persona, "sessions"), f"{source}#sessions", project_id, DECISION, _read_decisions),
    ]


def _find_folder(persona: PersonaView, name: str) -> str:
    try:
        return persona.path(name)
    except StorageError:
        return ""  # `mi persona` says so; what others keep is found


class _Files(FolderProducer):
    """The Markdown files of one folder, each a document under its path."""

    def __init__(self, folder: str, source: str, project_id: str, kind: str, read: ReadText) -> None:
        def read_file(name: str, data: bytes) -> Document | None:
            text = decode(data)
            found = None if find_secrets(text) else read(os.path.join(folder, name), text)
            return found._replace(project_id=project_id) if found else None

        super().__init__(folder, source, project_id, kind, ".md", read_file)

    def id_of(self, name: str) -> str:
        return os.path.join(self._folder, name)


def _read_card(path: str, text: str) -> Document | None:
    from mi.persona.cards import keep_active, parse_all
    from mi.persona.front_matter import BadFrontMatter

    try:
        found = keep_active(parse_all(text, os.path.basename(path)))
    except BadFrontMatter:
        return None  # `mi persona lint` says what is wrong
    if not found:
        return None
    one = max(found, key=lambda card: card.card.salience)  # two of them only where git left its markers
    said = [part for each in found for part in _list_words(each)]
    return Document(
        path,
        CARD,
        "\n".join(said),
        title=f"{one.card.id} {one.card.title}",
        ts=one.card.last_reviewed or one.card.created,
        tags=(one.card.type, tag_salience(one.card.salience)),
        weight=0.75 + one.card.salience / 20,
    )


def _list_words(one: "CardFile") -> list[str]:
    return [one.card.title, one.card.merge_key.replace("-", " "), *one.card.aliases, one.body]


def _read_principles(path: str, text: str) -> Document | None:
    if os.path.basename(path) != "principles.md" or not text.strip():
        return None
    return Document(path, PRINCIPLE, text.strip(), title="principles")


def _read_decisions(path: str, text: str) -> Document | None:
    from mi.persona.session_log import read_sections

    said = read_sections(text, ["decisions"]).get("decisions", [])
    name = os.path.basename(path).removesuffix(".md")
    return Document(path, DECISION, "\n".join(said), title=name, ts=name[:10]) if said else None
