"""The script of a replay: batches of steps an agent would do; written by hand, or made of a recorded transcript."""

import os
import re
from typing import Any

from msgspec import Struct

from mi.agents.stream import as_mapping, find_text
from mi.kernel import jsonl
from mi.kernel.errors import BadConfig
from mi.kernel.files import read_bytes
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import NestedText

_LOGIN_SHELL = re.compile(r"(?:/\S*/)?(?:bash|sh|zsh) -l?c (?P<quote>['\"])(?P<command>.*)(?P=quote)", re.DOTALL)


class ReplayWrite(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    content: str


class ReplayEdit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    old: str
    new: str


class ReplayPretence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that the agent tells of and does not run."""

    command: str
    output: str = ""
    exit_code: int = 0


class ReplaySpent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    input_tokens: int = 0
    output_tokens: int = 0


class ReplayStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of these."""

    say: str | None = None
    think: str | None = None
    run: str | None = None
    write: ReplayWrite | None = None
    edit: ReplayEdit | None = None
    delete: str | None = None
    pretend: ReplayPretence | None = None
    fail: str | None = None

    @property
    def given(self) -> int:
        return sum(getattr(self, name) is not None for name in self.__struct_fields__)


class BatchScript(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    steps: tuple[ReplayStep, ...] = ()
    usage: ReplaySpent = ReplaySpent()


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: str = "v1"
    batches: tuple[BatchScript, ...]


def read_script(path: str) -> Script:
    """Return the script in a file, or of a recorded transcript (`.jsonl`).

    BadConfig names file and place of a mistake.
    """
    data = read_bytes(path)
    if data is None:
        raise BadConfig("replay-missing", path=path)
    if path.endswith(".jsonl"):
        return script_of(path)
    try:
        script = decode(data, Script)
    except BadJson as error:
        raise BadConfig("replay-broken", path=path, reason=str(error)) from None
    for number, batch in enumerate(script.batches):
        for place, step in enumerate(batch.steps):
            if step.given != 1:
                at, known = f"batches[{number}].steps[{place}]", ", ".join(ReplayStep.__struct_fields__)
                raise BadConfig("replay-broken", path=path, reason=NestedText("reason.one-of", at=at, known=known))
    return script


def script_of(path: str) -> Script:
    """Return one batch of the steps in a transcript.

    BadConfig when it tells of a change without its content (Codex).
    """
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
        return _codex(as_mapping(raw.get("item")), path)
    if raw.get("type") == "assistant":
        blocks = as_mapping(raw.get("message")).get("content") or []
        return [step for block in map(as_mapping, blocks) for step in _claude(block, cwd)]
    return []


def _codex(item: dict[str, Any], path: str) -> list[ReplayStep]:
    match item.get("type"):
        case "agent_message":
            return [ReplayStep(say=find_text(item.get("text")))]
        case "command_execution":
            command = str(item.get("command", ""))
            inner = _LOGIN_SHELL.fullmatch(command)
            return [ReplayStep(run=inner["command"].replace("'\\''", "'") if inner else command)]
        case "file_change":
            raise BadConfig("replay-broken", path=path, reason=NestedText("reason.changes-not-told"))
    return []


def _claude(block: dict[str, Any], cwd: str) -> list[ReplayStep]:
    given = as_mapping(block.get("input"))
    file = str(given.get("file_path", ""))
    file = os.path.relpath(file, cwd) if os.path.isabs(file) and cwd else file
    match block.get("type"), block.get("name"):
        case "text", _:
            return [ReplayStep(say=find_text(block.get("text")))]
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
