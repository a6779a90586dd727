"""The team's memory as tools' functions: matching cards, proposals, session logs, handoffs."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from mi.app.members import build_agent_member, check_receiver
from mi.app.team import build_persona
from mi.mcp.session import ToolSession


class MatchInput(Struct, frozen=True, kw_only=True):
    task: str


class Matched(Struct, frozen=True, kw_only=True):
    """`reading`: must be read before going on, or may."""

    id: str
    title: str
    salience: int
    reading: str
    path: str
    text: Annotated[str, Meta(description="The whole card where it must be read.")]


class MatchResult(Struct, frozen=True, kw_only=True):
    cards: list[Matched]


def match_call(session: ToolSession, given: MatchInput) -> MatchResult:
    """Answer the tool that finds matching cards."""
    from mi.persona.cards import decide_reading, match, read_cards
    from mi.persona.place import require_persona

    persona = require_persona(build_persona(session.context))
    found = []
    for one, _ in match(read_cards(persona)[0], given.task):
        how = decide_reading(one.card, matched=True)
        text = one.body if how in ("boot", "must") else ""
        card = one.card
        shown = Matched(id=card.id, title=card.title, salience=card.salience, reading=how, path=one.path, text=text)
        found.append(shown)
    return MatchResult(cards=found)


class ProposalInput(Struct, frozen=True, kw_only=True):
    card_type: Literal["axiom", "principle", "heuristic", "pattern"]
    title: str
    text: Annotated[str, Meta(description="Content, when it applies, when it bends.")]
    evidence: Annotated[list[str], Meta(description="What it rests on: events, claims, files.")] = []


class ProposalResult(Struct, frozen=True, kw_only=True):
    path: str
    status: str
    event_id: str


def call_proposal(session: ToolSession, given: ProposalInput) -> ProposalResult:
    """Answer the tool that files a proposal."""
    from mi.persona.place import require_persona
    from mi.persona.proposals import propose, record_of

    context = session.context
    persona = require_persona(build_agent_member(context))
    made = propose(persona, given.card_type, given.title, given.text, given.evidence, source=session.client)
    event = context.open_agent_log().append(record_of(made))
    return ProposalResult(path=made.path, status="pending", event_id=event.event_id)


class DecisionInput(Struct, frozen=True, kw_only=True):
    text: str
    reason: str = ""


class SessionInput(Struct, frozen=True, kw_only=True):
    """All three lists are required; an empty one says "nothing, on purpose"."""

    completed_items: list[str]
    decisions: list[DecisionInput]
    next_steps: list[str]
    candidate_insights: list[str] = []
    incidents: list[str] = []
    sid: Annotated[str, Meta(description="Your window, from an earlier call or mi persona boot; '': a new one.")] = ""


class SessionResult(Struct, frozen=True, kw_only=True):
    sid: str
    slot: str
    entry: int
    path: str
    pending_proposals: list[str]
    event_id: str


def call_session(session: ToolSession, given: SessionInput) -> SessionResult:
    """Answer the tool that writes the session log."""
    from mi.evidence.records.governed import SessionLog
    from mi.persona.place import require_persona
    from mi.persona.proposals import list_pending
    from mi.persona.session_log import LoggedDecision, SessionEntry, append_entry, check, is_first
    from mi.persona.windows import find_window, log_files, take_slot

    context = session.context
    persona = require_persona(build_persona(context))
    entry = SessionEntry(
        completed_items=given.completed_items,
        decisions=[LoggedDecision(text=decision.text, reason=decision.reason) for decision in given.decisions],
        next_steps=given.next_steps,
        candidate_insights=given.candidate_insights,
        incidents=given.incidents,
    )
    check(entry)
    first = is_first(log_files(persona))
    log = find_window(persona, given.sid) if given.sid else take_slot(persona)
    number = append_entry(log, entry, first)
    sections = [name for name in entry.__struct_fields__ if getattr(entry, name)]
    event = context.open_agent_log().append(SessionLog(path=log.path, sections=sections, trigger="mcp"))
    waiting = [one.name for one in list_pending(persona)]
    return SessionResult(
        sid=log.sid, slot=log.slot, entry=number, path=log.path, pending_proposals=waiting, event_id=event.event_id
    )


class HandoffInput(Struct, frozen=True, kw_only=True):
    to: Annotated[str, Meta(description="The member who receives it.")]
    task: str
    context: str
    acceptance_criteria: Annotated[list[str], Meta(min_length=1)]
    constraints: list[str] = []
    not_in_scope: list[str] = []


class HandoffResult(Struct, frozen=True, kw_only=True):
    id: str
    status: str
    event_id: str


def call_handoff(session: ToolSession, given: HandoffInput) -> HandoffResult:
    """Answer the tool that hands a task over."""
    from mi.evidence.records.governed import Handoff as Recorded
    from mi.persona.handoffs import hand_over
    from mi.persona.place import require_persona

    context = session.context
    persona = require_persona(build_agent_member(context))
    check_receiver(persona, given.to)
    made = hand_over(
        persona,
        given.to,
        given.task,
        context.language_for(given.task),
        context=given.context,
        acceptance_criteria=given.acceptance_criteria,
        constraints=given.constraints,
        not_in_scope=given.not_in_scope,
    )
    record = Recorded(id=made.id, sender=made.sender, receiver=made.receiver, status=made.status, task=made.task)
    event = context.open_agent_log().append(record)
    return HandoffResult(id=made.id, status=made.status, event_id=event.event_id)
