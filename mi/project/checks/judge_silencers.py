"""Lines that silence a warning: no way to be rid of its cause, where a task speaks of that and not of silence."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns

SILENCES = "silences what the task wants mended"
_SILENCER = re.compile(
    r"\b(?:simplefilter|filterwarnings)\(\s*(?:action=)?['\"]ignore|\bdisable_warnings\(|#\s*(?:noqa|type:\s*ignore|pylint:\s*disable"
    r"|pyright:\s*ignore)|//\s*(?:@ts-(?:ignore|expect-error|nocheck)|nolint)|eslint-disable|#!?\[allow\("
    r"|@SuppressWarnings|#pragma warning disable|\bnoDeprecation\s*=\s*true"
)
_TO_NOWHERE = re.compile(r"2>\s*/dev/null|&>\s*/dev/null")
_ASKS_WHETHER = re.compile(r"\b(?:command -v|which|type|hash|if|test|while)\b|\[ ")


def find_silencers(lines: list[str], task: str, is_shell: bool) -> Iterator[int]:
    """Yield where code silences warnings; nowhere when the task speaks of none, wants one, or asks for silence."""
    known = patterns()
    if not compiled(known.about_warnings).search(task) or compiled(known.wants_silence).search(task):
        return
    for number, line in enumerate(lines):
        to_nowhere = is_shell and _TO_NOWHERE.search(line) and not _ASKS_WHETHER.search(line)
        if to_nowhere or _SILENCER.search(line):
            yield number
