"""A person's prompt in a host: mode, speed, secrets and sayings worth keeping, put before the agent in a few lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from mi.app.team import build_persona
from mi.evidence.records.governed import Override
from mi.governance import challenge, modes, speed
from mi.governance.assess import assess_task
from mi.governance.session_words import ends_session, find_capture, find_decisions, is_capture_reply, read_reply
from mi.governance.signals import Signals
from mi.governance.spec_gate import SpecGate
from mi.hooks import rules_state
from mi.hooks.answer import HookAnswer
from mi.hooks.event import HookEvent
from mi.hooks.host_session import is_persons_prompt
from mi.hooks.rules_state import RulesState, Suggested
from mi.hooks.session_knowledge import add_told, tell_matches
from mi.kernel.errors import MiError
from mi.kernel.messages import choose_language, text
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact
from mi.knowledge.search.words import compact

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

Kind = Literal["capture", "lint", "hint", "status", "security", "deployment", "confirmation", "error", "challenge"]
MINOR = ("capture", "lint", "hint", "status")
_OPEN, _CLOSE = "─── ISB ───", "────────────"
_MOST, _TOP = 5, 3


class NoticeBlock(NamedTuple):
    """Something to say beside the answer."""

    kind: Kind
    text: str


class Shown(NamedTuple):
    """What stands in the answer itself, and the block after it ('' without one)."""

    inline: list[str]
    block: str


def answer_prompt(event: HookEvent, context: "HomeContext") -> HookAnswer:
    """Return what the agent should know about the prompt before it answers; a new batch of edits begins."""
    language = choose_language(context.config.language, event.prompt)
    state = rules_state.read(event, context)
    if is_capture_reply(event.prompt, state.waiting is not None) and is_persons_prompt(event, context):
        return HookAnswer(context=_kept(event, context, state, language))
    said = _signals(event, context, state)
    obeys = said.mode == "obey"
    begins = obeys and modes.is_obey(event.prompt) and is_persons_prompt(event, context)
    if begins:
        context.open_agent_log().append(Override(reason=redact(event.prompt)[:500], scope=f"topic {event.session_id}"))
    prompt = redact(event.prompt)[:2000]  # a secret is kept nowhere
    suggestion = find_capture(prompt, said.contradicts, state.suggested)
    decided = find_decisions(prompt)
    decided = decided if decided and is_persons_prompt(event, context) else []
    notices = [NoticeBlock("capture", suggestion.suggestion(language))] if suggestion else []
    if state.saved:
        notices.append(NoticeBlock("status", state.saved))
    elif state.worked and state.tested:  # a milestone that was not saved by itself
        notices.append(NoticeBlock("hint", text("rules.suggest-save", language)))
    matches, ids = tell_matches(event, context, state, language)
    lines = _lines(event.prompt, said, notices, language)
    lines += [matches] if matches else []
    rules_state.change(
        event,
        context,
        lambda old: msgspec.structs.replace(
            old,
            override=prompt if begins else old.override if obeys else "",
            lifted=old.lifted and not begins,
            topic=_topic(prompt) if begins else old.topic if obeys else [],
            edits={},
            review="",
            told=add_told(old, ids),
            prompt=prompt,
            saved="",
            suggested=[*old.suggested, *([suggestion.key] if suggestion else [])][-200:],
            waiting=Suggested(signal=suggestion.signal, description=suggestion.description) if suggestion else None,
            decided=[*dict.fromkeys([*old.decided, *decided])],
        ),
    )
    return HookAnswer(context="\n".join(lines))


def _signals(event: HookEvent, context: "HomeContext", state: RulesState) -> Signals:
    from mi.review.decisions import collect_decisions, find_signals_for

    try:
        decided = collect_decisions(build_persona(context), context.project.root)
    except MiError:
        decided = []  # a persona that cannot be read is said at boot
    holds = bool(state.override) and modes.holds(state.topic, _topic(event.prompt))
    return find_signals_for(event.prompt, context.config.governance, decided, obeying=holds)


def _topic(prompt: str) -> list[str]:
    return list(compact(prompt).tokens)


def _lines(prompt: str, said: Signals, notices: list[NoticeBlock], language: str) -> list[str]:
    """Return what the mode, the speed, the risk and the tier ask for; nothing for a harmless prompt."""
    lines = [text("rules.say-first", language, words=challenge.give_alert(language))] if said.secrets else []
    lines += _describe_task(prompt, said, language) if said.mode != "obey" else []
    if said.mode == "obey":
        lines += modes.give_guidance("obey", language)
    elif said.full or [one for one in said.triggers if one != "T8"]:
        assessed = assess_task(prompt, found=said)
        tier = challenge.find_tier(assessed.raw or 0, said.triggers, said.full)
        lines += modes.give_guidance("challenge", language)
        lines += [f"{one}: {challenge.argue_against(one, language)}" for one in said.triggers if one != "T8"]
        lines += challenge.give_guidance(tier, said.urgent, said.contradicts, language)
        lines += speed.give_guidance(said.answered_at, language)
    elif said.speed:
        lines += speed.give_guidance(said.speed, language)
    if said.speed:
        lines.append(text("rules.append", language, words=speed.render_marker(said.speed, language)))
    shown = consolidate(notices, said.speed, language)
    lines += [text("rules.append", language, words=one) for one in [*shown.inline, shown.block] if one]
    if ends_session(prompt):
        lines.append(text("rules.save-session", language))
    return lines


def _describe_task(prompt: str, said: Signals, language: str) -> list[str]:
    """Return what a request lacks before it is begun, or how risky it is and what that needs."""
    if not prompt.strip() or read_reply(prompt) or ends_session(prompt):
        return []
    assessed = assess_task(prompt, found=said)
    if assessed.spec_gate == "blocked":
        questions = SpecGate(assessed.spec_gate, assessed.asks).questions(language)
        return [text("rules.unclear", language, questions=" ".join(questions))]
    needs = [] if assessed.orchestration in (None, "self") else [assessed.orchestration.replace("_", "-")]
    needs += ["confirm"] if assessed.needs_ack and needs != ["review-and-confirm"] else []
    if not needs:
        return []
    return [
        text(
            "rules.risk",
            language,
            risk=assessed.raw,
            needs="; ".join(text(f"rules.risk-{one}", language) for one in needs),
        )
    ]


def _kept(event: HookEvent, context: "HomeContext", state: RulesState, language: str) -> str:
    """Make a proposal of a suggestion the person took up, or say why it cannot be one."""
    from mi.persona.place import require_persona
    from mi.review.captures import propose

    waiting = state.waiting
    rules_state.change(event, context, lambda old: msgspec.structs.replace(old, waiting=None))
    if waiting is None:
        return ""
    try:
        persona = require_persona(build_persona(context))
        made = propose(persona, waiting.signal, waiting.description, f"{event.host} {event.session_id}")
    except MiError as error:
        return error.line(language)
    context.open_agent_log().append(made)
    return text("rules.proposed", language, path=made.path)


def consolidate(notices: Sequence[NoticeBlock], levels: tuple[int, ...] = (), language: str = "en") -> Shown:
    """Two or more minor notices become one block, one stays inline, S4 silences them; the rest is always inline."""
    inline = [notice.text for notice in notices if notice.kind not in MINOR]
    minor = [notice.text for notice in notices if notice.kind in MINOR]
    if 4 in levels or not minor:
        return Shown(inline, "")
    if len(minor) == 1:
        return Shown([*inline, minor[0]], "")
    shown = minor if len(minor) <= _MOST else minor[:_TOP]
    lines = [_OPEN, *(f"• {one}" for one in shown)]
    if len(shown) < len(minor):
        lines.append(text("isb.more", language, count=len(minor) - len(shown)))
    return Shown(inline, "\n".join([*lines, _CLOSE]))
