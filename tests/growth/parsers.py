"""The parsers of outside text, each as one call that takes any text, with the texts it is likely to be slowest with."""

import os
import tempfile
from collections.abc import Callable

from mi.agents.any_events import AnyEvents
from mi.agents.claude_events import ClaudeEvents
from mi.agents.codex_events import CodexEvents
from mi.agents.transcript import Captured
from mi.governance.change_units import count
from mi.hooks.event import parse as parse_event
from mi.kernel import jsonl
from mi.kernel.errors import MiError
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.shell import simple_commands
from mi.kernel.text import decode
from mi.persona import front_matter
from mi.tasks import tinytasks
from mi.tasks.task_ids import TaskSighting, match

Parser = Callable[[str], object]


def shell(text: str) -> object:
    return simple_commands(text)


def diff(text: str) -> object:
    return count(text)


def tiny_tasks(text: str) -> object:
    document = tinytasks.parse(text)
    assert document.text == text
    seen = [TaskSighting(one.title, one.parent, one.checked) for one in document.items]
    return match(match([], seen), seen)


def yaml_front(text: str) -> object:
    try:
        return front_matter.split(text, "card.md")
    except front_matter.BadFrontMatter as error:
        return error.line("en")


def json_lines(text: str) -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.jsonl")
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        found = [line.data for line in jsonl.read_forward(path)]
        assert b"".join(found).replace(b"\n", b"") in text.encode("utf-8", "surrogatepass").replace(b"\n", b"")
        return [_stored(line) for line in found]


def _stored(line: bytes) -> object:
    try:
        return decode_stored(line, dict[str, object])
    except BadJson as error:
        return error.reason


def event_stream(text: str) -> object:
    readers = (CodexEvents(), ClaudeEvents(), AnyEvents(), AnyEvents(protocol="codex"), AnyEvents(protocol="claude"))
    lines = text.encode("utf-8", "surrogatepass").split(b"\n")
    found = []
    for reader in readers:
        found += [reader.feed(Captured("stdout", line, decode(line))) for line in lines]
        found.append(reader.end())
    return found


def hook_input(text: str) -> object:
    try:
        return parse_event("claude", "pre-tool", text.encode("utf-8", "surrogatepass"))
    except MiError as error:
        return error.line("en")


PARSERS: dict[str, Parser] = {
    one.__name__: one for one in (shell, diff, tiny_tasks, yaml_front, json_lines, event_stream, hook_input)
}
# By parser: a beginning, what is repeated, an end. Shell text is grown in tests/kernel/test_shell_bounds.py.
_HUNK = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n"
_MESSAGE = '{"type":"item.completed","item":{"type":"agent_message","text":"a"}}\n'
_CONTENT = '{"type":"assistant","message":{"content":[{"type":"text","text":"a"}]}}\n'
HOSTILE: dict[str, list[tuple[str, str, str]]] = {
    "diff": [
        ("", "diff --git a/x b/x\n", ""),
        ("diff --git ", "a ", "\n"),
        ('diff --git "', "\\1", '"\n'),
        (_HUNK, "+ \n", ""),
        (_HUNK + "+", "import a ", "\n"),
        (_HUNK + "+", " ", "x\n"),
        (_HUNK, "@@ -1 +1 @@\n-a\n+b\n", ""),
        ("diff --git a/", "/", " b/\nnew file mode 100644\n"),
        ("--- a/", " ", "x\n"),
    ],
    "tiny_tasks": [
        ("# Tasks — a", " ", "x"),
        ("## a", " ", "#x"),
        ("## a", "# ", "x"),
        ("##", "#", ""),
        ("- [ ] a", " ", "x"),
        ("", "- [ ] a\n", ""),
        ("", "- [ ] a\n  - [ ] b\n", ""),
        ("- [ ] a\n", "\n", ""),
        ("- [ ] a\n", "  - [x] b\n", ""),
        ("", "```\n", ""),
        ("```", "`", "x"),
        ("", "\t", ""),
        ("", "-\t", "["),
    ],
    "yaml_front": [
        ("---\na: ", "[", "\n---\n"),
        ("---\n", "- ", "\n---\n"),
        ("---\na: ", "9", "\n---\n"),
        ('---\na: "', "\\", "\n---\n"),
        ("---\n", "? ", "\n---\n"),
        ("", "---\n", ""),
        ("---\n---\n", "\n", ""),
    ],
    "json_lines": [
        ("", "[", ""),
        ("", '{"a":', ""),
        ('{"a":"', "\\u00", ""),
        ("", '{"a":1}\n', ""),
        ("", "\x00", ""),
        ('{"a":', "9", "}"),
    ],
    "event_stream": [
        ("", _MESSAGE, ""),
        ("", _CONTENT, ""),
        ('{"type":"result","result":"', "a ", '"}'),
        ("", "[", ""),
        ("", "{", ""),
        ("", "a\n", ""),
        ("", " ", ""),
    ],
    "hook_input": [
        ('{"tool_input":{"command":"', "a ", '"}}'),
        ('{"tool_input":', '{"a":', "1"),
        ("", "[", ""),
        ('{"prompt":"', "\\ud800", '"}'),
        ("", " ", ""),
        ("{", '"a":1,', '"b":2}'),
    ],
}


def grown(shape: tuple[str, str, str], size: int) -> str:
    """Return a text of about a size."""
    before, unit, after = shape
    return before + unit * max(1, size // len(unit)) + after
