"""What `mi doctor` says of work trees: those of runs, and the project's own rules for them."""

import os
from collections.abc import Iterator

from mi.app.home_context import HomeContext
from mi.cli.doctor_finding import DoctorFinding
from mi.cli.output import Output
from mi.kernel import git
from mi.kernel.errors import Blocked, UsageError


def look_at_trees(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what is wrong with work trees of runs, and with `.mi/worktree.toml`."""
    from mi.fleet.tree_registry import TreeRegistry

    listed = TreeRegistry(context.home, context.notices).read().values() if context.home.exists() else []
    for tree in listed:
        details = {"path": tree.path, "run_id": tree.run_id, "branch": tree.branch}
        if not os.path.isdir(tree.path):
            yield DoctorFinding("trees", "warn", "tree-gone", details, f"mi run --resume {tree.run_id}")
        elif not git.find_main_tree(tree.path):
            main = context.main_root if context.project.project_id == tree.project_id else tree.main
            yield DoctorFinding("trees", "warn", "tree-moved", details, f"git -C {main} worktree repair {tree.path}")
    if listed:
        yield DoctorFinding("trees", "ok", "trees", {"count": len(listed)})
    yield from _look_at_rules(context, out)


def _look_at_rules(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    from mi.fleet.tree_rules import FILE, read_rules
    from mi.fleet.work_trees import refuse_untrusted

    if not os.path.exists(os.path.join(context.main_root, FILE)):
        return
    try:
        refuse_untrusted(context.home, context.project.project_id, read_rules(context.main_root).commands)
        yield DoctorFinding("trees", "ok", "tree-rules", {"path": FILE})
    except UsageError as error:
        yield DoctorFinding("trees", "warn", "as-is", {"text": error.line(out.language)})
    except Blocked as error:
        yield DoctorFinding("trees", "warn", "as-is", {"text": error.line(out.language)}, "mi trust")
