"""A member's own private memory: notes that only they read."""

import os

from mi.kernel import clock
from mi.kernel.errors import UsageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.home import make_dirs
from mi.kernel.locks import folder_lock
from mi.kernel.text import decode
from mi.knowledge.thoughts.store import refuse_secret
from mi.persona.place import PersonaView, existing

_FILE = "notes.md"


def add_note(persona: PersonaView, text: str) -> str:
    """Keep a note; returns the file's path."""
    existing(persona)
    if not text.strip():
        raise UsageError("empty-text", field="note")
    refuse_secret("note", text)
    folder = persona.private
    make_dirs(folder)
    path = persona.checked(os.path.join(folder, _FILE))
    with folder_lock(folder):
        former = decode(read_bytes(path) or b"")
        flat = " ".join(text.split())
        write_atomic(path, f"{former}- {clock.now()} {flat}\n".encode())
    return path


def read_notes(persona: PersonaView) -> list[str]:
    """All notes of the member, the oldest first."""
    path = persona.checked(os.path.join(persona.private, _FILE))
    lines = decode(read_bytes(path) or b"").splitlines()
    return [line.removeprefix("- ") for line in lines if line.strip()]
