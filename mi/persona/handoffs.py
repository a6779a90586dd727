"""Handoffs: a task that goes from one member to another, with what it takes to accept it."""

import os
import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from mi.governance.spec_gate import assess_spec, find_clarity
from mi.kernel import clock
from mi.kernel.conflicts import read_sides
from mi.kernel.errors import Blocked, MiError, NotFound, UsageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.home import make_dirs
from mi.kernel.locks import lock_folder
from mi.kernel.messages import text
from mi.kernel.text import decode
from mi.knowledge.thoughts.store import refuse_secret
from mi.persona.cards import CardProblem
from mi.persona.front_matter import BadFrontMatter, dump_fields, load
from mi.persona.place import PersonaView, check_member_name

State = Literal["draft", "sent", "accepted", "rejected", "done"]
# From a state to those that may follow.
_NEXT: dict[State, tuple[State, ...]] = {
    "draft": ("sent",),
    "sent": ("accepted", "rejected"),
    "accepted": ("done",),
    "rejected": (),
    "done": (),
}
_ID = r"HO-\d{4}-\d{2}-\d{2}-\d{3,}"


class Deliverable(msgspec.Struct, frozen=True, kw_only=True):
    """Something the receiver hands back."""

    type: Literal["patch", "file", "report", "config"]
    path: str
    description: str = ""


class HandoffFile(msgspec.Struct, frozen=True, kw_only=True):
    """A task on its way; `from` and `to` are members."""

    id: str
    sender: str = msgspec.field(name="from")
    receiver: str = msgspec.field(name="to")
    timestamp: str
    status: State
    task: str
    context: str
    acceptance_criteria: list[str]
    constraints: list[str] = []
    not_in_scope: list[str] = []
    deliverables: list[Deliverable] = []
    reason: str = ""


def hand_over(persona: PersonaView, to: str, task: str, language: str, send: bool = True, **more: Any) -> HandoffFile:
    """Return a member's task for another one; what is unclear about it is asked back in the language of the task."""
    unclear = assess_spec(find_clarity(task)).questions(language) if task.strip() else []
    sender, receiver = persona.member, check_member_name(to)
    wanted = HandoffFile(id="", sender=sender, receiver=receiver, timestamp="", status="draft", task=task, **more)
    return create(persona, wanted, unclear, send)


def create(persona: PersonaView, wanted: HandoffFile, questions: list[str], send: bool = True) -> HandoffFile:
    """Return a new handoff; refused without criteria, or while `questions` show that the task is unclear."""
    _check(wanted)
    if questions and send:
        raise Blocked("handoff-unclear", questions="; ".join(questions))
    folder = persona.path("handoffs")
    make_dirs(folder)
    with lock_folder(folder):
        handoff_id = _choose_id(folder, clock.now()[:10])
        made = msgspec.structs.replace(wanted, id=handoff_id, timestamp=clock.now(), status="sent" if send else "draft")
        _write(persona, made)
    return made


def _choose_id(folder: str, day: str) -> str:
    taken = [int(name[14:-5]) for name in os.listdir(folder) if re.fullmatch(_ID, name[:-5]) and name[3:13] == day]
    return f"HO-{day}-{max(taken, default=0) + 1:03d}"


def read(persona: PersonaView, handoff_id: str) -> HandoffFile:
    """Return one handoff by its id; of two that git left in its file the earlier one."""
    return _read_versions(persona, handoff_id)[0]


def _read_versions(persona: PersonaView, handoff_id: str) -> list[HandoffFile]:
    """Return the handoff in a file, the one that went further of two versions; two that have one id, the earlier first.

    There are two where two people made one each, in two clones on one day, and git left its markers.
    """
    path = _path(persona, handoff_id)
    data = read_bytes(path)
    if data is None:
        raise NotFound("no-handoff", id=handoff_id)
    shown, content = os.path.relpath(path, persona.root), decode(data)
    try:
        found = [
            msgspec.convert(load(one, shown), HandoffFile, strict=False) for one in read_sides(content) or [content]
        ]
    except msgspec.ValidationError as error:
        raise BadFrontMatter("card-field", path=shown, reason=str(error)) from None
    if len({(one.timestamp, one.sender) for one in found}) == 1:
        return [max(found, key=lambda one: list(_NEXT).index(one.status))]
    return sorted(found, key=lambda one: (one.timestamp, one.sender))


