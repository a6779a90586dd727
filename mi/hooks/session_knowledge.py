"""What is known and an agent in a host's session is told: at its beginning what binds, at a prompt what matches."""

import os
from contextlib import closing
from typing import TYPE_CHECKING, cast

import msgspec

from mi.app.team_files import FOLDERS
from mi.hooks import rules_state
from mi.hooks.event import HookEvent
from mi.kernel.messages import choose_language, text
from mi.kernel.secrets import find_secrets, redact
from mi.kernel.text import fit_one_line

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.contract.recall import Recalled
    from mi.contract.session import ContractSession
    from mi.hooks.rules_state import RulesState
    from mi.kernel.secrets import Redacted

_ROOM = 6000  # characters at the beginning of a session
_MOST, _LONGEST = 5, 1200  # memories at a prompt, and characters of each
_KEPT = 500  # ids that were told


def tell_beginning(event: HookEvent, context: "HomeContext") -> str:
    """Return what binds here and what the persona's boot tells; nothing again where a session goes on."""
    state = rules_state.read(event, context)
    if event.source == "resume" and state.told:
        return ""
    binding, others, left_out = _recall_binding(event, context)
    language = context.quiet_language
    parts = [_tell(context, binding, "hook.binds", language), _tell(context, others, "hook.binds-not", language)]
    parts += [text("hook.left-out", language, count=left_out)] if left_out else []
    parts.append(_boot(event, context, state))
    ids = [one.id for one in (*binding, *others)]
    rules_state.change(event, context, lambda old: msgspec.structs.replace(old, told=ids))
    return "\n".join(part for part in parts if part)


def tell_matches(event: HookEvent, context: "HomeContext", state: "RulesState", language: str) -> tuple[str, list[str]]:
    """Return what bears on a prompt and was not told in this session yet, and its ids."""
    if not _is_anything_known(context):
        return "", []
    from mi.contract.recall import find_matches, recheck

    with closing(_open(event, context)) as session:
        found = find_matches(session, session.place.read_thoughts(), event.prompt, 2 * _MOST)
        new = [one for one in found if one.id not in state.told and _shares_words(event.prompt, one)]
        matching = recheck(session, new[:_MOST])
    return _tell(context, matching, "hook.matches", language), [one.id for one in matching]


def answer_prompt_lightly(event: HookEvent, context: "HomeContext") -> str:
    """Return what light puts before the agent: what matches the prompt, and the alert about a secret in it."""
    language = choose_language(context.config.language, event.prompt)
    told, ids = tell_matches(event, context, rules_state.read(event, context), language)
    new = {"edits": {}, "prompt": redact(event.prompt)[:2000], "saved": ""}
    rules_state.change(event, context, lambda old: msgspec.structs.replace(old, told=add_told(old, ids), **new))
    lines = [told] if told else []
    if any(one.kind != "public-ip" for one in find_secrets(event.prompt)):
        from mi.governance.challenge import give_alert

        lines.insert(0, text("rules.say-first", language, words=give_alert(language)))
    return "\n".join(lines)


def add_told(old: "RulesState", ids: list[str]) -> list[str]:
    """Return the ids that were told so far."""
    return [*old.told, *ids][-_KEPT:]


def _recall_binding(event: HookEvent, context: "HomeContext") -> "tuple[list[Recalled], list[Recalled], int]":
    """Return what must be known here, what would where it bound, and how much of the first had no room."""
    if not _is_anything_known(context):
        return [], [], 0
    from mi.contract.recall import recall_recent, show_team

    with closing(_open(event, context)) as session:
        found = recall_recent(session, 0)
        team = session.place.team if _has_team_files(context) else None
        known = team.list_always_known() if team is not None else []
        bound = team.find_binding(known) if team is not None else ()
        others = [show_team(one, binds=False) for one in known if one.id not in bound]
        binding = [one for one in found.results if one.type != "fact"]
        return binding, others[:_MOST], found.left_out


def _open(event: HookEvent, context: "HomeContext") -> "ContractSession":
    from mi.app.contract import build_contract
    from mi.contract.host_session import open_host_session

    return open_host_session(build_contract(context), event.host, event.session_id)


def _is_anything_known(context: "HomeContext") -> bool:
    return bool(context.config.persona.root) or context.home.exists() or _has_team_files(context)


def _has_team_files(context: "HomeContext") -> bool:
    return any(os.path.isdir(os.path.join(context.choice.root, name)) for name in FOLDERS)


def _shares_words(prompt: str, one: "Recalled") -> bool:
    """Return whether a memory has more in common with a prompt than one word of many."""
    from mi.knowledge.search.words import compact

    asked = {*compact(prompt).tokens}
    return len(asked & {*compact(f"{one.summary} {one.detail}").tokens}) >= min(2, len(asked))


def _tell(context: "HomeContext", found: "list[Recalled]", title: str, language: str) -> str:
    below = os.path.join(context.choice.root, "")
    lines = [_describe(one, one.id.removeprefix(below)) for one in found]
    return "\n".join([text(title, language), *lines]) if lines else ""


def _describe(one: "Recalled", name: str) -> str:
    """Return a memory in one line; a recall gives no secret."""
    said = one.summary if one.detail in ("", one.summary) else f"{one.summary}: {one.detail}"
    whose = one.reach if one.truth == "asserted" else f"{one.reach}, {one.truth}"
    return f"- [{name}] ({one.kind}, {whose}) {fit_one_line(cast('Redacted', said), _LONGEST)}"


def _boot(event: HookEvent, context: "HomeContext", state: "RulesState") -> str:
    """Return what the persona's boot adds: what is pending, what other windows do; under light no window is taken."""
    from mi.app.team import build_persona

    persona = build_persona(context)
    if not os.path.isdir(persona.root):
        return ""
    from mi.persona.boot import fill_parts, find_left_work
    from mi.persona.windows import take_slot

    sid = state.sid
    if context.config.governance.profile != "light" and not sid:
        sid = take_slot(persona).sid
        rules_state.change(event, context, lambda old: msgspec.structs.replace(old, sid=sid))
    return fill_parts(find_left_work(persona, sid).list_parts(), _ROOM // 2)
