"""Scripts for the `replay` provider: a whole run of Hands, with typed events, that needs no agent and no model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import msgspec

from mi.kernel.files import write_atomic
from mi.testing.replies import Delete, Edit, Part, Run, Say, Think, Turn, Write
from mi.testing.wire import ScriptError


def write_replay(path: str, batches: Sequence[Sequence[Part] | Turn]) -> str:
    """Write a script that `hands.provider = replay` plays, one batch after the other, and give its full path.

    A batch is a list of parts, a `turn` with its usage, or a `stream_error`, which makes the batch fail.
    """
    from mi.agents.adapters.replay_script import read_script

    path = os.path.abspath(path)
    script = {"version": "v1", "batches": [_batch(batch) for batch in batches]}
    write_atomic(path, msgspec.json.format(msgspec.json.encode(script), indent=2) + b"\n")
    read_script(path)  # what the provider would refuse is refused here
    return path


def _batch(batch: Sequence[Part] | Turn) -> dict[str, Any]:
    if not isinstance(batch, Turn):
        return {"steps": [_step(part) for part in batch]}
    steps = [_step(part) for part in batch.parts]
    if batch.ending == "error":
        steps.append({"fail": batch.message})
    elif batch.ending != "complete":
        raise ScriptError("a replay has no connection that could be cut or hang")
    return {"steps": steps, "usage": {"input_tokens": batch.usage.input, "output_tokens": batch.usage.output}}


def _step(part: Part) -> dict[str, Any]:
    match part:
        case Say(text=text):
            return {"say": text}
        case Think(text=text):
            return {"think": text}
        case Run(command=command):
            return {"run": command}
        case Write(path=path, content=content):
            return {"write": {"path": path, "content": content}}
        case Edit(path=path, old=old, new=new):
            return {"edit": {"path": path, "old": old, "new": new}}
        case Delete(path=path):
            return {"delete": path}
        case _:
            raise ScriptError(f"{type(part).__name__.lower()}(…) is no step of a replay")
