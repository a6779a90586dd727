"""The scripted agent itself: `agent_program.py SCRIPT COUNTER [PROMPT…]`, on the standard library alone.

It is started by path, in a Python without site packages, so that it starts fast and proves nothing by accident.
"""

import base64
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

_OVERRUN = 70
_NOT_THERE = 75
_BLOCK = 1 << 16


def main(argv: list[str]) -> int:
    """Take the scripted steps and return the exit code."""
    batches, prompt = json.loads(argv[1]), argv[3:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    number = _count(argv[2]) if argv[2] else 1
    if number > len(batches):
        _write(2, b"scripted agent: the script has %d batches and this is start %d\n" % (len(batches), number))
        return _OVERRUN
    for step in batches[number - 1]:
        code = _take(step, prompt)
        if code is not None:
            return code
    return 0


def _take(step: dict[str, Any], prompt: list[str]) -> int | None:
    """Take one step; an exit code ends the agent."""
    fd = 2 if step.get("to") == "stderr" else 1
    match step["do"]:
        case "bytes":
            _write(fd, base64.b64decode(step.get("data", "")))
        case "lines":
            _write_lines(fd, step.get("size", 0))
        case "long line":
            _write_long(fd, step.get("size", 0))
        case "prompt":
            text = " ".join(prompt).encode("utf-8", "surrogateescape") if prompt else sys.stdin.buffer.read()
            _write(1, b"prompt: " + text + b"\n")
        case "run":
            _write(1, b"$ " + step["text"].encode() + b"\n")
            subprocess.run(step["text"], shell=True, stdin=subprocess.DEVNULL, check=False)
        case "write":
            _write_file(step["path"], step.get("text", ""))
        case "edit":
            return _edit_file(step["path"], step.get("old", ""), step.get("text", ""))
        case "delete":
            os.unlink(step["path"])
        case "ignore":
            for name in step["signals"]:
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        case "child":
            _leave_child(_seconds(step), step.get("own_group", False))
        case "wait":
            return _wait_for(step["path"], _seconds(step))
        case "stay":
            time.sleep(_seconds(step))
        case "exit":
            return int(step.get("size", 0))
    return None


def _seconds(step: dict[str, Any]) -> float:
    return float(step.get("seconds", 120.0))


def _count(path: str) -> int:
    with open(path, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        number = len(file.read().split()) + 1
        file.write(f"{number}\n")
    return number


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _write_lines(fd: int, count: int) -> None:
    block: list[bytes] = []
    for number in range(1, count + 1):
        block.append(b"line %d of %d\n" % (number, count))
        if len(block) == 2000 or number == count:
            _write(fd, b"".join(block))
            block.clear()


def _write_long(fd: int, size: int) -> None:
    for start in range(0, size, _BLOCK):
        _write(fd, b"x" * min(_BLOCK, size - start))
    _write(fd, b"\n")


def _write_file(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _edit_file(path: str, old: str, new: str) -> int | None:
    with open(path, encoding="utf-8") as file:
        content = file.read()
    if old not in content:
        _write(2, f"scripted agent: {path} does not contain {old!r}\n".encode())
        return _NOT_THERE
    _write_file(path, content.replace(old, new, 1))
    return None


def _leave_child(seconds: float, own_group: bool) -> None:
    child = subprocess.Popen(["sleep", str(seconds)], stdin=subprocess.DEVNULL, start_new_session=own_group)
    child.returncode = 0  # it is left behind on purpose, so nobody waits for it
    _write(1, b"child %d\n" % child.pid)


def _wait_for(path: str, seconds: float) -> int | None:
    deadline = time.monotonic() + seconds
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            _write(2, f"scripted agent: {path} did not come\n".encode())
            return _NOT_THERE
        time.sleep(0.01)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv))
