"""What leaves a persona: checked for secrets and what identifies a machine or a person, and published without it."""

import os
import re
from collections.abc import Iterator

from mi.kernel.errors import MiError, UsageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets
from mi.kernel.text import decode
from mi.persona import handoffs, proposals
from mi.persona.boot import CORE
from mi.persona.cards import CardProblem, find_duplicates, lacks_evidence, read_cards
from mi.persona.place import PersonaView, require_persona

_HOME_PATH = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\Users\\|/root/)[^\s`'\")\]>]*")
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ANY_HOME = re.compile(r"(?<![\w./$-])(?:/home/|/Users/|[A-Za-z]:\\\\Users\\\\)[\w.-]+|(?<![\w./$-])/root(?=/)")


def lint(persona: PersonaView, identities: tuple[str, ...] = ()) -> list[CardProblem]:
    """Return everything that is wrong; `identities` are real names that shared files must not hold."""
    missing = [name for name in CORE if not os.path.exists(persona.path(name))]
    found = [CardProblem(name, "core-missing", {"names": name, "path": persona.root}) for name in missing]
    known, broken = read_cards(persona)
    found += broken + find_duplicates(known)
    found += [CardProblem(one.path, "card-no-evidence", {"name": one.card.id}) for one in known if lacks_evidence(one)]
    found += proposals.read_all(persona)[1] + handoffs.read_all(persona)[1]
    for path in shared_files(persona):
        found += _in_text(os.path.relpath(path, persona.root), decode(read_bytes(path) or b""), identities)
    return found


def shared_files(persona: PersonaView) -> list[str]:
    """Return every file that other members see; hidden folders, private spaces among them, are not entered."""
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


class Published(NamedTuple):
    """What was written, and what stayed here."""

    written: list[str]
    left_out: list[str]


def publish(persona: PersonaView, target: str, variables: dict[str, str]) -> Published:
    """Write the shareable files to a new folder; `variables` are names for paths of this machine, e.g. $PROJECTS."""
    require_persona(persona)
    if os.path.lexists(target) and (not os.path.isdir(target) or os.listdir(target)):
        raise UsageError("target-exists", path=target)
    names = {path: os.path.relpath(path, persona.root) for path in shared_files(persona)}
    kept = {path: name for path, name in names.items() if may_leave(name)}
    texts = {name: replaced(decode(read_bytes(path) or b""), variables) for path, name in kept.items()}
    for name, text in texts.items():
        found = find_secrets(text)
        if found:
            line = text.count("\n", 0, found[0].start) + 1
            raise MiError("publish-secret", path=name, kind=found[0].kind, line=line)
    for name, text in texts.items():
        write_atomic(os.path.join(target, name), text.encode(), 0o644)
    return Published(sorted(texts), sorted(set(names.values()) - set(texts)))


def may_leave(name: str) -> bool:
    """Return whether a file of the persona may be published: no private space, proposal or environment file."""
    parts = name.split(os.sep)
    hidden = any(part.startswith(".") for part in parts)
    base = parts[-1].lower()
    return not hidden and parts[0] != "proposals" and not base.endswith(".env") and not base.startswith("env.")


def replaced(text: str, variables: dict[str, str]) -> str:
    """Return the text with this machine's paths written as variables, the longest first.

    And no home folder of anyone.
    """
    for path in sorted((path for path in variables if len(path) > 1), key=len, reverse=True):
        name = variables[path].replace("\\", "\\\\")
        text = re.sub(rf"(?<![\w./-]){re.escape(path)}(?![\w-]|\.\w)", name, text)
    return _ANY_HOME.sub("$HOME", text)
