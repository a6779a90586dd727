"""One batch of any agent: process, live transcript, events and risk joined; providers differ in how they call."""

import os
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Literal

from msgspec import UNSET

from mi.agents import events
from mi.agents.events import Event, cut_excerpt
from mi.agents.process import AgentProcess, Ended, Escalation, ProcessLimits
from mi.agents.protocol import BatchInput, BatchResult, Observed, Observer, Outcome
from mi.agents.signals import StopFlag, stop_on_signals
from mi.agents.stream import Interpreter
from mi.agents.text_scan import ShownCommands, TextScan
from mi.agents.transcript import Captured, StreamLines, Transcript, TranscriptHeader
from mi.agents.transient import ends_soon, is_transient
from mi.governance.commands import classify
from mi.governance.operations import Act, gravest
from mi.kernel import clock
from mi.kernel.config.types import Interrupt
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secret_lines import LineRedactor
from mi.kernel.secrets import redact

InterruptMode = Literal["off", "on_high_risk", "on_any_external"]
_FIRST_KEPT, _LAST_KEPT = 200, 1800  # events of a batch kept in memory; the transcript has all of them
_ERRORS_KEPT = 20
_MESSAGE_KEPT = 64_000
_SHOWN_KEPT = 50


class AgentCommand(NamedTuple):
    """How a provider starts its agent for a batch."""

    argv: tuple[str, ...]
    env: dict[str, str]
    stdin: bytes | None
    interpreter: Interpreter
    reads_text: bool = False  # plain output may show commands; with command events only those count
    needs_end: bool = True  # success only by the agent's own last word; else the exit code decides


def drive(
    call: AgentCommand,
    batch: BatchInput,
    interrupt: Interrupt,
    observer: Observer | None = None,
    stop: StopFlag | None = None,
) -> BatchResult:
    """Run one batch to its end, whatever the agent does."""
    watch = _Watch(call, batch.cwd, interrupt.mode, observer or Observer())
    limits = ProcessLimits(batch.wall_s, batch.idle_s)
    escalation = Escalation(interrupt.signal_sequence, interrupt.escalation_ms)
    with stop_on_signals(stop) as flag, closing(_open_transcript(call, batch)) as transcript, ExitStack() as opened:
        streams = {name: StreamLines(name, transcript) for name in ("stdout", "stderr")}
        for lines in streams.values():
            opened.callback(lines.close)
        with AgentProcess(call.argv, batch.cwd, call.env, call.stdin, limits, escalation, flag) as process:
            transcript.note(f"started pid {process.pid}")

            def on_data(stream: str, data: bytes) -> None:
                watch.see(streams[stream].feed(data), process.interrupt)

            ended = process.pump(on_data)
        for lines in streams.values():
            watch.see(lines.end(), _nothing_to_stop)
        watch.finish()
        transcript.note(_end_note(ended))
        return watch.result(batch, ended)


def _open_transcript(call: AgentCommand, batch: BatchInput) -> Transcript:
    thread = batch.thread_id or UNSET
    argv = tuple(map(redact, call.argv))  # the prompt may be among them, with a secret that the person gave the agent
    header = TranscriptHeader(ts=clock.now(), kind="hands", cwd=batch.cwd, argv=argv, thread_id=thread)
    return Transcript(batch.transcript, header)


def interrupts(mode: InterruptMode, act: Act) -> bool:
    """Return whether a mode stops the agent for an act."""
    return mode != "off" and (act.is_grave or (mode == "on_any_external" and act.external))


def _nothing_to_stop(reason: str) -> None:
    """Do nothing: the agent has ended already."""


def _end_note(ended: Ended) -> str:
    parts = [f"exit {ended.code}"]
    parts += [f"stopped: {ended.stopped}"] if ended.stopped else []
    parts += [f"ended {ended.swept} left over"] if ended.swept else []
    parts += ["another process still holds the pipe"] if ended.pipe_held else []
    return ", ".join(parts)


