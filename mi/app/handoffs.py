"""Handoffs that arrive: what was handed to whoever sits here, and a run that takes one up."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.members import build_member, find_own_member, read_members
from mi.app.tasks import ChosenTask
from mi.app.team import build_persona

if TYPE_CHECKING:
    from mi.persona.handoffs import HandoffFile, State


def list_handed_over(context: HomeContext) -> "list[HandoffFile]":
    """Return the open handoffs to the person and to their AI; none where the persona cannot be read."""
    persona = build_persona(context)
    if not os.path.isdir(os.path.join(persona.root, "handoffs")):
        return []
    from mi.kernel.errors import MiError
    from mi.persona.handoffs import list_open

    try:
        return list_open(persona, [persona.member, find_own_member(context, read_members(persona)) or persona.member])
    except MiError:
        return []  # `mi persona lint` says what is wrong


def settle_handoff(context: HomeContext, handoff_id: str, status: "State", reason: str = "") -> "HandoffFile":
    """Take a handoff on or give it back as its receiver, and record it; Blocked where that is somebody else."""
    from mi.evidence.records.governed import Handoff as Recorded
    from mi.persona.handoffs import move, read
    from mi.persona.place import require_persona

    receiver = read(require_persona(build_persona(context)), handoff_id).receiver
    one = move(build_member(context, receiver), handoff_id, status, receiver, reason)
    record = Recorded(id=one.id, sender=one.sender, receiver=one.receiver, status=one.status, task=one.task)
    context.open_project_log().append(record)
    return one


def take_up(context: HomeContext, handoff_id: str) -> ChosenTask:
    """Return a handoff as the task of a run, taken on by its receiver; Blocked where that is somebody else."""
    from mi.kernel.errors import MiError
    from mi.persona.handoffs import read, write_handoff_text
    from mi.persona.place import require_persona

    one = read(require_persona(build_persona(context)), handoff_id)
    build_member(context, one.receiver)  # refuses whoever else sits here
    if one.status == "sent":
        one = settle_handoff(context, one.id, "accepted")
    if one.status != "accepted":
        raise MiError("handoff-state", id=one.id, status=one.status, wanted="done", allowed="-")
    return ChosenTask(one.id, write_handoff_text(one, context.language_for(one.task)))
