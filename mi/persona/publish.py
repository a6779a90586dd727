"""Publishing a persona: what may leave, free of this machine's paths; nothing at all when a secret is in it."""

import os
import re
from typing import NamedTuple

from mi.kernel.errors import MiError, UsageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.secrets import find_secrets
from mi.kernel.text import decode
from mi.persona.lint import shared_files
from mi.persona.place import PersonaView, existing

_ANY_HOME = re.compile(r"(?<![\w./$-])(?:/home/|/Users/|[A-Za-z]:\\\\Users\\\\)[\w.-]+|(?<![\w./$-])/root(?=/)")


class Published(NamedTuple):
    """What was written, and what stayed here."""

    written: list[str]
    left_out: list[str]


def publish(persona: PersonaView, target: str, variables: dict[str, str]) -> Published:
    """Write the shareable files to a new folder; `variables` are names for paths of this machine, e.g. $PROJECTS."""
    existing(persona)
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
    """Whether a file of the persona may be published: no private space, proposal or environment file."""
    parts = name.split(os.sep)
    hidden = any(part.startswith(".") for part in parts)
    base = parts[-1].lower()
    return not hidden and parts[0] != "proposals" and not base.endswith(".env") and not base.startswith("env.")


def replaced(text: str, variables: dict[str, str]) -> str:
    """The text with this machine's paths written as variables, the longest first, and no home folder of anyone."""
    for path in sorted((path for path in variables if len(path) > 1), key=len, reverse=True):
        name = variables[path].replace("\\", "\\\\")
        text = re.sub(rf"(?<![\w./-]){re.escape(path)}(?![\w-]|\.\w)", name, text)
    return _ANY_HOME.sub("$HOME", text)
