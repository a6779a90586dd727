"""What a harness owes at each event of a session: one function per event, for hooks and for any other harness."""

import os
from collections.abc import Callable
from typing import Any

import msgspec

from mi.kernel import clock, jsonl
from mi.kernel.errors import MiError
from mi.kernel.jsontext import encode
from mi.kernel.secrets import redact
from mi.nexus import capabilities, plan, tags, tasks, tracker
from mi.nexus.access import observe_read
from mi.nexus.knowledge import KNOWLEDGE, list_files
from mi.nexus.session_event import Answer, Happening
from mi.nexus.state import Task, ToolLogLine, is_given
from mi.nexus.store import Store, encode_strict, make_folder
from mi.nexus.targets import relate_to_root
from mi.nexus.tool_call import find_resumed, pre_tool_use

_READERS = ("read", "read_file", "view", "view_file", "open_file")
_GONE_WITH_THE_SESSION = ("edit-tracker.json", "reopen-tracker.json")


def session_start(happening: Happening) -> Answer:
    """Make the layout, begin a tracker, warn of what was left over, and list what can be read."""
    store, place = happening.store, happening.store.place
    goes_on = happening.word("source") in ("resume", "compact")
    with store.lock():
        for folder in (*(place.knowledge(name) for name in KNOWLEDGE), place.artifacts, place.own):
            make_folder(folder)
        if not goes_on or not os.path.exists(place.tracker):
            tracker.save(store, [])
    warnings = [] if goes_on else _left_over(happening)
    if happening.settings.memory_gc.auto:
        warnings += _forget(happening)
    return {"warnings": warnings, "index": index(store)}


def _left_over(happening: Happening) -> list[str]:
    def of_plan(store: Store) -> str:
        found = store.plan()
        return happening.say("event.left-plan", topic=found.topic) if found else ""

    def of_tasks(store: Store) -> str:
        found = store.tasks()
        return happening.say("event.left-tasks", goal=found.goal, **tasks.count_tasks(found)) if found else ""

    return [said for look in (of_plan, of_tasks) if (said := _looked(happening.store, look))]


def _looked(store: Store, look: Callable[[Store], str]) -> str:
    """Return what there is to say about a state file; one that cannot be read is said to be so."""
    try:
        return look(store)
    except MiError as error:
        return error.line()


def _forget(happening: Happening) -> list[str]:
    from mi.nexus.memory_gc import forget_automatically

    try:
        done = forget_automatically(happening.store, happening.settings)
    except MiError as error:
        return [error.line()]
    return [happening.say("event.forgotten", names=", ".join(done.deleted))] if done.deleted else []


def index(store: Store) -> dict[str, list[dict[str, str]]]:
    """Return the files of memory, context and rules by name and title; listing them is no reading."""
    return {
        folder: [{"name": one.name, "title": one.title} for one in list_files(store, folder)] for folder in KNOWLEDGE
    }


def user_message(happening: Happening) -> Answer:
    """Recognise the tags of a message and say what each one leads to."""
    found = tags.find(happening.word("message", "prompt"))
    said, blocked = [], ""
    for tag in found:
        if tag.skill:
            from mi.nexus.roster import read_skill_body

            said.append(read_skill_body(tag.skill, tag.variant))
        elif tag.id == "d" and not _has_plan(happening.store):
            blocked = "No active plan session"
            said.append(happening.say("tag.d-blocked"))
        else:
            said.append(happening.say("tag." + tag.id))
    listed = [{name: value for name, value in tag._asdict().items() if value} for tag in found]
    answer: Answer = {"tags": listed, "context": "\n\n".join(said)}
    return answer | ({"blocked": blocked} if blocked else {})


def _has_plan(store: Store) -> bool:
    try:
        return store.plan() is not None
    except MiError:
        return False


def subagent_spawn(happening: Happening) -> Answer:
    """Note the agent; for a task, say whether an earlier one should have gone on."""
    name, agent_id = happening.word("agent_name", "agent_type"), happening.word("agent_id")
    decided = find_resumed(happening)
    entry = tracker.add_spawned(happening.store, name, agent_id)
    return {"entry": msgspec.to_builtins(entry)} | decided


def subagent_complete(happening: Happening) -> Answer:
    """Note that the agent is done, complete its task, and remind of a check that nobody planned."""
    from mi.nexus.session_rules import find_task, find_touched, find_unchecked_acceptance

    store = happening.store
    name, agent_id = happening.word("agent_name", "agent_type"), happening.word("agent_id")
    touched = happening.words("files_touched") or find_touched(store, agent_id)
    files = [relate_to_root(store.place.root, path) for path in touched]
    entry = tracker.mark_completed(store, name, agent_id, redact(happening.word("last_message")), files)
    answer: Answer = {"entry": msgspec.to_builtins(entry), "reminders": []}
    task = find_task(store, happening.params.get("task_id"), name, agent_id)
    if task is not None:
        answer |= tasks.update(store, tasks.TaskUpdate(id=task.id, status="completed"))
        if find_unchecked_acceptance(store, task):
            answer["reminders"] = [_unchecked(happening, task)]
    elif is_given(happening.params.get("task_id")):
        answer["reminders"] = [happening.say("error.nx-no-task", id=happening.params["task_id"])]
    return answer


