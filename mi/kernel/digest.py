"""SHA-256 without OpenSSL, whose loading takes a fifth of Python's own start."""


def hash_sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes, as hexadecimal text."""
    try:
        from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256  # type: ignore[import-not-found]
        except ImportError:
            from hashlib import sha256
    found: str = sha256(data).hexdigest()
    return found
