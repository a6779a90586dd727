"""Cards as Documents, found by their words beside claims and nodes."""

from typing import TYPE_CHECKING

from mi.kernel.errors import StorageError
from mi.kernel.secrets import find_secrets
from mi.kernel.text import decode
from mi.knowledge.search.sources import FolderProducer
from mi.persona.place import PersonaView

if TYPE_CHECKING:
    from mi.knowledge.search.documents import Document


def list_card_documents(root: str, source: str, project_id: str, within: str = "") -> FolderProducer:
    """Return the active cards of a persona.

    None where a link leads out of it, or out of the project that brought it along.
    """

    def read(name: str, data: bytes) -> "Document | None":
        return _document(name, data, project_id, source)

    try:
        folder = PersonaView(root, "", within).path("cards")
    except StorageError:
        folder = ""  # `mi persona` says so; what others keep is found
    return _Cards(folder, source, project_id, "card", ".md", read)


class _Cards(FolderProducer):
    def id_of(self, name: str) -> str:
        return _id(self.source, name)


def _id(source: str, name: str) -> str:
    return f"card:{source}:{name}"


def _document(name: str, data: bytes, project_id: str, source: str) -> "Document | None":
    from mi.knowledge.search.documents import Document
    from mi.persona.cards import parse
    from mi.persona.front_matter import BadFrontMatter

    text = decode(data)
    try:
        one = parse(text, name)
    except BadFrontMatter:
        return None  # `mi persona lint` says what is wrong
    if one.card.status != "active" or find_secrets(text):
        return None
    said = [one.card.title, one.card.merge_key.replace("-", " "), *one.card.aliases, one.body]
    return Document(
        _id(source, name),
        "card",
        "\n".join(said),
        project_id,
        title=f"{one.card.id} {one.card.title}",
        ts=one.card.last_reviewed or one.card.created,
        tags=(one.card.type,),
        weight=0.75 + one.card.salience / 20,
    )
