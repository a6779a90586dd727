"""The agents' contract in a host's hooks: the same gate, before edits that the host's own tools make."""

import os
from typing import TYPE_CHECKING, Any

import msgspec

from mi.app.contract import build_contract
from mi.hooks.answer import HookAnswer
from mi.hooks.changed_files import find_changed_files, is_change
from mi.hooks.enforce import OnError
from mi.hooks.event import HookEvent
from mi.kernel.errors import NotFound
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import text as message

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.contract.session import ContractSession, Refused

_SERVER = "mi"  # our server, as `mi mcp install` names it
_OURS = f"mcp__{_SERVER}__"
_CHANGING = ("memory_write", "task_add", "task_update", "task_complete")
_TAKEN_OVER = ("memory_query", "memory_recent", "memory_set_mode", "task_list", *_CHANGING)
_PLANS = {"TodoWrite": "todos", "update_plan": "plan", "ExitPlanMode": "plan", "TaskCreate": ""}
_UNCONFIRMED = "unconfirmed"  # mutations of this turn that the closing checklist has not been asked for yet
_TAIL = 65_536


def answer(event: HookEvent, context: "HomeContext") -> HookAnswer:
    """Edits pass the gate; what our server answered is taken over; a turn with a mutation ends with the checklist."""
    match event.event:
        case "pre-tool":
            return _before_tool(event, context)
        case "post-tool":
            _after_tool(event, context)
        case "prompt":
            _forget_mutations(event, context)
        case "stop":
            return _at_end(event, context)
    return HookAnswer()


def on_error(event: HookEvent, context: "HomeContext") -> OnError:
    """Return a change that could not be judged does not happen (R6), nor what could be one; in STRICT nothing does."""
    if event.event == "pre-tool" and (not event.tool_name or is_change(event)):
        return "closed"
    return "closed" if _session(event, context).state.mode == "STRICT" else "open"


def _session(event: HookEvent, context: "HomeContext") -> "ContractSession":
    from mi.contract.host_session import open_host_session

    return open_host_session(build_contract(context), event.host, event.session_id)


def _before_tool(event: HookEvent, context: "HomeContext") -> HookAnswer:
    paths = _concerned(event, context)
    if not paths:
        return HookAnswer()
    from mi.contract.host_session import judge_edit
    from mi.contract.session import Refused

    session = _session(event, context)
    _note_plan(session, last_words(event))
    try:
        judge_edit(session, event.tool_name, paths, context.home.root)
    except Refused as refused:
        return HookAnswer("deny", _explained(refused, context.quiet_language) + _name_request(event, context, refused))
    return HookAnswer("allow")


def _note_plan(session: "ContractSession", words: str) -> None:
    """Count steps that the agent sequenced in its own words as declared (R2)."""
    if words:
        from mi.contract.host_session import note_plan
        from mi.contract.plan_detection import count_steps

        note_plan(session, count_steps(words))


def _concerned(event: HookEvent, context: "HomeContext") -> list[str]:
    """Return the files of a call that the contract is about: those of the project, and those that nobody may touch."""
    paths = find_changed_files(event)
    if not paths:
        return []
    from mi.contract.host_session import ProtectedFiles

    if not os.path.isdir(context.project.root):  # named by a variable or flag: then nothing can be said about any file
        raise NotFound("no-workspace", path=context.project.root)
    root = os.path.join(os.path.realpath(context.project.root), "")
    protected = ProtectedFiles(context.project.root, context.home.root)
    return [path for path in paths if os.path.join(os.path.realpath(path), "").startswith(root) or protected.hold(path)]


def _explained(refused: "Refused", language: str) -> str:
    """Return the refusal with what is missing and the next call, in a few lines an agent acts on."""
    verdict = refused.verdict
    missing = ", ".join(f"{one.item} ({one.rule})" for one in verdict.checklist if not one.done)
    lines = [refused.line(language)]
    if missing:
        lines.append(message("hook.missing", language, items=missing))
    if verdict.next is not None:
        call = f"{_OURS}{verdict.next.tool} {msgspec.json.encode(verdict.next.arguments).decode()}"
        lines.append(message("hook.next", language, call=call))
    return "\n".join(lines)


def _name_request(event: HookEvent, context: "HomeContext", refused: "Refused") -> str:
    """Return that the person's request opened the finished list, where it did; '' otherwise."""
    from mi.hooks import rules_state

    if refused.verdict.code != "NO_UNCHECKED_TASK" or not rules_state.read(event, context).request:
        return ""
    return "\n" + message("hook.request-opens", context.quiet_language)


