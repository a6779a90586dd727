"""Telling the person: which ways want an event, a process of its own that tells them, and what did not get through.

The process outlives the run and holds up nobody; at its end a run waits shortly for those it began, since where a
container ends with it they would end, too.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.running_page import find_address
from mi.autopilot.notification import describe, find_event
from mi.evidence.records.base import Record
from mi.evidence.records.questions import Question
from mi.evidence.records.run import NotifyFailed, RunStart
from mi.kernel import ids
from mi.kernel.config.types import NotifyEvent, NotifyTarget
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notify_channels import Notification, NotSent, send

if TYPE_CHECKING:
    from mi.hub.questions import RoutedQuestion

_END_S = 2.0
_LOOK_S = 0.5  # between two looks whether a question was answered meanwhile


def find_targets(context: HomeContext) -> list[NotifyTarget]:
    """Return the ways the person configured; one text is a command for questions."""
    configured = context.config.notify
    if isinstance(configured, str):
        return [NotifyTarget(kind="command", command=configured, events=("question", "limit"))] if configured else []
    return list(configured)


class Notifier:
    """Begins to tell the person of events; nobody waits for it but the end of a run."""

    def __init__(self, context: HomeContext) -> None:
        self._context = context
        self._targets = find_targets(context)
        self._began: list[subprocess.Popen[bytes]] = []
        self._asked = False  # a question was told and not answered yet

    def tell(self, record: Record, after_s: float = 0.0) -> None:
        """Tell of a record that was appended; a question only if nobody answers it within `after_s`."""
        event = find_event(record)
        if event is None or not any(_wants(target, event, self._asked) for target in self._targets):
            return
        asked = ["--asked"] if self._asked and event == "blocked" else []
        self._asked = isinstance(record, Question)
        home, project = self._context.home.root, self._context.project.root
        words = [sys.executable, "-P", "-m", "mi.app.notify_delivery", home, project, record.event_id, str(after_s)]
        try:
            process = subprocess.Popen(
                [*words, *asked],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return  # no process can be had: the question waits in the inbox all the same
        if not after_s:
            self._began.append(process)

    def settle(self) -> None:
        """Note that the question was answered."""
        self._asked = False

    def finish(self) -> None:
        """Wait shortly for what was begun."""
        until = time.monotonic() + _END_S
        for process in self._began:
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                return


def _wants(target: NotifyTarget, event: NotifyEvent, asked: bool) -> bool:
    """Return whether a way is for an event; who was told of the question need not hear that the run waits for it."""
    if event == "blocked" and asked and "question" in target.events:
        return False
    return event in target.events or (event == "limit" and "question" in target.events)


class WaitClock(NamedTuple):
    """The time by which a question is waited for."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


_CLOCK = WaitClock()


def deliver(
    context: HomeContext, event_id: str, after_s: float, asked: bool, clock: WaitClock = _CLOCK
) -> list[NotifyFailed]:
    """Tell the person of an event now, or when it was not settled for a while; return what did not get through."""
    log = context.project_home.evidence
    record, task = _find(context, event_id)
    event = find_event(record) if record else None
    if record is None or event is None or _is_settled_within(context, record, after_s, clock):
        return []
    number, language = _find_number(context, record), context.language_for(task)
    note = describe(record, context.project, task, number, language, partial(find_address, context.home))
    wanted = [target for target in find_targets(context) if _wants(target, event, asked)]
    lost = [
        NotifyFailed(id=ids.make_id("nf"), channel=target.kind, event=event, about_id=event_id, reason=reason)
        for target, reason in zip(wanted, try_targets(context, wanted, note), strict=True)
        if reason
    ]
    return [context.evidence_writer(log).append(one, sync=True) for one in lost]


