"""The nexus rules in a host's hooks: its events become events of a session, agents keep to their capabilities."""

import os
from typing import TYPE_CHECKING, Any

from mi.app.nexus import build_nexus, record_nexus_event
from mi.hooks.answer import AskedOperation, HookAnswer
from mi.hooks.enforce import OnError
from mi.hooks.event import EventName, HookEvent
from mi.hosts.adapters import HOSTS
from mi.kernel.secrets import redact_start

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_EVENTS: dict[EventName, str] = {
    "session-start": "session_start",
    "prompt": "user_message",
    "pre-tool": "pre_tool_use",
    "post-tool": "post_tool_use",
    "subagent-start": "subagent_spawn",
    "subagent-stop": "subagent_complete",
    "compact": "context_compact",
    "session-end": "session_end",
}
_UNRECORDED = ("tool_input", "tool_response", "can_resume", "actions")
_MOST_STATE = 20_000  # characters of a state file that an agent is told again; its tools give the rest
_MOST_FILES = 20  # of one patch that get a line in the tool log


def answer(event: HookEvent, context: "HomeContext") -> HookAnswer:
    """Do what the event asks for; nothing in a folder that is neither a repository nor has a `.nexus/`."""
    from mi.kernel.git import find_toplevel

    root = build_nexus(context).place.root
    known = os.path.isdir(build_nexus(context).place.folder) or find_toplevel(root) is not None
    if event.event not in _EVENTS or not known:
        return HookAnswer()
    done = [_handled(event, context, _EVENTS[event.event], params) for params in _params(event, root)]
    if event.event == "session-start" and event.source == "compact":
        return HookAnswer(context=_again(event, context, _handled(event, context, "context_compact", {})))
    return _answer(event, context, done[0])


def on_error(event: HookEvent, context: "HomeContext") -> OnError:
    """Return what cannot be noted down stops nobody."""
    return "open"


def _params(event: HookEvent, root: str) -> list[dict[str, Any]]:
    """Return what came with the event, in the words of the contract; a patch of several files is told file by file."""
    said = {
        "agent_name": event.agent_type,
        "agent_id": event.agent_id,
        "last_message": event.last_message,
        "message": event.prompt,
        "source": event.source,
        "tool": event.tool_name,
    }
    params: dict[str, Any] = {name: value for name, value in said.items() if value}
    if event.event not in ("pre-tool", "post-tool"):
        return [params]
    params |= {"tool_input": event.tool_input, "can_resume": HOSTS[event.host].resumes_agents}
    if isinstance(event.tool_response, dict):
        params["tool_response"] = event.tool_response
    from mi.hooks.changed_files import find_changed_files

    if event.event == "pre-tool" and event.agent_type:
        from mi.hooks.shell_actions import list_actions

        params["actions"] = list_actions(event)
    files = [os.path.relpath(path, root) for path in find_changed_files(event)][:_MOST_FILES]
    return [params | {"file": path} for path in files] or [params]


def _handled(event: HookEvent, context: "HomeContext", name: str, params: dict[str, Any]) -> dict[str, Any]:
    from mi.nexus.session_event import handle

    place = build_nexus(context).place
    done = handle(place.root, name, {"params": params}, place.harness_id, context.config.nexus, context.quiet_language)
    kept = {key: value for key, value in params.items() if key not in _UNRECORDED}
    record_nexus_event(context, name, kept | {"host": event.host})
    return done


def _answer(event: HookEvent, context: "HomeContext", done: dict[str, Any]) -> HookAnswer:
    match event.event:
        case "session-start":
            return HookAnswer(context=_opening(event, context, done))
        case "prompt":
            if done.get("blocked"):
                return HookAnswer("deny", done["context"])
            return HookAnswer(context=done["context"])
        case "pre-tool":
            return _judged(event, context, done)
        case "subagent-stop":  # a host would give a context to the agent that has just ended
            return HookAnswer(message="\n".join(done["reminders"]))
        case "session-end":
            return HookAnswer(message="\n".join(done["warnings"]))
    return HookAnswer(context="\n".join(done.get("reminders", [])))


def _opening(event: HookEvent, context: "HomeContext", done: dict[str, Any]) -> str:
    """Warnings, and what there is to read, by name, unless its text was told: reading is what counts, not listing."""
    from mi.hooks import rules_state

    lines, told = list(done["warnings"]), {*rules_state.read(event, context).told}
    for folder, files in done["index"].items():
        place = build_nexus(context).place.knowledge(folder)
        left = (file for file in files if os.path.join(place, file["name"]) not in told)
        lines += [f".nexus/{folder}/{file['name']}: {file['title']}" for file in left]
    return "\n".join(lines)


def _again(event: HookEvent, context: "HomeContext", done: dict[str, Any]) -> str:
    """Plan and tasks as they stand, and what there is to read, for an agent whose memory was cut."""
    from mi.kernel.jsontext import encode

    state = {"plan.json": done["plan"] or {}, "tasks.json": done["tasks"] or {}}
    there = {name: found for name, found in state.items() if "summary" in found}
    shown = {name: redact_start(encode(found).decode(), _MOST_STATE) for name, found in there.items()}
    lines = [f".nexus/state/{name}: {found}" for name, found in shown.items()]
    return "\n".join([*lines, _opening(event, context, done)]).strip()


def _has_open_task(context: "HomeContext") -> bool:
    """Return whether the project's one list, wherever it is kept, says what is worked on."""
    from mi.app.tasks import read_tasks

    return bool(read_tasks(context).pointer)


def _judged(event: HookEvent, context: "HomeContext", done: dict[str, Any]) -> HookAnswer:
    """Return the answer to an edit: a capability stands; without a plan it is a question or a remark."""
    if done["decision"] == "deny":
        return HookAnswer("deny", done["reason"])
    if done["decision"] == "warn" and not _has_open_task(context):
        from mi.hooks.changed_files import find_changed_files

        strict = context.config.governance.profile == "strict"
        asked = AskedOperation("edit-without-plan", ", ".join(find_changed_files(event)), ("once", "session"))
        return HookAnswer("ask", done["reason"], asked=(asked,)) if strict else HookAnswer(context=done["reason"])
    resume = done.get("resume", {})
    if resume.get("decision") == "resume":
        return HookAnswer(context=f"{resume['said']} ({resume['agent_id']})")
    return HookAnswer(context=resume["said"] if resume.get("reason") == "no-mechanism" else "")