def _after_tool(event: HookEvent, context: "HomeContext") -> None:
    server, _, tool = event.tool_name.removeprefix("mcp__").rpartition("__")
    if event.tool_name.startswith("mcp__") and tool in _TAKEN_OVER:
        _take_over(event, _session(event, context), server, tool)
    elif event.tool_name in _PLANS:
        _saw_steps(event, _session(event, context))
    elif paths := _concerned(event, context):
        from mi.contract.host_session import note_edit

        session = _session(event, context)
        note_edit(session, event.tool_name, paths, context.home.root)
        _mark(session)


def _take_over(event: HookEvent, session: "ContractSession", server: str, tool: str) -> None:
    """Take over what our server answered; under another name, if the log knows the answer."""
    from mi.contract import host_session

    result = _structured(event.tool_response)
    if server != _SERVER and not host_session.is_answered_by_us(session, result):
        return
    host_session.note_call(session, tool, event.tool_input, result)
    if tool in _CHANGING and "error" not in result:
        _mark(session)


def _saw_steps(event: HookEvent, session: "ContractSession") -> None:
    """Note the steps in a plan tool of the host: a list of them, a plan in words, or one task a call."""
    from mi.contract.host_session import note_plan
    from mi.contract.plan_detection import count_steps
    from mi.contract.state import count_call

    plan = event.tool_input.get(_PLANS[event.tool_name])
    if event.tool_name == "TaskCreate":
        state = session.state_file.update(lambda old: count_call(old, "planned"))
        note_plan(session, state.counters["planned"])
    else:
        note_plan(session, len(plan) if isinstance(plan, list) else count_steps(str(plan or "")))


def _structured(response: Any) -> dict[str, Any]:
    """Return the result of our tool as the host passes it on: structured, as text, or as blocks of text."""
    match response:
        case {"structuredContent": dict(found)}:
            return found
        case {"content": list(blocks)} | list(blocks):
            return _structured(next((one.get("text") for one in blocks if isinstance(one, dict)), ""))
        case str(text):
            try:
                found = msgspec.json.decode(text)
            except msgspec.DecodeError:
                return {"error": "unreadable"}
            return found if isinstance(found, dict) else {"error": "unreadable"}
        case dict(found):
            return found
    return {"error": "unreadable"}


def _mark(session: "ContractSession") -> None:
    from mi.contract.state import count_call

    session.state_file.update(lambda old: count_call(old, _UNCONFIRMED))


def _forget_mutations(event: HookEvent, context: "HomeContext") -> None:
    session = _session(event, context)
    if session.state.counters.get(_UNCONFIRMED):
        session.state_file.update(lambda old: msgspec.structs.replace(old, counters=old.counters | {_UNCONFIRMED: 0}))


def _at_end(event: HookEvent, context: "HomeContext") -> HookAnswer:
    """After a turn with a mutation: once, the four lines to confirm. A plan in the last words counts as declared."""
    from mi.contract.guide import CHECKLIST

    session = _session(event, context)
    _note_plan(session, event.last_message)
    mutated = bool(session.state.counters.get(_UNCONFIRMED))
    _forget_mutations(event, context)
    if not mutated or event.stop_hook_active:
        return HookAnswer()
    lines = [message("hook.checklist", context.quiet_language), *(f"- {line}" for line in CHECKLIST)]
    return HookAnswer("deny", "\n".join(lines))


def last_words(event: HookEvent) -> str:
    """Return the agent's text since the last prompt, as far as the end of the transcript shows it.

    Empty when unknown.
    """
    if event.last_message:
        return event.last_message
    said: list[str] = []
    for line in reversed(_last_lines(event.transcript_path)):
        try:
            kind, text = _told(decode(line, dict[str, Any]))
        except BadJson:
            continue  # half a line, or a form we do not know
        if kind == "prompt":
            break
        if kind == "agent":
            said.append(text)
    return "\n\n".join(reversed(said))


def _last_lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _TAIL, 0))
            return file.read().splitlines()
    except OSError:
        return []


def _told(entry: dict[str, Any]) -> tuple[str, str]:
    """Return who speaks in a line of a transcript (agent, prompt, or nobody), and the words.

    Claude Code's or Codex's form.
    """
    message = entry.get("payload") if entry.get("type") == "response_item" else entry.get("message")
    if not isinstance(message, dict) or message.get("type") not in (None, "message"):
        return "", ""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [str(part["text"]) for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if message.get("role") == "assistant":
        return "agent" if texts else "", "\n".join(texts)
    return ("prompt" if texts and message.get("role") == "user" else ""), ""
