"""A run that asks, in a home that joined a hub: while it waits, its question can be answered elsewhere."""

import threading
import time
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.autopilot.run_parts import Asker
from mi.kernel.errors import MiError

if TYPE_CHECKING:
    from mi.evidence.answers import AnswerWatch
    from mi.evidence.records.questions import Question, UserInput

_PATIENCE_S = 3  # for a hub that is out of reach, where nobody waits for an answer
_LINGER_S = 2.0  # after an answer here, so that the hub hears that nobody waits any more


class HubAsker:
    """Asks as before, and tells the hub."""

    def __init__(self, context: HomeContext, asker: Asker) -> None:
        self._context = context
        self._asker = asker
        self.patience_s = asker.patience_s

    def ask(self, question: "Question", watch: "AnswerWatch") -> str | None:
        """Return what is said here; `watch` sees what comes from elsewhere."""
        if not self.patience_s:  # nobody is there: it is asked, and the run ends
            self._carry_once()
            return self._asker.ask(question, watch)
        is_answered = threading.Event()
        threading.Thread(target=self._carry, args=(is_answered,), daemon=True).start()
        try:
            return self._asker.ask(question, watch)
        finally:
            is_answered.set()

    def tell_elsewhere(self, given: "UserInput") -> None:
        self._asker.tell_elsewhere(given)

    def _carry_once(self) -> None:
        from mi.app.hub import open_hub
        from mi.app.hub_questions import carry_questions
        from mi.hub.connection import connect_home

        try:
            home, state = open_hub(self._context)
            with connect_home(home, state, _PATIENCE_S) as connection:
                carry_questions(self._context, connection, state)
        except MiError:
            pass  # it waits in the inbox here; the next mi sync asks it elsewhere

    def _carry(self, is_answered: threading.Event) -> None:
        from mi.app.hub import watch

        context = HomeContext(self._context.home, cd=self._context.project.root)  # what it opens is this thread's own
        ends: list[float] = []

        def is_over() -> bool:
            if is_answered.is_set() and not ends:
                ends.append(time.monotonic() + _LINGER_S)
            return bool(ends) and time.monotonic() > ends[0]

        try:
            watch(context, is_over, lambda done: None, lambda error: None, only_questions=True)
        except MiError:
            pass  # locked out: mi sync says so
        finally:
            context.close()
