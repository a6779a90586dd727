"""A member's private space: plain files, or encrypted ones that are read only while the key is here."""

import os
import re

from mi.kernel.errors import MiError
from mi.kernel.files import read_bytes, sync_folder, write_atomic
from mi.kernel.home import make_dirs
from mi.kernel.locks import lock_folder
from mi.kernel.text import decode
from mi.persona import encryption
from mi.persona.place import PersonaView, list_markdown, read_text

NOTES = "notes.md"
_LEFT_OVER = rf"(?:{'|'.join(map(re.escape, encryption.SUFFIXES))})\.tmp\.\d+$"  # of a killed writer, encrypted


def find_key(persona: PersonaView) -> str:
    """Return the place of the key to a member's private space."""
    return encryption.find_key_place(persona.key)


def list_encrypted(persona: PersonaView) -> list[str]:
    """Return the encrypted files of the member's own private space."""
    return [path for path in _list_files(persona.private) if path.endswith(encryption.SUFFIXES)]


def read_private(persona: PersonaView) -> dict[str, str]:
    """Return the Markdown texts of the private space by name; PrivateLocked where some are encrypted and cannot be."""
    names = {_plain_name(path) for path in list_encrypted(persona)} | {*list_markdown(persona.private)}
    found = {path: decode(_read(persona, path)) for path in sorted(names) if path.endswith(".md")}
    return {os.path.relpath(path, persona.private): text for path, text in found.items() if text}


def read_file(persona: PersonaView, name: str) -> str:
    """Return the text of one private file, wherever it is kept; '' where there is none."""
    return decode(_read(persona, os.path.join(persona.private, name)))


def add_line(persona: PersonaView, name: str, line: str) -> str:
    """Add a line to a private file, encrypted where the space is; returns the path of the file."""
    folder = persona.private
    make_dirs(folder)
    path = persona.checked(os.path.join(folder, name))
    with lock_folder(folder):
        text = _read(persona, path) + f"{line}\n".encode()
        if list_encrypted(persona):
            return _keep_encrypted(persona, path, text)
        write_atomic(path, text)
    return path


def encrypt_all(persona: PersonaView) -> list[str]:
    """Encrypt every plain file of the private space; returns those that were plain.

    A plain file goes only after its encrypted one is on the disk and was decrypted to the same. Without any file an
    empty one is kept encrypted, so that notes to come are, too.
    """
    key, folder = find_key(persona), persona.private
    make_dirs(folder)
    with lock_folder(folder):
        encrypted = list_encrypted(persona)
        for path in encrypted:
            _open(persona, path)  # with another key than theirs there would be two
        if not encrypted and not os.path.exists(key):
            encryption.make_key(key, encryption.find_cipher())
        plain = [path for path in _list_files(folder) if not path.endswith(encryption.SUFFIXES)]
        for path in plain:
            if re.search(_LEFT_OVER, path):
                os.unlink(path)
            else:
                _keep_encrypted(persona, path, _read(persona, path))
        if not encrypted and not plain:
            _keep_encrypted(persona, os.path.join(folder, NOTES), b"")
    return [os.path.relpath(path, folder) for path in plain if not re.search(_LEFT_OVER, path)]


def decrypt_all(persona: PersonaView) -> list[str]:
    """Make every encrypted file of the private space plain again; returns their names."""
    if not list_encrypted(persona):
        return []
    with lock_folder(persona.private):
        encrypted = list_encrypted(persona)
        texts = {path: _read(persona, _plain_name(path)) for path in encrypted}
        for path, text in texts.items():
            write_atomic(_plain_name(path), text)
            os.unlink(path)
            sync_folder(os.path.dirname(path))
    return [os.path.relpath(_plain_name(path), persona.private) for path in encrypted]


def check_key_place(persona: PersonaView, home: str) -> None:
    """Raise MiError for a key that would lie beside what it opens: in the persona, the home or a repository."""
    path = find_key(persona)
    kept = {os.path.realpath(one) for one in (persona.root, persona.project, home) if one}
    folder = os.path.realpath(path)
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        git = os.path.join(folder, ".git")  # a file in a work tree
        if folder in kept or os.path.isfile(git) or os.path.isfile(os.path.join(git, "HEAD")):
            raise MiError("key-in-repository", path=path, folder=folder)


def _list_files(folder: str) -> list[str]:
    """Return every file below a folder but links and what git needs plain."""
    found = [os.path.join(base, name) for base, _, names in os.walk(folder) for name in names if name[:4] != ".git"]
    return sorted(path for path in found if os.path.isfile(path) and not os.path.islink(path))


def _plain_name(path: str) -> str:
    return os.path.splitext(path)[0] if path.endswith(encryption.SUFFIXES) else path


def _read(persona: PersonaView, path: str) -> bytes:
    """Return what is kept of a private file: plain, encrypted, or both where a kill left both."""
    read_text(persona, path)  # refuses what is another's, or leads out
    kept = [_open(persona, path + end) for end in encryption.SUFFIXES if os.path.isfile(path + end)]
    kept += [read_bytes(path) or b""]
    united = b""
    for one in kept:
        if one.startswith(united) or united.startswith(one):
            united = max(united, one, key=len)
        elif path.endswith(".md"):
            united += one
        else:
            raise MiError("private-both", path=path)
    return united


def _open(persona: PersonaView, path: str) -> bytes:
    return encryption.decrypt(find_key(persona), path, read_bytes(persona.checked(path)) or b"")


def _keep_encrypted(persona: PersonaView, path: str, text: bytes) -> str:
    """Keep a file encrypted, then take its plain form away; a kill in between leaves both."""
    key = find_key(persona)
    target = persona.checked(path + encryption.read_cipher(key).suffix)
    write_atomic(target, encryption.encrypt(key, text))
    if _open(persona, target) != text:
        raise MiError("encryption-differs", program=target)
    if os.path.exists(path):
        os.unlink(path)
    sync_folder(os.path.dirname(path))
    return target
