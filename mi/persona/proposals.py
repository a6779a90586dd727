"""Proposals: candidates for cards, refused when they are no lasting knowledge, accepted by somebody else."""

import os
import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from mi.evidence.records.governed import Proposal
from mi.kernel import clock
from mi.kernel.conflicts import read_sides, unite_lines
from mi.kernel.errors import Blocked, MiError, NotFound, StorageError, UsageError
from mi.kernel.files import write_atomic
from mi.kernel.home import make_dirs
from mi.kernel.language import compiled, patterns
from mi.kernel.locks import lock_folder
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.store import refuse_secret
from mi.persona import cards
from mi.persona.cards import Card, CardFile, CardProblem, CardType
from mi.persona.front_matter import BadFrontMatter, join, split
from mi.persona.members import Role, is_human
from mi.persona.place import PersonaView, PrivateOfOther, list_markdown, read_text

Verdict = Literal["accept", "reject", "merge"]
_STATUS = {"accept": "accepted", "reject": "rejected", "merge": "merged"}
_FILE = r"(?<![\w./-])[\w./-]*\w\.(?:py|js|ts|tsx|go|rs|java|c|cc|cpp|h|rb|php|sh|css|html|ya?ml|toml|json|md)\b"


class ProposalFields(msgspec.Struct, frozen=True, kw_only=True):
    """The fields in front of a proposal."""

    type: Literal["proposal"] = "proposal"
    proposed_card_type: CardType
    title: str
    merge_key: str
    proposed_by: str
    date: str
    status: Literal["pending", "accepted", "rejected", "merged"] = "pending"
    salience: int = 5
    source: str = ""
    tags: list[str] = []
    reviewed_by: str = ""
    reviewed_date: str = ""
    verdict: str = ""
    verdict_reason: str = ""
    merged_into: str = ""

    @property
    def made(self) -> tuple[str, ...]:
        """Which proposal it is, whatever was decided."""
        return self.proposed_card_type, self.merge_key, self.title, self.proposed_by, self.date

    @property
    def decided(self) -> tuple[str, ...]:
        """When, by whom and how it was decided."""
        return self.reviewed_date, self.reviewed_by, self.verdict


class ProposalFile(NamedTuple):
    """A proposal, its text and where it is."""

    proposal: ProposalFields
    body: str
    path: str

    @property
    def name(self) -> str:
        """What people call it: the file's name without its ending."""
        return os.path.basename(self.path).removesuffix(".md")


def find_refusal(text: str) -> str | None:
    """Why a text is no card: todo, task-state, bug-fix or single-file; None when it may be one."""
    for reason, pattern in patterns().not_lasting.items():
        if compiled(pattern).search(text):
            return reason
    named = set(re.findall(_FILE, text))
    return "single-file" if len(named) == 1 and compiled(patterns().trick).search(text) else None


def make_slug(title: str) -> str:
    """Return a title as lower-case words joined by hyphens; CJK stays."""
    words = re.findall(r"[^\W_]+", title.lower())
    return "-".join(words)[:60].strip("-") or "untitled"


def propose(
    persona: PersonaView,
    card_type: CardType,
    title: str,
    text: str,
    evidence: Sequence[str] = (),
    *,
    merge_key: str = "",
    **more: Any,
) -> ProposalFile:
    """Return a member's proposal of today, put together from what they say."""
    body = text.strip() + "\n"
    if evidence:
        body += "\n## Evidence\n\n" + "\n".join(f"- {ref}" for ref in evidence) + "\n"
    candidate = ProposalFields(
        proposed_card_type=card_type,
        title=" ".join(title.split()),
        merge_key=merge_key or make_slug(title),
        proposed_by=persona.member,
        date=clock.now()[:10],
        **more,
    )
    return add(persona, candidate, body)


def record_of(kept: ProposalFile) -> Proposal:
    """Return what the log keeps of a proposal that waits."""
    one = kept.proposal
    return Proposal(path=kept.path, card_type=one.proposed_card_type, title=one.title, status="pending")


