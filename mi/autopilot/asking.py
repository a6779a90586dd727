"""Asking the person: at the terminal, or by leaving the question and telling them."""

import os
import sys


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

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt

    def ask(self, question_id: str, question: str) -> str | None:
        from mi.kernel.secrets import redact
        from mi.kernel.text import printable

        sys.stderr.write(f"\n{self._prompt} {printable(redact(question))}\n> ")
        sys.stderr.flush()
        answer = sys.stdin.readline().strip()
        return answer or None


def tell(command: str, question_id: str, question: str) -> None:
    """Run the person's notify command with the question as its last argument and in $MI_QUESTION; best effort."""
    import shlex
    import subprocess

    from mi.kernel.secrets import redact

    shown = redact(question)
    environment = os.environ | {"MI_QUESTION": shown, "MI_QUESTION_ID": question_id}
    try:
        subprocess.run([*shlex.split(command), shown], env=environment, timeout=20, capture_output=True, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        pass  # telling is a courtesy: the question waits in the inbox all the same