def try_targets(context: HomeContext, targets: Sequence[NotifyTarget], note: Notification) -> list[str]:
    """Tell the person by each way at once, so that none waits for one that hangs; return why each failed, or ''."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(targets) or 1) as pool:
        return list(pool.map(lambda target: _try(context, target, note), targets))


def _try(context: HomeContext, target: NotifyTarget, note: Notification) -> str:
    """Tell the person by one way; return why that failed, '' when it did not."""
    from mi.kernel.messages import text
    from mi.kernel.secrets import redact

    try:
        send(target, note)
    except NotSent as error:
        return redact(text(error.reason.key, context.quiet_language, **error.reason.details))
    return ""


def _find(context: HomeContext, event_id: str) -> tuple[Record | None, str]:
    """Return a record and the task of its run."""
    from mi.evidence.reader import read_back

    found: Record | None = None
    for event in read_back(context.project_home.evidence, context.notices):
        if event.head.event_id == event_id:
            found = event.record()
            if isinstance(found, Question) or found is None:
                return found, found.task if found else ""
        if found and event.head.run_id == found.run_id and event.head.kind == "run_start":
            start = event.record()
            return found, start.task if isinstance(start, RunStart) else ""
    return found, ""


def _is_settled_within(context: HomeContext, record: Record, seconds: float, clock: WaitClock) -> bool:
    from mi.evidence.answers import AnswerWatch

    if not isinstance(record, Question):
        return False
    watch = AnswerWatch.over(context.project_home.evidence, record.id, context.notices)
    until = clock.now() + seconds
    while watch.look() is None:
        if (left := until - clock.now()) <= 0:
            return False
        clock.sleep(min(_LOOK_S, left))
    return True


def _find_number(context: HomeContext, record: Record) -> int:
    """Return the number of a question in the inbox; 0 where it has none."""
    if not isinstance(record, Question):
        return 0
    from mi.app.inbox import build_inbox

    found = (one.item for one in build_inbox(context, lambda done, total: None))
    return next((item.number for item in found if record.id in item.ids), 0)


def tell_elsewhere(context: HomeContext, asked: "Sequence[RoutedQuestion]") -> None:
    """Tell the person of questions that wait for them at other homes; what fails is kept in the log."""
    from mi.evidence.inbox_numbers import number_one
    from mi.kernel.messages import text
    from mi.kernel.secrets import redact
    from mi.kernel.text import fit_one_line, make_printable

    language = context.language
    wanted = [target for target in find_targets(context) if _wants(target, "question", False)]
    for one in asked if wanted else ():
        body, number = one.body, number_one(context.home, one.id, context.notices)
        lines = [text("inbox.elsewhere", language, who=one.member, machine=body.machine, run_id=one.run), body.text]
        lines += [f"  {option.key}  {option.text}".rstrip() for option in body.options]
        lines.append(text("notify.answer", language, number=number))
        if page := find_address(context.home, one.id):
            lines.append(text("notify.page", language, address=page))
        title = redact(text("notify.title-question", language, project=fit_one_line(redact(body.project), 60)))
        facts = {"question_id": one.id, "number": number, "asked_by": one.member, "machine": body.machine}
        said = redact(make_printable("\n".join(lines)))
        _send_all(context, wanted, Notification(title, said, "question", facts, {"MI_EVENT": "question"}))


def _send_all(context: HomeContext, targets: Sequence[NotifyTarget], note: Notification) -> None:
    """Tell the person by each way; what fails is kept in the log."""
    for target, reason in zip(targets, try_targets(context, targets, note), strict=True):
        if reason:
            failed = NotifyFailed(id=ids.make_id("nf"), channel=target.kind, event=note.event, reason=reason)
            context.open_global_log().append(failed, sync=True)


def tell_drained(context: HomeContext, counts: Mapping[Any, int]) -> None:
    """Tell the person that the queue is drained, and what became of its tasks; what fails is kept in the log."""
    from mi.kernel.messages import text, word
    from mi.kernel.secrets import redact

    language = context.language
    body = ", ".join(f"{count} {word(state, language)}" for state, count in counts.items())
    if page := find_address(context.home):
        body += "\n" + text("notify.page", language, address=page)
    title = text("notify.title-drained", language)
    note = Notification(redact(title), redact(body), "drained", {"counts": dict(counts)}, {"MI_EVENT": "drained"})
    _send_all(context, [target for target in find_targets(context) if "drained" in target.events], note)


def make_test_note(context: HomeContext) -> Notification:
    """Return what `mi notify test` sends."""
    from mi.kernel.messages import text
    from mi.kernel.secrets import redact

    language = context.language
    body = text("notify.body-test", language)
    return Notification(redact(text("notify.title-test", language)), redact(body), "test", {}, {"MI_EVENT": "test"})