def add(persona: PersonaView, proposal: ProposalFields, body: str) -> ProposalFile:
    """Keep a proposal for review; one that is no lasting knowledge, or holds a secret, is refused."""
    for field, text in (("title", proposal.title), ("text", body), ("source", proposal.source)):
        refuse_secret(field, text)
    if not proposal.title.strip():
        raise UsageError("empty-text", field="title")
    reason = find_refusal(f"{proposal.title}\n{body}")
    if reason:
        raise MiError("proposal-" + reason, title=proposal.title)
    if not cards.is_kebab(proposal.merge_key):
        raise UsageError("bad-merge-key", merge_key=proposal.merge_key)
    if not 1 <= proposal.salience <= 10:
        raise UsageError("bad-salience", salience=proposal.salience)
    folder = persona.path("proposals", proposal.date[:7])
    make_dirs(folder)
    with lock_folder(folder):
        path = _free_path(folder, f"proposal-{proposal.proposed_card_type}-{make_slug(proposal.title)}")
        _write(path, proposal, body)
    return ProposalFile(proposal, body, os.path.relpath(path, persona.root))


def read_all(persona: PersonaView) -> tuple[list[ProposalFile], list[CardProblem]]:
    """Return every proposal, the oldest first, and what is wrong with those that cannot be read."""
    found: list[ProposalFile] = []
    problems: list[CardProblem] = []
    for path in list_markdown(persona.path("proposals")):
        shown = os.path.relpath(path, persona.root)
        try:
            found += parse_all(read_text(persona, path) or "", shown)
        except (BadFrontMatter, PrivateOfOther, StorageError) as error:
            problems.append(CardProblem(shown, error.code, error.details))
    return sorted(found, key=lambda one: (one.proposal.date, one.path)), problems


def parse_all(text: str, path: str) -> list[ProposalFile]:
    """Return the proposal in a file: of one that git left with conflict markers that of both, or the two of them.

    Two they are as well where two people decided otherwise about one.
    """
    sides = read_sides(text)
    if sides is None:
        return [_parse(text, path)]
    found = [_parse(side, path) for side in sides]
    first, second = sorted(found, key=lambda one: (one.proposal.status == "pending", *one.proposal.decided, one.body))
    if not are_same(first, second) or len({one.proposal.verdict for one in found} - {""}) > 1:
        return [first, second]
    return [first._replace(body=unite_lines("", *sorted(one.body for one in found)))]


def are_same(one: ProposalFile, other: ProposalFile) -> bool:
    """Return whether two versions are one proposal."""
    return one.proposal.made == other.proposal.made


def mend(persona: PersonaView, path: str) -> None:
    """Write what git left of two people's work without its markers: each of two proposals into a file of its own."""
    one, *others = parse_all(read_text(persona, persona.path(path)) or "", path)
    for other in others:
        folder, name = os.path.split(persona.path(path))
        _write(_free_path(folder, name.removesuffix(".md")), other.proposal, other.body)
    _write(persona.path(path), one.proposal, one.body)


def _parse(text: str, path: str) -> ProposalFile:
    fields, body = split(text, path)
    try:
        return ProposalFile(msgspec.convert(fields, ProposalFields, strict=False), body, path)
    except msgspec.ValidationError as error:
        raise BadFrontMatter("card-field", path=path, reason=str(error)) from None


def list_pending(persona: PersonaView) -> list[ProposalFile]:
    """Return those that wait for a review."""
    return [one for one in read_all(persona)[0] if one.proposal.status == "pending"]


def find(persona: PersonaView, name: str) -> ProposalFile:
    """Return one proposal by its file's name, or the unambiguous end of it."""
    known = read_all(persona)[0]
    found = [one for one in known if name in (one.name, one.path)] or [one for one in known if one.name.endswith(name)]
    if len(found) != 1:
        raise NotFound("no-proposal", name=name)
    return found[0]


