"""A run on a terminal: what happens scrolls by, and a line below says how long, which batch, how many tokens."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live as LiveLine
from rich.spinner import Spinner
from rich.text import Text

from mi.agents.events import AgentUsage, Event
from mi.cli.output import Output
from mi.cli.run_display import Live, format_elapsed
from mi.evidence.records.base import Record
from mi.evidence.records.run import BatchEnd, RunEnd
from mi.kernel.config.types import RunLimits
from mi.kernel.safe_text import make_safe
from mi.kernel.text import wrap

_STYLES = {"mi": "bold cyan", "mi->hands": "dim", "hands": "green", "hands:stdout": "green", "hands:stderr": "yellow"}


class Screen(Live):
    """Shows the run with a live line at the bottom. `close` must be called when the run is over, however it ended."""

    def __init__(self, out: Output, show_prompt: bool, limits: RunLimits | None = None) -> None:
        super().__init__(out, show_prompt, limits)
        self._console = Console(highlight=False, soft_wrap=True)
        self._batch = ""
        self._tokens = 0  # of the batches that ended
        self._tokens_now = 0  # of the batch that goes on
        self._spinner = Spinner("dots")
        self._live = LiveLine(get_renderable=self._bottom, console=self._console, refresh_per_second=4, transient=True)

    def sent(self, batch_id: str, text: str) -> None:
        self._batch = batch_id
        self._live.start()
        self._live.refresh()  # the line names this batch from its first moment on
        super().sent(batch_id, text)

    def recorded(self, record: Record) -> None:
        if isinstance(record, BatchEnd):
            self._tokens += (record.usage.input_tokens or 0) + (record.usage.output_tokens or 0)
            self._tokens_now = 0
        super().recorded(record)
        if isinstance(record, RunEnd):
            self.close()

    def event(self, event: Event) -> None:
        if isinstance(event, AgentUsage) and not event.is_total:
            self._tokens_now = (event.input_tokens or 0) + (event.output_tokens or 0)
        super().event(event)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While the person is asked, the line does not run over what they type."""
        was_shown = self._live.is_started
        self._live.stop()
        yield
        if was_shown:
            self._live.start()

    def close(self) -> None:
        self._live.stop()

    def _bottom(self) -> Spinner:
        shown = self._out.text(
            "run.live",
            batch=self._batch,
            elapsed=format_elapsed(self._started),
            tokens=f"{self._tokens + self._tokens_now:,}",
        )
        if self._waits_since is not None:
            shown = self._out.text("run.live-waits", line=shown, seconds=round(time.monotonic() - self._waits_since))
        self._spinner.update(text=Text(shown, style="dim"))
        return self._spinner

    def _line(self, who: str, text: str) -> None:
        for line in make_safe(text).splitlines() or [""]:  # as a whole: a secret may go over several lines
            head = f"[{who}]"
            room, style = self._console.width - len(head) - 1, "dim" if who == "mi->hands" else ""
            for number, part in enumerate(wrap(line, room)):
                beside = (f" {part}" if part else "", style)
                self._console.print(Text.assemble((" " * len(head) if number else head, _STYLES.get(who, "")), beside))
