"""Branches of new code that only say that they are not written yet."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import SCRIPTED, without_comments
from mi.project.checks.product_functions import is_product, read_definitions, text_of, words_of
from mi.project.trees import Tree

_SAID = r"[^)]*(?:\btodo\b|not (?:yet )?implemented|unimplemented)"
_UNWRITTEN = {
    "rs": re.compile(r"\b(?:todo|unimplemented)!"),
    "go": re.compile(rf"\bpanic\({_SAID}", re.IGNORECASE),
    "py": re.compile(rf"\braise NotImplementedError\({_SAID}", re.IGNORECASE),
    **dict.fromkeys(SCRIPTED, re.compile(rf"\bthrow new \w*Error\({_SAID}", re.IGNORECASE)),
}
_BARE = {
    "py": re.compile(r"\braise NotImplementedError(?:\(\s*\))?\s*$"),
    **dict.fromkeys(SCRIPTED, re.compile(r"\bthrow new Error\(\s*\)")),
}
_COMPARED = re.compile(r"[\"']([^\"']+)[\"']|\b([A-Z][A-Z0-9_]+|\d+)\b")  # what a condition singles out
_BRANCH = re.compile(r"\b(?:if|elif|case)\b")
_ARM = re.compile(r"\b(?:if|match)\b|=>")
_REST = re.compile(r"^\W*(?:case\s+)?(?:_|[a-z]\w*)\s*(?:=>|:\s*$)")  # an arm for all that is left


def find_unwritten(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the branches that came and are left for later, with their file; a branch for all the rest is none."""
    if compiled(patterns().unused_on_purpose).search(task) or re.search(r"(?i)\btodo|NotImplemented", task):
        return
    for path in final.changed_since(base):
        if is_product(path) and extension(path) in _UNWRITTEN:
            had = set(text_of(base, path).splitlines())
            new = (line for line in _unwritten(text_of(final, path), extension(path), task) if line not in had)
            yield from (f"{path}: {line.strip()}" for line in new)
            whole = _whole(path, words_of(task), final)
            yield from (f"{path}: {line}" for line in whole if line not in map(str.strip, had))


def _whole(path: str, words: frozenset[str], tree: Tree) -> Iterator[str]:
    """Yield the line with which a function of the task begins, where it only says that it is not written yet."""
    language = extension(path)
    ways = [way[language] for way in (_UNWRITTEN, _BARE) if language in way]
    for one in read_definitions(tree, path):
        if one.body and one.name in words and not one.text.startswith("@"):  # a registry may fill that one in
            begins = re.sub(r"^(['\"]{3})[^'\"]*\1\s*", "", one.body).replace(" (", "(").partition("\n")[0]
            lines = without_comments(one.text, language).splitlines() if any(way.match(begins) for way in ways) else []
            yield from [line.strip() for line in lines if any(way.search(line) for way in ways)][:1]


def _unwritten(text: str, language: str, task: str) -> Iterator[str]:
    above, branch = "", _ARM if language == "rs" else _BRANCH
    for line in without_comments(text, language).splitlines():
        found = _UNWRITTEN[language].search(line)
        bare = _BARE[language].search(line) if language in _BARE and not found else None
        head = line[: one.start()] if (one := found or bare) else ""
        opens = head if re.search(r"\w", head) else above
        if (found or (bare and _singles_out(opens, task))) and branch.search(opens) and not _REST.search(opens):
            yield line
        above = line if line.strip() else above


def _singles_out(condition: str, task: str) -> bool:
    """Return whether a condition compares with something that the task names, and for which it wants no error."""
    if compiled(patterns().raises).search(task):
        return False
    named = {next(filter(None, one.groups())) for one in _COMPARED.finditer(condition)}
    return not named.isdisjoint(re.findall(r"[\w-]+", task))
