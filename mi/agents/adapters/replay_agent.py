"""The replay agent itself: `python -m mi.agents.adapters.replay_agent FILE BATCH THREAD`, prompt on standard input."""

import os
import subprocess
import sys
from typing import Any

import msgspec

from mi.agents.adapters.replay_script import BatchScript, ReplayStep, read_script


class StepFailed(Exception):
    """A step could not be done; the turn fails with this message."""


def main(argv: list[str]) -> int:
    """Play one batch; its last word is `turn.completed` or `turn.failed`, as with Codex."""
    file, position, thread = argv
    sys.stdin.buffer.read()
    if thread.startswith("unknown:"):
        sys.stderr.write(f"no thread {thread.removeprefix('unknown:')} was ever played\n")
        return 1
    batches = read_script(file).batches
    batch = (
        batches[int(position)]
        if int(position) < len(batches)
        else BatchScript(steps=(ReplayStep(say="(end of script)"),))
    )
    _print({"type": "thread.started", "thread_id": thread})
    _print({"type": "turn.started"})
    try:
        for number, step in enumerate(batch.steps):
            _play(f"item_{number}", step)
    except (StepFailed, OSError) as error:
        _print({"type": "turn.failed", "error": {"message": str(error)}})
        return 1
    # A script says what each batch spends; the stream, like Codex', tells the thread's total.
    spent = [one.usage for one in batches[: int(position) + 1]]
    total = {name: sum(getattr(one, name) for one in spent) for name in ("input_tokens", "output_tokens")}
    _print({"type": "turn.completed", "usage": total})
    return 0


def _play(item: str, step: ReplayStep) -> None:
    if step.say is not None or step.think is not None:
        kind = "agent_message" if step.say is not None else "reasoning"
        _completed({"id": item, "type": kind, "text": step.say if step.say is not None else step.think})
    elif step.run is not None:
        _run(item, step.run)
    elif step.write is not None:
        _write(item, step.write.path, step.write.content)
    elif step.edit is not None:
        old = _read(step.edit.path)
        if step.edit.old not in old:
            raise StepFailed(f"{step.edit.path} does not hold {step.edit.old!r}")
        _write(item, step.edit.path, old.replace(step.edit.old, step.edit.new, 1))
    elif step.delete is not None:
        os.unlink(_inside(step.delete))
        _changed(item, step.delete, "delete")
    elif step.pretend is not None:
        _begin_command(item, step.pretend.command)
        _tell_command(item, step.pretend.command, step.pretend.output, step.pretend.exit_code)
    elif step.fail is not None:
        raise StepFailed(step.fail)


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
    sys.stdout.buffer.write(msgspec.json.encode(event) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
