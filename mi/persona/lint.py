"""Checking a persona: core files, cards, proposals, secrets, and what identifies a machine or a person."""

import os
import re
from collections.abc import Iterator

from mi.kernel.files import read_bytes
from mi.kernel.secrets import find_secrets
from mi.kernel.text import decode
from mi.persona import handoffs, proposals
from mi.persona.boot import CORE
from mi.persona.cards import CardProblem, duplicates, lacks_evidence, read_cards
from mi.persona.place import PersonaView

_HOME_PATH = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\Users\\|/root/)[^\s`'\")\]>]*")
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def lint(persona: PersonaView, identities: tuple[str, ...] = ()) -> list[CardProblem]:
    """Everything that is wrong; `identities` are real names that shared files must not hold."""
    missing = [name for name in CORE if not os.path.exists(persona.path(name))]
    found = [CardProblem(name, "core-missing", {"names": name, "path": persona.root}) for name in missing]
    known, broken = read_cards(persona)
    found += broken + duplicates(known)
    found += [CardProblem(one.path, "card-no-evidence", {"name": one.card.id}) for one in known if lacks_evidence(one)]
    found += proposals.read_all(persona)[1] + handoffs.read_all(persona)[1]
    for path in shared_files(persona):
        found += _in_text(os.path.relpath(path, persona.root), decode(read_bytes(path) or b""), identities)
    return found


def shared_files(persona: PersonaView) -> list[str]:
    """Every file that other members see; hidden folders, private spaces among them, are not entered."""
    found: list[str] = []
    for base, folders, names in os.walk(persona.root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [os.path.join(base, name) for name in sorted(names) if not name.startswith(".")]
    return [path for path in found if os.path.isfile(path) and not os.path.islink(path)]


def _in_text(path: str, text: str, identities: tuple[str, ...]) -> Iterator[CardProblem]:
    for secret in find_secrets(text)[:1]:
        yield CardProblem(path, "lint-secret", {"path": path, "kind": secret.kind, "line": _line(text, secret.start)})
    for found in _HOME_PATH.finditer(text):
        yield CardProblem(path, "lint-path", {"path": path, "found": found[0], "line": _line(text, found.start())})
    for found in _ADDRESS.finditer(text):
        yield CardProblem(path, "lint-identity", {"path": path, "found": found[0], "line": _line(text, found.start())})
    for name in identities:
        for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            yield CardProblem(path, "lint-identity", {"path": path, "found": name, "line": _line(text, found.start())})


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
