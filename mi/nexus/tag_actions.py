"""What a tag does at once when a person says it to MI itself: decide, remember, set a rule."""

import re
from typing import Any

from mi.kernel.config.types import Nexus as Settings
from mi.kernel.errors import Blocked, UsageError
from mi.kernel.language import compiled, one_of, patterns
from mi.nexus import memory, plan, tags
from mi.nexus.store import Store

_NAMED = re.compile(r"^([a-z0-9]+(?:-[a-z0-9]+)+)(?:\.md)?:\s+(.+)$", re.DOTALL)


def find_inline_tags(message: str) -> list[tags.TagMatch]:
    """Return the tags of a message that is for MI alone: it names no skill that an agent would follow."""
    found = tags.find(message)
    return [] if any(tag.skill for tag in found) else found


def decide(store: Store, message: str) -> dict[str, Any]:
    """`[d] 2 Use SQLite`: decide a question of the plan; the number may be left out when only one is open."""
    said = _text(message, "[d]")
    shown = plan.show_status(store, plan.PlanStatus())
    if not shown["active"]:
        raise Blocked("nx-no-plan")
    waiting = [issue["id"] for issue in shown["issues"] if issue["status"] == "pending"]
    known = patterns()
    parted = one_of(*known.full_stops, *known.colons, *known.list_marks)
    numbered = compiled(rf"^#?(\d+)(?:\s|{parted})+(.+)$", re.DOTALL).match(said)
    if numbered:
        return plan.decide(store, plan.PlanDecide(issue_id=int(numbered[1]), decision=numbered[2].strip()))
    if len(waiting) != 1:
        raise UsageError("tag-d-which", open=", ".join(str(one) for one in waiting) or "-")
    return plan.decide(store, plan.PlanDecide(issue_id=waiting[0], decision=said))


def remember(store: Store, message: str, settings: Settings, *, force: bool = False) -> memory.Added:
    """`[m] wal-write-time: WAL halves it here`: keep a memory; without a name the first words give one."""
    said = _text(message, "[m]")
    named = _NAMED.match(said)
    name, text = (named[1], named[2]) if named else ("", said)
    return memory.add(store, text, settings, name=name, force=force)


def add_rule(store: Store, message: str) -> str:
    """`[rule] Tests come first`: keep a rule; the path of its file."""
    said = _text(message, "[rule]")
    named = _NAMED.match(said)
    return memory.add_rule(store, named[1] if named else "", named[2] if named else said)


def _text(message: str, tag: str) -> str:
    said = tags.strip_tags(message)
    if not said:
        raise UsageError("tag-text", tag=tag)
    return said
