"""Two cards of one id, made in two clones: the later one gets a new id, and its references follow."""

import os
import re
from collections.abc import Iterator

import msgspec

from mi.kernel import git
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import decode
from mi.persona.cards import CardFile, choose_next_id, read_cards, write_card
from mi.persona.place import PersonaView
from mi.persona.sharing import shared_files


class Renumbering(NamedTuple):
    """A card that gets a new id, and the lines that mean it, by file."""

    card: CardFile
    new_id: str
    lines: dict[str, list[int]]
    unsure: int  # lines of which nobody can tell which of the two they mean

    @property
    def followers(self) -> int:
        """How many lines follow it."""
        return sum(map(len, self.lines.values()))


def find_renumberings(persona: PersonaView, elsewhere: list[str]) -> list[Renumbering]:
    """Return the cards whose id an earlier one has, with their references in the persona and in other files."""
    known, _ = read_cards(persona)
    found: list[Renumbering] = []
    for card_id in sorted({one.card.id for one in known}):
        first, *later = sorted((one for one in known if one.card.id == card_id), key=lambda one: _age(persona, one))
        for one in later:
            lines, unsure = _find_references(persona, first, one, [*shared_files(persona), *elsewhere])
            new_id = choose_next_id(known, one.card.type)
            known.append(one._replace(card=msgspec.structs.replace(one.card, id=new_id)))
            found.append(Renumbering(one, new_id, lines, unsure))
    return found


def renumber(persona: PersonaView, wanted: Renumbering) -> str:
    """Write a card under its new id and change the lines that mean it; returns its new path."""
    old = wanted.card
    for path, numbers in wanted.lines.items():
        lines = decode(read_bytes(path) or b"").split("\n")
        for number in numbers:
            lines[number - 1] = _pattern(old.card.id).sub(wanted.new_id, lines[number - 1])
        write_atomic(path, "\n".join(lines).encode(), 0o644)
    body = _pattern(old.card.id).sub(wanted.new_id, old.body)
    made = write_card(persona, msgspec.structs.replace(old.card, id=wanted.new_id), body)
    if made != old.path:
        os.unlink(persona.path(old.path))
    return made


def _pattern(card_id: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){card_id}(?![\w-])")


def _age(persona: PersonaView, one: CardFile) -> tuple[str, str, str, str]:
    """Return what every clone orders two cards by in the same way."""
    return one.card.created, _find_added(persona, one)[0] or "not yet", one.card.merge_key, one.path


def _find_added(persona: PersonaView, one: CardFile) -> tuple[str, str]:
    """Return when a card came into git, and by which commit; ('', '') where it did not yet."""
    ends = [end for end in ("HEAD", "MERGE_HEAD") if git.run(persona.root, "rev-parse", "-q", "--verify", end).output]
    asked = ("log", "--format=%cI %H", "--diff-filter=A", *ends, "--", persona.path(one.path))
    lines = git.run(persona.root, *asked).output.splitlines() if ends else []
    when, _, commit = lines[-1].partition(" ") if lines else ("", "", "")
    return when, commit


def _find_references(
    persona: PersonaView, first: CardFile, later: CardFile, paths: list[str]
) -> tuple[dict[str, list[int]], int]:
    """Return the lines that were written by somebody who had the later card and not the first; and how many are unsure.

    The two cards' own files are not among them: each means itself.
    """
    own = {persona.path(first.path), persona.path(later.path), persona.path("indexes", "card-index.yaml")}
    commits = [_find_added(persona, one)[1] for one in (first, later)]
    found: dict[str, list[int]] = {}
    unsure = 0
    for path in paths:
        text = decode(read_bytes(path) or b"") if path not in own else ""
        numbers = [at for at, line in enumerate(text.split("\n"), 1) if _pattern(later.card.id).search(line)]
        for number, writer in zip(numbers, _find_writers(path, numbers), strict=True):
            had_first, had_later = (_is_before(path, commit, writer) for commit in commits)
            if had_later and not had_first:
                found.setdefault(path, []).append(number)
            unsure += had_later == had_first
    return found, unsure


def _find_writers(path: str, numbers: list[int]) -> Iterator[str]:
    """Yield the commit that wrote each of these lines; '' where git does not know."""
    asked = (f"-L{number},{number}" for number in numbers)
    for one in asked:
        said = git.run(os.path.dirname(path), "blame", "--porcelain", "--no-textconv", one, "--", path)
        commit = said.output.partition(" ")[0] if said.code == 0 else ""
        yield commit if commit.strip("0") else ""


def _is_before(path: str, commit: str, writer: str) -> bool:
    if not commit or not writer:
        return False
    return git.run(os.path.dirname(path), "merge-base", "--is-ancestor", commit, writer).code == 0
