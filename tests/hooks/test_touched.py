"""Which files a host's tool call would change."""

import json

import pytest

from mi.hooks.agent_text import last_words
from mi.hooks.event import HookEvent
from mi.hooks.touched import touched


def event(tool: str, **given: object) -> HookEvent:
    return HookEvent(host="codex", event="pre-tool", tool_name=tool, tool_input=given, cwd="/work")


PATCH = (
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** Add File: /else/c.py\n+z\n*** End Patch"
)


@pytest.mark.req("tm.def.mutation-files")
@pytest.mark.parametrize(
    ("tool", "given", "paths"),
    [
        ("Write", {"file_path": "/work/a.py", "content": "x"}, ["/work/a.py"]),
        ("Edit", {"file_path": "a.py"}, ["/work/a.py"]),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, ["/work/n.ipynb"]),
        ("Edit", {}, ["/work"]),
        ("apply_patch", {"command": PATCH}, ["/work/a.py", "/work/b.py", "/else/c.py"]),
        ("apply_patch", {"input": PATCH}, ["/work/a.py", "/work/b.py", "/else/c.py"]),
        ("apply_patch", {"command": "garbled"}, ["/work"]),
        ("Bash", {"command": "echo hi > tinyTasks.md"}, ["/work/tinyTasks.md"]),
        ("Bash", {"command": "cat a >> sub/b 2>/dev/null"}, ["/work/sub/b"]),
        ("Bash", {"command": "sed -i s/a/b/ x.py && ls"}, ["/work/s/a/b", "/work/x.py"]),
        ("Bash", {"command": "sed -n 1p x.py"}, []),
        ("Bash", {"command": "rm -rf build; mv a ../b"}, ["/work/build", "/work/a", "/b"]),
        ("Bash", {"command": "cp a b"}, ["/work/b"]),
        ("Bash", {"command": "printf x | tee -a log"}, ["/work/log"]),
        ("Bash", {"command": "bash -c 'touch deep'"}, ["/work/deep"]),
        ("Bash", {"command": "dd if=/dev/zero of=disk"}, ["/work/disk"]),
        ("Bash", {"command": "git checkout -- ."}, ["/work"]),
        ("Bash", {"command": "git status && git diff > /dev/null"}, []),
        ("Bash", {"command": "pytest -q 2>&1 | tail"}, []),
        ("exec_command", {"cmd": "touch x"}, ["/work/x"]),
        ("shell", {"command": ["touch", "x"]}, ["/work/x"]),
        ("Read", {"file_path": "a.py"}, []),
        ("mcp__mi__memory_write", {"summary": "x"}, []),
        ("", {}, []),
    ],
)
def test_what_a_call_changes(tool, given, paths):
    assert touched(event(tool, **given)) == paths


CLAUDE = [
    {"type": "user", "message": {"role": "user", "content": "do it"}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "First a, then b."}]}},
    {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "1. x\n2. y"}]}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "tool_use", "name": "Edit"}]}},
]
CODEX = [
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "do it"}]},
    },
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "First a, then b."}],
        },
    },
    {"type": "response_item", "payload": {"type": "function_call", "name": "exec_command"}},
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "First a, then b."}},
]


@pytest.mark.parametrize("lines", [CLAUDE, CODEX], ids=["claude-code", "codex"])
def test_the_agents_last_words(tmp_path, lines):
    earlier = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "old"}]}}
    path = tmp_path / "transcript.jsonl"
    path.write_text('half a line"}\n' + "\n".join(json.dumps(line) for line in [earlier, *lines]) + '\n{"torn', "utf-8")
    told = HookEvent(host="codex", event="pre-tool", transcript_path=str(path))
    assert last_words(told) == "First a, then b."
    assert last_words(HookEvent(host="codex", event="pre-tool", transcript_path=str(tmp_path))) == ""
    assert last_words(HookEvent(host="codex", event="stop", last_message="bye")) == "bye"
