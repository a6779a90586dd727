"""A file that is partly judge and partly product: the product of the one version with the judges of the other."""

import json
import re

from mi.kernel.jsontext import BadJson, decode
from mi.project.checks.judge_blocks import spans_of_inline
from mi.project.checks.judge_places import judge_kind

_TABLES = {
    "pyproject.toml": re.compile(
        r"\[{1,2}(?:tool\.(?:pytest|coverage|tox|nox|behave|poe|taskipy|hatch\.envs|pdm\.scripts|rye\.scripts|pixi\.tasks)\b"
        r"|tool\.poetry\.plugins|project\.entry-points)"
    ),
    "Cargo.toml": re.compile(r"\[{1,2}(?:test|lib|profile\.test|workspace)\]"),
    "setup.cfg": re.compile(r"\[(?:tool:pytest|aliases|coverage\b|options\.entry_points)"),
    "tox.ini": re.compile(r"\[(?:pytest|tox|testenv|coverage)"),
}
_PACKAGE_KEYS = ("jest", "mocha", "ava", "c8", "nyc", "vitest", "tap", "jasmine", "playwright", "cypress", "babel")


def with_judges_of(path: str, base: bytes, final: bytes) -> bytes:
    """Return the final file with the judges of the base in it; where they cannot be told apart, the base's file."""
    name = path.rpartition("/")[2]
    before, after = (data.decode("utf-8", "replace") for data in (base, final))
    if name in _TABLES:
        return _with_tables(before, after, _TABLES[name]).encode()
    if name == "package.json":
        return _with_keys(before, after) or base
    if judge_kind(path) == "inline":
        return _with_lines(before, after).encode()
    return base


def _with_tables(before: str, after: str, is_judge: re.Pattern[str]) -> str:
    kept = [table for table in _tables(after) if not is_judge.match(table)]
    judges = [table for table in _tables(before) if is_judge.match(table)]
    return "".join(table if table.endswith("\n") else f"{table}\n" for table in (*kept, *judges))


def _tables(text: str) -> list[str]:
    return [table for table in re.split(r"(?m)^(?=\[)", text) if table]


def _with_keys(before: str, after: str) -> bytes | None:
    try:
        was, now = decode(before.encode(), dict[str, object]), decode(after.encode(), dict[str, object])
    except BadJson:
        return None
    for key in _PACKAGE_KEYS:
        now.pop(key, None)
        if key in was:
            now[key] = was[key]
    scripts = now.get("scripts")
    now["scripts"] = {**(scripts if isinstance(scripts, dict) else {}), **_as_dict(was.get("scripts"))}
    return json.dumps(now, indent=2, ensure_ascii=False).encode() + b"\n"


def _as_dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _with_lines(before: str, after: str) -> str:
    """Return the final source with the tests of the base at its end."""
    lines = after.splitlines()
    for first, last in reversed(spans_of_inline(after)):
        del lines[first : last + 1]
    was = before.splitlines()
    judges = [line for first, last in spans_of_inline(before) for line in (*was[first : last + 1], "")]
    return "\n".join([*lines, "", *judges]).rstrip() + "\n"
