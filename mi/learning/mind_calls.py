"""Asking a Mind outside a run: a failure is recorded and answered by the rules, never raised."""

from typing import Protocol, TypeVar

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.mind import MindError
from mi.mind.mind import Judgement
from mi.mind.prompt import Prompt

Input = TypeVar("Input")
Output = TypeVar("Output")


class Judge(Protocol):
    """Whoever answers prompts: a Mind, or a run's pen around one."""

    def ask(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        """Return the answer, or why there is none."""
        ...


class Rules:
    """Answers by the fixed rules alone."""

    def ask(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        return Judgement(prompt.rules(given), "ok", "rules")


class Recorded:
    """A judge whose failures stand in a log."""

    def __init__(self, judge: Judge, evidence: EvidenceWriter) -> None:
        self._judge = judge
        self._evidence = evidence

    def ask(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        return ask_recorded(self._judge, prompt, given, self._evidence)


def ask_recorded(
    judge: Judge, prompt: Prompt[Input, Output], given: Input, evidence: EvidenceWriter | None
) -> Judgement[Output]:
    """Return a Mind's answer; what went wrong stands in the log."""
    judgement = judge.ask(prompt, given)
    if judgement.state == "error" and evidence is not None:
        evidence.append(
            MindError(
                schema_filename=f"{prompt.name}.json",
                tag=prompt.name,
                mind_transcript_ref=judgement.transcript_ref,
                error=judgement.error,
            )
        )
    return judgement
