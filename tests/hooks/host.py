"""A host that tells the events of one session to the hook, as real ones do."""

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mi.app import speaker
from mi.app.home_context import HomeContext
from mi.hooks.main import HookReply, reply_to
from mi.kernel.ancestry import ProcessInfo
from mi.kernel.home import Home

Json = dict[str, Any]


def stand_above(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let the hook stand below these programs, the nearest first, in a shell that is older than any run."""
    began = time.time()
    above = [ProcessInfo(77, name, (name,), began, 2, f"/usr/bin/{name}", 1000) for name in names]
    monkeypatch.setattr(speaker, "read_ancestry", lambda pid=None: make_chain(*above))


def make_chain(*above: ProcessInfo) -> list[ProcessInfo]:
    """Return a hook that begins now, below these processes in an old shell."""
    hook = ProcessInfo(78, "mi", ("mi",), time.time(), 77, "/usr/bin/mi", 1000)
    shell = ProcessInfo(76, "bash", ("bash",), hook.started - 3600, 2, "/usr/bin/bash", 1000)
    return [hook, *above, shell, shell._replace(pid=1, name="init", words=("init",), parent=0)]


class Host:
    """A host that tells every event of one session to the hook; at a terminal, so that it can ask."""

    def __init__(self, home: Home, root: Path, name: str = "claude-code", session: str = "s1") -> None:
        self.home, self.root, self.name, self.session = home, root, name, session
        self.parts: tuple[str, ...] = ("permissions",)
        self.calls = 0
        self.transcript = root.parent / f"{name}-{session}.jsonl"

    def reply(self, event: str, **fields: Any) -> HookReply:
        data = msgspec.json.encode(
            {
                "session_id": self.session,
                "cwd": str(self.root),
                "transcript_path": str(self.transcript),
                **fields,
            }
        )
        return reply_to(HomeContext(self.home), self.name, event, self.parts, data)  # type: ignore[arg-type]

    def tell(self, event: str, **fields: Any) -> Json:
        reply = self.reply(event, **fields)
        assert (reply.code, reply.stderr) == (0, ""), reply
        found: Json = msgspec.json.decode(reply.stdout).get("hookSpecificOutput", {})
        return found

    def before(self, tool: str, **given: Any) -> tuple[str, str]:
        """The decision about a call, and its reason; ('', '') when there is no objection."""
        self.calls += 1
        said = self.tell("pre-tool", tool_name=tool, tool_input=given, tool_use_id=f"t{self.calls}")
        return said.get("permissionDecision", ""), said.get("permissionDecisionReason", "")

    def after(self, tool: str, response: Any = None, **given: Any) -> str:
        """What is put before the agent after a call."""
        said = self.tell(
            "post-tool", tool_name=tool, tool_input=given, tool_use_id=f"t{self.calls}", tool_response=response or {}
        )
        return str(said.get("additionalContext", ""))

    def stop_call(self, kind: str = "tool_result") -> None:
        """Write down, as a host does, that the latest call failed or was stopped: no event tells of it."""
        name = "tool_use_id" if kind == "tool_result" else "call_id"
        line = {"message": {"content": [{"type": kind, name: f"t{self.calls}"}]}}
        with self.transcript.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def prompt(self, words: str) -> str:
        return str(self.tell("prompt", prompt=words).get("additionalContext", ""))

    def records(self, kind: str) -> list[Json]:
        path = Path(HomeContext(self.home).for_agent(str(self.root)).project_home.evidence)
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [one for one in map(json.loads, lines) if one["kind"] == kind]