class _Watch:
    """What has been seen of a batch so far; bounded however much the agent prints."""

    def __init__(self, call: AgentCommand, cwd: str, mode: InterruptMode, observer: Observer) -> None:
        self._call = call
        self._cwd = os.path.realpath(cwd)
        self._mode = mode
        self._observer = observer
        self._scan = TextScan(self._cwd)
        self._texts = {"stdout": ShownCommands(), "stderr": ShownCommands()} if call.reads_text else {}
        self._redactors = {"stdout": LineRedactor(), "stderr": LineRedactor()}
        self._stderr_redactor = LineRedactor()
        self._first: list[Event] = []
        self._last: deque[Event] = deque(maxlen=_LAST_KEPT)
        self._seen = 0
        self._lines = 0
        self._stderr: deque[str] = deque(maxlen=_ERRORS_KEPT)
        self._errors: deque[str] = deque(maxlen=_ERRORS_KEPT)
        self._paths: dict[str, None] = {}
        self._message = ""
        self._thread = ""
        self._worked = False
        self._usage: events.AgentUsage | None = None
        self._questions: list[events.AgentQuestion] = []
        self._limit: events.VendorLimit | None = None
        self._end: events.AgentEnd | None = None
        self._risk: Act | None = None
        self._shown: dict[str, None] = {}

    def see(self, lines: list[Captured], interrupt: Callable[[str], None]) -> None:
        self._lines += len(lines)
        for line in lines:
            for event in self._call.interpreter.feed(line):
                self._take(event, interrupt)
            if line.stream in self._texts and not line.data.startswith(b"{"):
                self._read_echo(self._texts[line.stream].feed(line.text[:_MESSAGE_KEPT]), interrupt)
                self._scan.feed(self._redactors[line.stream].hide(line.text))
            if line.stream == "stderr" and line.data:
                self._stderr.append(self._stderr_redactor.hide(line.text)[:2000])
            self._observer.line(line.stream, line.text)

    def finish(self) -> None:
        for event in self._call.interpreter.end():
            self._take(event, _nothing_to_stop)

    def _take(self, event: Event, interrupt: Callable[[str], None]) -> None:
        if isinstance(event, events.FileChange):
            event = events.FileChange(path=self._relative(event.path), kind=event.kind)
        match event:
            case events.Command(state="started"):
                self._judge(event.text, interrupt)
            case events.Command() | events.ToolCall():
                self._worked = True
            case events.ThreadStarted():
                self._thread = event.thread_id
            case events.AgentMessage() if not event.reasoning:
                self._message, self._worked = cut_excerpt(event.text, _MESSAGE_KEPT), True
            case events.FileChange():
                self._paths[event.path] = None
            case events.AgentUsage():
                self._usage = event
            case events.AgentQuestion():
                self._questions.append(event)
            case events.Error():
                self._errors.append(event.message)
            case events.VendorLimit():
                self._limit = event
            case events.AgentEnd():
                self._end = event
        self._keep(event)
        self._observer.event(event)

    def _relative(self, path: str) -> str:
        """Return a path in the project as people say it; one outside stays absolute."""
        full = os.path.realpath(os.path.join(self._cwd, path))
        return os.path.relpath(full, self._cwd) if full.startswith(self._cwd + os.sep) else full

    def _keep(self, event: Event) -> None:
        self._seen += 1
        if isinstance(event, events.AgentMessage) and len(event.text) > events.EXCERPT:
            event = events.AgentMessage(text=cut_excerpt(event.text), reasoning=event.reasoning)
        if len(self._first) < _FIRST_KEPT:
            self._first.append(event)
        else:
            self._last.append(event)

    def _read_echo(self, command: str, interrupt: Callable[[str], None]) -> None:
        """Judge a command that a line of plain output shows, and keep it when it is risky."""
        if command and len(self._shown) < _SHOWN_KEPT and gravest(classify(command)).level != "none":
            self._shown[command] = None
        self._judge(command, interrupt)

    def _judge(self, command: str, interrupt: Callable[[str], None]) -> None:
        """Stop the agent for a command, if the mode says so; the first grave one is kept."""
        if not command or (self._risk and self._risk.is_grave):
            return
        act = gravest(classify(command))
        if act.level != "none":
            self._risk = act
        if interrupts(self._mode, act):
            interrupt(f"risk: {act.operation}")

    def result(self, batch: BatchInput, ended: Ended) -> BatchResult:
        outcome, error = self._outcome(ended)
        resume_failed = bool(
            batch.thread_id and outcome in ("failed", "cut") and not self._worked and self._thread != batch.thread_id
        )
        counts = self._call.interpreter
        return BatchResult(
            outcome=outcome,
            reason=ended.stopped,
            last_message=self._message,
            error=error,
            thread_id=self._thread or ("" if resume_failed else batch.thread_id),
            resume_failed=resume_failed,
            exit_code=ended.code,
            usage=self._usage or events.AgentUsage(),
            events=(*self._first, *self._last),
            events_left_out=self._seen - len(self._first) - len(self._last),
            observed=Observed(
                event_type_counts=dict(counts.event_counts),
                item_type_counts=dict(counts.item_counts),
                file_paths=tuple({**self._paths, **self._scan.paths})[:200],
                errors=(*self._errors, *self._scan.errors)[:_ERRORS_KEPT],
            ),
            questions=tuple(self._questions),
            limit=self._limit,
            transient=self._is_transient(outcome, error),
            seconds=ended.seconds,
            lines=self._lines,
            shown=tuple(self._shown),
            left=ended.left,
            risk=self._risk.text if self._risk else "",
        )

    def _is_transient(self, outcome: Outcome, error: str) -> bool:
        if outcome not in ("failed", "cut"):
            return False
        if self._limit is not None:
            return ends_soon(self._limit)
        was_cut = self._end is not None and self._end.cut
        return was_cut or is_transient("\n".join([error, *self._errors]) if outcome == "failed" else error)

    def _outcome(self, ended: Ended) -> tuple[Outcome, str]:
        said = cut_excerpt("\n".join(self._stderr).strip(), 2000)
        if ended.stopped:
            return "interrupted", ""
        if self._end is not None:
            if self._end.ok:
                return ("cut", "the answer was cut off") if self._end.cut else ("ended", "")
            return "failed", self._end.message or "\n".join(self._errors) or said
        died = ended.code < 0 or ended.code in (128 + 15, 128 + 9)
        if died or (ended.code == 0 and self._call.needs_end):
            return "cut", said or "the agent ended without its last word"
        return ("ended", "") if ended.code == 0 else ("failed", said or "\n".join(self._errors) or self._message)


def build_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """Return the shell's environment, without what would make a nested agent refuse to start.

    And what the user configured.
    """
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT")
    }
    return inherited | (extra or {})
