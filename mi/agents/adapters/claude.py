"""Claude Code: `claude -p` with stream-json, permissions said on every call, the prompt on standard input."""

import msgspec

from mi.agents.claude_events import ClaudeEvents
from mi.agents.drive import AgentCommand, build_environment, drive
from mi.agents.find import find, probe
from mi.agents.protocol import BatchInput, BatchResult, Observer
from mi.agents.signals import StopFlag
from mi.kernel.config.types import Claude, Interrupt
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.project.checks.recognition import detect

_READ_ONLY_GIT = ("status", "diff", "log", "show", "ls-files", "rev-parse", "blame", "grep", "describe", "shortlog")


class ClaudeHands:
    """Drives Claude Code."""

    name = "claude"

    def __init__(self, config: Claude, interrupt: Interrupt, home: Home, notices: Notices) -> None:
        self._config = config
        self._interrupt = interrupt
        self.path = find(self.name, config.path)
        self.probe = probe(self.name, self.path, home, notices)

    def can_resume(self, thread_id: str) -> bool:
        return bool(thread_id)

    def argv(self, cwd: str, thread_id: str) -> tuple[str, ...]:
        """Return the call; a resumed session falls back to the default permissions, so they are said again."""
        resume = ("--resume", thread_id) if thread_id else ()
        return (
            *(self.path, "-p", "--output-format", "stream-json", "--verbose"),
            *("--permission-mode", self._config.permission_mode, "--allowedTools"),
            *list_allowed_tools(cwd, self._config.allowed_tools),
            *resume,
            *self._config.args,
        )

    def run(self, batch: BatchInput, observer: Observer | None = None, stop: StopFlag | None = None) -> BatchResult:
        argv = self.argv(batch.cwd, batch.thread_id)
        call = AgentCommand(argv, build_environment(), batch.prompt.encode(), ClaudeEvents())
        result = drive(call, batch, self._interrupt, observer, stop)
        if result.thread_id and batch.thread_id and result.resume_failed:
            return msgspec.structs.replace(result, thread_id="")
        return result


def list_allowed_tools(root: str, configured: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return what Claude Code may run unasked.

    The project's own checks, git that only reads, and what the user added.
    """
    checks = [f"Bash({check.text}:*)" for check in detect(root)]
    python3 = [tool.replace("Bash(python ", "Bash(python3 ", 1) for tool in checks if tool.startswith("Bash(python ")]
    git = [f"Bash(git {word}:*)" for word in _READ_ONLY_GIT]
    return tuple(dict.fromkeys([*checks, *python3, *git, *configured]))
