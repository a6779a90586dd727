"""Cards: what the team has learned, one verified piece each; read, checked, indexed, matched to a task, archived."""

import os
import re
from typing import Literal

import msgspec

from mi.kernel import clock
from mi.kernel.conflicts import read_sides
from mi.kernel.errors import MiError, NotFound, StorageError
from mi.kernel.files import write_atomic
from mi.kernel.named_tuple import NamedTuple
from mi.persona.front_matter import BadFrontMatter, dump_fields, join, split
from mi.persona.place import PersonaView, PrivateOfOther, list_markdown, read_text

CardType = Literal["axiom", "principle", "heuristic", "pattern"]
Status = Literal["active", "archived", "deprecated"]
LETTERS: dict[str, CardType] = {"X": "axiom", "P": "principle", "H": "heuristic", "M": "pattern"}
FOLDERS: dict[CardType, str] = {
    "axiom": "axioms",
    "principle": "principles",
    "heuristic": "heuristics",
    "pattern": "patterns",
}
EVERY_BOOT, MUST_READ, ON_DEMAND = 9, 7, 4  # salience from which a card is loaded at boot, read on a match, offered
_WARN_FROM, _WARN_SHARE = 10, 0.7


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The fields in front of a card."""

    id: str
    type: CardType
    merge_key: str
    title: str
    salience: int
    created: str
    last_reviewed: str = ""
    aliases: list[str] = []
    source: str = ""
    status: Status = "active"


class CardFile(NamedTuple):
    """A card, its text and where it is."""

    card: Card
    body: str
    path: str


class CardProblem(NamedTuple):
    """What is wrong with a file of the persona; `code` names its text in the catalogue."""

    path: str
    code: str
    details: dict[str, object]


def read_cards(persona: PersonaView) -> tuple[list[CardFile], list[CardProblem]]:
    """Return every card, by id, and what is wrong with those that cannot be used."""
    found: list[CardFile] = []
    problems: list[CardProblem] = []
    for path in list_markdown(persona.path("cards")):
        shown = os.path.relpath(path, persona.root)
        try:
            found += parse_all(read_text(persona, path) or "", shown)
        except (BadFrontMatter, PrivateOfOther, StorageError) as error:
            problems.append(CardProblem(shown, error.code, error.details))
    return sorted(found, key=lambda one: (one.card.id, one.path)), problems


def parse(text: str, path: str) -> CardFile:
    """Return one card from its text; BadFrontMatter names the field that is wrong."""
    fields, body = split(text, path)
    try:
        card = msgspec.convert(fields, Card, strict=False)
    except msgspec.ValidationError as error:
        raise BadFrontMatter("card-field", path=path, reason=str(error)) from None
    if not re.fullmatch(r"[XPHM]-\d{3,}", card.id) or LETTERS[card.id[0]] != card.type:
        raise BadFrontMatter("card-id", path=path, id=card.id, type=card.type)
    if not is_kebab(card.merge_key):
        raise BadFrontMatter("card-merge-key", path=path, merge_key=card.merge_key)
    if not 1 <= card.salience <= 10:
        raise BadFrontMatter("card-salience", path=path, salience=card.salience)
    if not card.title.strip():
        raise BadFrontMatter("card-field", path=path, reason="`title` is empty")
    return CardFile(card, body, path)


def parse_all(text: str, path: str) -> list[CardFile]:
    """Return the card in a file: of one that git left with conflict markers the card of both, or the two cards."""
    sides = read_sides(text)
    if sides is None:
        return [parse(text, path)]
    from mi.persona.card_merge import are_same, unite_cards

    ours, theirs = (parse(side, path) for side in sides)
    return [unite_cards(None, ours, theirs)] if are_same(ours, theirs) else [ours, theirs]


def is_kebab(text: str) -> bool:
    """Return whether a text is lower-case words joined by hyphens; CJK counts as lower case."""
    return re.fullmatch(r"[^\W_A-Z]+(?:-[^\W_A-Z]+)*", text) is not None


def find_duplicates(cards: list[CardFile]) -> list[CardProblem]:
    """Ids used twice, and merge keys that two active cards share."""
    problems: list[CardProblem] = []
    ids: dict[str, str] = {}
    keys: dict[str, str] = {}
    for card in cards:
        if card.card.id in ids:
            problems.append(CardProblem(card.path, "card-id-twice", {"id": card.card.id, "other": ids[card.card.id]}))
        ids.setdefault(card.card.id, card.path)
        if card.card.status != "active":
            continue
        key = card.card.merge_key
        if key in keys:
            problems.append(CardProblem(card.path, "merge-key-twice", {"merge_key": key, "other": keys[key]}))
        keys.setdefault(key, card.path)
    return problems


def read_section(body: str, heading: str) -> str:
    """Return the text below a heading of a card's body."""
    found = re.search(rf"(?ims)^#+\s*{re.escape(heading)}\s*$(.*?)(?=^#+\s|\Z)", body)
    return found[1].strip() if found else ""


def lacks_evidence(one: CardFile) -> bool:
    """Return a card that states a fact needs its evidence or a source; axioms and principles are chosen, not found."""
    factual = one.card.type in ("heuristic", "pattern")
    return factual and not one.card.source.strip() and not read_section(one.body, "Evidence")


