"""Asking the person: at the terminal, or by leaving the question."""

import select
import sys
import termios
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from mi.evidence.answers import AnswerWatch, lacks_option, name_options
from mi.evidence.records.questions import Question, UserInput
from mi.kernel.secrets import redact
from mi.kernel.text import make_printable

Say = Callable[..., str]  # a text of the catalogue, as the person says it
_LOOK_S = 0.2  # between two looks for an answer from elsewhere


class NobodyThere:
    """No terminal: the question waits in the inbox."""

    patience_s = 0.0

    def ask(self, question: Question, watch: AnswerWatch) -> str | None:
        return None

    def tell_elsewhere(self, given: UserInput) -> None:
        """Tell nobody."""


class AtTerminal:
    """Asks at once and waits for an answer, here or elsewhere; an empty line leaves the question waiting."""

    patience_s = 20.0

    def __init__(
        self, say: Say, is_over: Callable[[], bool], paused: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """`is_over` ends the waiting, `paused` holds back whatever else is drawn on the terminal."""
        self._say = say
        self._is_over = is_over
        self._paused = paused

    def ask(self, question: Question, watch: AnswerWatch) -> str | None:
        with self._paused():
            sys.stderr.write(f"\n{self._say('run.asks')} {make_printable(redact(question.text))}\n")
            for option in question.options:
                if option.text:
                    sys.stderr.write(f"  {option.key}  {make_printable(redact(option.text))}\n")
            said = self._read_line(watch)
            while said and question.limit is None and lacks_option(question.options, said):
                shown = make_printable(redact(name_options(question.options)))
                sys.stderr.write(self._say("run.no-such-option", value=make_printable(said), options=shown) + "\n")
                said = self._read_line(watch)
            return said

    def _read_line(self, watch: AnswerWatch) -> str | None:
        """Return what is typed; None for an empty line, or when the question was answered or the run ended first."""
        sys.stderr.write("> ")
        sys.stderr.flush()
        while not select.select([sys.stdin], [], [], _LOOK_S)[0]:
            is_over = self._is_over()  # asked first: the answer may be what ended it
            if (given := watch.look()) is not None:
                self.tell_elsewhere(given)
                return None
            if is_over:
                sys.stderr.write("\n")
                return None
        return sys.stdin.readline().strip() or None

    def tell_elsewhere(self, given: UserInput) -> None:
        """Say which answer counts, and drop what was typed of another: it is no answer to the next question."""
        key = "run.closed-elsewhere" if given.dismissed else "run.answered-elsewhere"
        why = f": {given.why}" if given.why else ""
        answer = f"{given.author}: {given.answer}" if given.author else given.answer
        told = self._say(key, answer=make_printable(redact(answer)), why=make_printable(redact(why)))
        sys.stderr.write(f"\n{told}\n")
        try:
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        except (OSError, ValueError, termios.error):
            pass  # no terminal after all: nothing was typed
