"""Several functions of which a task orders the same: whether something was done for each."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.text import split_sentences
from mi.project.checks.product_functions import (
    find_functions,
    find_reached,
    is_product,
    last_part,
    read_definitions,
    read_product,
    text_of,
    words_of,
)
from mi.project.trees import Tree

_NAME = r"`?[A-Za-z_$][\w.$]*(?:\(\))?`?"


def find_left_out(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the functions for which nothing was done, where something was for others of the same list."""
    for sentence in split_sentences(task):
        asked = find_functions(_listed(sentence), base)
        if len(asked) < 2:
            continue
        left = [name for name in asked if not _is_done(name, asked, sentence, base, final)]
        if len(left) < len(asked):
            yield from map(last_part, left)


def _listed(sentence: str) -> frozenset[str]:
    """Return the names of a list of which a sentence orders something, each by itself."""
    known = patterns()
    if compiled(known.means_together).search(sentence):
        return frozenset()
    comma = one_of(*known.commas, *known.list_marks)
    several = rf"{_NAME}(?:\s*{comma}\s*{_NAME})*\s*{comma}?\s*(?:{known.last_of_list})\s*{_NAME}"
    before, behind = compiled(rf"(?:{known.orders_each})\Z"), compiled(rf"(?:{known.obliges_each})")
    for found in compiled(rf"(?<![\w`.]){several}").finditer(sentence):
        verb = before.search(sentence[: found.start()])
        if verb or behind.match(sentence, found.end()):
            return words_of(found[0])
    return frozenset()


def _is_done(name: str, asked: list[str], sentence: str, base: Tree, final: Tree) -> bool:
    """Return whether a function, what it uses or what names it changed, or it was as is asked before."""
    before = [one for one in read_product(base) if one.name == name]
    product = read_product(final)
    now = [one for one in product if one.name == name]
    if {one.text for one in before} != {one.text for one in now}:
        return True
    things = set(re.findall(r"`([\w.]+)`", sentence)) - set(asked)
    if things and all(things <= words_of(one.text) for one in before):
        return True
    had = {one.text for one in read_product(base)}
    return any(one.text not in had for each in now for one in find_reached(each, product)) or _is_named_anew(
        last_part(name), asked, base, final
    )


def _is_named_anew(word: str, asked: list[str], base: Tree, final: Tree) -> bool:
    """Return whether code outside of the asked functions names one more often than before."""

    def count(tree: Tree, path: str) -> int:
        rest = text_of(tree, path)
        for one in read_definitions(tree, path):
            rest = rest.replace(one.text, "") if one.name in asked else rest
        return len(re.findall(rf"\b{re.escape(word)}\b", rest))

    changed = [path for path in final.changed_since(base) if is_product(path)]
    return any(count(final, path) > count(base, path) for path in changed)
