"""Commands that plain output shows: behind a prompt or in a fenced shell block; sentences never count."""

import re

_ECHO = re.compile(r"^\s*(?:\$|\+{1,3}|>) +(?P<command>\S.*)$")
_FENCE = re.compile(r"^\s*(?:```|~~~)\s*(?P<language>[\w-]*)")
_SHELL_LANGUAGES = ("sh", "bash", "zsh", "shell", "console", "shell-session", "terminal")
_SHOWING = ("$", "+", ">", "`", "~")  # how a line begins that may show a command or open a block
_PROMPT = re.compile(r"^\s*[$%] +")


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