def mend(persona: PersonaView, handoff_id: str) -> HandoffFile:
    """Write what git left of two people's work without its markers: the later of two handoffs under a new id."""
    one, *others = _read_versions(persona, handoff_id)
    for other in others:
        _write(persona, msgspec.structs.replace(other, id=_choose_id(persona.path("handoffs"), other.id[3:13])))
    _write(persona, one)
    return one


def read_all(persona: PersonaView) -> tuple[list[HandoffFile], list[CardProblem]]:
    """Return all handoffs, the oldest first, and what is wrong with those that cannot be read."""
    folder = persona.path("handoffs")
    found: list[HandoffFile] = []
    problems: list[CardProblem] = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if not re.fullmatch(_ID, name[:-5]):
            continue
        try:
            found += _read_versions(persona, name[:-5])
        except BadFrontMatter as error:
            problems.append(CardProblem(os.path.join("handoffs", name), error.code, error.details))
    return found, problems


def list_open(persona: PersonaView, receivers: Sequence[str] = ()) -> list[HandoffFile]:
    """Return the handoffs that were sent or taken on and are not done; of these receivers, where some are named."""
    known = read_all(persona)[0] if os.path.isdir(persona.path("handoffs")) else []
    wanted = [one for one in known if one.status in ("sent", "accepted")]
    return [one for one in wanted if not receivers or one.receiver in receivers]


def write_handoff_text(one: HandoffFile, language: str) -> str:
    """Return a handoff as a run's task: what to do and to know, when it is done, what must hold, what is not asked."""
    parts = [one.task, text("tasks.context", language, context=one.context)]
    lists = {"criteria": one.acceptance_criteria, "constraints": one.constraints, "not-in-scope": one.not_in_scope}
    for label, items in lists.items():
        parts += [f"- {text('handoff.' + label, language)}: {item}" for item in items]
    return "\n".join(parts)


def move(
    persona: PersonaView,
    handoff_id: str,
    to: State,
    member: str,
    reason: str = "",
    delivered: Sequence[Deliverable] = (),
) -> HandoffFile:
    """Take a handoff to its next state; each step belongs to one side, and none can be skipped."""
    make_dirs(persona.path("handoffs"))
    with lock_folder(persona.path("handoffs")):
        known = mend(persona, handoff_id)
        if to not in _NEXT[known.status]:
            allowed = ", ".join(_NEXT[known.status]) or "-"
            raise MiError("handoff-state", id=handoff_id, status=known.status, wanted=to, allowed=allowed)
        owner = known.sender if to == "sent" else known.receiver
        if member != owner:
            raise Blocked("handoff-not-yours", id=handoff_id, owner=owner, member=member)
        if to == "rejected" and not reason.strip():
            raise UsageError("handoff-reason", id=handoff_id)
        if to == "done" and not delivered:
            raise UsageError("handoff-deliverables", id=handoff_id)
        if to in ("sent", "accepted"):
            _check(known)
        refuse_secret("reason", reason)
        for one in delivered:
            refuse_secret("deliverable", f"{one.path} {one.description}")
        moved = msgspec.structs.replace(
            known, status=to, reason=reason, deliverables=list(delivered) or known.deliverables
        )
        _write(persona, moved)
        return moved


def _check(one: HandoffFile) -> None:
    for field in ("task", "context"):
        if not getattr(one, field).strip():
            raise UsageError("empty-text", field=field)
    if not [criterion for criterion in one.acceptance_criteria if criterion.strip()]:
        raise Blocked("handoff-no-criteria")
    texts = [one.task, one.context, *one.acceptance_criteria, *one.constraints, *one.not_in_scope]
    refuse_secret("handoff", "\n".join(texts))


def _path(persona: PersonaView, handoff_id: str) -> str:
    if not re.fullmatch(_ID, handoff_id):
        raise UsageError("bad-handoff-id", id=handoff_id)
    return persona.path("handoffs", f"{handoff_id}.yaml")


def _write(persona: PersonaView, one: HandoffFile) -> None:
    write_atomic(_path(persona, one.id), dump_fields(msgspec.to_builtins(one)).encode(), 0o644)