def review(
    persona: PersonaView, name: str, verdict: Verdict, reviewer: str, reason: str, members: list[Role], into: str = ""
) -> tuple[ProposalFile, str]:
    """Decide on a proposal; returns it and the id of the card that was made or changed."""
    make_dirs(persona.path("cards"))
    with lock_folder(persona.path("cards")):  # two reviews at once must not make two cards of one id
        return _decide(persona, name, verdict, reviewer, reason, members, into)


def _decide(
    persona: PersonaView, name: str, verdict: Verdict, reviewer: str, reason: str, members: list[Role], into: str
) -> tuple[ProposalFile, str]:
    one = find(persona, name)
    known, _ = cards.read_cards(persona)
    refuse_secret("reason", reason)
    _may_review(one, verdict, reviewer, members)
    twin = next((card for card in cards.keep_active(known) if card.card.merge_key == one.proposal.merge_key), None)
    if verdict == "accept" and twin is not None:
        raise Blocked("merge-or-reject", merge_key=one.proposal.merge_key, id=twin.card.id)
    card_id = ""
    if verdict == "accept":
        card_id = _accept(persona, one, known)
    elif verdict == "merge":
        card_id = _merge(persona, one, known, into or (twin.card.id if twin else ""))
    decided = msgspec.structs.replace(
        one.proposal,
        status=_STATUS[verdict],
        reviewed_by=reviewer,
        reviewed_date=clock.now()[:10],
        verdict=verdict,
        verdict_reason=reason,
        merged_into=card_id if verdict == "merge" else "",
    )
    _write(persona.path(one.path), decided, one.body)
    cards.write_index(persona, cards.read_cards(persona)[0])
    return one._replace(proposal=decided), card_id


def _may_review(one: ProposalFile, verdict: Verdict, reviewer: str, members: list[Role]) -> None:
    proposal = one.proposal
    if proposal.status != "pending":
        raise MiError("proposal-decided", name=one.name, status=proposal.status, reviewer=proposal.reviewed_by)
    if reviewer == proposal.proposed_by:
        raise Blocked("own-proposal", name=one.name, reviewer=reviewer)
    needs_human = proposal.proposed_card_type in ("axiom", "principle") and verdict != "reject"
    if needs_human and not is_human(members, reviewer):
        raise Blocked("needs-human", name=one.name, type=proposal.proposed_card_type, reviewer=reviewer)


def _accept(persona: PersonaView, one: ProposalFile, known: list[CardFile]) -> str:
    proposal = one.proposal
    card = Card(
        id=cards.choose_next_id(known, proposal.proposed_card_type),
        type=proposal.proposed_card_type,
        merge_key=proposal.merge_key,
        title=proposal.title,
        salience=proposal.salience,
        created=clock.now()[:10],
        last_reviewed=clock.now()[:10],
        source=proposal.source,
    )
    if not 1 <= card.salience <= 10:  # somebody wrote the file by hand
        raise BadFrontMatter("card-salience", path=one.path, salience=card.salience)
    if cards.lacks_evidence(CardFile(card, one.body, one.path)):
        raise MiError("card-no-evidence", name=one.name)
    cards.write_card(persona, card, one.body)
    return card.id


def _merge(persona: PersonaView, one: ProposalFile, known: list[CardFile], into: str) -> str:
    if not into:
        raise UsageError("merge-into", name=one.name)
    target = cards.find_card(known, into)
    day = clock.now()[:10]
    addition = f"\n## Merged {day}: {one.proposal.title}\n\n{one.body.strip()}\n"
    changed = msgspec.structs.replace(target.card, last_reviewed=day)
    cards.write_card(persona, changed, target.body.rstrip() + "\n" + addition, target.path)
    return target.card.id


def _free_path(folder: str, name: str) -> str:
    path, number = os.path.join(folder, f"{name}.md"), 1
    while os.path.lexists(path):
        number += 1
        path = os.path.join(folder, f"{name}-{number}.md")
    return path


def _write(path: str, proposal: ProposalFields, body: str) -> None:
    fields = {key: value for key, value in msgspec.to_builtins(proposal).items() if value not in ("", [])}
    write_atomic(path, join(fields, body).encode(), 0o644)
