"""Code that changes what judges it: assertions, built-in functions and prototypes, commands of the shell."""

import re
from collections.abc import Iterator

from mi.project.checks.judge_tokens import SCRIPTED

_SHELL = frozenset({"sh", "bash", "bats"})
_SCRIPTS = SCRIPTED | {"vue", "svelte"}
# What every script finds there from the start, and may not be another in one that is tested.
_GIVEN = (
    r"(?:Object|Number|Array|String|Boolean|Function|Error|TypeError|RangeError|Math|JSON|Date|Map|Set|WeakMap|Promise|RegExp"
    r"|Symbol|BigInt|Reflect|Proxy|Iterator|Intl|parseInt|parseFloat|isNaN|isFinite|structuredClone|Buffer)"
)
_PART = r"(?:\.\w+|\[[^\]]*\])"
_JUDGED_BY = re.compile(
    r"\b(?:assert|expect|test|describe)(?:\.\w+)+\s*=(?![=>])"
    rf"|\b(?:globalThis|global|window|self)(?:\.|\[\s*[\"'`])(?:assert|expect|test|it|describe|{_GIVEN})\b[\"'`\]]*\s*=(?![=>])"
    rf"|^\s*{_GIVEN}\s*=(?![=>])|\b{_GIVEN}(?!\.stackTraceLimit|\.prepareStackTrace){_PART}?{_PART}\s*=(?![=>])"
    rf"|(?:__proto__|getPrototypeOf\([^)]*\)|\.constructor\.prototype){_PART}\s*=(?![=>])"
    rf"|\b(?:Object\.(?:assign|defineProperty|defineProperties)|Reflect\.(?:set|defineProperty))\(\s*"
    rf"(?:{_GIVEN}(?:\.prototype)?|globalThis|global|assert|process)(?![.\w])"
    r"|[\"'](?:node:)?assert(?:/strict)?[\"'].{0,40}\.\w+\s*=(?!=)"
    r"|(?:class|module)\s+(?:Minitest|RSpec|Test::Unit)|(?:Minitest|RSpec)[\w:.]*\.(?:class_eval"
    r"|prepend|include|define_method)"
    r"|\bmacro_rules!\s+(?:assert|debug_assert)\w*|^(?:func|var|const|type)\s+"
    r"(?:len|append|panic|print|println|copy|close|string|int|bool|true|false|nil|error)\b"
)
_SHELL_OWN = re.compile(
    r"^\s*(?:function\s+)?(\[|test|exit|return|echo|printf|diff|cmp|grep|true|false|fail"
    r"|assert\w*|expect\w*|set|trap|eval|read|source|command|builtin|shift|let|expr|bc|wc|sort|cut|tr|head|tail|awk|sed|cat|jq|seq|\.)"
    r"\s*\(\s*\)|\balias\b.*=|^\s*set\s+\+(?:e|u|o)|^\s*enable\s+-n|^\s*(?:readonly|declare\s+-r|typeset\s+-r)\s+[a-z]"
)


def changes_judge(lines: list[str], language: str) -> Iterator[int]:
    """Yield where code sets what a test is judged by, but for what is missing there."""
    sets = _SHELL_OWN if language in _SHELL else _JUDGED_BY
    for number, line in enumerate(lines):
        if sets.search(line) and not _fills_gap(lines, number):
            yield number
    if language in _SCRIPTS:
        yield from _sets_imported(lines)
        yield from _sets_loaded(lines)


def _sets_imported(lines: list[str]) -> Iterator[int]:
    """Yield where a script changes what it imported from a runner or its assertions, or what a prototype is held by."""
    imported = re.findall(
        r"import\s+(?:\*\s+as\s+)?(\w+)\s+from\s+[\"'](?:node:)?(?:assert|test|chai|vitest|@jest/globals)\b"
        r"|(?:const|let|var)\s+(\w+)\s*=\s*(?:require\(\s*[\"'](?:node:)?(?:assert|test|chai|vitest|@jest/globals)\b"
        rf"|{_GIVEN}\.prototype\b|globalThis\s*;|Object\.getPrototypeOf\()",
        "\n".join(lines),
    )
    names = [first or second for first, second in imported]
    if names:
        sets = re.compile(
            rf"(?<![\w.])(?:{'|'.join(names)})(?:\.\w+|\[[^\]]*\])+\s*=(?![=>])|(?:assign|set|defineProperty)\(\s*(?:{'|'.join(names)})\b"
        )
        yield from (number for number, line in enumerate(lines) if sets.search(line))


def _sets_loaded(lines: list[str]) -> Iterator[int]:
    """Yield where a script puts a function of its own into a module that it loaded by a name it made."""
    text = "\n".join(lines)
    loaders = ["require", "import", r"process\.getBuiltinModule", *re.findall(r"\b(\w+)\s*=\s*createRequire\(", text)]
    loads = rf"(?:{'|'.join(loaders)})\((?!\s*[\"'`][./])"
    names = re.findall(rf"(?:const|let|var)\s+(\w+)\s*=\s*(?:await\s+)?{loads}", text)
    owner = "|".join([rf"{loads}[^=]*\)", *names])
    sets = re.compile(rf"(?:^|[\s;(])(?:{owner})(?:\.\w+|\[[^\]]*\])+\s*=\s*(?:async\s*)?(?:function\b|\(|\w+\s*=>)")
    yield from (number for number, line in enumerate(lines) if sets.search(line))


def _fills_gap(lines: list[str], number: int) -> bool:
    """Return whether what a line sets is set only where it is missing."""
    target = re.match(r"\s*(?:if\s*\(.*?\)\s*\{?\s*)?([\w.]+)\s*=", lines[number])
    asked = " ".join(lines[max(0, number - 2) : number + 1])
    return bool(target and re.search(rf"(?:!|typeof\s+){re.escape(target[1])}\b", asked))
