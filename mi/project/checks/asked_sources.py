"""Files that a program writes: whether what they are made from changed with them."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.project.checks.file_kinds import is_lock, is_test
from mi.project.checks.product_functions import text_of
from mi.project.trees import Tree

_HEAD = 5  # lines in which a file says so
_GENERATED = re.compile(r"generated\b", re.IGNORECASE)
_HANDS_OFF = re.compile(
    r"@generated\b|\b(?:do not|don't|never) (?:\w+ )?(?:edit|modify|change|touch)\b|\bby hand\b|\bmanual(?:ly)?\b"
    r"|\boverwritten\b|\bbe lost\b",
    re.IGNORECASE,
)
_NO_SOURCE = re.compile(r"(?:^|/)(?:README|CHANGELOG|CHANGES|HISTORY|NEWS)[^/]*$", re.IGNORECASE)


def find_edited_output(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the files that say they are generated and not to be edited, where nothing that could make them changed."""
    if compiled(patterns().makes_anew).search(task):
        return
    changed = [path for path in final.changed_since(base) if not (is_lock(path) or is_test(path))]
    written = [path for path in changed if final.read(path) is not None and is_generated(text_of(base, path))]
    if all(path in written or _NO_SOURCE.search(path) for path in changed):
        yield from (path for path in written if path.rpartition("/")[2] not in task)


def is_generated(text: str) -> bool:
    """Return whether a text begins with the word that it is generated and nobody is to edit it."""
    head = "\n".join(text[:2000].splitlines()[:_HEAD])
    return bool(_GENERATED.search(head) and _HANDS_OFF.search(head))
