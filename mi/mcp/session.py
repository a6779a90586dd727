"""What a tool call works with: the project's app, who calls, and what the rooms opened for this connection."""

import os
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # the door answers `initialize` before any of it is needed
    from collections.abc import Callable

    from mi.app.home_context import HomeContext

T = TypeVar("T")
UNNAMED = "unnamed"


class ToolSession:
    """One connection of an agent; rooms keep what they opened for it under a name of their own."""

    def __init__(self, context: "HomeContext") -> None:
        self.context = context
        self.client = UNNAMED
        self.client_version = ""
        self.offered: frozenset[str] = frozenset()  # the names of the tools that this connection has
        self._kept: dict[str, Any] = {}
        self._config_seen = _stamp(context.home.config)

    def introduce(self, name: str, version: str) -> None:
        """Keep who calls, from `initialize`."""
        self.client = name or UNNAMED
        self.client_version = version

    def keep(self, name: str, make: "Callable[[], T]") -> T:
        """Return what a room opened for this session; made at its first use."""
        if name not in self._kept:
            self._kept[name] = make()
        found: T = self._kept[name]
        return found

    def refresh(self) -> None:
        """Before each call: a configuration that was changed meanwhile is read again."""
        seen = _stamp(self.context.home.config)
        if seen != self._config_seen:
            self._config_seen = seen
            self.context.forget_config()

    def notices(self) -> list[str]:
        """Return what the rooms noticed during a call, once; state that was set aside is evidence."""
        fresh = self.context.notices.take()
        self.context.keep_record(fresh)
        return [notice.line(self.context.quiet_language) for notice in fresh]

    def close(self) -> None:
        """Let go of what the rooms opened, such as the slot that keeps two clients of one name apart."""
        for kept in self._kept.values():
            close = getattr(kept, "close", None)
            if close is not None:
                close()
        self._kept.clear()
        self.context.close()


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
