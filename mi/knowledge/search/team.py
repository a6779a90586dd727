"""What a team wrote down in files, among all Documents: which kind of knowledge each is, and how much it weighs."""

from collections.abc import Callable, Iterable
from typing import Literal

from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search.documents import Document

Kind = Literal["fact", "decision", "rule", "preference", "pattern", "note"]
Reach = Literal["mine", "team"]
CARD, MEMORY, CONTEXT, RULE = "card", "memory_file", "context_file", "rule_file"
PRINCIPLE, DECISION, CYCLE = "principle", "team_decision", "cycle"
TEAMMATE = "teammate"  # somebody's word that a hub brought; it binds nothing
TEAM = (CARD, MEMORY, CONTEXT, RULE, PRINCIPLE, DECISION, CYCLE, TEAMMATE)
BINDING = (RULE, PRINCIPLE, CARD)  # kinds of Documents among which some must always be known
MOST_BINDING = 2000  # files that can bind at once: each is looked at, so that those that have no room are counted
ALWAYS, ON_MATCH = 9, 7  # salience of a card: known at every boot, and read when the task matches
_KINDS: dict[str, Kind] = {RULE: "rule", PRINCIPLE: "rule", DECISION: "decision", CYCLE: "decision"}
_CARDS: dict[str, Kind] = {"axiom": "rule", "principle": "rule", "heuristic": "pattern", "pattern": "pattern"}
TOLD_BY: dict[str, Kind] = {  # tags of thoughts that tell the kind of a teammate's word
    "memory:constraint": "rule",
    "decision": "decision",
    "pattern": "pattern",
    "preference": "preference",
    "fact": "fact",
}
_MEMORIES: dict[str, Kind] = {"empirical": "fact", "external": "fact", "pattern": "pattern"}
_SALIENCE = "salience:"
_MOST_SALIENT = 10


def find_reach(document: Document) -> Reach:
    """Return whose it is: the team's, in files of a repository, or the person's own."""
    return "team" if document.kind in TEAM else "mine"


def find_kind(document: Document) -> Kind:
    """Return the kind of knowledge in a file of a team."""
    if document.kind == CARD:
        return next((_CARDS[tag] for tag in document.tags if tag in _CARDS), "note")
    if document.kind == MEMORY:
        return _MEMORIES.get(document.title.partition("-")[0], "note")
    if document.kind == TEAMMATE:
        return next((kind for tag, kind in TOLD_BY.items() if tag in document.tags), "note")
    return _KINDS.get(document.kind, "note")


def tell_author(document: Document) -> str:
    """Return a text that begins with who said it and when, where that is a teammate."""
    if document.kind != TEAMMATE:
        return document.text
    return f"{document.title} said, on {document.ts[:10]}: {document.text}"


def tag_salience(salience: int) -> str:
    """Return the tag under which a card's salience is kept."""
    return f"{_SALIENCE}{min(salience, _MOST_SALIENT)}"


def find_salience(document: Document) -> int:
    """Return how salient a card is; 0 for what is none."""
    told = next((tag for tag in document.tags if tag.startswith(_SALIENCE)), _SALIENCE + "0")
    return int(told.removeprefix(_SALIENCE))


def list_always_tags() -> tuple[str, ...]:
    """Return the tags by which cards are found that must always be known."""
    return tuple(map(tag_salience, range(_MOST_SALIENT, ALWAYS - 1, -1)))


def is_always_known(document: Document) -> bool:
    """Return whether it must be known whatever is asked, where it binds."""
    return document.kind in (RULE, PRINCIPLE) or find_salience(document) >= ALWAYS


def find_path(document: Document) -> str:
    """Return the file of a team's document, which may be one of several in it."""
    path, _, _ = document.id.rpartition("#")
    return path if path.endswith(".json") else document.id


class TeamText(NamedTuple):
    """Something that a team wrote down, as it is told; what does not bind is a teammate's words."""

    id: str
    source: str  # the kind of Document
    kind: Kind
    binds: bool
    text: str

    @property
    def line(self) -> str:
        return f"- [{self.id}] ({self.kind}, {'binds here' if self.binds else 'a teammate, tentative'}) {self.text}"


FindTeamText = Callable[[str, int], list[TeamText]]  # a question and how many, the most binding first


def fill_lines(found: Iterable[TeamText], room: int) -> list[str]:
    """Return as many lines as have room, and how many had none."""
    lines, left_out = list[str](), 0
    for one in found:
        if len(one.line) + 1 > room:
            left_out += 1
            continue
        lines.append(one.line)
        room -= len(one.line) + 1
    return [*lines, *([f"({left_out} more had no room)"] if left_out else [])]
