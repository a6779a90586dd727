"""What can go wrong in MI: one base class, a code to branch on, an exit code, one line for the person."""

import errno

from mi.kernel import messages
from mi.kernel.secrets import redact_start

_LONGEST = 2000  # characters of a detail: whoever passes a whole file as an id need not read it again


class MiError(Exception):
    """Something MI can explain in one line; `code` names its text in the message catalogue."""

    exit_code = 1

    def __init__(self, code: str, /, **details: object) -> None:
        super().__init__(code)
        self.code = code
        self.details = details

    def line(self, language: str = "en") -> str:
        """Return the explanation in the given language: field, value and the way out."""
        return messages.text(
            "error." + self.code, language, **{name: _brief(one) for name, one in self.details.items()}
        )

    def __str__(self) -> str:
        return self.line()


class UsageError(MiError):
    """The command line is wrong."""

    exit_code = 2


class Blocked(MiError):
    """A person is needed before MI can go on."""

    exit_code = 3


class NotFound(MiError):
    """The thing that was named does not exist."""


class StorageError(MiError):
    """The home or a file in it cannot be read or written."""


class BadConfig(MiError):
    """The configuration file cannot be used."""


_REASONS = {
    "ENOSPC": "disk-full",
    "EDQUOT": "disk-full",
    "EROFS": "read-only",
    "EACCES": "no-permission",
    "EPERM": "no-permission",
}


def from_os_error(error: OSError) -> StorageError:
    """Return the one-line explanation of a failed file operation, with the way out for the common causes."""
    path = "?" if error.filename is None else error.filename or "''"
    code = _REASONS.get(errno.errorcode.get(error.errno or 0, ""), "os-error")
    return StorageError(code, path=path, reason=error.strerror or str(error))


def _brief(detail: object) -> object:
    if not isinstance(detail, str) or len(detail) <= _LONGEST:
        return detail

    return redact_start(detail, _LONGEST) + "…"  # a secret that was cut would not be recognised later
