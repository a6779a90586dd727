"""Puts the commit that a package is built from into it, so that an installation can say where it comes from."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMIT = "mi/nexus/commit.txt"


class CommitHook(BuildHookInterface):
    """Builds from a source archive keep the file that the archive holds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        commit = self._find_commit() if version != "editable" else ""
        if commit:
            self._folder = tempfile.TemporaryDirectory()
            path = Path(self._folder.name, "commit.txt")
            path.write_text(commit + "\n", "utf-8")
            build_data["force_include"][str(path)] = COMMIT

    def _find_commit(self) -> str:
        """Return the commit of the tree; '' where git does not keep it, or another project's git does."""
        if not self._git("ls-files", "--error-unmatch", "--", "pyproject.toml"):
            return ""
        return self._git("rev-parse", "HEAD")

    def _git(self, *words: str) -> str:
        try:
            done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, encoding="utf-8", check=False)
        except OSError:
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""
