"""Which files a host's tool call would change."""

import json

import pytest

from mi.hooks.changed_files import find_changed_files
from mi.hooks.event import HookEvent
from mi.hooks.parts.contract import last_words


def event(tool: str, **given: object) -> HookEvent:
    return HookEvent(host="codex", event="pre-tool", tool_name=tool, tool_input=given, cwd="/srv")


PATCH = (
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** Add File: /else/c.py\n+z\n*** End Patch"
)


@pytest.mark.req("tm.def.mutation-files")
@pytest.mark.parametrize(
    ("tool", "given", "paths"),
    [
        ("Write", {"file_path": "/srv/a.py", "content": "x"}, ["/srv/a.py"]),
        ("Edit", {"file_path": "a.py"}, ["/srv/a.py"]),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, ["/srv/n.ipynb"]),
        ("Edit", {}, ["/srv"]),
        ("apply_patch", {"command": PATCH}, ["/srv/a.py", "/srv/b.py", "/else/c.py"]),
        ("apply_patch", {"input": PATCH}, ["/srv/a.py", "/srv/b.py", "/else/c.py"]),
        ("apply_patch", {"command": "garbled"}, ["/srv"]),
        ("Bash", {"command": "echo hi > tinyTasks.md"}, ["/srv/tinyTasks.md"]),
        ("Bash", {"command": "cat a >> sub/b 2>/dev/null"}, ["/srv/sub/b"]),
        ("Bash", {"command": "sed -i s/a/b/ x.py && ls"}, ["/srv/x.py"]),
        ("Bash", {"command": "sed -n 1p x.py"}, []),
        ("Bash", {"command": "rm -rf build; mv a ../b"}, ["/srv/build", "/srv/a", "/b"]),
        ("Bash", {"command": "cp a b"}, ["/srv/b"]),
        ("Bash", {"command": "printf x | tee -a log"}, ["/srv/log"]),
        ("Bash", {"command": "bash -c 'touch deep'"}, ["/srv/deep"]),
        ("Bash", {"command": "dd if=/dev/zero of=disk"}, ["/srv/disk"]),
        ("Bash", {"command": "git checkout -- ."}, ["/srv"]),
        ("Bash", {"command": "git status && git diff > /dev/null"}, []),
        ("Bash", {"command": "pytest -q 2>&1 | tail"}, []),
        ("Bash", {"command": "sed -Ei s/a/b/ x.py"}, ["/srv/x.py"]),
        ("Bash", {"command": "sed -e s/i/j/ x.py"}, []),
        ("Bash", {"command": "perl -0pi -e s/a/b/ x.py"}, ["/srv/x.py"]),
        ("Bash", {"command": "perl -MList::Util -e 'print 1'"}, []),
        ("Bash", {"command": "awk -i inplace 1 x"}, ["/srv/inplace", "/srv/1", "/srv/x"]),
        ("Bash", {"command": "sort -o out in; curl -so page http://h"}, ["/srv/out", "/srv/page"]),
        ("Bash", {"command": "wget -qO- http://h; curl http://h"}, []),
        ("Bash", {"command": "tar xzf a.tgz -C to; tar tf a.tgz; unzip -l a.zip"}, ["/srv/to"]),
        ("Bash", {"command": "cp a.json sub/"}, ["/srv/sub/a.json"]),
        ("Bash", {"command": "cp -t /etc a b"}, ["/etc/a", "/etc/b"]),
        ("Bash", {"command": "mv a /etc/"}, ["/srv/a", "/etc/a"]),
        ("Bash", {"command": "cd sub && touch x"}, ["/srv/sub/x"]),
        ("Bash", {"command": "cd /tmp; echo x > a; cd /var && rm b"}, ["/tmp/a", "/var/b"]),
        ("Bash", {"command": "(cd /tmp && ls); echo x > a"}, ["/srv/a"]),
        ("Bash", {"command": 'F=a.md; echo x > $F > "$PWD/b"'}, ["/srv/a.md", "/srv/b"]),
        ("Bash", {"command": "find sub -name '*.md' -delete"}, ["/srv/sub", "/srv/sub/*.md"]),
        ("Bash", {"command": "find . -exec grep x {} +"}, []),
        ("Bash", {"command": "find . -exec rm {} \\;"}, ["/srv"]),
        ("Bash", {"command": "git -C sub checkout main"}, ["/srv/sub"]),
        ("Bash", {"command": "git -c a.b=c log"}, []),
        ("Bash", {"command": "python3 -c \"open('a.md', 'w').write('x')\""}, ["/srv/a.md"]),
        ("Bash", {"command": "python3 -c \"print(open('a.md').read())\""}, []),
        (
            "Bash",
            {"command": "python - <<'EOF'\nfrom pathlib import Path\nPath('a.md').write_text('')\nEOF"},
            ["/srv/a.md"],
        ),
        ("Bash", {"command": "node -e \"require('fs').writeFileSync('a.md','x')\""}, ["/srv/a.md"]),
        ("Bash", {"command": "python tool.py <<EOF\nopen('a','w')\nEOF"}, []),
        ("Bash", {"command": "python3 -c \"from pathlib import Path; Path('a.md').open('w')\""}, ["/srv/a.md"]),
        ("Bash", {"command": "python3 -c \"import os; os.open('a.md', os.O_CREAT)\""}, ["/srv/a.md"]),
        ("Bash", {"command": "python3 -c \"from shutil import copy; copy('/b.md', 'a.md')\""}, ["/b.md", "/srv/a.md"]),
        ("Bash", {"command": "python3 -c \"import os; os.system('sed -i s/a/b/ a.md')\""}, ["/srv/a.md"]),
        ("Bash", {"command": "python3 -c \"import subprocess as s; s.run(['touch', 'x'])\""}, ["/srv/x"]),
        ("Bash", {"command": "python3 -c \"import subprocess as s; s.run(['git', 'log'])\""}, []),
        ("Bash", {"command": "awk '{print > \"a.md\"}' b"}, ["/srv/a.md"]),
        ("Bash", {"command": "awk '{system(\"touch x\")}' b"}, ["/srv/x"]),
        ("Bash", {"command": "awk '$3 > 5 {print $1}' b"}, []),
        ("Bash", {"command": "sed -n 's/a/b/w a.md' b"}, ["/srv/a.md"]),
        ("Bash", {"command": "sed -n 's/who/what/p' b"}, []),
        ("Bash", {"command": "jq . b | sponge a.md"}, ["/srv/a.md"]),
        ("Bash", {"command": "black .; ruff format; ruff check --fix a.py"}, ["/srv"]),
        ("Bash", {"command": "black --check .; ruff format --check; ruff check; cargo fmt --check"}, []),
        ("Bash", {"command": "gzip a.md; split b; git diff --output=c"}, ["/srv/a.md", "/srv/b", "/srv/c"]),
        ("exec_command", {"cmd": "touch x"}, ["/srv/x"]),
        ("shell", {"command": ["bash", "-lc", "echo 'a b' > x"]}, ["/srv/x"]),
        ("mcp__files__write_file", {"path": "a.md", "content": "x"}, ["/srv/a.md"]),
        ("mcp__files__move_file", {"source": "a", "destination": "/b"}, ["/srv/a", "/b"]),
        ("mcp__files__read_file", {"path": "a.md"}, []),
        ("shell", {"command": ["touch", "x"]}, ["/srv/x"]),
        ("Read", {"file_path": "a.py"}, []),
        ("mcp__mi__memory_write", {"summary": "x"}, []),
        ("", {}, []),
    ],
)
def test_what_a_call_changes(tool, given, paths):
    assert find_changed_files(event(tool, **given)) == paths


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
