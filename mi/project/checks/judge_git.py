"""Rules of git that hide a judge: ignored, it is not seen to change; with an attribute, not as what it is."""

import re
from collections.abc import Iterable

from mi.project.checks.judge_items import JudgeItem

# Where a judge could come to stand that the rule would hide.
_POSSIBLE = (
    "conftest.py tests/conftest.py pytest.ini sitecustomize.py test_x.py tests/test_x.py x_test.go x.test.js x.spec.ts"
    " jest.config.js vitest.config.ts GNUmakefile makefile spec/x_spec.rb src/test/java/XTest.java unittest.py"
    " pytest.py"
).split()
_HARMLESS_ATTRIBUTE = re.compile(r"[-!]?text(?:=auto)?|eol=\w+|linguist-\S+|diff=\w+|whitespace\S*|lockable|merge=\w+")


def rules_of(path: str, text: str, judges: Iterable[str]) -> list[JudgeItem]:
    """Return the rules of an exclude, attribute or submodule file that reach a judge of the project."""
    folder, _, name = path.rpartition("/")
    folder = "" if name == "exclude" else folder
    if name == ".gitmodules":
        return [_rule(line.strip()) for line in text.splitlines() if re.match(r"\s*(?:path|url|branch)\s*=", line)]
    known = [*judges, *(f"{folder}/{one}" if folder else one for one in _POSSIBLE)]
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if name == ".gitattributes":
        return [_rule(line) for line in lines if _is_hiding(line) and _reaches(line.split()[0], folder, known)]
    return [_rule(line) for line in lines if not line.startswith("!") and _reaches(line, folder, known)]


def _rule(line: str) -> JudgeItem:
    return JudgeItem(line, line, line)


def _is_hiding(line: str) -> bool:
    return not all(_HARMLESS_ATTRIBUTE.fullmatch(attribute) for attribute in line.split()[1:])


def _reaches(pattern: str, folder: str, paths: list[str]) -> bool:
    expression = _expression(pattern)
    start = f"{folder}/" if folder else ""
    return any(expression.match(path.removeprefix(start)) for path in paths if path.startswith(start))


def _expression(pattern: str) -> re.Pattern[str]:
    """Return a pattern of git as a regular expression for paths from the folder of its file."""
    bare = pattern.rstrip("/").removeprefix("\\")
    anchored = "/" in bare
    parts = []
    for piece in re.findall(r"\*\*/|/\*\*|\*|\?|\[!?[^]]+\]|.", bare.lstrip("/")):
        special = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}.get(piece)
        is_class = piece[0] == "[" and len(piece) > 2
        parts.append(special or (piece.replace("[!", "[^") if is_class else re.escape(piece)))
    end = "/" if pattern.endswith("/") else "(?:/|$)"
    try:
        return re.compile(("" if anchored else "(?:.*/)?") + "".join(parts) + end)
    except re.error:
        return re.compile(r"(?!)")
