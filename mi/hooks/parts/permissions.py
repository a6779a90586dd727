"""The team's rules in a host's hooks: permission before a tool, signals at the prompt, change units after edits."""

import os
from typing import TYPE_CHECKING

import msgspec

from mi.app.team import build_worker
from mi.hooks import rules_state
from mi.hooks.answer import REACHES, AskedOperation, HookAnswer, Reach
from mi.hooks.changed_files import find_changed_files, find_command
from mi.hooks.enforce import OnError
from mi.hooks.event import HookEvent
from mi.kernel.messages import choose_language, text
from mi.kernel.secrets import redact_start

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.evidence.records.base import Record
    from mi.governance.permissions import PermissionVerdict
    from mi.hooks.rules_state import RulesState

_EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch")
_OFTEN = 3  # so many times in a session, and the agent is told to propose another rule
_OTHER_EACH_TIME = (
    "unreadable",
    "run-fetched",
    "answer-question",
)  # the same words may do something else the next time
_SEARCHES = {"Grep": "glob", "Glob": "pattern"}
_TARGETS = ("file_path", "notebook_path", "path", "url", "query", "chars")  # chars: what is typed into a shell


def answer(event: HookEvent, context: "HomeContext") -> HookAnswer:
    """Return what the rules say to an event."""
    match event.event:
        case "pre-tool":
            return _before_tool(event, context)
        case "post-tool":
            return _after_tool(event, context)
        case "prompt" if context.config.governance.profile == "light":
            from mi.hooks.session_knowledge import answer_prompt_lightly

            return HookAnswer(context=answer_prompt_lightly(event, context))
        case "prompt":
            from mi.hooks.prompt_signals import answer_prompt

            return answer_prompt(event, context)
        case "session-start":
            return _at_start(event, context)
        case "stop":
            from mi.hooks.autosave import save_at_stop

            save_at_stop(event, context)
        case "session-end":
            from mi.hooks.autosave import save_at_end

            return HookAnswer(message=save_at_end(event, context))
    return HookAnswer()


def on_error(event: HookEvent, context: "HomeContext") -> OnError:
    """Return a call that could not be judged does not happen; counters and signals fail open."""
    return "closed" if event.event == "pre-tool" else "open"


def _at_start(event: HookEvent, context: "HomeContext") -> HookAnswer:
    """Tell what binds here and what is pending; hooks that somebody changed are told at once."""
    from mi.hooks.session_knowledge import tell_beginning
    from mi.hosts.integrity import find_changed_hooks

    lines = [
        text("notice.hooks-changed", context.quiet_language, path=hook.path, missing=hook.missing, entered=hook.entered)
        for hook in find_changed_hooks(context.home, context.project.root)
    ]
    told = tell_beginning(event, context)
    return HookAnswer(context="\n".join([*lines, *([told] if told else [])]))


# before a tool


def _before_tool(event: HookEvent, context: "HomeContext") -> HookAnswer:
    before = rules_state.read(event, context)
    verdict = judged(event, context, "" if before.lifted else before.override)
    if verdict.decision == "ALLOW":
        return HookAnswer("allow")
    if _waits_for_word(event, before, verdict):
        verdict = verdict._replace(decision="PROMPT")
    state = rules_state.change(event, context, lambda old: _with_refused(old, event.tool_use_id, verdict))
    language = choose_language(context.config.language, state.prompt)
    said, often = explained(verdict, language), ""
    if verdict.operation == "deploy":
        said += "\n" + _describe_checklist(context, language)
    if verdict.denial != "hard" and state.refused.get(verdict.operation, 0) >= _OFTEN:
        often = text("rules.adjust", language, operation=verdict.operation)  # for the agent, not for the person
    if verdict.incident:
        _record_incident(context, verdict, state.override)
    if verdict.decision == "DENY":
        _record_denial(event, context, verdict)
        return HookAnswer("deny", f"{said}\n{often}".rstrip())
    return HookAnswer("ask", said, asked=(_asked(verdict, language, often),))


def _waits_for_word(event: HookEvent, state: "RulesState", verdict: "PermissionVerdict") -> bool:
    """Return whether an override lifted this soft denial to a question that could only be left in the inbox."""
    if verdict.denial != "soft" or verdict.decision != "DENY" or not state.calls:
        return False
    from mi.hooks.asked_calls import identify_call

    call = state.calls.get(identify_call(event, [AskedOperation(verdict.operation, verdict.target)]))
    return call is not None and call.lifted and not call.shown and call.word != "used"


def _asked(verdict: "PermissionVerdict", language: str, advice: str) -> AskedOperation:
    """Return what the person is asked about; an override serves for one action, and so does a yes to the unreadable."""
    from mi.kernel.secrets import redact

    once = verdict.denial is not None or verdict.operation in _OTHER_EACH_TIME
    too_many = verdict.over_batch or bool(verdict.files)
    reaches: tuple[Reach, ...] = ("once",) if once else ("once", "session") if too_many else REACHES
    instead, lifted = verdict.alternative(language), verdict.denial is not None
    return AskedOperation(verdict.operation, redact(verdict.target), reaches, instead, lifted, advice)


