"""The edits since the last prompt as one batch: its change units, how risky they are, what review they need."""

import os
from typing import TYPE_CHECKING

import msgspec

from mi.hooks import rules_state
from mi.hooks.event import HookEvent
from mi.kernel.errors import MiError
from mi.kernel.messages import choose_language, text
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.governance.review_gate import Required
    from mi.hooks.rules_state import RulesState


class WeighedBatch(NamedTuple):
    """How much was changed, at which risk, and whether it is a small change of one file."""

    units: int
    raw: int = 0
    together: bool = False

    @property
    def review(self) -> "Required":
        from mi.governance.review_gate import review_gate

        return review_gate(self.units, self.raw, self.together)


def count_units(event: HookEvent, context: "HomeContext") -> int:
    """Return the change units of this batch: as many as there were edits, looked up in git once they may be many."""
    from mi.governance.review_gate import WARN

    edits = rules_state.read(event, context).edits
    counted = sum(edits.values())
    return counted if counted < WARN else _weigh(context, edits).units


def note_edits(event: HookEvent, context: "HomeContext", files: list[str]) -> str:
    """Count the edits of a call; returns what the batch needs now, where that is not what was said before."""
    state = rules_state.change(event, context, lambda old: _with_edits(old, files))
    if context.config.governance.profile == "light":
        return ""
    from mi.governance.review_gate import warn_of_size

    batch = _weigh(context, state.edits)
    language = choose_language(context.config.language, state.prompt)
    lines = [*warn_of_size(batch.units, batch.together, language), *_describe_review(batch, language)]
    needed = " ".join(map(str, batch.review))
    if needed == state.review and not warn_of_size(batch.units):
        return ""
    rules_state.change(event, context, lambda old: msgspec.structs.replace(old, review=needed))
    return "\n".join(lines)


def _with_edits(old: "RulesState", files: list[str]) -> "RulesState":
    from mi.hooks.autosave import is_work_log

    edits = dict(old.edits)
    for file in files:
        edits[file] = edits.get(file, 0) + 1
    logged = old.work_logged or any(is_work_log(file) for file in files)
    return msgspec.structs.replace(old, edits=edits, worked=True, work_logged=logged)


def _weigh(context: "HomeContext", edits: dict[str, int]) -> WeighedBatch:
    """Return the batch as git shows it, by the rules of `mi gate diff`; without git every edit is a unit."""
    from mi.project.change import change_here

    root = context.project.root
    mine = {os.path.relpath(os.path.realpath(file), os.path.realpath(root)) for file in edits}
    try:
        change = change_here(root).keep(mine, root)
    except MiError:
        return WeighedBatch(sum(edits.values()))
    return WeighedBatch(change.counted.units, change.raw, change.counted.together)


def _describe_review(batch: WeighedBatch, language: str) -> list[str]:
    needed = batch.review
    if needed.level == "none":
        return []
    parts = [text("rules.matrix-" + needed.level, language)]
    parts += [text("rules.matrix-confirm", language)] if needed.confirm else []
    parts += [text("rules.matrix-approval", language)] if needed.approval else []
    parts += [text("gate.split-" + needed.split, language)] if needed.split != "none" else []
    return [text("rules.matrix", language, units=batch.units, risk=batch.raw, parts="; ".join(parts))]
