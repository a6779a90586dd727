"""What went with something that a task wants removed, and that neither the task nor the removed needed gone."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.project.checks.definitions import Definition
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.checks.judge_tokens import SCRIPTED
from mi.project.checks.product_functions import (
    find_reached,
    is_product,
    last_part,
    read_definitions,
    read_product,
    text_of,
    words_of,
)
from mi.project.trees import Tree

_REQUIREMENTS = re.compile(r"(?:^|/)requirements[\w.-]*\.(?:txt|in)$")


def find_kept_dependencies(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the manifests and names of the packages that a task wants gone and that are still named there."""
    wanted = [name for one in compiled(patterns().package_gone).finditer(task) for name in one.groups() if name]
    manifests = [path for path in sorted(final.paths()) if judge_kind(path) == "manifest" or _REQUIREMENTS.search(path)]
    for path in manifests if wanted else ():
        for name in wanted:
            word = re.compile(rf"(?<![\w./@-]){re.escape(name)}(?![\w/-])")
            if word.search(text_of(base, path)) and word.search(text_of(final, path)):
                yield f"{path}: {name}"


def find_more_removed(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the public functions that are gone beside those that a task names, and that these did not use."""
    known = patterns()
    if not compiled(known.takes_out).search(task) or compiled(f"{known.takes_more}|{known.gives_name}").search(task):
        return
    kept = [path for path in final.changed_since(base) if is_product(path) and base.read(path) and final.read(path)]
    left, words = {last_part(one.name) for one in read_product(final)}, words_of(task)
    gone = [(path, one) for path in kept for one in read_definitions(base, path) if last_part(one.name) not in left]
    meant = [one for _, one in gone if not words.isdisjoint(one.name.split("."))]
    product = read_product(base) if 0 < len(meant) < len(gone) else []
    needed = {other.text for one in meant for other in find_reached(one, product)}
    names = {last_part(one.name) for one in meant}
    for path, one in gone if product else ():
        is_bound = one.text in needed or not names.isdisjoint(words_of(one.text))  # they use it, or it uses them
        if one not in meant and one.body and not is_bound and _is_public(one, path):
            yield last_part(one.name)


def _is_public(one: Definition, path: str) -> bool:
    """Return whether others may use a function: by its name, or by what stands before it."""
    language, name = extension(path), last_part(one.name)
    if language == "go":
        return name[:1].isupper()
    if language == "rs" or language in SCRIPTED:
        return re.match(r"\s*(?:pub|export)\b", one.text) is not None
    return not one.name.startswith("_") and not name.startswith("_")
