"""What a person sees of a run while it goes on, each line with who says it: `[mi]`, `[mi->hands]`, `[hands]`."""

import shlex
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from mi.agents.events import AgentMessage, AgentQuestion, Command, Error, Event, FileChange
from mi.agents.signals import StopFlag
from mi.agents.transient import is_transient
from mi.autopilot.run_parts import Reporter
from mi.cli.output import Output, flush, measure_terminal, naming_stdout
from mi.evidence.records.base import Record
from mi.evidence.records.governed import Preflight, Verification
from mi.evidence.records.hands import HandsRetry
from mi.evidence.records.mind import AutoAnswer, CheckPlan, DecideNext
from mi.evidence.records.questions import Question
from mi.evidence.records.run import Closing, RunStart
from mi.evidence.records.table import SHOWN_IN
from mi.evidence.records.trees import TreeSnapshot
from mi.kernel.config.types import RunLimits
from mi.kernel.git import find_branch
from mi.kernel.safe_text import make_safe, shorten_gist
from mi.kernel.secret_lines import LineRedactor
from mi.kernel.shell.spoken import unwrap_shell
from mi.web.plain_words import say_plainly, say_record

_TOLD = SHOWN_IN["run"]  # worth a line while a run goes on; the rest is in the log
_NAMED = 5  # files that no snapshot holds
_CHECKS = 3  # that the beginning of a run names
_BUDGETS = ("batches", "minutes", "tokens", "cost_usd")


class Quiet(Reporter):
    """Shows nothing."""

    def __init__(self) -> None:
        self._redactors: defaultdict[str, LineRedactor] = defaultdict(LineRedactor)  # by stream


class Live(Quiet):
    """Shows the run as it happens, one line a thing."""

    def __init__(self, out: Output, show_prompt: bool, limits: RunLimits | None = None, hands: str = "") -> None:
        """`limits`: as configured; `hands`: the agent's name, which the run's first record tells as well."""
        super().__init__()
        self._out = out
        self._show_prompt = show_prompt
        self._limits = limits or RunLimits()
        self._hands = hands
        self._started = time.monotonic()
        self._waits_since: float | None = None  # for the network or the vendor
        self._unkept: set[str] = set()  # named already

    def sent(self, batch_id: str, text: str) -> None:
        self._note_waiting(False)
        self._line("mi", self._out.text("run.batch", batch=batch_id, elapsed=format_elapsed(self._started)))
        if self._show_prompt:
            self._line("mi->hands", text)

    def proving(self, said: str) -> None:
        self._line("mi", said)

    def recorded(self, record: Record) -> None:
        kind = str(record.__struct_config__.tag)
        if isinstance(record, RunStart):
            self._hands = record.hands
            for line in introduce(self._out, record, self._limits):
                self._line("mi", line)
            if record.uncommitted and not record.resumed_from:  # else the run itself may have changed them
                self._line("mi", self._out.text("run.dirty", count=record.uncommitted))
        elif isinstance(record, TreeSnapshot):
            if record.is_first:
                self._line("mi", self._out.text("run.first-snapshot", ref=f"refs/mi/{record.run_id}/{record.of}"))
            elif record.reason:
                self._line("mi", self._out.text("run.no-snapshot", reason=record.reason))
            self._name_unkept(record)
        elif (isinstance(record, Preflight) and record.verdict == "free") or (
            isinstance(record, Verification) and record.gate == "check"
        ):
            pass  # nothing to say about a harmless task; a check is told by the plan of checks
        elif isinstance(record, AutoAnswer) and record.auto_answer.needs_user_input:
            pass  # the agent's words have the question, and it is told again when somebody is asked
        elif _is_told_by_what_follows(record, self._show_prompt):
            pass
        elif isinstance(record, HandsRetry):
            self._note_waiting(True)
            told = {"hands": record.provider, "error": shorten_gist(record.error, 200), "seconds": f"{record.wait_s:g}"}
            self._line(
                "mi", self._out.text("run.tries-again", **told, attempt=record.attempt, attempts=record.attempts)
            )
        elif isinstance(record, Question) and record.blocks:  # its words are the agent's, or come with the asking
            self._line("mi", f"{say_plainly(kind, self._out.language)}: {record.id}")
        elif kind in _TOLD and (said := say_record(record, self._out.language)):
            self._line("mi", f"{say_plainly(kind, self._out.language)}: {shorten_gist(said, 200)}")

    def _name_unkept(self, record: TreeSnapshot) -> None:
        """Say, before the agent works, which files could not be brought back."""
        new = [one for one in record.left_out if one.path not in self._unkept]
        if not new or record.of == "end":
            return
        self._unkept.update(one.path for one in new)
        named = [f"{shorten_gist(one.path, 80)} ({self._out.text(f'run.unkept-{one.why}')})" for one in new[:_NAMED]]
        if len(new) > _NAMED:
            named.append(self._out.text("run.unkept-more", count=len(new) - _NAMED))
        self._line("mi", self._out.text("run.unkept", paths=", ".join(named)))

    def slow(self, what: str) -> None:
        self._line("mi", self._out.text(f"run.slow-{what}"))

    def event(self, event: Event) -> None:
        if isinstance(event, Error) and is_transient(event.message):
            self._note_waiting(True, shorten_gist(event.message, 200))
            return
        self._note_waiting(False)
        match event:
            case AgentMessage(reasoning=False):
                self._line("hands", event.text)
            case Command(state="started"):
                self._line("hands", f"$ {unwrap_shell(event.text)}")
            case Command(state="ended", refused=True):
                rule = next(iter(event.output.strip().splitlines()), "")
                key = "run.refused" if rule else "run.refused-silently"
                self._line("hands", self._out.text(key, rule=shorten_gist(rule, 300)))
            case Command(state="ended"):
                self._line("hands", f"  exit {'?' if event.exit_code is None else event.exit_code}")
            case FileChange():
                self._line("hands", f"{event.kind} {event.path}")
            case Error():
                self._line("hands", f"! {shorten_gist(event.message, 200)}")
            case AgentQuestion():
                self._line("hands", f"? {event.text}")

    def _note_waiting(self, waits: bool, message: str = "") -> None:
        """Say that the agent waits for the network or its vendor, how long by now, and that it goes on."""
        since, now = self._waits_since, time.monotonic()
        self._waits_since = (now if since is None else since) if waits else None
        if waits and not message:
            return
        key = "waits-network" if since is None else "still-waits" if waits else "goes-on"
        if waits or since is not None:
            seconds = round(now - (since or now))
            self._line("mi", self._out.text(f"run.{key}", hands=self._hands, message=message, seconds=seconds))

    def _line(self, who: str, text: str) -> None:
        for line in make_safe(text).splitlines() or [""]:  # as a whole: a secret may go over several lines
            if measure_terminal():
                self._out.beside(f"[{who}] ", line)
            else:  # as it is, to the last space
                self._out.line(f"[{who}] {line}")
        flush()


