"""One event of a session: the repository it happens in, what came with it, and how to speak about it."""

from collections.abc import Callable
from typing import Any

from mi.kernel.config.types import Nexus as Settings
from mi.kernel.errors import UsageError
from mi.kernel.messages import NestedText, text
from mi.nexus.layout import NexusLayout
from mi.nexus.store import Store

Answer = dict[str, Any]
_ALIASES = {"agent_spawn": "subagent_spawn", "agent_complete": "subagent_complete", "agent_resume": "subagent_resume"}


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


def handle(
    root: str,
    event: str,
    came: dict[str, Any],
    harness_id: str,
    settings: Settings | None = None,
    language: str = "en",
) -> Answer:
    """Do what an event asks for; the directory of the harness that it names is the one that is written."""
    name = _ALIASES.get(event, event)
    run = _find_handler(event, name)
    params = came.get("params", {})
    if not isinstance(params, dict):
        raise UsageError("event-input", reason=NestedText("reason.no-object-at", at="params"))
    named = params.get("harness_id") or came.get("harness_id") or harness_id
    store = Store(NexusLayout(root, str(named)))
    answer = run(Happening(store, params, settings or Settings(), language))
    return {"type": name, "harness_id": store.place.harness_id} | answer


def _find_handler(event: str, name: str) -> Callable[[Happening], Answer]:
    """Return what an event asks for; before a tool call nothing else is loaded."""
    if name == "pre_tool_use":
        from mi.nexus.tool_call import pre_tool_use

        return pre_tool_use
    from mi.nexus.events import EVENTS

    if name not in EVENTS:
        raise UsageError("event-unknown", name=event, known=", ".join([*EVENTS, *_ALIASES]))
    return EVENTS[name]
