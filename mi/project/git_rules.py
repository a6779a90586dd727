"""The exclude and attribute rules of a project, put together as they were at one moment.

An agent that edits `.gitignore`, `.git/info/exclude` or `.gitattributes` must not hide files from what MI keeps and
judges: MI reads these once, at the start, and goes by its own copy of them.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator

from mi.kernel import files
from mi.kernel.text import decode

# What tools make beside the sources and keep out of git by a file inside, which only some projects exclude themselves.
_MAX_BYTES = 10_000_000
_CACHES = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox")
_DEPENDENCIES = ("node_modules", ".venv")
# As git reads content unless a rule says otherwise; it stands first, so that no later `.gitattributes` is asked.
_NO_CONVERSION = "* !text !crlf !eol !ident !working-tree-encoding"
_NO_PROGRAMS = "* !filter !diff !merge"  # stands last: a filter runs a program, a diff driver may hide a change


def freeze_excludes(top: str, rule_files: Iterable[str], general: Iterable[str], hidden: Iterable[str]) -> str:
    """Return one exclude file that says what all of a project's say together.

    `general` are files that hold for every folder, weakest first; `hidden` are folders whose own rules hide themselves.
    """
    lines = [f"{name}/" for name in (*_CACHES, *_DEPENDENCIES)]
    for path in general:
        lines += _lines(path)
    for name in _outermost_first(rule_files):
        lines += _placed_excludes(_lines(os.path.join(top, name)), os.path.dirname(name))
    lines += [f"/{escape_pattern(folder.rstrip('/'))}/" for folder in hidden]
    return "\n".join(lines) + "\n"


def freeze_attributes(top: str, rule_files: Iterable[str], general: Iterable[str], strongest: str) -> str:
    """Return one attribute file that says what all of a project's say together, apart from programs to run."""
    lines = [_NO_CONVERSION]
    for path in general:
        lines += _lines(path)
    for name in _outermost_first(rule_files):
        lines += _placed_attributes(_lines(os.path.join(top, name)), os.path.dirname(name))
    return "\n".join([*lines, *_lines(strongest), _NO_PROGRAMS]) + "\n"


def _outermost_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (name.count("/"), name))


def read_rules(path: str) -> bytes:
    """Return what a file of rules holds; nothing of one that is a link, no file or too large to be one."""
    try:
        is_rules = stat.S_ISREG(os.lstat(path).st_mode) and os.path.getsize(path) <= _MAX_BYTES
        return (files.read_bytes(path) or b"") if is_rules else b""
    except OSError:
        return b""


def _lines(path: str) -> list[str]:
    return decode(read_rules(path)).removeprefix("\ufeff").splitlines()


def _placed_excludes(lines: Iterable[str], folder: str) -> Iterator[str]:
    for line in lines:
        sign, pattern = ("!", line[1:]) if line.startswith("!") else ("", line)
        if pattern.strip() and not line.startswith("#"):
            yield sign + _placed(pattern, folder)


def _placed_attributes(lines: Iterable[str], folder: str) -> Iterator[str]:
    for line in lines:
        found = re.match(r'\s*("(?:[^"\\]|\\.)*"|\S+)(\s+.*)?', line)
        if not found or line.lstrip().startswith("#"):
            continue
        pattern, attributes = found[1], found[2] or ""
        if not folder:
            yield line  # a macro may stand here alone
        elif pattern.startswith('"'):
            yield f'"{_placed(pattern[1:-1], folder)}"{attributes}'
        elif not pattern.startswith("[attr]"):
            yield f"{_quoted(_placed(pattern, folder))}{attributes}"


def _placed(pattern: str, folder: str) -> str:
    """Return a pattern of a folder's rules as the project's root would write it."""
    if not folder:
        return pattern
    anchored = "/" in pattern.rstrip().rstrip("/")
    return f"/{escape_pattern(folder)}/{'' if anchored else '**/'}{pattern.removeprefix('/')}"


def _quoted(pattern: str) -> str:
    escaped = pattern.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if re.search(r"\s", pattern) else pattern


def escape_pattern(folder: str) -> str:
    """Return a path as git's rules write it."""
    return re.sub(r"([\\*?\[\]! #])", r"\\\1", folder)