def introduce(out: Output, start: RunStart, configured: RunLimits) -> list[str]:
    """Return the lines a run begins with: who works where, who judges, by which checks, and what it may spend."""
    branch = start.branch or find_branch(start.project_root)
    limits = {name: getattr(configured, name) for name in _BUDGETS} | start.limits
    told = [
        out.text(f"limit.{name}", amount=f"{value:.12g}") for name in _BUDGETS if (value := limits[name]) is not None
    ]
    first = {(check.kind, check.folder): shlex.join(check.argv) for check in reversed(start.checks)}
    checks = list(dict.fromkeys(reversed(first.values())))
    named = ", ".join(checks[:_CHECKS]) + (", …" if len(checks) > _CHECKS else "")
    return [
        out.text("run.begin", run_id=start.run_id, hands=start.hands, mind=start.mind),
        out.text(
            "run.begin-place" if branch == "unknown" else "run.begin-branch", root=start.project_root, branch=branch
        ),
        out.text("run.begin-check", checks=named) if checks else out.text("run.begin-no-check"),
        out.text("run.begin-budget", limits=" · ".join(told) or out.text("limit.none")),
    ]


def _is_told_by_what_follows(record: Record, shows_input: bool) -> bool:
    """Return whether the end of the run, or the agent's next input, tells the same at once."""
    match record:
        case Closing():
            return record.outcome in ("done", "blocked") or (record.outcome == "told" and shows_input)
        case DecideNext():
            return record.next_action == "stop"
        case CheckPlan():
            return not record.checks.should_run_checks
    return False


class RawLines(Live):
    """Shows what the agent prints as it is, in place of the rendered events."""

    def event(self, event: Event) -> None:
        """Show nothing: the raw lines show it already."""

    def line(self, stream: str, text: str) -> None:
        self._line("hands" if stream == "stdout" else f"hands:{stream}", self._redactors[stream].hide(text))


class PlainAgent(Live):
    """Shows an agent that prints text instead of events: its lines, each with the stream it came from."""

    def event(self, event: Event) -> None:
        """Show nothing: the lines show it already."""

    def line(self, stream: str, text: str) -> None:
        self._line(f"hands:{stream}", self._redactors[stream].hide(text))


class JsonLines(Quiet):
    """One JSON object per line for scripts: each record as appended, each line of the agent."""

    def recorded(self, record: Record) -> None:
        import msgspec

        self._write(msgspec.json.encode(record))

    def line(self, stream: str, text: str) -> None:
        import msgspec

        line = self._redactors[stream].hide(text)
        self._write(msgspec.json.encode({"kind": "hands_line", "stream": stream, "line": line}))

    def _write(self, data: bytes) -> None:
        from mi.kernel.secrets import redact

        with naming_stdout():
            sys.stdout.write(redact(data.decode("utf-8", "replace")) + "\n")
            sys.stdout.flush()


class VisibleWait:
    """Waits for a vendor's limit to end, saying so, until the time has come or Ctrl-C."""

    def __init__(
        self, out: Output, stop: StopFlag, paused: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """`paused` holds back whatever else is drawn on the terminal."""
        self._out = out
        self._stop = stop
        self._paused = paused

    def wait_until(self, resets_at: str) -> bool:
        from mi.kernel import clock

        try:
            until = clock.parse(resets_at)
        except ValueError:
            return False
        with self._paused():
            return self._count_down(until, resets_at)

    def _count_down(self, until: float, resets_at: str) -> bool:
        next_word, live = 0.0, sys.stderr.isatty()
        while (left := until - time.time()) > 0:
            if self._stop.reason:
                return False
            if time.monotonic() >= next_word:
                next_word = time.monotonic() + (1 if live else 60)
                said = self._out.text("run.countdown", until=resets_at, left=format_left(left))
                before, after = ("\r\x1b[K", "") if live else ("", "\n")
                sys.stderr.write(f"{before}mi: {said}{after}")
                sys.stderr.flush()
            time.sleep(min(left, 0.5))
        sys.stderr.write("\n" if live else "")
        return True


def format_left(seconds: float) -> str:
    """Hours, minutes and seconds that are left."""
    left = int(seconds) + 1
    return f"{left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}"


def format_elapsed(started: float) -> str:
    """Minutes and seconds since then."""
    seconds = int(time.monotonic() - started)
    return f"{seconds // 60}:{seconds % 60:02d}"
