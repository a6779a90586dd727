"""Making a persona: folders, our own template texts, and what keeps private spaces out of git."""

import os

from mi.kernel.errors import MiError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.home import make_dirs
from mi.kernel.text import decode
from mi.persona.cards import FOLDERS, read_cards, write_index
from mi.persona.place import PersonaView

_TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "template")
INDEX = os.path.join("indexes", "card-index.yaml")
_IGNORED = (".*/private/", "indexes/card-index.yaml")


def make(persona: PersonaView) -> list[str]:
    """Create what is missing of a persona and touch nothing that is there; returns the paths that are new."""
    if os.path.exists(persona.root) and not os.path.isdir(persona.root):
        raise MiError("not-a-folder", path=persona.root)
    for folder in (*(os.path.join("cards", one) for one in FOLDERS.values()), "sessions", "proposals", "indexes"):
        make_dirs(persona.path(folder))
    made = [name for name in _texts() if _put(persona.path(name), _texts()[name])]
    if ignore_derived(persona):
        made.append(".gitignore")
    if not os.path.exists(persona.path(INDEX)):
        write_index(persona, read_cards(persona)[0])
        made.append("indexes/card-index.yaml")
    return made


def find_unignored(persona: PersonaView) -> list[str]:
    """Return what the persona's .gitignore does not keep out of git yet; none where there is no .gitignore."""
    former = read_bytes(persona.path(".gitignore"))
    lines = decode(former or b"").splitlines()
    return [one for one in _IGNORED if one not in lines] if former is not None else []


def ignore_derived(persona: PersonaView) -> bool:
    """Add what the .gitignore lacks; False where it lacks nothing."""
    missing = find_unignored(persona)
    if missing:
        former = decode(read_bytes(persona.path(".gitignore")) or b"").rstrip("\n")
        text = "\n".join(one for one in (former, *missing) if one) + "\n"
        write_atomic(persona.path(".gitignore"), text.encode(), 0o644)
    return bool(missing)


def _texts() -> dict[str, bytes]:
    found = {".gitignore": "".join(f"{one}\n" for one in _IGNORED).encode()}
    for name in ("boot.md", "principles.md", "challenge-core.md"):
        found[f"core/{name}"] = read_bytes(os.path.join(_TEMPLATE, "core", name)) or b""
    return found


def _put(path: str, content: bytes) -> bool:
    if os.path.lexists(path):
        return False
    write_atomic(path, content, 0o644)
    return True
