"""Collections that a task wants filled: whether any line that came says so much as their name."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.kernel.text import split_sentences
from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import without_comments
from mi.project.checks.product_functions import is_product, text_of, words_of
from mi.project.trees import Tree

_NAMED = re.compile(r"\s*`([A-Za-z_$][\w$]*)`")


def find_unfilled(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the names that a task wants something put into, that the product has, and that no new line speaks of."""
    known = patterns()
    wanted = {
        found[1]
        for sentence in split_sentences(task)
        for verb in compiled(known.puts_into).finditer(sentence)
        if (found := _NAMED.match(sentence, verb.end()))
        and not compiled(rf"(?:{known.negation})[^,.;]{{0,20}}\Z").search(sentence[: verb.start()])
    }
    if not wanted:
        return
    changed = [path for path in final.changed_since(base) if is_product(path)]
    had = frozenset(word for path in changed for word in words_of(_plain(base, path)))
    came = [line for path in changed for line in _new_lines(path, base, final)]
    for name in sorted(wanted & had):
        if came and not any(name in words_of(line) for line in came):
            yield name


def _new_lines(path: str, base: Tree, final: Tree) -> list[str]:
    had = {line.strip() for line in _plain(base, path).splitlines()}
    return [line for line in _plain(final, path).splitlines() if line.strip() and line.strip() not in had]


def _plain(tree: Tree, path: str) -> str:
    return without_comments(text_of(tree, path), extension(path))
