"""Where things lie below `.nexus/`: names of files and folders, nothing is made by asking for one."""

import os
import re

from mi.kernel import inside
from mi.kernel.errors import UsageError

_FOLDER = ".nexus"
HARNESS = "mi"
HARNESS_PATTERN = r"^[a-z][a-z0-9-]*$"
_TAKEN = {"artifacts"}  # a folder of `state/` that belongs to no harness


class _Named:
    """A path below `.nexus/`; StorageError, whoever asks for it, when a link leads it out of the repository."""

    def __init__(self, *parts: str) -> None:
        self._parts = parts

    def __get__(self, layout: "NexusLayout", owner: object) -> str:
        return inside.checked(layout.root, os.path.join(layout.root, _FOLDER, *self._parts))


class NexusLayout:
    """The layout of one repository's `.nexus/`, as seen by one harness."""

    folder = _Named()
    gitignore = _Named(".gitignore")
    history = _Named("history.json")
    memory = _Named("memory")
    context = _Named("context")
    rules = _Named("rules")
    state = _Named("state")
    plan = _Named("state", "plan.json")
    tasks = _Named("state", "tasks.json")
    tool_log = _Named("state", "tool-log.jsonl")
    artifacts = _Named("state", "artifacts")

    def __init__(self, root: str, harness_id: str = HARNESS) -> None:
        if not re.fullmatch(HARNESS_PATTERN, harness_id) or harness_id in _TAKEN:
            raise UsageError("bad-harness-id", value=harness_id)
        self.root = root
        self.harness_id = harness_id

    @property
    def own(self) -> str:
        """The folder of this harness's own state."""
        return self._at("state", self.harness_id)

    @property
    def tracker(self) -> str:
        """The agents of a session."""
        return self._at("state", self.harness_id, "agent-tracker.json")

    @property
    def access(self) -> str:
        """Who read which memory file."""
        return self._at("state", self.harness_id, "memory-access.jsonl")

    def extension(self, base: str) -> str:
        """Return this harness's extension of a common file: `plan`, `tasks` or `history`."""
        return self._at("state", self.harness_id, f"{base}.extension.json")

    def knowledge(self, folder: str) -> str:
        """Return one of the folders people and agents read: `memory`, `context` or `rules`."""
        return self._at(folder)

    def _at(self, *parts: str) -> str:
        return inside.checked(self.root, os.path.join(self.root, _FOLDER, *parts))
