"""One event of a session: the repository it happens in, what came with it, and how to speak about it."""

from typing import Any

from mi.kernel.config.types import Nexus as Settings
from mi.kernel.messages import text
from mi.nexus.store import Store


class Happening:
    """An event as its handler sees it."""

    def __init__(self, store: Store, params: dict[str, Any], settings: Settings, language: str) -> None:
        self.store = store
        self.params = params
        self.settings = settings
        self._language = language

    def say(self, key: str, **details: object) -> str:
        return text(key, self._language, **details)

    def word(self, *names: str) -> str:
        """Return the first of these parameters that is a text."""
        return next((value for name in names if isinstance(value := self.params.get(name), str) and value), "")

    def words(self, name: str) -> list[str]:
        value = self.params.get(name)
        return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []

    @property
    def file(self) -> str:
        """The file a tool call is about."""
        said = self.params.get("tool_input")
        inner = said if isinstance(said, dict) else {}
        found = self.word("file", "file_path", "path") or inner.get("file_path") or inner.get("path") or ""
        return str(found)
