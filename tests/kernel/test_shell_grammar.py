"""Shell text is read as bash reads it: what bash accepts, what it refuses, and the words it makes."""

import itertools
import json
import subprocess
from pathlib import Path

import pytest

from mi.kernel.shell import simple_commands

TEXTS = [json.loads(line) for line in Path(__file__).with_name("shell_texts.jsonl").read_text("utf-8").splitlines()]
# Where we and `bash -n` differ, and why.
DIFFERENT = {
    "please look at `can't be undone` there": "bash reads what stands in backticks only when it runs it",
    "eval 'echo \"'": "we read what a shell is given to run, and cannot tell what this does",
    "bash -c 'if'": "we read what a shell is given to run, and cannot tell what this does",
}


def bash(*options: str, text: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(["bash", *options], input=text.encode(), capture_output=True, check=False)
    except FileNotFoundError:
        pytest.fail("bash is needed to compare with: apt install bash, brew install bash")


def test_a_text_can_be_read_exactly_if_bash_accepts_it() -> None:
    assert len(TEXTS) == len(set(TEXTS)) >= 800
    accepted = {text: bash("-n", text=text).returncode == 0 for text in [*TEXTS, *DIFFERENT]}
    assert 80 < sum(not is_accepted for is_accepted in accepted.values()) < 400
    differ = {text for text, is_accepted in accepted.items() if is_accepted != simple_commands(text).readable}
    assert differ == set(DIFFERENT)


def test_each_beginning_of_a_text_can_be_read_exactly_if_bash_accepts_it() -> None:
    text = "if a \"$(b 'c')\" | d; then for x in e; do f() { g; }; done <<< h; "
    text += "else (i && ! j) || case k in l) m;; esac; fi"
    beginnings = [text[:end] for end in range(1, len(text) + 1)]
    accepted = [bash("-n", text=beginning).returncode == 0 for beginning in beginnings]
    assert [simple_commands(beginning).readable for beginning in beginnings] == accepted


PIECES = [
    "a",
    "'b c'",
    '"d e"',
    "f\\ g",
    '"h\\"i"',
    "'j\\k'",
    "$x",
    '"$x"',
    "${x}",
    '"${y}z"',
    "'$x'",
    "\\$x",
    "$'l\\tm\\'\\x41'",
    '""',
    "n\\\no",
    "p=q",
    "#r",
    "中文",
    "-s",
    "{t}",
    "\\;",
    "'|'",
]


def test_words_are_those_that_bash_makes() -> None:
    """Each piece, each pair and each two words of them; the value of x has a blank in it."""
    lines = [
        *PIECES,
        *(one + two for one, two in itertools.product(PIECES, PIECES) if one != "$x" or not two[0].isalpha()),
        "a 'b'  \"c\"\td",
        "'' \"\"",
    ]
    lines += [f"{one} {two}" for one, two in itertools.pairwise(PIECES)]
    lines = [line for line in lines if not line.startswith("#") and " #" not in line]
    setting = "x='v w'; y=u; "
    script = "show() { printf '%s\\0' \"$@\"; printf '\\1'; }\n" + "".join(f"{setting}show {line}\n" for line in lines)
    made = bash(text=script).stdout.decode().split("\1")[:-1]
    assert len(made) == len(lines) > 400
    for line, words in zip(lines, made, strict=True):
        (command,) = simple_commands(setting + "show " + line)
        assert list(command.argv[1:]) == words.split("\0")[:-1], line


@pytest.mark.parametrize(
    "text", ["\ud800 'a\udcff'", "echo \x00\x01", "中" * 50 + "'", "\u3000ls\u00a0-l", "a\r\nb\r\n"]
)
def test_text_that_is_no_utf8_or_holds_odd_blanks_is_read(text: str) -> None:
    assert simple_commands(text)
