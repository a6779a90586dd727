"""Bad inputs for every parser: pieces of its own grammar put together at random, never a traceback, never endless."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.growth.parsers import HOSTILE, PARSERS
from tests.growth.work import count_work

_PER_CHARACTER = 2000  # steps; what is tried is short, so that a word may cost its part of a fixed price
_FIXED = 300_000
_PIECES: dict[str, list[str]] = {
    "shell": r"""( ) { } [ ] [[ ]] $( ${ $(( )) ` ' " \ | || & && ; ;; < << <<- <<< > >> >& # ! * ? ~ = a b=1 if then
        fi for in do done while case esac function time eval bash -c sudo
        env xargs find -exec cd rm -rf / 2>&1""".split(),
    "diff": [
        "diff --git ",
        "a/x ",
        "b/x\n",
        "--- ",
        "+++ ",
        "/dev/null\n",
        "@@ -1,2 +3 @@\n",
        "+",
        "-",
        " ",
        "\n",
        '"',
        "rename from ",
        "rename to ",
        "Binary files differ\n",
        "\\ No newline at end of file\n",
        "new file mode 1\n",
        "\\1",
    ],
    "tiny_tasks": [
        "# Tasks — ",
        "#",
        "## ",
        "- ",
        "* ",
        "[ ]",
        "[x]",
        "[X]",
        " ",
        "\t",
        "\n",
        "\r\n",
        "```",
        "~~~",
        "\ufeff",
    ],
    "yaml_front": [
        "---\n",
        "a: ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a",
        "!!int ",
        "!!timestamp ",
        "? ",
        "<<: ",
        "|\n",
        ">\n",
        "'",
        '"',
        "\n",
        "  ",
        "2024-13-45",
        "0x",
        "1:60",
        "!!set ",
        "!!binary ",
        "#",
        "%YAML 1.1\n",
        "=",
        "~",
        ",",
        "\t",
    ],
    "json_lines": [
        '{"',
        '"',
        ":",
        ",",
        "}",
        "[",
        "]",
        "\\u",
        "\\ud800",
        "1e999",
        "-",
        "0",
        "null",
        "true",
        "\n",
        "\x00",
        " ",
    ],
    "event_stream": [
        '{"type":',
        '"item.completed"',
        '"assistant"',
        '"result"',
        ',"item":',
        ',"message":',
        ',"content":',
        "[",
        "]",
        "{",
        "}",
        '"text"',
        ":",
        ",",
        '"',
        "null",
        "1",
        "\n",
        '"session_id":',
        '"command_execution"',
        '"tool_use"',
    ],
    "hook_input": [
        '{"',
        "tool_input",
        "command",
        "prompt",
        "session_id",
        '":"',
        '":',
        ",",
        '"',
        "}",
        "{",
        "[",
        "]",
        "null",
        "\\ud800",
        "\\u0000",
        "1",
        "tool_response",
        "\n",
    ],
}
TARGETS = tuple(PARSERS)
_JSON = ("json_lines", "event_stream", "hook_input")
_KEYS = """type item message content text result id session_id thread_id usage name input tool_input tool_response
    command exit_code aggregated_output status changes path kind error subtype is_error total_cost_usd duration_ms
    prompt cwd tool_use_id tool_name todos items""".split()
_KINDS = """item.completed item.started turn.completed turn.failed thread.started error agent_message command_execution
    file_change reasoning mcp_tool_call todo_list assistant user system result text tool_use
    tool_result thinking""".split()

AROUND = (
    '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":VALUE}]}}',
    '{"type":"assistant","message":{"content":[{"type":"text","text":VALUE}]}}',
    '{"type":"item.completed","item":{"type":"agent_message","text":VALUE}}',
    '{"type":"item.completed","item":{"type":"mcp_tool_call","result":VALUE,"error":VALUE}}',
    '{"type":"turn.failed","error":VALUE}',
    '{"type":"result","result":VALUE}',
    '{"content":VALUE}',
    '{"tool_input":VALUE,"prompt":VALUE}',
)


@dataclass
class Tried:
    """What was tried so far."""

    count: int = 0
    bytes: int = 0
    most: int = 0  # steps of one input


def texts(name: str) -> st.SearchStrategy[str]:
    """Return texts of pieces, of any characters, and of one piece repeated."""
    piece = st.sampled_from(_PIECES[name]) | st.text(max_size=4)
    shapes = st.sampled_from(HOSTILE.get(name, [("", "(", "")]))
    repeated = st.builds(lambda shape, times: shape[0] + shape[1] * times + shape[2], shapes, st.integers(0, 300))
    nested = st.builds(lambda one, times: one * times, piece, st.integers(0, 1500))
    joined = st.lists(piece | repeated | nested, max_size=30).map("".join)
    if name == "yaml_front":
        return joined | joined.map("---\n{}\n---\n".format)
    return joined | _objects() if name in _JSON else joined


def _objects() -> st.SearchStrategy[str]:
    """Return lines of JSON objects with the names that agents and hosts use, and any values below them."""
    plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(_KINDS)
    keys = st.sampled_from(_KEYS) | st.text(max_size=3)
    values = st.recursive(plain, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5))
    deep = st.builds(nested, st.sampled_from(AROUND), st.sampled_from(["[", '{"content":']), st.integers(1, 1500))
    lines = st.dictionaries(keys, values, max_size=6).map(json.dumps) | deep
    return st.lists(lines, max_size=4).map("\n".join)


def nested(around: str, opening: str, times: int) -> str:
    """Return an event with a value that many brackets surround."""
    return around.replace("VALUE", opening * times + '"x"' + ("]" if opening == "[" else "}") * times)


def fuzz(name: str, examples: int, tried: Tried) -> None:
    """Try a parser; an error that it does not name itself, or too much work, fails."""
    parse = PARSERS[name]

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(text=texts(name))
    def once(text: str) -> None:
        tried.count += 1
        tried.bytes += len(text)
        with pytest.MonkeyPatch.context() as patched:
            steps = count_work(lambda: parse(text), patched)
        tried.most = max(tried.most, steps)
        assert steps <= _FIXED + _PER_CHARACTER * len(text)

    once()
