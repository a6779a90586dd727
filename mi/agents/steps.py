"""What an agent did in one batch, read from its transcript: what it said, ran, changed and asked, in order."""

from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from mi.agents.events import (
    AgentMessage,
    AgentQuestion,
    Command,
    Denied,
    Error,
    Event,
    FileChange,
    ToolCall,
    VendorLimit,
)
from mi.agents.registry import AGENTS, load
from mi.agents.stream import Interpreter
from mi.agents.transcript import Captured
from mi.evidence.transcripts import TranscriptEntry, tail
from mi.kernel import jsonl
from mi.kernel.errors import MiError
from mi.kernel.named_tuple import NamedTuple

StepKind = Literal["message", "command", "file", "tool", "question", "error", "lines"]
_PLAIN_LINES = 40  # of an agent that prints text instead of events


class AgentStep(NamedTuple):
    """One thing that an agent did; `is_over` is False for a command that still runs, or whose end was not seen."""

    kind: StepKind
    text: str
    exit_code: int | None = None
    output: str = ""
    is_over: bool = True
    is_refused: bool = False


class AgentSteps(NamedTuple):
    """What an agent did, the latest at the end; `is_cut`: there is more before it."""

    steps: tuple[AgentStep, ...]
    is_cut: bool = False


def is_plain(hands: str) -> bool:
    """Return whether an agent prints text instead of events."""
    return hands not in AGENTS or hands == "cli"


def open_interpreter(hands: str) -> Interpreter:
    """Return what reads an agent's lines."""
    interpreter: Interpreter = load(AGENTS.get(hands, AGENTS["cli"]).events)()
    return interpreter


def read_steps(path: str, hands: str, most: int) -> AgentSteps:
    """Return what the last lines of a transcript tell; nothing where it is gone."""
    return _read_steps(path, hands, most, jsonl.measure_size(path))


@lru_cache(256)
def _read_steps(path: str, hands: str, most: int, size: int) -> AgentSteps:
    """Return the same; a transcript only grows, so one of the same size tells the same."""
    try:
        entries = tail(path, most + 1)
    except (MiError, OSError):
        return AgentSteps(())
    is_cut, entries = len(entries) > most, entries[-most:]
    if is_plain(hands):
        return _join_plain(entries, is_cut)
    return AgentSteps(tuple(_join(_interpret(entries, open_interpreter(hands)))), is_cut)


def _interpret(entries: Iterable[TranscriptEntry], interpreter: Interpreter) -> Iterable[Event]:
    for entry in entries:
        if entry.stream == "stdout":
            yield from interpreter.feed(Captured(entry.stream, entry.line.encode(), entry.line))


def _join_plain(entries: list[TranscriptEntry], is_cut: bool) -> AgentSteps:
    lines = [entry.line for entry in entries if entry.stream in ("stdout", "stderr")]
    shown = deque(lines, _PLAIN_LINES)
    steps = (AgentStep("lines", "\n".join(shown)),) if shown else ()
    return AgentSteps(steps, is_cut or len(lines) > len(shown))


def _join(events: Iterable[Event]) -> list[AgentStep]:
    """Return events as steps: a command's end stands where it began."""
    steps: list[AgentStep] = []
    begun: dict[str, int] = {}
    for event in events:
        match event:
            case Command(state="started") | ToolCall(state="started"):
                begun[event.id] = len(steps)
                steps.append(_describe(event)._replace(is_over=False))
            case Command() | ToolCall():
                at = begun.pop(event.id, len(steps))
                steps[at : at + 1] = [_describe(event)]
            case Denied() if event.id in begun:
                steps[begun[event.id]] = steps[begun[event.id]]._replace(is_over=True, is_refused=True)
            case AgentMessage(reasoning=False) | AgentQuestion() | FileChange() | Error() | VendorLimit():
                steps.append(_describe(event))
    return steps


def _describe(event: Event) -> AgentStep:
    match event:
        case Command():
            return AgentStep("command", event.text, event.exit_code, event.output, is_refused=event.refused)
        case ToolCall():
            return AgentStep("tool", f"{event.name} {event.detail}".strip(), 1 if event.failed else None)
        case FileChange():
            return AgentStep("file", event.path, output=event.kind)
        case AgentQuestion():
            return AgentStep("question", event.text)
        case Error() | VendorLimit():
            return AgentStep("error", event.message)
        case AgentMessage():
            return AgentStep("message", event.text)
    return AgentStep("message", "")
