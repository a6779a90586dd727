"""The run's recorder: appends, remembers, and asks the Mind and the person."""

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import msgspec

from mi.autopilot.outcomes import Interrupted
from mi.autopilot.run_parts import RunParts
from mi.autopilot.state import RunState, added
from mi.evidence.records.base import Record
from mi.evidence.records.mind import MindCircuit, MindError
from mi.evidence.records.run import Question, RunUsage, UserInput
from mi.kernel import ids
from mi.mind.mind import Judgement
from mi.mind.prompt import Prompt

R = TypeVar("R", bound=Record)
Input = TypeVar("Input")
Output = TypeVar("Output")


About = Literal["agent", "risk", "strategy", "next", "judges", "rules", "review"]  # what an answer is for


class LogRecorder:
    """Everything that leaves a trace goes through here: the record first, then what follows from it."""

    def __init__(self, parts: RunParts, state: RunState) -> None:
        self._parts = parts
        self._state = state

    def append(self, record: R, *, note: str = "", batch_id: str = "", sync: bool = False) -> R:
        """Store a record of the current batch; with a note it stays in view of later judgements."""
        placed = msgspec.structs.replace(
            record, batch_id=batch_id or self._state.batch_id, thread_id=self._state.thread_id
        )
        stored = self._parts.evidence.append(placed, sync=sync)
        self._state.remember(stored, note)
        self._parts.reporter.recorded(stored)
        return stored

    def judge(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        """Return a Mind's answer; what went wrong and what it cost is recorded."""
        return self._settle(prompt, self._parts.mind.ask(prompt, given))

    def judge_together(self, *questions: tuple[Prompt[Any, Any], Any]) -> list[Judgement[Any]]:
        """Return answers to questions that do not depend on each other, asked side by side."""
        mind = self._parts.mind
        calls = [lambda prompt=prompt, given=given: mind.ask(prompt, given) for prompt, given in questions]
        answers = mind.ask_together(*calls)
        return [self._settle(prompt, answer) for (prompt, _), answer in zip(questions, answers, strict=True)]

    def _settle(self, prompt: Prompt[Any, Output], judgement: Judgement[Output]) -> Judgement[Output]:
        """Record what a judgement cost and what went wrong with it; Interrupted when it failed because of a stop."""
        spent = judgement.spent
        if spent.calls:
            more = RunUsage(
                input_tokens=spent.input_tokens,
                output_tokens=spent.output_tokens,
                cost_usd=spent.cost_usd,
                seconds=0.0,
                calls=spent.calls,
            )
            self._state.spent = added(self._state.spent, more)
        if judgement.state == "error" and self._parts.stop.reason:
            raise Interrupted
        if judgement.state == "error":
            self.append(
                MindError(
                    schema_filename=f"{prompt.name}.json",
                    tag=prompt.name,
                    mind_transcript_ref=judgement.transcript_ref,
                    error=judgement.error,
                )
            )
        if judgement.circuit:
            circuit = self._parts.mind.circuit
            self.append(
                MindCircuit(
                    state=judgement.circuit,
                    threshold=circuit.threshold,
                    failures_total=circuit.failures_total,
                    failures_consecutive=circuit.failures_consecutive,
                    schema_filename=f"{prompt.name}.json",
                    tag=prompt.name,
                    error=judgement.error,
                )
            )
        return judgement

    def ask(self, text: str, about: About = "agent", judges: Sequence[str] = ()) -> str | None:
        """Return the person's answer; the question is stored first, so that it waits when nobody is there.

        What bears on it is recalled before; about the next move that was done already, to answer without asking.
        """
        if about != "next":
            self._parts.steps.recall(self, "before_ask_user", text)
        question = Question(id=ids.make_id("qu"), text=text, blocks=True, about=about, judges=list(judges))
        return self.ask_again(self.append(question, sync=True))

    def ask_once(self, question: str, about: Literal["rules", "review"] = "rules") -> str | None:
        """Return the person's answer to what a rule wants to know, also one given since the run stopped for it."""
        place = (self._state.batch_id, question)
        known = self._state.answered.get(place)
        if known is not None:
            return known
        waits = self._state.waiting.get(place)  # a question that waits already is not asked a second time
        return self.ask_again(waits) if waits else self.ask(question, about)

    def ask_again(self, question: Question) -> str | None:
        """Return the person's answer to a question that waits already."""
        text = question.text
        answer = self._parts.asker.ask(question.id, text)
        if answer is None and self._parts.stop.reason:
            raise Interrupted
        if answer is None:
            return None
        if question.about in ("rules", "review"):
            self._state.answered[question.batch_id, text] = answer
        given = UserInput(question=text, answer=answer, question_id=question.id)
        self.append(given, note=f"the person was asked: {text} — and said: {answer}", sync=True)
        return answer
