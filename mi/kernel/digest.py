"""SHA-256 without OpenSSL, whose loading takes a fifth of Python's own start."""

from collections.abc import Callable
from functools import cache
from typing import Any


def hash_sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes, as hexadecimal text."""
    found: str = _find_sha256()(data).hexdigest()
    return found


@cache  # Python looks anew for a module that is not there
def _find_sha256() -> Callable[[bytes], Any]:
    try:
        from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256  # type: ignore[import-not-found]
        except ImportError:
            from hashlib import sha256
    return sha256  # type: ignore[no-any-return]
