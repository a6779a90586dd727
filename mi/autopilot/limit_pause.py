"""A run that reached one of its limits: it pauses, and goes on when the person raises the limit."""

import msgspec

from mi.autopilot import limits
from mi.autopilot.limit_answers import Raise, Refusal, read_wish
from mi.autopilot.outcomes import EndRun, end_blocked
from mi.autopilot.recorder import LogRecorder
from mi.autopilot.run_parts import RunParts
from mi.autopilot.state import RunState
from mi.evidence.records.questions import AskedLimit, Question, QuestionOption, UserInput
from mi.evidence.records.run import Limit, LimitRaised, RunUsage
from mi.kernel.messages import text


class LimitPause:
    """Asks whether a limit is raised, and by how much."""

    def __init__(self, parts: RunParts, state: RunState, recorder: LogRecorder) -> None:
        self._parts = parts
        self._state = state
        self._recorder = recorder

    def before_batch(self) -> EndRun | None:
        """Return the end of a run that may begin no further batch; None when it may."""
        while (reached := limits.find_reached(self._parts.runtime.limits, self._state)) is not None:
            stopped = self.at(reached)
            if stopped is not None:
                return stopped
        return None

    def on_resume(self) -> EndRun | None:
        """Return the end of a run that was paused and still is; None when its limit was raised, here or elsewhere."""
        asked = self._state.limit_question
        if asked is None or asked.limit is None:
            return None
        if limits.still_holds(self._parts.runtime.limits, self._state, asked.limit):
            return self.at(asked.limit)
        if asked.id:
            self._close(asked, asked.limit)
        return None

    def at(self, reached: AskedLimit, key: str = "end.limit") -> EndRun | None:
        """Ask for more; None when it was raised, else why the run ends."""
        language = self._parts.language
        said = self._ask(reached)
        while said is not None:
            match read_wish(said, reached):
                case Raise(to):
                    self._raise(reached, to)
                    return None
                case Refusal():
                    return end_blocked("end.limit-stays", language, limit=limits.name_limit(reached, language))
            said = self._ask_to(reached, text("ask.limit-unclear", language, said=said))
        return end_blocked(key, language, limit=limits.name_limit(reached, language))

    def _ask(self, reached: AskedLimit) -> str | None:
        waiting, self._state.limit_question = self._state.limit_question, None
        if waiting is not None and waiting.id and waiting.limit == reached:
            return self._recorder.ask_again(waiting)
        self._recorder.append(Limit(limit=limits.name_limit(reached), spent=self._state.spent))
        return self._ask_to(reached, "")

    def _ask_to(self, reached: AskedLimit, first: str) -> str | None:
        language = self._parts.language
        known = _describe(self._state.spent, language)
        spent = text("limit.spent", language, spent=known) if known else ""
        asked = text("ask.limit", language, limit=limits.name_limit(reached, language), spent=spent)
        more = text("limit.more", language, limit=limits.name_limit(reached, language))
        options = [QuestionOption(key="yes", text=more), QuestionOption(key="no", text=text("limit.stays", language))]
        return self._recorder.ask(f"{first} {asked}".strip(), "limit", options=options, limit=reached)

    def _raise(self, reached: AskedLimit, to: float | None) -> None:
        self._recorder.append(LimitRaised(name=reached.name, to=to, was=reached.value), sync=True)
        self._state.own_limits[reached.name] = to

    def _close(self, asked: Question, reached: AskedLimit) -> None:
        """Close the question of a limit that was raised otherwise, so that it waits for nobody."""
        now = getattr(limits.hold(self._parts.runtime.limits, self._state), reached.name)
        language = self._parts.language
        new = msgspec.structs.replace(reached, value=now) if now is not None else None
        answer = limits.name_limit(new, language) if new else text("limit.none", language)
        self._recorder.close(asked, UserInput(answer=answer, by="terminal"))


def _describe(spent: RunUsage, language: str) -> str:
    """Return what a run spent so far, as far as it is known."""
    cost = None if spent.cost_usd is None else round(spent.cost_usd, 4)
    known = {"tokens": limits.count_tokens(spent), "cost_usd": cost}
    shown = [text(f"limit.{name}", language, amount=limits.show_amount(of)) for name, of in known.items() if of]
    return ", ".join(shown)
