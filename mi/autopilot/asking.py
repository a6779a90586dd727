"""Asking the person: at the terminal, or by leaving the question and telling them."""

import os
import select
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from mi.agents.signals import StopFlag
from mi.kernel.secrets import redact
from mi.kernel.text import make_printable


class NobodyThere:
    """No terminal: the question waits in the inbox, and the configured command is run to tell the person."""

    def __init__(self, notify: str) -> None:
        self._notify = notify

    def ask(self, question_id: str, question: str) -> str | None:
        if self._notify:
            tell(self._notify, question_id, question)
        return None


class AtTerminal:
    """Asks at once and waits; an empty line or the end of input leaves the question waiting."""

    def __init__(
        self, prompt: str, stop: StopFlag, paused: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """`stop` ends the waiting, `paused` holds back whatever else is drawn on the terminal."""
        self._prompt = prompt
        self._stop = stop
        self._paused = paused

    def ask(self, question_id: str, question: str) -> str | None:
        with self._paused():
            sys.stderr.write(f"\n{self._prompt} {make_printable(redact(question))}\n> ")
            sys.stderr.flush()
            while not select.select([sys.stdin], [], [], 0.2)[0]:
                if self._stop.reason:
                    sys.stderr.write("\n")
                    return None
            return sys.stdin.readline().strip() or None


def tell(command: str, question_id: str, question: str) -> None:
    """Run the person's notify command with the question as its last argument and in $MI_QUESTION; best effort."""
    shown = redact(question)
    environment = os.environ | {"MI_QUESTION": shown, "MI_QUESTION_ID": question_id}
    try:
        subprocess.run([*shlex.split(command), shown], env=environment, timeout=20, capture_output=True, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        pass  # telling is a courtesy: the question waits in the inbox all the same
