"""What a command noticed on its way and a person should hear once, after the answer."""

import os
import sys
from collections.abc import Iterator

from mi.kernel import messages
from mi.kernel.named_tuple import NamedTuple


class Notice(NamedTuple):
    """A remark by its key in the catalogue, and the file it is about."""

    key: str
    path: str
    details: dict[str, object]

    def line(self, language: str = "en") -> str:
        """Return the remark as one line."""
        return messages.text("notice." + self.key, language, path=self.path, **self.details)


class Notices:
    """Collects notices; each is kept once."""

    def __init__(self) -> None:
        self._seen: dict[str, Notice] = {}
        self._taken = 0

    def add(self, key: str, path: str, /, **details: object) -> None:
        """Remember a notice; $MI_STATE_WARNINGS_STDERR=1 also prints it at once."""
        notice = Notice(key, path, details)
        if notice.line() not in self._seen:
            self._seen[notice.line()] = notice
            if os.environ.get("MI_STATE_WARNINGS_STDERR") == "1":
                print_notice(notice)

    def __iter__(self) -> Iterator[Notice]:
        return iter(self._seen.values())

    def take(self) -> list[Notice]:
        """Return what was noticed since the last time; for doors that stay open and say each thing once."""
        fresh = list(self._seen.values())[self._taken :]
        self._taken = len(self._seen)
        return fresh


class PrintingNotices(Notices):
    """For callers without a collector: prints each notice unless $MI_STATE_WARNINGS_STDERR=0."""

    def add(self, key: str, path: str, /, **details: object) -> None:
        if os.environ.get("MI_STATE_WARNINGS_STDERR") != "0":
            print_notice(Notice(key, path, details))


def print_notice(notice: Notice, language: str = "en") -> None:
    """Write one notice to standard error."""
    sys.stderr.write(f"mi: {notice.line(language)}\n")