def subagent_resume(happening: Happening) -> Answer:
    """Note that an agent goes on."""
    entry = tracker.mark_resumed(
        happening.store, happening.word("agent_name", "agent_type"), happening.word("agent_id")
    )
    return {"entry": msgspec.to_builtins(entry)}


def post_tool_use(happening: Happening) -> Answer:
    """Add a line to the tool log; a memory file that was read is counted."""
    tool, agent_id = happening.word("tool", "tool_name"), happening.word("agent_id")
    error = redact(_error_in(happening.params))
    line = ToolLogLine(
        ts=clock.now(),
        agent_id=agent_id or "lead",
        tool=tool or "unknown",
        file=happening.file or msgspec.UNSET,
        status="error" if error else "ok",
        error=error or msgspec.UNSET,
    )
    with happening.store.lock():
        make_folder(happening.store.place.state)
        jsonl.append(happening.store.place.tool_log, encode(encode_strict(line, ToolLogLine)))
    shown = [] if error else _read_by(happening)
    seen = [path for path in shown if observe_read(happening.store, path, agent_id or "lead")]
    answer: Answer = {"logged": msgspec.to_builtins(line), "observed": seen}
    owner = capabilities.find_spawned_agent(tool, happening.params.get("tool_input"))
    rest = _checks_missing(happening, owner) if owner else []
    return answer | ({"reminders": rest} if rest else {})


def _checks_missing(happening: Happening, owner: str) -> list[str]:
    from mi.nexus.session_rules import find_done_unchecked

    return [_unchecked(happening, task) for task in find_done_unchecked(happening.store, owner)]


def _unchecked(happening: Happening, task: Task) -> str:
    return happening.say("event.unchecked", id=task.id, title=task.title)


def _error_in(params: dict[str, Any]) -> str:
    """Return what a tool call failed with, as the event says it; empty when it went well."""
    error = params.get("error")
    if isinstance(error, str) and error:
        return error
    response = params.get("tool_response")
    inner = response if isinstance(response, dict) else {}
    said = inner.get("error") or inner.get("stderr") or "error"
    failed = params.get("status") == "error" or params.get("is_error") is True or inner.get("is_error") is True
    return str(said) if failed else ""


def _read_by(happening: Happening) -> list[str]:
    """Return the files whose content a tool call has shown: by a reading tool, or by a command that prints files."""
    tool = happening.word("tool", "tool_name")
    if tool.lower() in _READERS:
        return [happening.file] if happening.file else []
    said = happening.params.get("tool_input")
    command = said.get("command") if isinstance(said, dict) else None
    if capabilities.find_action(tool) == "shell_exec" and isinstance(command, str) and ".nexus/memory/" in command:
        from mi.nexus.session_rules import find_printed_files

        return find_printed_files(command, happening.store.place.root)
    return []


def session_end(happening: Happening) -> Answer:
    """Warn of what is unfinished, clear what lasts a session, delete nothing else."""
    store = happening.store

    def unfinished(store: Store) -> str:
        found = store.tasks()
        rest = [task for task in found.tasks if task.status != "completed"] if found else []
        return happening.say("event.unfinished", count=len(rest)) if rest else ""

    warnings = [said for said in (_looked(store, unfinished),) if said]
    with store.lock():
        tracker.save(store, [])
        for path in (store.place.tool_log, *(os.path.join(store.place.own, name) for name in _GONE_WITH_THE_SESSION)):
            if os.path.lexists(path):
                os.unlink(path)
    return {"warnings": warnings}


def context_compact(happening: Happening) -> Answer:
    """Return everything an agent should know again after its memory was cut, read from disk."""
    store, warnings = happening.store, list[str]()

    def fresh(read: Callable[[], Answer]) -> Answer | None:
        try:
            return read()
        except MiError as error:
            warnings.append(error.line())
            return None

    found = {
        "plan": fresh(lambda: plan.show_status(store, plan.PlanStatus())),
        "tasks": fresh(lambda: tasks.show(store, tasks.NexusTaskList())),
        "index": index(store),
    }
    return found | {"warnings": warnings}


EVENTS: dict[str, Callable[[Happening], Answer]] = {
    "session_start": session_start,
    "user_message": user_message,
    "subagent_spawn": subagent_spawn,
    "subagent_complete": subagent_complete,
    "subagent_resume": subagent_resume,
    "pre_tool_use": pre_tool_use,
    "post_tool_use": post_tool_use,
    "session_end": session_end,
    "context_compact": context_compact,
}
