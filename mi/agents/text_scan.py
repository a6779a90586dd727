"""What plain output tells where there are no events: files it names, lines that look like errors, commands.

A command counts behind a prompt or in a fenced shell block; sentences never do.
"""

import os
import re

_PATH = re.compile(r"(?<![\w/.-])(?:\.{0,2}/)?(?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,7}(?![\w/])")
_ERROR = re.compile(
    r"^\s*(?:\w+(?:\.\w+)*(?:Error|Exception)\b|(?:fatal|error|panic|FAILED|E   )\b|Traceback )", re.IGNORECASE
)
_LINE, _PATHS, _ERRORS = 2000, 200, 20
_ECHO = re.compile(r"^\s*(?:\$|\+{1,3}|>) +(?P<command>\S.*)$")
_FENCE = re.compile(r"^\s*(?:```|~~~)\s*(?P<language>[\w-]*)")
_SHELL_LANGUAGES = ("sh", "bash", "zsh", "shell", "console", "shell-session", "terminal")
_SHOWING = ("$", "+", ">", "`", "~")  # how a line begins that may show a command or open a block
_PROMPT = re.compile(r"^\s*[$%] +")


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
        """Keep a word as a path when there is such a file in the project."""
        if path in self._tried or len(self.paths) >= _PATHS:
            return
        self._tried.add(path)
        full = os.path.normpath(os.path.join(self._cwd, path))
        if full.startswith(self._cwd + os.sep) and os.path.isfile(full):
            self.paths[os.path.relpath(full, self._cwd)] = None


class ShownCommands:
    """Reads the lines of one stream; a fenced block is followed across them."""

    def __init__(self) -> None:
        self._fence: bool | None = None  # None: outside; True: inside a shell block; False: inside another

    def feed(self, line: str) -> str:
        """Return the command that a line shows; '' where it shows none."""
        if self._fence is None and line.lstrip()[:1] not in _SHOWING:
            return ""
        fence = _FENCE.match(line)
        if fence:
            self._fence = fence["language"].lower() in _SHELL_LANGUAGES if self._fence is None else None
            return ""
        if self._fence:
            return _PROMPT.sub("", line)
        echo = _ECHO.match(line) if self._fence is None else None
        return echo["command"] if echo else ""
