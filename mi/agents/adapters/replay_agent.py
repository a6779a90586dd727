"""The replay agent itself: `python replay_agent.py THREAD`, on standard input a batch (a line of JSON) and the prompt.

It needs Python's own library alone: with the package's it took twice as long to start.
"""

import json
import os
import subprocess
import sys
from typing import Any


class StepFailed(Exception):
    """A step could not be done; the turn fails with this message."""


def main(argv: list[str]) -> int:
    """Play one batch; its last word is `turn.completed` or `turn.failed`, as with Codex."""
    (thread,) = argv
    batch = json.loads(sys.stdin.buffer.read().partition(b"\n")[0])
    if thread.startswith("unknown:"):
        sys.stderr.write(f"no thread {thread.removeprefix('unknown:')} was ever played\n")
        return 1
    _print({"type": "thread.started", "thread_id": thread})
    _print({"type": "turn.started"})
    try:
        for number, step in enumerate(batch["steps"]):
            _play(f"item_{number}", {name: value for name, value in step.items() if value is not None})
    except (StepFailed, OSError) as error:
        _print({"type": "turn.failed", "error": {"message": str(error)}})
        return 1
    _print({"type": "turn.completed", "usage": batch["usage"]})
    return 0


def _play(item: str, step: dict[str, Any]) -> None:
    match step:
        case {"say": text}:
            _completed({"id": item, "type": "agent_message", "text": text})
        case {"think": text}:
            _completed({"id": item, "type": "reasoning", "text": text})
        case {"run": command}:
            _run(item, command)
        case {"write": {"path": path, "content": content}}:
            _write(item, path, content)
        case {"edit": {"path": path, "old": old, "new": new}}:
            content = _read(path)
            if old not in content:
                raise StepFailed(f"{path} does not hold {old!r}")
            _write(item, path, content.replace(old, new, 1))
        case {"delete": path}:
            os.unlink(_inside(path))
            _changed(item, path, "delete")
        case {"pretend": {"command": command, "output": output, "exit_code": code}}:
            _begin_command(item, command)
            _tell_command(item, command, output, code)
        case {"fail": reason}:
            raise StepFailed(reason)


def _run(item: str, command: str) -> None:
    _begin_command(item, command)
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    _tell_command(item, command, done.stdout.decode("utf-8", "replace"), done.returncode)


def _begin_command(item: str, command: str) -> None:
    begun = {"aggregated_output": "", "exit_code": None, "status": "in_progress"}
    _print({"type": "item.started", "item": {"id": item, "type": "command_execution", "command": command} | begun})


def _tell_command(item: str, command: str, output: str, code: int) -> None:
    told = {"aggregated_output": output, "exit_code": code, "status": "failed" if code else "completed"}
    _completed({"id": item, "type": "command_execution", "command": command} | told)


def _write(item: str, path: str, content: str) -> None:
    full = _inside(path)
    kind = "update" if os.path.exists(full) else "add"
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(content)
    _changed(item, path, kind)


def _read(path: str) -> str:
    with open(_inside(path), encoding="utf-8") as file:
        return file.read()


def _inside(path: str) -> str:
    """Return a path inside of the project; a script edits nothing else."""
    root = os.path.realpath(os.getcwd())
    full = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, full]) != root:
        raise StepFailed(f"{path} is outside of {root}")
    return full


def _changed(item: str, path: str, kind: str) -> None:
    change = {"path": _inside(path), "kind": kind}
    _completed({"id": item, "type": "file_change", "changes": [change], "status": "completed"})


def _completed(item: dict[str, Any]) -> None:
    _print({"type": "item.completed", "item": item})


def _print(event: dict[str, Any]) -> None:
    line = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
