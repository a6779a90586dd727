"""Watching a run of another terminal: its records, what the agent says and runs, and what it asks."""

import sys
import time
from collections.abc import Iterator

from mi.agents.events import Event as AgentEvent
from mi.agents.steps import is_plain, open_interpreter
from mi.agents.transcript import Captured
from mi.app.home_context import HomeContext
from mi.autopilot.run_lock import RunningRun
from mi.cli.output import Output, flush
from mi.cli.prompts import at_terminal
from mi.cli.run_display import JsonLines, Live, PlainAgent
from mi.cli.tail import format_event
from mi.evidence.open_items import open_items
from mi.evidence.reader import Event, parse, read_back
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.questions import Question
from mi.evidence.records.run import BatchEnd, RunStart
from mi.evidence.transcripts import parse_entry
from mi.kernel import jsonl
from mi.kernel.locks import is_held

_LOOK_S = 0.2


class AgentTail:
    """What the agent of a batch printed, from its live transcript, as lines and as the events they tell of."""

    def __init__(self, path: str, hands: str) -> None:
        self.is_plain = is_plain(hands)
        self._tail = jsonl.Tail(path, 0)
        self._interpreter = open_interpreter(hands)

    def read(self) -> Iterator[Captured]:
        """Yield the lines that are new."""
        for line in self._tail.read():
            entry = parse_entry(line.data)
            if entry.stream in ("stdout", "stderr"):
                yield Captured(entry.stream, entry.line.encode(), entry.line, line.cut)

    def interpret(self, line: Captured) -> list[AgentEvent]:
        """Return the events that a line tells of."""
        return self._interpreter.feed(line) if line.stream == "stdout" else []


class RunWatch:
    """Follows the log of a run and the transcript of its present batch, until the run's end or its process's."""

    def __init__(self, context: HomeContext, out: Output, run: RunningRun) -> None:
        self.out = out
        self.context = context
        self._run_id = run.owner.run_id
        self.question = self._find_question()  # that the run waits for, perhaps since before it was resumed
        self._lock = run.lock
        self.hands = "cli"
        self._log = jsonl.Tail(context.project_home.evidence, self._find_start())
        self._agent: AgentTail | None = None
        self._is_live = False  # what happened before is told by the records alone

    def follow(self) -> None:
        """Show everything until it is over."""
        while not self.step():
            self.wait()

    def step(self) -> bool:
        """Show what is new; True when it is over."""
        is_last_look = self.is_gone
        if self._look() or is_last_look:
            return True
        self._is_live = True
        self._drain()
        return False

    @property
    def is_gone(self) -> bool:
        """Return whether the run's process is no more."""
        return not is_held(self._lock)

    def wait(self) -> None:
        """Let a little time pass."""
        time.sleep(_LOOK_S)

    def show_event(self, event: Event) -> None:
        """Show a record of the run."""

    def show_line(self, line: Captured, agent: AgentTail) -> None:
        """Show a line that the agent printed."""

    def _find_start(self) -> int:
        log = self.context.project_home.evidence
        own = (event for event in read_back(log, self.context.notices) if event.head.run_id == self._run_id)
        return next((event.offset for event in own if event.head.kind == "run_start"), jsonl.measure_size(log))

    def _find_question(self) -> Question | None:
        log = self.context.project_home.evidence
        waiting = open_items(log, self.context.evidence_index, self.context.notices).events
        asked = [event.record() for event in waiting if event.head.run_id == self._run_id]
        return next((one for one in reversed(asked) if isinstance(one, Question) and one.blocks), None)

    def _look(self) -> bool:
        """Show what is new; True after the run's end."""
        for line in self._log.read():
            event = parse(line)
            if event is None or (event.head.run_id != self._run_id and event.head.kind != "user_input"):
                continue
            self._take_in(event)
            if event.head.run_id == self._run_id:
                self.show_event(event)
                flush()
                if event.head.kind == "run_end":
                    return True
        return False

    def _take_in(self, event: Event) -> None:
        record = event.record()
        if isinstance(record, RunStart):
            self.hands = record.hands
        elif isinstance(record, HandsInput):
            self._drain()
            self._agent = AgentTail(self.context.home.path(record.transcript_path), self.hands)
        elif isinstance(record, BatchEnd):
            self._drain()
            self._agent = None
        elif isinstance(record, Question):
            self.question = record if record.blocks else self.question
        elif (
            event.head.kind == "user_input" and self.question and self.question.id == event.fields().get("question_id")
        ):
            self.question = None

    def _drain(self) -> None:
        """Show what the agent printed so far."""
        if self._agent is not None and self._is_live:
            for line in self._agent.read():
                self.show_line(line, self._agent)
            flush()


class JsonWatch(RunWatch):
    """Shows each record as it is stored, and each line of the agent as `mi run --json` does."""

    def show_event(self, event: Event) -> None:
        self.out.raw(event.raw, True)

    def show_line(self, line: Captured, agent: AgentTail) -> None:
        JsonLines().line(line.stream, line.text)


class TextWatch(RunWatch):
    """Shows the records and what the agent says and runs; a person at a terminal can answer in place."""

    _live: Live | None = None  # made with the agent's first line
    _left = ""  # the question that the person wants to leave waiting

    def show_event(self, event: Event) -> None:
        self.out.beside(*format_event(self.out, event))

    def show_line(self, line: Captured, agent: AgentTail) -> None:
        if agent.is_plain:
            PlainAgent(self.out, show_prompt=False).line(line.stream, line.text)
        self._live = self._live or Live(self.out, show_prompt=False, hands=self.hands)
        for event in () if agent.is_plain else agent.interpret(line):
            self._live.event(event)

    def wait(self) -> None:
        question = self.question
        if question is None or question.id == self._left or not (sys.stderr.isatty() and at_terminal(self.context)):
            super().wait()
            return
        from mi.cli.answer import answer_in_place

        self.question = None
        if not answer_in_place(self.context, self.out, question, lambda: self.is_gone):
            self._left = question.id