def judged(event: HookEvent, context: "HomeContext", override: str = "") -> "PermissionVerdict":
    """Return the permission decision about a call; `override`: the person's own words that lift a soft denial."""
    from mi.hooks.batch import count_units
    from mi.project.permissions import permit_here

    changed = find_changed_files(event)
    return permit_here(
        context.home,
        build_worker(context, event.cwd),
        event.tool_name,
        _verb(event),
        _target(event),
        context.notices,
        profile=context.config.governance.profile,
        override=override,
        change_units=count_units(event, context) if changed else 0,
        files=len(changed),
    )


def _verb(event: HookEvent) -> str:
    """Return what a tool does: one that takes a command runs it, else its name tells."""
    given = event.tool_input
    return "run" if event.tool_name != "apply_patch" and (given.get("command") or given.get("cmd")) else ""


def _target(event: HookEvent) -> str:
    """Return the command, the patch or the file of a call; of a tool nobody knows, everything it is given."""
    from mi.governance.permissions import is_known
    from mi.kernel.jsontext import encode

    given = event.tool_input
    if command := find_command(event):
        return command
    if not is_known(event.tool_name):
        return encode(given).decode()
    if event.tool_name in _SEARCHES:
        wanted = given.get(_SEARCHES[event.tool_name])
        return os.path.join(str(given.get("path") or ""), str(wanted or ""))
    return str(next((given[name] for name in _TARGETS if given.get(name)), ""))


def explained(verdict: "PermissionVerdict", language: str) -> str:
    """Operation, target and expected effect, why, and the nearest safe way."""
    from mi.kernel.secrets import redact
    from mi.kernel.text import fit_one_line

    target = fit_one_line(redact(verdict.target), 200)
    lines = [text("rules.hook", language, operation=verdict.operation, target=target, reason=verdict.reason(language))]
    if alternative := verdict.alternative(language):
        lines.append(text("rules.instead", language, way=alternative))
    return "\n".join(lines)


def _describe_checklist(context: "HomeContext", language: str) -> str:
    """Return the six items before a deployment, each with its state, and how those that are open are closed."""
    from mi.governance.deployment import HUMAN_ITEMS
    from mi.review.deploying import look

    checked = look(context.project.root, context.project_home.evidence, context.notices)
    lines = [text("deploy.items", language, done=len(checked.items) - len(checked.open), all=len(checked.items))]
    for item in checked.items:
        state = item.detail or text("deploy.not-said", language)
        lines.append(f"  {'✓' if item.done else '✗'} {text('deploy.' + item.name, language)}: {state}")
    if checked.open:
        options = "".join(f' --{name} "…"' for name in HUMAN_ITEMS if name in checked.open)
        lines.append(text("deploy.close-items", language, command=f"mi gate deploy check{options}"))
    return "\n".join(lines)


def _record_denial(event: HookEvent, context: "HomeContext", verdict: "PermissionVerdict") -> None:
    from mi.evidence.records.governed import Violation
    from mi.kernel import ids
    from mi.kernel.secrets import redact

    record = Violation(
        id=ids.make_id("vi"),
        code="PERMISSION_DENIED",
        boundary="permission",
        mode=verdict.denial or "",
        outcome="blocked",
        details=f"{event.tool_name} {verdict.operation}: {redact(verdict.target)[:500]}",
    )
    context.open_agent_log().append(record)


def _record_incident(context: "HomeContext", verdict: "PermissionVerdict", reason: str) -> None:
    """Record that the person's override lifts a soft denial to a question, for this one action."""
    from mi.evidence.records.governed import Override
    from mi.kernel.secrets import redact

    scope = f"incident: {verdict.operation} {redact(verdict.target)[:500]}"
    context.open_agent_log().append(Override(reason=redact_start(reason, 500), scope=scope))


def _with_refused(old: "RulesState", call: str, verdict: "PermissionVerdict") -> "RulesState":
    name = verdict.operation
    refused = old.refused | {name: old.refused.get(name, 0) + 1}
    if verdict.decision == "DENY":
        return msgspec.structs.replace(old, refused=refused)
    kept = dict(list(old.asked.items())[-50:])
    lifted = old.lifted or verdict.incident
    return msgspec.structs.replace(old, refused=refused, asked=kept | {call: name}, lifted=lifted)


# after a tool


def _after_tool(event: HookEvent, context: "HomeContext") -> HookAnswer:
    """Confirm a call the person was asked about and that went through; count an edit."""
    state = rules_state.read(event, context)
    operation = state.asked.get(event.tool_use_id, "")
    if operation:
        context.open_agent_log().append(_confirmed(event, operation))
        rules_state.change(event, context, lambda old: _without_asked(old, event.tool_use_id))
    if event.tool_name not in _EDITS:
        from mi.hooks.autosave import note_command

        note_command(event, context)
    files = find_changed_files(event)
    if not files:
        return HookAnswer()
    from mi.hooks.batch import note_edits

    return HookAnswer(context=note_edits(event, context, files))


def _confirmed(event: HookEvent, operation: str) -> "Record":
    from mi.evidence.records.governed import Verification

    failed = isinstance(event.tool_response, dict) and bool(
        event.tool_response.get("is_error") or event.tool_response.get("interrupted")
    )
    result = "failure" if failed else "success"
    return Verification(gate=f"permission {operation}", verdict="PROMPT", user_action="confirmed", post_result=result)


def _without_asked(old: "RulesState", call: str) -> "RulesState":
    return msgspec.structs.replace(old, asked={key: value for key, value in old.asked.items() if key != call})
