"""Branches of new code that only say that they are not written yet."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import SCRIPTED, without_comments
from mi.project.checks.product_functions import is_product, text_of
from mi.project.trees import Tree

_SAID = r"[^)]*(?:\btodo\b|not (?:yet )?implemented|unimplemented)"
_UNWRITTEN = {
    "rs": re.compile(r"\b(?:todo|unimplemented)!"),
    "go": re.compile(rf"\bpanic\({_SAID}", re.IGNORECASE),
    "py": re.compile(rf"\braise NotImplementedError\({_SAID}", re.IGNORECASE),
    **dict.fromkeys(SCRIPTED, re.compile(rf"\bthrow new \w*Error\({_SAID}", re.IGNORECASE)),
}
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
            new = (line for line in _unwritten(text_of(final, path), extension(path)) if line not in had)
            yield from (f"{path}: {line.strip()}" for line in new)


def _unwritten(text: str, language: str) -> Iterator[str]:
    above = ""
    for line in without_comments(text, language).splitlines():
        found = _UNWRITTEN[language].search(line)
        head = line[: found.start()] if found else ""
        opens = head if re.search(r"\w", head) else above
        branch = _ARM if language == "rs" else _BRANCH
        if found and branch.search(opens) and not _REST.search(opens):
            yield line
        above = line if line.strip() else above
