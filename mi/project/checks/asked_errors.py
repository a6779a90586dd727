"""Functions that a task wants to give an error back: whether they ever do, in Go and Rust."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.kernel.text import split_sentences
from mi.project.checks.definitions import Definition
from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import without_comments
from mi.project.checks.product_functions import (
    find_reached,
    is_product,
    last_part,
    read_definitions,
    read_product,
    words_of,
)
from mi.project.trees import Tree

_RUST_FAILS = re.compile(
    r"\bErr\b|\?|\b(?:bail|ensure|parse|collect|map|and_then|ok_or\w*|map_err|try_\w+|checked_\w+)\b"
)


def find_without_error(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the functions that are to give an error, could by their type, and never do."""
    known = patterns()
    wishes = [one for one in split_sentences(task) if asks(one, known.gives_error, known.negation)]
    words = words_of(" ".join(wishes))
    if not words or compiled(known.unused_on_purpose).search(task):
        return
    for path in final.changed_since(base):
        if extension(path) not in ("go", "rs") or not is_product(path) or final.read(path) is None:
            continue
        before = [one for one in read_definitions(base, path) if _may_fail(one, path)]
        failed = {one.name for one in before if not _never_fails(one, base, path)}
        had = {one.text for one in read_definitions(base, path)}
        for one in read_definitions(final, path):
            is_meant = last_part(one.name) in words and one.text not in had and one.name not in failed
            if is_meant and _may_fail(one, path) and _never_fails(one, final, path):
                yield last_part(one.name)


def asks(sentence: str, wish: str, refusal: str) -> bool:
    """Return whether a sentence holds a wish (a pattern) that nothing right before it refuses."""
    found = compiled(wish).search(sentence)
    refused = compiled(rf"(?:{refusal})[^,.;]{{0,20}}\Z")
    return found is not None and not refused.search(sentence[: found.start()])


def _may_fail(one: Definition, path: str) -> bool:
    """Return whether an error is one of a function's results, by its type."""
    text = without_comments(one.text, extension(path))
    return bool(re.search(r"\berror\)?\s*\{" if extension(path) == "go" else r"->(?:(?!->)[^{])*\bResult\b", text))


def _never_fails(one: Definition, tree: Tree, path: str) -> bool:
    """Return whether a function gives no error, nor calls one that does."""
    if extension(path) == "go":
        text = without_comments(one.text, "go")
        given = [value.strip(" \t}") for value in re.findall(r"(?m)\breturn\b(.*)$", text)]
        return bool(given) and all(re.search(r"\bnil$", value) for value in given)
    reached = find_reached(one, read_product(tree))
    return "Ok (" in one.body and not any(_RUST_FAILS.search(each.body) for each in reached)