def keep_active(cards: list[CardFile]) -> list[CardFile]:
    """Return those that hold."""
    return [card for card in cards if card.card.status == "active"]


def build_index(cards: list[CardFile], updated: str) -> dict[str, object]:
    """Return the index of all cards as it is written."""
    lists: dict[str, list[dict[str, object]]] = {folder: [] for folder in FOLDERS.values()}
    for one in cards:
        card = one.card
        entry = {
            "id": card.id,
            "title": card.title,
            "salience": card.salience,
            "merge_key": card.merge_key,
            "aliases": card.aliases,
            "last_reviewed": card.last_reviewed,
            "status": card.status,
            "path": one.path,
        }
        lists[FOLDERS[card.type]].append(entry)
    return {"last_updated": updated, "total_active": len(keep_active(cards)), **lists}


def write_index(persona: PersonaView, cards: list[CardFile]) -> bool:
    """Write the index anew; False when nothing but the time would differ."""
    from mi.persona.front_matter import load

    path = persona.path("indexes", "card-index.yaml")
    former = read_text(persona, path)
    index = build_index(cards, clock.now())
    if former is not None:
        try:
            known = load(former, path)
        except BadFrontMatter:
            known = {}  # derived: written anew
        if known | {"last_updated": ""} == index | {"last_updated": ""}:
            return False
    write_atomic(path, dump_fields(index).encode(), 0o644)
    return True


def match(cards: list[CardFile], task: str) -> list[tuple[CardFile, int]]:
    """Active cards whose title, merge key or aliases share words with the task, the most salient first."""
    from mi.knowledge.search.words import compact, tokens

    wanted = set(map(_singular, compact(task).tokens))
    found: list[tuple[CardFile, int]] = []
    for one in keep_active(cards):
        card = one.card
        known = tokens(" ".join([card.title, card.merge_key.replace("-", " "), *card.aliases]))
        shared = len(wanted & set(map(_singular, known)))
        if shared:
            found.append((one, shared))
    found.sort(key=lambda pair: pair[0].card.last_reviewed, reverse=True)
    return sorted(found, key=lambda pair: -pair[0].card.salience)


def _singular(word: str) -> str:
    """Return a card about migrations bears on a migration."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def decide_reading(
    card: Card, matched: bool, searched: bool = False
) -> Literal["boot", "must", "may", "searched", "no"]:
    """Return how a card of its salience is read for a task."""
    if card.salience >= EVERY_BOOT:
        return "boot"
    if matched and card.salience >= MUST_READ:
        return "must"
    if matched and card.salience >= ON_DEMAND:
        return "may"
    return "searched" if searched else "no"


def measure_health(cards: list[CardFile]) -> dict[str, object]:
    """Return how salience is spread; `warning` when nearly everything is called equally important."""
    counted = [one.card.salience for one in keep_active(cards)]
    spread = {str(level): counted.count(level) for level in range(10, 0, -1)}
    middle = sum(1 for level in counted if 5 <= level <= 7)
    warning = len(counted) >= _WARN_FROM and middle > _WARN_SHARE * len(counted)
    return {"active": len(counted), "spread": spread, "middle": middle, "warning": warning}


def find_card(cards: list[CardFile], card_id: str) -> CardFile:
    """Return one card by its id, or by the words beside it in every list: its merge key, which one active card has."""
    for card in cards:
        if card.card.id == card_id or (card.card.merge_key == card_id and card.card.status == "active"):
            return card
    raise NotFound("no-card", id=card_id)


def choose_next_id(cards: list[CardFile], card_type: CardType) -> str:
    """Return the next free id of a type."""
    letter = next(letter for letter, kind in LETTERS.items() if kind == card_type)
    taken = [int(card.card.id[2:]) for card in cards if card.card.id[0] == letter]
    return f"{letter}-{max(taken, default=0) + 1:03d}"


def write_card(persona: PersonaView, card: Card, body: str, path: str = "") -> str:
    """Write a card to its folder; returns its path below the persona."""
    place = path or os.path.join("cards", FOLDERS[card.type], f"{card.id.lower()}-{card.merge_key}.md")
    former = read_text(persona, persona.path(place))
    if former is not None and "<<<<<<<" in former and len(parse_all(former, place)) > 1:
        raise MiError("card-conflict", path=place)
    write_atomic(persona.path(place), render_card(card, body).encode(), 0o644)
    return place


def render_card(card: Card, body: str) -> str:
    """Return a card as its file holds it; fields that say nothing are left out."""
    return join({key: value for key, value in msgspec.to_builtins(card).items() if value not in ("", [])}, body)


def archive(persona: PersonaView, card_id: str, status: Status = "archived") -> CardFile:
    """Take a card out of use; its file stays."""
    cards, _ = read_cards(persona)
    one = find_card(cards, card_id)
    if one.card.status == status:
        raise MiError("card-already", id=card_id, status=status)
    changed = msgspec.structs.replace(one.card, status=status, last_reviewed=clock.now()[:10])
    write_card(persona, changed, one.body, one.path)
    write_index(persona, read_cards(persona)[0])
    return one._replace(card=changed)
