"""Code that sets how the program ends: exit hooks, traps, and a library that ends the program with success."""

import re
from collections.abc import Iterator

from mi.project.checks.judge_tokens import SCRIPTED

_SHELL = frozenset({"sh", "bash", "bats"})
_SCRIPTS = SCRIPTED | {"vue", "svelte"}
_ENDS = re.compile(
    r"\bos\._exit\(|\batexit\.register\(.*(?:exit|kill)|process\.(?:on|once|addListener"
    r"|prependListener)\(\s*[\"'](?:exit|beforeExit|uncaughtException)"
    r"|process\.exitCode\s*=\s*(?:0|undefined|null|false)\b|process\.(?:exit|reallyExit|abort)\s*=(?!=)|process\.reallyExit\("
    r"|process\[[\"'](?:exit|reallyExit)|\bat_exit\b|exit!\s*\(?\s*(?:0|true)?|\bhalt\(0\)"
    r"|addShutdownHook|register_shutdown_function|(?:panic::)?set_hook\(|libc::(?:atexit"
    r"|_exit)|\batexit\s*\(|\b_exit\s*\(\s*0|\bquick_exit\("
)
_ENDS_SHELL = re.compile(
    r"\btrap\b[^\n]*\b(?:exit|return|true)\b[^\n]*\b(?:EXIT|0|ERR|DEBUG|RETURN)\b|\btrap\b[^\n]*\b(?:EXIT"
    r"|ERR|DEBUG|RETURN)\b[^\n]*exit|\bexec\s+(?:true|:|\S*/true)\b|\bkill\b[^\n]*\$(?:\$"
    r"|PPID|\{PPID\})"
)
_QUITS = re.compile(
    r"syscall\.Exit\(\s*0|libc::(?:_?exit|quick_exit)\(\s*0|unsafe\s*\{\s*_?exit\(\s*0"
    r"|\bfn _?exit\(\w+: (?:i32|c_int)\) -> !;"
    r"|process\.exit\(\s*0?\s*\)|os\.Exit\(\s*0\s*\)|process::exit\(\s*0\s*\)|System\.exit\(\s*0\s*\)"
    r"|Runtime\.getRuntime\(\)\.halt\("
)
_IS_PROGRAM = re.compile(
    r"\A#!|process\.argv|^package main\b|\bfn main\s*\(|void main\s*\(|require\.main|import\.meta\.main"
    r"|SIG(?:TERM|INT)",
    re.MULTILINE,
)


def sets_end(text: str, lines: list[str], language: str, path: str) -> Iterator[int]:
    """Yield where code that is no program of its own ends one, or any code sets what its end says."""
    is_program = _IS_PROGRAM.search(text) or re.search(r"(?:^|/)(?:bin|cmd|scripts?)/|(?:^|/)(?:main|cli)\.\w+$", path)
    for number, line in enumerate(lines):
        hooks = _ENDS.search(line) or (language in _SHELL and _ENDS_SHELL.search(line))
        if hooks or (not is_program and _QUITS.search(line)):
            yield number
    if language in _SCRIPTS:
        yield from _ends_at_exit(lines)
    if language in _SHELL:
        yield from _trapped(lines)


def _ends_at_exit(lines: list[str]) -> Iterator[int]:
    """Yield the handlers of a program's end that set its exit code."""
    for number, line in enumerate(lines):
        handler = re.search(r"process\.(?:on|once|addListener|prependListener)\(\s*[\"'](?:exit|beforeExit)", line)
        held = " ".join(lines[number : number + 6])
        if handler and re.search(r"exitCode|process\.exit|reallyExit|process\.kill|process\.abort", held):
            yield number


def _trapped(lines: list[str]) -> Iterator[int]:
    """Yield the traps at a script's end that call a function which sets the exit code."""
    for number, line in enumerate(lines):
        found = re.match(r"\s*trap\s+[\"']?(\w+)\b[^\n]*\b(?:EXIT|0|ERR)\b", line)
        begins = rf"\s*(?:function\s+)?{found[1]}\s*(?:\(\s*\))?\s*\{{" if found else "(?!)"
        start = next((at for at, one in enumerate(lines) if re.match(begins, one)), len(lines))
        body = "\n".join(lines[start:]).partition("\n}")[0]
        if re.search(r"\bexit\b", body):
            yield number
