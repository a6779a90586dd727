"""Where things lie below `.nexus/`: names of files and folders, nothing is made by asking for one."""

import os
import re

from mi.kernel.errors import UsageError

HARNESS = "mi"
HARNESS_PATTERN = r"^[a-z][a-z0-9-]*$"
_TAKEN = {"artifacts"}  # a folder of `state/` that belongs to no harness


class NexusLayout:
    """The layout of one repository's `.nexus/`, as seen by one harness."""

    def __init__(self, root: str, harness_id: str = HARNESS) -> None:
        if not re.fullmatch(HARNESS_PATTERN, harness_id) or harness_id in _TAKEN:
            raise UsageError("bad-harness-id", value=harness_id)
        self.root = root
        self.harness_id = harness_id
        self.folder = os.path.join(root, ".nexus")
        self.gitignore = os.path.join(self.folder, ".gitignore")
        self.history = os.path.join(self.folder, "history.json")
        self.memory = os.path.join(self.folder, "memory")
        self.context = os.path.join(self.folder, "context")
        self.rules = os.path.join(self.folder, "rules")
        self.state = os.path.join(self.folder, "state")
        self.plan = os.path.join(self.state, "plan.json")
        self.tasks = os.path.join(self.state, "tasks.json")
        self.tool_log = os.path.join(self.state, "tool-log.jsonl")
        self.artifacts = os.path.join(self.state, "artifacts")
        self.own = os.path.join(self.state, harness_id)
        self.tracker = os.path.join(self.own, "agent-tracker.json")
        self.access = os.path.join(self.own, "memory-access.jsonl")

    def extension(self, base: str) -> str:
        """This harness's extension of a common file: `plan`, `tasks` or `history`."""
        return os.path.join(self.own, f"{base}.extension.json")

    def knowledge(self, folder: str) -> str:
        """One of the folders people and agents read: `memory`, `context` or `rules`."""
        return os.path.join(self.folder, folder)
