"""Switches that came with the work and are off, of which the task does not speak."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import without_comments
from mi.project.checks.product_functions import (
    SEARCHED,
    is_product,
    last_part,
    read_definitions,
    text_of,
    words_of,
)
from mi.project.trees import Tree

_NEVER = re.compile(
    r"\b(?:if|elif|while)\b[\s(]*(?:False|false|0)\b[\s)]*(?:[:{;]|$|and\b|&&)"
    r"|(?:\band|&&)\s+(?:False|false)\b|#\[cfg\(any\(\)\)\]|\bcfg!\(any\(\)\)"
)
_CONSTANT = re.compile(
    r"^\s*(?:(?:export|pub|public|private|static|final|const|let|var|readonly)\s+)*(?P<name>[A-Za-z_$][\w$]*)"
    r"\s*(?::\s*\w+\s*|bool\s*)?:?=\s*(?:False|false)[\s;]*$"
)
_DEFAULT = re.compile(r"(?<![\w$])(?P<name>[A-Za-z_$][\w$]*)\s*(?::\s*\w+\s*)?=\s*(?:False|false)\b")
_BEFORE = re.compile(r"(?:\b(?:if|elif|and|when)\b|&&)[\s(]*$")
_AFTER = re.compile(r"\s*(?:and\b|&&|\?(?![.?]))")
_NOT = re.compile(r"(?:\b(?:not|or)\b|!|\|\|)[\s(]*$")
_TELLS = re.compile(r"\b(?:print\w*|console|log\w*|debug\w*|trace\w*|eprintln|assert|breakpoint|import|Print\w*)\b")


def find_switched_off(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the lines that switch off what came, with their file."""
    if compiled(patterns().names_switch).search(task):
        return
    for path in [path for path in final.changed_since(base) if is_product(path)]:
        text, before = text_of(final, path), text_of(base, path)
        had, known = set(before.splitlines()), words_of(before) | words_of(task)
        lines = without_comments(text, extension(path)).splitlines()
        for line in [line for line in lines if line not in had]:
            constant = _CONSTANT.match(line)
            off = constant and constant["name"] not in known and _hides(constant["name"], line, _product(final))
            if _NEVER.search(line) or off:
                yield f"{path}: {line.strip()}"
        yield from (f"{path}: {line}" for line in _off_parameters(path, words_of(task), base, final))


def _off_parameters(path: str, words: frozenset[str], base: Tree, final: Tree) -> Iterator[str]:
    """Yield the heads of functions of the task with a parameter that is off unless given, and that nobody gives."""
    known = words_of(text_of(base, path)) | words
    for one in read_definitions(final, path):
        head = one.text.partition("\n")[0]
        for found in _DEFAULT.finditer(head) if one.body and last_part(one.name) in words else ():
            rest = _product(final).replace(one.text, "")
            given = rf"\b{re.escape(found['name'])}\b|\b{re.escape(last_part(one.name))}\([^()]*\b[Tt]rue\b"
            if found["name"] not in known and _hides(found["name"], head, one.text) and not re.search(given, rest):
                yield head.strip()


def _hides(name: str, defining: str, text: str) -> bool:
    """Return whether a name stands in conditions alone, where it lets nothing happen unless it is true."""
    lines, uses = text.splitlines(), []
    for at, line in enumerate(lines):
        for found in re.finditer(rf"(?<![\w$.]){re.escape(name)}(?![\w$])", line) if line != defining else ():
            before, after = line[: found.start()], line[found.end() :]
            is_asked = _BEFORE.search(before) or (_AFTER.match(after) and not _NOT.search(before))
            uses.append(bool(is_asked) and not _TELLS.search("".join([after, *lines[at + 1 : at + 2]])))
    return bool(uses) and all(uses)


def _product(tree: Tree) -> str:
    paths = sorted(filter(is_product, tree.paths()))[:SEARCHED]
    return "\n".join(without_comments(text_of(tree, path), extension(path)) for path in paths)
