"""Constants for which a task names a number: whether they have it."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.project.checks.product_functions import is_product, text_of
from mi.project.trees import Tree

_NUMBER = r"-?\d[\d_,]*(?:\.\d+)?"


def find_other_numbers(task: str, base: Tree, final: Tree) -> Iterator[tuple[str, str]]:
    """Yield each constant that has another number than the task says, with what is wrong; a unit may be converted."""
    known = patterns()
    ends = rf"(?=`?(?:[.,;)](?!\d)|\s*\Z|\s+(?:to|{known.follows_value})\b))"
    said = compiled(rf"(?-i:\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b)`?(?:{known.has_number})`?({_NUMBER}){ends}")
    for name, number in said.findall(task):
        now, before = _values(name, final, base, final), _values(name, base, base, final)
        if now and _plain(number) not in now | before:
            yield name, f"`{name}` is {min(now)}, not {number}"


def _values(name: str, tree: Tree, base: Tree, final: Tree) -> set[str]:
    """Return the plain numbers that a tree gives a constant, in the files that changed."""
    given = re.compile(
        rf"(?m)\b{name}\b(?:\s*:\s*\w+(?: +\w+)*|\s+\w+)?\s*=\s*({_NUMBER})[ \t\r]*(?:;[ \t\r]*)?(?:(?:#|//).*)?$"
    )
    paths = [path for path in final.changed_since(base) if is_product(path)]
    return {_plain(one) for path in paths for one in given.findall(text_of(tree, path))}


def _plain(number: str) -> str:
    return re.sub(r"[_,]", "", number)
