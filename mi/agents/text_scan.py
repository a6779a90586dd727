"""What plain output tells where there are no events: files of the project it names, and lines that look like errors."""

import os
import re

_PATH = re.compile(r"(?<![\w/.-])(?:\.{0,2}/)?(?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,7}(?![\w/])")
_ERROR = re.compile(
    r"^\s*(?:\w+(?:\.\w+)*(?:Error|Exception)\b|(?:fatal|error|panic|FAILED|E   )\b|Traceback )", re.IGNORECASE
)
_LINE, _PATHS, _ERRORS = 2000, 200, 20


class TextScan:
    """Reads lines of one batch; keeps a bounded number of paths and errors."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._tried: set[str] = set()
        self.paths: dict[str, None] = {}
        self.errors: list[str] = []

    def feed(self, line: str) -> None:
        line = line[:_LINE]
        if len(self.errors) < _ERRORS and _ERROR.match(line):
            self.errors.append(line.strip())
        if "." in line and len(self._tried) < _PATHS * 10:
            for found in _PATH.findall(line):
                self._try(found)

    def _try(self, path: str) -> None:
        """A word is a path when there is such a file in the project."""
        if path in self._tried or len(self.paths) >= _PATHS:
            return
        self._tried.add(path)
        full = os.path.normpath(os.path.join(self._cwd, path))
        if full.startswith(self._cwd + os.sep) and os.path.isfile(full):
            self.paths[os.path.relpath(full, self._cwd)] = None
