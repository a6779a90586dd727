"""The run's recorder: appends, remembers, and asks the Mind and the person."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar

import msgspec

from mi.autopilot.outcomes import Interrupted
from mi.autopilot.questions import find_options, find_place
from mi.autopilot.run_parts import RunParts
from mi.autopilot.state import RunState
from mi.evidence.answers import AnswerWatch, read_answer
from mi.evidence.records.base import Record
from mi.evidence.records.mind import MindCircuit, MindError
from mi.evidence.records.questions import AskedLimit, Question, QuestionOption, UserInput, WouldAnswer
from mi.evidence.records.run import BatchEnd, KeptAnswer, RunUsage
from mi.evidence.records.thoughts import AnsweredAlone
from mi.evidence.secret_words import hide_secrets, take_over
from mi.kernel import ids
from mi.kernel.messages import text as message
from mi.learning.autonomy import TopicAgreement
from mi.mind.mind import Judgement, Mind
from mi.mind.prompt import Prompt

R = TypeVar("R", bound=Record)
Input = TypeVar("Input")
Output = TypeVar("Output")
T = TypeVar("T")


About = Literal["agent", "risk", "strategy", "next", "judges", "rules", "review", "limit"]  # what an answer is for


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
        if isinstance(stored, BatchEnd):
            self._state.said = stored.last_message
        self._parts.reporter.recorded(stored)
        return stored

    def judge(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        """Return a Mind's answer; what went wrong and what it cost is recorded."""
        return self.settle(prompt, self._parts.mind.ask(prompt, given))

    @property
    def thinks_at_once(self) -> bool:
        """Return whether answers take no time: no model is asked."""
        return self._parts.mind.name == "rules"

    def beside(self, work: Callable[[Mind], T]) -> Callable[[], T]:
        """Begin to ask the Mind beside what comes next; what is returned waits for the answers.

        Only the asking is beside: nothing is recorded before somebody settles it.
        """
        if self.thinks_at_once:
            return partial(work, self._parts.mind)
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(max_workers=1)
        waiting = pool.submit(work, self._parts.mind)
        pool.shutdown(wait=False)
        return waiting.result

    def judge_together(self, *questions: tuple[Prompt[Any, Any], Any]) -> list[Judgement[Any]]:
        """Return answers to questions that do not depend on each other, asked side by side."""
        mind = self._parts.mind
        calls = [lambda prompt=prompt, given=given: mind.ask(prompt, given) for prompt, given in questions]
        answers = mind.ask_together(*calls)
        return [self.settle(prompt, answer) for (prompt, _), answer in zip(questions, answers, strict=True)]

    def settle(self, prompt: Prompt[Any, Output], judgement: Judgement[Output]) -> Judgement[Output]:
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
            self._state.spent = self._state.spent.plus(more)
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

    def ask(
        self,
        text: str,
        about: About = "agent",
        judges: Sequence[str] = (),
        would: WouldAnswer | None = None,
        keep: bool = False,
        recalled: bool = False,
        options: list[QuestionOption] | None = None,
        limit: AskedLimit | None = None,
    ) -> str | None:
        """Return the person's answer; the question is stored first, so that it waits when nobody is there.

        What bears on it is recalled before, unless that was done (`recalled`) to answer without asking; so it was for
        what an agent asks. `would` is what MI would have said.
        """
        if about != "limit" and would is None and not recalled:
            self._parts.steps.recall(self, "before_ask_user", text)
        question = Question(
            id=ids.make_id("qu"),
            text=text,
            about=about,
            judges=list(judges),
            project_root=self._parts.project.root,
            task=self._state.task,
            said=self._state.said,
            options=find_options(text, about, self._state.said) if options is None else options,
            would=would,
            limit=limit,
            keep=keep,
            default=message("question.run-waits", self._parts.language),
        )
        earned = self._parts.find_earned(question) if keep and about == "agent" else None
        if earned is not None:
            return self._answer_alone(question, earned)
        return self.ask_again(self.append(question, sync=True))

    def _answer_alone(self, question: Question, earned: TopicAgreement) -> str:
        """Return what MI says itself where it has been right about the person, and record that it did."""
        would = question.would or WouldAnswer()
        said = AnsweredAlone(
            question=question.text,
            answer=would.answer,
            topic=would.topic,
            cited_ids=would.cited_ids,
            guessed=earned.guessed,
            agreed=earned.agreed,
        )
        self.append(said, note=said.headline(), sync=True)
        return would.answer

    def ask_once(self, question: str, about: Literal["rules", "review"] = "rules", of: str = "") -> str | None:
        """Return the person's answer to what a rule wants to know, also one given since the run stopped for it."""
        place = (of, "") if of else (self._state.batch_id, question)
        known = self._state.answered.get(place)
        if known is not None:
            return known
        waits = self._state.waiting.get(place)  # a question that waits already is not asked a second time
        return self.ask_again(waits) if waits else self.ask(question, about, [of] if of else [])

    def ask_again(self, question: Question) -> str | None:
        """Return the person's answer to a question that waits already, given here or elsewhere, the first one."""
        watch = self._watch(question)
        known = watch.look()
        if known is not None and known.dismissed:  # whoever goes on all the same is asked anew
            question = self.append(msgspec.structs.replace(question, id=ids.make_id("qu")), sync=True)
            watch, known = self._watch(question), None
        said = None if known else self._ask_person(question, watch)
        if said is None and watch.look() is None and self._parts.stop.reason:
            raise Interrupted
        given, words = self._store_answer(question, said, watch)
        self._state.dismissed = given if given and given.dismissed else None
        self._state.is_waiting = given is None
        if given is None or given.dismissed:
            return None
        if given.run_id == self._state.run_id:  # whoever stores an answer keeps it
            self._keep(question, given)
        if question.about in ("rules", "review"):
            self._state.answered[find_place(question)] = given.answer
        return words

    def _ask_person(self, question: Question, watch: AnswerWatch) -> str | None:
        self._parts.notifier.tell(question, self._parts.asker.patience_s)
        began = time.monotonic()
        said = self._parts.asker.ask(question, watch)
        self._state.started += time.monotonic() - began
        if said is not None or watch.look() is not None:
            self._parts.notifier.settle()
        return said

    def _watch(self, question: Question) -> AnswerWatch:
        return AnswerWatch.over(self._parts.evidence.path, question.id, self._parts.notices, self._parts.door.lets_in)

    def close(self, question: Question, word: UserInput) -> None:
        """Close a question that waits with a word that was given otherwise, unless it has an answer already."""
        with self._watch(question).settle() as earlier:
            if earlier is None:
                given = msgspec.structs.replace(word, question=question.text, question_id=question.id)
                self.append(hide_secrets(given), sync=True)

    def _store_answer(self, question: Question, said: str | None, watch: AnswerWatch) -> tuple[UserInput | None, str]:
        """Store what was said unless another answer was first; return the one that counts, and its very words."""
        with watch.settle() as earlier:
            if earlier is None and said is not None:
                answer = read_answer(question.options, question.said, said).text
                whole = UserInput(question=question.text, answer=answer, question_id=question.id, by="terminal")
                given = hide_secrets(whole)
                if given.answer != answer:
                    self._parts.notices.add("secret-answer", self._parts.evidence.path)
                return self.append(given, note=_note(given), sync=True), answer
        if earlier is None:
            return None, ""
        if said is not None:
            self._parts.asker.tell_elsewhere(earlier)
        self._state.remember(earlier, "" if earlier.dismissed else _note(earlier))
        return earlier, take_over(self._parts.place, question.id) or earlier.answer

    def _keep(self, question: Question, given: UserInput) -> None:
        """Keep an answer that holds for other times, and say so at the run's end."""
        kept = self._parts.thoughts.keep_answer(question, given, self.append)
        if kept is not None:
            self._state.kept.append(KeptAnswer(claim_id=kept.claim_id, event_id=kept.event_id, text=kept.text))


def _note(given: UserInput) -> str:
    return f"{given.author or 'the person'} was asked: {given.question} — and said: {given.answer}"
