"""The judges of the work: what of the tests, and of what sets up, selects and runs them, is not as it was.

Compared item by item and setting by setting: what is added takes nothing away, layout and comments say nothing.
"""

from collections.abc import Iterable

from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.judge_asked import asks_for, renamed_by
from mi.project.checks.judge_comparison import JudgeComparison, code_items, text_of
from mi.project.checks.judge_compose import with_judges_of
from mi.project.checks.judge_differences import JudgeChange
from mi.project.checks.judge_notices import EvadingLine, notices_tests
from mi.project.checks.judge_places import judge_kind
from mi.project.checks.judge_reshaped import with_reshaped
from mi.project.checks.judge_taken_back import with_taken_back
from mi.project.trees import Tree

__all__ = ["EvadingLine", "JudgeChange", "NewTest", "base_judges", "find_judge_changes", "new_tests", "notices_tests"]


class NewTest(NamedTuple):
    """A test that was not there before."""

    path: str
    name: str


def find_judge_changes(base: Tree, final: Tree, task: str) -> list[JudgeChange]:
    """Return every judge that was changed, moved, hidden, left out or replaced, and whether the task asks for that."""
    found = JudgeComparison(base, final, renamed_by(task), task).changes()
    asked = [one._replace(asked_for=asks_for(task, one, base, final)) for one in found]
    return with_reshaped(with_taken_back(asked, base, final, task), base, final, task)


def base_judges(base: Tree, final: Tree, changes: Iterable[JudgeChange]) -> dict[str, bytes | None]:
    """Return what has to be put into the final tree for it to be judged as at the base; None: left out."""
    found: dict[str, bytes | None] = {}
    for change in changes:
        before, after = base.read(change.path), final.read(change.path)
        if change.how == "moved":
            found[change.after.partition("\n")[0]] = None
        found[change.path] = with_judges_of(change.path, before, after) if before is not None and after else before
    return found


def new_tests(base: Tree, final: Tree) -> list[NewTest]:
    """Return the tests that came, by file and name."""
    found: list[NewTest] = []
    for path in final.changed_since(base):
        if judge_kind(path) not in ("code", "inline"):
            continue
        before = {item.name for item in code_items(path, text_of(base.read(path)))}
        after = code_items(path, text_of(final.read(path)))
        found += [NewTest(path, item.name) for item in after if item.is_test and item.name not in before]
    return found
