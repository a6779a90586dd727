"""Asking the enforced parts about an event; what goes wrong in one is answered by its own on_error."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol, cast

from mi.hooks.answer import HookAnswer, choose_strictest
from mi.hooks.event import HookEvent
from mi.kernel.errors import MiError, NotFound, from_os_error
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

PARTS = ("permissions", "contract", "nexus")
STOPPABLE = ("pre-tool", "prompt")  # events before something happens
OnError = Literal["closed", "open"]


class Part(Protocol):
    """A module of `parts/`."""

    def answer(self, event: HookEvent, context: "HomeContext") -> HookAnswer:
        """Return the part's opinion; it may also write down what it saw."""

    def on_error(self, event: HookEvent, context: "HomeContext") -> OnError:
        """Return what a failure means: `closed` blocks, `open` lets pass."""


class EnforcedAnswer(NamedTuple):
    """The answer of all parts, and the failure that closes the way, if one does."""

    answer: HookAnswer
    closed: str = ""


def ask_parts(event: HookEvent, context: "HomeContext", enforced: tuple[str, ...]) -> EnforcedAnswer:
    """Return the strictest answer of the enforced parts."""
    answers: list[HookAnswer] = []
    closed: list[str] = []
    told: list[str] = []
    for name in enforced:
        try:
            answers.append(_part(name).answer(event, context))
        except MiError as error:
            failure = error
        except OSError as error:
            failure = from_os_error(error)
        except Exception as error:
            if os.environ.get("MI_TRACEBACK"):
                raise
            failure = MiError("internal", what=f"{type(error).__name__}: {error}")
        else:
            continue
        reason = failure.line(context.quiet_language)
        if reason not in told:  # what all parts stumble over is said once
            context.notices.add("hook-failed", event.event, part=name, reason=reason)
        told.append(reason)
        if fails_closed(name, event, context):
            closed.append(f"{name}: {reason}")
    return EnforcedAnswer(choose_strictest(answers), "; ".join(closed))


def check(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of parts; NotFound for one there is not."""
    for name in names:
        if name not in PARTS:
            raise NotFound("no-such-part", name=name, known=", ".join(PARTS))
    return tuple(dict.fromkeys(names))


def stops_calls(enforced: tuple[str, ...]) -> bool:
    """Return whether any of the parts may refuse a call; nexus only notes."""
    return any(name != "nexus" for name in enforced)


def _part(name: str) -> Part:
    return cast(Part, import_module(f"mi.hooks.parts.{name}"))


def fails_closed(name: str, event: HookEvent, context: "HomeContext") -> bool:
    """Return whether a failure closes the way: only an event that can be stopped can be closed."""
    if event.event not in STOPPABLE:
        return False
    try:
        return _part(name).on_error(event, context) == "closed"
    except Exception:
        return True
