"""A recorded transcript as a script: what the agent said, ran and wrote, to be done again for real."""

import os
import re
from typing import Any

from mi.agents.adapters.replay_script import BatchScript, ReplayEdit, ReplayStep, ReplayWrite, Script
from mi.agents.stream import mapping, text_of
from mi.kernel import jsonl
from mi.kernel.errors import BadConfig
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import NestedText

_LOGIN_SHELL = re.compile(r"(?:/\S*/)?(?:bash|sh|zsh) -l?c (?P<quote>['\"])(?P<command>.*)(?P=quote)", re.DOTALL)


def script_of(path: str) -> Script:
    """One batch of the steps in a transcript; BadConfig when it tells of a change without its content (Codex)."""
    steps: list[ReplayStep] = []
    cwd = ""
    for line in jsonl.read_forward(path):
        entry = _object(line.data)
        cwd = str(entry.get("cwd") or cwd) if entry.get("type") == "mi.transcript.header" else cwd
        if entry.get("stream") == "stdout":
            steps += _steps(_object(str(entry.get("line", "")).encode()), cwd, path)
    if not cwd:
        raise BadConfig("replay-broken", path=path, reason=NestedText("reason.no-header"))
    return Script(batches=(BatchScript(steps=tuple(steps)),))


def _object(data: bytes) -> dict[str, Any]:
    try:
        return decode(data, dict[str, Any])
    except BadJson:
        return {}


def _steps(raw: dict[str, Any], cwd: str, path: str) -> list[ReplayStep]:
    if raw.get("type") == "item.completed":
        return _codex(mapping(raw.get("item")), path)
    if raw.get("type") == "assistant":
        blocks = mapping(raw.get("message")).get("content") or []
        return [step for block in map(mapping, blocks) for step in _claude(block, cwd)]
    return []


def _codex(item: dict[str, Any], path: str) -> list[ReplayStep]:
    match item.get("type"):
        case "agent_message":
            return [ReplayStep(say=text_of(item.get("text")))]
        case "command_execution":
            command = str(item.get("command", ""))
            inner = _LOGIN_SHELL.fullmatch(command)
            return [ReplayStep(run=inner["command"].replace("'\\''", "'") if inner else command)]
        case "file_change":
            raise BadConfig("replay-broken", path=path, reason=NestedText("reason.changes-not-told"))
    return []


def _claude(block: dict[str, Any], cwd: str) -> list[ReplayStep]:
    given = mapping(block.get("input"))
    file = str(given.get("file_path", ""))
    file = os.path.relpath(file, cwd) if os.path.isabs(file) and cwd else file
    match block.get("type"), block.get("name"):
        case "text", _:
            return [ReplayStep(say=text_of(block.get("text")))]
        case "tool_use", "Bash":
            return [ReplayStep(run=str(given.get("command", "")))]
        case "tool_use", "Write":
            return [ReplayStep(write=ReplayWrite(path=file, content=str(given.get("content", ""))))]
        case "tool_use", "Edit":
            return [
                ReplayStep(
                    edit=ReplayEdit(
                        path=file, old=str(given.get("old_string", "")), new=str(given.get("new_string", ""))
                    )
                )
            ]
    return []
