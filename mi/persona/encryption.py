"""Encrypt and decrypt by a program that the person has: age, else OpenSSL; words go through pipes alone, never a file.

age encrypts to its own key (X25519, ChaCha20-Poly1305). OpenSSL writes CMS (P-256, AES-256-GCM) to a certificate that
lies in the key file beside its key. Both refuse a text that was changed.
"""

import os
import stat

from mi.kernel.errors import Blocked, MiError, StorageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.home import make_dirs
from mi.kernel.locks import lock_folder
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.programs import find_on_path
from mi.kernel.text import decode

_PATIENCE_S = 60  # a key that asks for a touch or a word waits for its owner
_CMS = ("cms", "-binary", "-outform", "DER", "-inform", "DER")


class PrivateLocked(Blocked):
    """Private files cannot be opened here: no key, no program, or not the key that they were encrypted with."""


class Cipher(NamedTuple):
    """A program that encrypts, and how its files end."""

    program: str
    suffix: str
    make: tuple[str, ...]
    encrypt: tuple[str, ...]
    decrypt: tuple[str, ...]

    def needs(self) -> tuple[str, ...]:
        """Return the programs that it is made of."""
        return tuple(dict.fromkeys((self.program, self.make[0])))


_AGE = Cipher("age", ".age", ("age-keygen",), ("age", "--encrypt", "-i", "{key}"), ("age", "--decrypt", "-i", "{key}"))
_OPENSSL = Cipher(
    "openssl",
    ".cms",
    (
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
        *("-subj", "/CN=private memory", "-days", "36500", "-keyout", "-", "-out", "-"),
    ),
    ("openssl", *_CMS, "-encrypt", "-aes-256-gcm", "-recip", "{key}", "-keyopt", "ecdh_kdf_md:sha256"),
    ("openssl", *_CMS, "-decrypt", "-inkey", "{key}", "-recip", "{key}"),
)
CIPHERS = (_AGE, _OPENSSL)
SUFFIXES = tuple(one.suffix for one in CIPHERS)


def find_cipher() -> Cipher:
    """Return the first cipher whose programs are here; MiError with how to get one."""
    found = next((one for one in CIPHERS if all(map(find_on_path, one.needs()))), None)
    if found is None:
        raise MiError("no-encryption-program")
    return found


def find_key_place(configured: str) -> str:
    """Return where the key is: the setting, else a file in the person's own configuration folder."""
    if configured:
        return os.path.abspath(os.path.expanduser(configured))
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "mind-incarnation", "persona.key")


def make_key(path: str, cipher: Cipher) -> None:
    """Make a new key that its owner alone can read; a key that is there already stays."""
    folder = os.path.dirname(path)
    make_dirs(folder)
    with lock_folder(folder):  # of two windows the second would replace what the first encrypted with
        if not os.path.lexists(path):
            write_atomic(path, _run(cipher.make, b"", path), 0o600)


def read_cipher(path: str) -> Cipher:
    """Return whose key a file holds; PrivateLocked where it is not here, its program is not, or others can read it."""
    content = read_bytes(path)
    if content is None:
        raise PrivateLocked("private-locked", path=path)
    if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
        raise PrivateLocked("private-key-open", path=path)
    cipher = _OPENSSL if b"BEGIN CERTIFICATE" in content else _AGE
    _require(cipher)
    return cipher


def encrypt(key: str, content: bytes) -> bytes:
    """Return a text encrypted, after it was decrypted again and was the same."""
    cipher = read_cipher(key)
    encrypted = _run(cipher.encrypt, content, key)
    if _run(cipher.decrypt, encrypted, key) != content:
        raise StorageError("encryption-differs", program=cipher.program)
    return encrypted


def decrypt(key: str, path: str, content: bytes) -> bytes:
    """Return the text of an encrypted file; PrivateLocked where this key does not open it, or it was changed."""
    own = read_cipher(key)
    if not path.endswith(own.suffix):
        raise PrivateLocked("private-other-key", path=path, key=key, reason=f"{own.program}: {own.suffix}")
    try:
        return _run(own.decrypt, content, key)
    except MiError as error:
        raise PrivateLocked("private-other-key", path=path, key=key, reason=error.details["reason"]) from None


def _require(cipher: Cipher) -> None:
    missing = [name for name in cipher.needs() if not find_on_path(name)]
    if missing:
        raise PrivateLocked("private-no-program", program=missing[0])


def _run(words: tuple[str, ...], given: bytes, key: str) -> bytes:
    """Return what a program writes; of one that fails nothing that it wrote is used."""
    import subprocess

    argv = [word.format(key=key) for word in words]
    try:
        done = subprocess.run(argv, input=given, capture_output=True, timeout=_PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        raise MiError("encryption-failed", program=argv[0], reason=f"> {_PATIENCE_S} s") from None
    if done.returncode != 0:
        said = decode(done.stderr).strip().splitlines() or [f"exit {done.returncode}"]
        raise MiError("encryption-failed", program=argv[0], reason=said[0][:200])
    return done.stdout
