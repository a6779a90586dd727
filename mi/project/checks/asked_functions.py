"""The functions that a task speaks of: whether they use what they are given, and whether anything was done for them."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.asked_branches import find_unwritten
from mi.project.checks.asked_collections import find_unfilled
from mi.project.checks.asked_effects import find_without_effect
from mi.project.checks.asked_errors import find_without_error
from mi.project.checks.asked_everywhere import find_old_values
from mi.project.checks.asked_lists import find_left_out
from mi.project.checks.asked_numbers import find_other_numbers
from mi.project.checks.asked_raises import find_never_raising, find_unnamed_errors
from mi.project.checks.asked_removals import find_kept_dependencies, find_more_removed
from mi.project.checks.asked_sources import find_edited_output
from mi.project.checks.asked_stops import find_only_told
from mi.project.checks.asked_switches import find_switched_off
from mi.project.checks.definitions import Definition
from mi.project.checks.file_kinds import is_test
from mi.project.checks.judge_places import judge_kind
from mi.project.checks.lost_names import find_lost_imports
from mi.project.checks.product_functions import (
    SEARCHED,
    find_functions,
    is_product,
    last_part,
    read_definitions,
    read_product,
    text_of,
    words_of,
)
from mi.project.trees import Tree

_SPELLED = re.compile(r"(?<![\w.$])[\d.]*([A-Za-z_$][\w.$]*)\(([^()]*)\)")
_OUTPUT = "is generated, and nothing that it is made from changed"
_OFF = "switches off what was asked for, and the task speaks of no switch"
_STAYS = "does not ask for that: put it back"
_STANDS_IN = re.compile(r"NotImplemented|abstract|todo!|unimplemented!|\blocals\(|\barguments\b|@overload")


class OpenFunction(NamedTuple):
    """A function of a task, and what is missing."""

    name: str
    missing: str


def find_open_functions(task: str, base: Tree, final: Tree) -> list[OpenFunction]:
    """Return the functions of a task that leave out what they are given, or for which nothing was done."""
    changed = [path for path in final.changed_since(base) if is_product(path) and final.read(path) is not None]
    return [
        *_find_unused(task, base, final, changed),
        *_find_undone(task, base, final, changed),
        *(OpenFunction(name, wrong) for name, wrong in find_other_numbers(task, base, final)),
        *(OpenFunction(line, f"`{line}` is not written yet") for line in find_unwritten(task, base, final)),
        *(OpenFunction(name, f"nothing was done for `{name}`") for name in find_left_out(task, base, final)),
        *(OpenFunction(name, f"`{name}` never gives an error") for name in find_without_error(task, base, final)),
        *(OpenFunction(name, f"`{name}` never gives an error") for name in find_never_raising(task, base, final)),
        *(OpenFunction(line, f"`{line}` has the old value") for line in find_old_values(task, base, final)),
        *(OpenFunction(path, f"`{path}` {_OUTPUT}") for path in find_edited_output(task, base, final)),
        *(OpenFunction(line, f"`{line}` tells of a failure and goes on") for line in find_only_told(task, base, final)),
        *(
            OpenFunction(name, f"`{name}` is gone, and the task {_STAYS}")
            for name in find_more_removed(task, base, final)
        ),
        *(OpenFunction(line, f"`{line}` {wrong}") for line, wrong in find_without_effect(task, base, final)),
        *(
            OpenFunction(name, f"nothing that came puts anything into `{name}`")
            for name in find_unfilled(task, base, final)
        ),
        *(
            OpenFunction(name, f"{path} imports `{name}`, which is no longer there")
            for path, name in find_lost_imports(base, final)
        ),
        *(OpenFunction(place, f"`{place}` is still there") for place in find_kept_dependencies(task, base, final)),
        *(OpenFunction(name, f"nothing raises `{name}`") for name in find_unnamed_errors(task, base, final)),
        *(OpenFunction(line, f"`{line}` {_OFF}") for line in find_switched_off(task, base, final)),
    ]


def _find_unused(task: str, base: Tree, final: Tree, changed: list[str]) -> Iterator[OpenFunction]:
    """Yield the parameters that a task gives a function and that its text never uses."""
    spelled = {name.rpartition(".")[2]: words_of(said) for name, said in _SPELLED.findall(task)}
    if not spelled or compiled(patterns().unused_on_purpose).search(task):
        return
    for path in changed:
        had = {one.text for one in read_definitions(base, path)}
        for one in read_definitions(final, path):
            if one.text in had or not one.body or _STANDS_IN.search(one.text):
                continue
            said = [name for name in one.parameters if name in spelled.get(last_part(one.name), ())]
            unused = [name for name in said if name not in words_of(one.body)]
            for name in unused if not (unused and _fills_in(one.name, path, final)) else ():
                yield OpenFunction(one.name, f"`{last_part(one.name)}` never uses its parameter `{name}`")


def _fills_in(name: str, path: str, tree: Tree) -> bool:
    """Return whether a base class of the project defines a method, which says what it is given."""
    owner, _, method = name.rpartition(".")
    bases = re.search(rf"\bclass {re.escape(owner)}\(([^)]*)\)", text_of(tree, path)) if owner else None
    wanted = {f"{one}.{method}" for one in words_of(bases[1])} if bases else set()
    return bool(wanted) and any(one.name in wanted for one in read_product(tree))


def _find_undone(task: str, base: Tree, final: Tree, changed: list[str]) -> Iterator[OpenFunction]:
    """Yield what is to be mended where the change only adds functions that nothing calls and nobody asked for."""
    words = words_of(task)
    if not changed or not compiled(patterns().mending).search(task):
        return
    new = [(path, one) for path in changed for one in _added(base, final, path)]
    functions = [one for _, one in new if one.body]
    if not functions or any(words & {*one.name.split(".")} for one in functions):
        return
    if all(_only_adds(base, final, path) for path in changed) and not _are_called(functions, final):
        for name in find_functions(words, base):
            used = ", ".join(f"`{one.name}`" for one in functions[:3])
            yield OpenFunction(name, f"nothing was done for `{last_part(name)}`: nothing calls {used}")


def _added(base: Tree, final: Tree, path: str) -> list[Definition]:
    had = {one.name for one in read_definitions(base, path)}
    return [one for one in read_definitions(final, path) if one.name not in had]


def _only_adds(base: Tree, final: Tree, path: str) -> bool:
    rest = text_of(final, path)
    for one in _added(base, final, path):
        rest = rest.replace(one.text, "", 1)
    return rest.split() == text_of(base, path).split() or base.read(path) is None


def _are_called(functions: list[Definition], tree: Tree) -> bool:
    own = "\n".join(one.text for one in functions)
    names = {last_part(one.name) for one in functions}
    paths = sorted(
        path for path in tree.paths() if judge_kind(path) in ("", "inline", "manifest") and not is_test(path)
    )
    for path in paths[:SEARCHED]:
        rest = text_of(tree, path)
        for one in functions:
            rest = rest.replace(one.text, "")
        if names & words_of(rest):
            return True
    return not names.isdisjoint(word for word in re.findall(r"@\w+", own))
