"""What two people's work leaves in a repository that was merged without the driver: found, and mended when asked."""

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.merge_driver import install_merge_driver, wants_driver
from mi.app.nexus import build_nexus
from mi.app.team import build_persona
from mi.evidence.damage import Damage
from mi.kernel import git
from mi.kernel.conflicts import read_sides
from mi.kernel.errors import MiError
from mi.kernel.files import read_bytes
from mi.kernel.text import decode

if TYPE_CHECKING:
    from mi.nexus.store import Store
    from mi.persona.place import PersonaView


def find_merge_damage(context: HomeContext) -> Iterator[Damage]:
    """Yield what is to be mended in the project's history and in its team's cards; nothing is changed."""
    store, persona, root = build_nexus(context), build_persona(context), context.choice.root
    if wants_driver(root):
        yield Damage("no-merge-driver", os.path.join(root, ".git", "config"), partial(_install, root))
    if _has_markers(store.place.history):
        yield Damage("merged-history", store.place.history, partial(_mend_history, store))
    from mi.persona.place import list_markdown

    texts = [path for name in ("memory", "context", "rules") for path in list_markdown(store.place.knowledge(name))]
    if not os.path.isdir(persona.root):
        yield from _find_texts(texts)
        return
    from mi.persona.make import INDEX, find_unignored

    yield from _find_texts(
        [*texts, *(path for name in ("core", "sessions") for path in list_markdown(persona.path(name)))]
    )
    yield from _find_proposals(persona, context.quiet_language)
    for path in list_markdown(persona.path("cards")):
        if _has_markers(path):
            yield _look_at_card(persona, path, context.quiet_language)
    yield from _find_equal_ids(persona, store)
    yield from _find_handoffs(persona)
    index = persona.path(INDEX)
    if _is_tracked(persona.root, index) or find_unignored(persona):
        yield Damage("tracked-index", index, partial(_untrack, persona))


def _install(root: str) -> None:
    install_merge_driver(root)


def _has_markers(path: str) -> bool:
    return read_sides(decode(read_bytes(path) or b"")) is not None


def _mend_history(store: "Store") -> None:
    from mi.kernel.state import encode_pretty
    from mi.nexus.reading import read_history

    with store.lock():
        store.write(store.place.history, encode_pretty(read_history(store.place.history)))


def _mend_card(persona: "PersonaView", path: str) -> None:
    """Write the card of both sides, or each of two cards into a file of its own."""
    from mi.kernel.files import write_atomic
    from mi.persona.cards import parse_all, render_card
    from mi.persona.place import read_text

    one, *others = parse_all(read_text(persona, persona.path(path)) or "", path)
    for other in others:
        stem = os.path.join(os.path.dirname(path), f"{other.card.id.lower()}-{other.card.merge_key}")
        names = (f"{stem}{number}.md" for number in ("", *(f"-{count}" for count in range(2, 1000))))
        free = next(name for name in names if not os.path.lexists(persona.path(name)))
        write_atomic(persona.path(free), render_card(other.card, other.body).encode(), 0o644)
    write_atomic(persona.path(path), render_card(one.card, one.body).encode(), 0o644)


def _find_equal_ids(persona: "PersonaView", store: "Store") -> Iterator[Damage]:
    from mi.persona.place import list_markdown
    from mi.persona.renumber import Renumbering, find_renumberings, renumber

    elsewhere = [path for name in ("memory", "context", "rules") for path in list_markdown(store.place.knowledge(name))]

    def mend(wanted: Renumbering) -> None:
        """Look again: what was mended before may have moved the file."""
        for one in find_renumberings(persona, elsewhere):
            if one.card.card.id == wanted.card.card.id:
                renumber(persona, one)

    for one in find_renumberings(persona, elsewhere):
        details = {"id": one.card.card.id, "new_id": one.new_id, "count": one.followers, "unsure": one.unsure}
        yield Damage("equal-card-ids", persona.path(one.card.path), partial(mend, one), details)


def _find_texts(paths: list[str]) -> Iterator[Damage]:
    """Yield files of plain text with conflict markers: whose words hold is nothing that MI can tell."""
    for path in paths:
        if _has_markers(path):
            lines = decode(read_bytes(path) or b"").splitlines()
            line = next(at for at, one in enumerate(lines, 1) if one.startswith("<<<<<<<"))
            yield Damage("merged-text", path, None, {"line": line})


def _look_at_card(persona: "PersonaView", path: str, language: str) -> Damage:
    from mi.persona.cards import parse_all
    from mi.persona.place import read_text

    shown = os.path.relpath(path, persona.root)
    try:
        parse_all(read_text(persona, path) or "", shown)
    except MiError as error:
        return Damage("merged-unread", path, None, {"reason": error.line(language)})
    return Damage("merged-card", path, partial(_mend_card, persona, shown))


def _find_proposals(persona: "PersonaView", language: str) -> Iterator[Damage]:
    from mi.persona.place import list_markdown, read_text
    from mi.persona.proposals import are_same, mend, parse_all

    for path in list_markdown(persona.path("proposals")):
        if not _has_markers(path):
            continue
        try:
            one, *others = parse_all(read_text(persona, path) or "", path)
        except MiError as error:
            yield Damage("merged-unread", path, None, {"reason": error.line(language)})
            continue
        if others and are_same(one, others[0]):
            said = [f"{side.proposal.reviewed_by}: {side.proposal.verdict}" for side in (one, *others)]
            yield Damage("two-verdicts", path, None, {"verdicts": ", ".join(said)})
        else:
            yield Damage("merged-proposal", path, partial(mend, persona, os.path.relpath(path, persona.root)))


def _find_handoffs(persona: "PersonaView") -> Iterator[Damage]:
    from mi.persona.handoffs import read_all

    for handoff_id in dict.fromkeys(one.id for one in read_all(persona)[0]):
        path = persona.path("handoffs", f"{handoff_id}.yaml")
        if _has_markers(path):
            yield Damage("merged-handoff", path, partial(_mend_handoff, persona, handoff_id))


def _mend_handoff(persona: "PersonaView", handoff_id: str) -> None:
    from mi.persona.handoffs import mend

    mend(persona, handoff_id)


def _is_tracked(folder: str, path: str) -> bool:
    return bool(git.run(folder, "ls-files", "--", path).output)


def _untrack(persona: "PersonaView") -> None:
    """Take the derived index out of git and keep it out; the file stays."""
    from mi.persona.cards import read_cards, write_index
    from mi.persona.make import INDEX, ignore_derived

    ignore_derived(persona)
    if _is_tracked(persona.root, persona.path(INDEX)):
        done = git.run_bytes(persona.root, "rm", "--cached", "-q", "--", persona.path(INDEX), umask=-1)
        if done.code != 0:
            raise MiError("git-failed", reason=done.error)
    write_index(persona, read_cards(persona)[0])
