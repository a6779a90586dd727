"""Work trees for runs: a linked git work tree and a branch per run, listed in the home."""

import os
import re
import shutil
from collections.abc import Callable

import msgspec
from msgspec import Struct

from mi.fleet.tree_commit import commit_changes
from mi.kernel import clock, git
from mi.kernel.errors import MiError, UsageError
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.project.identity import Project
from mi.project.left_out import KeepRules
from mi.project.trust import read_trust

_SLUG_LENGTH = 40
_MAKE_S = 600.0  # a large repository on a slow disk


class WorkTree(Struct, frozen=True, kw_only=True):
    """A work tree that MI made for a run, as the home lists it."""

    path: str  # its top
    run_id: str
    project_id: str = ""
    main: str = ""  # the top of the person's own tree
    folder: str = ""  # the project's folder in it; '' is the top
    branch: str = ""
    base: str = ""  # the commit that the work begins at
    made_at: str = ""

    @property
    def root(self) -> str:
        """Return the project's root in this tree."""
        return os.path.join(self.path, self.folder) if self.folder else self.path


class TreeList(Struct, frozen=True, kw_only=True):
    """The work trees that MI made, by run."""

    version: str = "v1"
    trees: dict[str, WorkTree] = {}


class TreeRegistry:
    """Reads and changes the home's list of work trees."""

    def __init__(self, home: Home, notices: Notices) -> None:
        self._home = home
        self._notices = notices

    def read(self) -> dict[str, WorkTree]:
        """Return the work trees by run."""
        return read_state(self._home.work_trees, TreeList, self._notices).trees

    def find(self, run_id: str) -> WorkTree | None:
        """Return the work tree of a run."""
        return self.read().get(run_id) if os.path.exists(self._home.work_trees) else None

    def put(self, tree: WorkTree) -> WorkTree:
        """List a work tree; it goes before the one that is listed for the run."""
        return self._change(lambda trees: trees | {tree.run_id: tree})[tree.run_id]

    def remove(self, run_id: str) -> None:
        """List the work tree of a run no longer."""
        self._change(lambda trees: {key: tree for key, tree in trees.items() if key != run_id})

    def _change(self, change: Callable[[dict[str, WorkTree]], dict[str, WorkTree]]) -> dict[str, WorkTree]:
        def replaced(old: TreeList) -> TreeList:
            return msgspec.structs.replace(old, trees=change(old.trees))

        return update_state(self._home.work_trees, TreeList, replaced, self._notices).trees


def find_trees_folder(home: Home) -> str:
    """Return where work trees go: `$MI_WORKTREES`, else beside the home, in which agents may not write."""
    named = os.environ.get("MI_WORKTREES")
    folder = os.path.realpath(os.path.expanduser(named)) if named else f"{os.path.realpath(home.root)}-worktrees"
    if (folder + os.sep).startswith(os.path.realpath(home.root) + os.sep):
        raise UsageError("trees-in-home", folder=folder)
    return folder


def shorten_run_id(run_id: str) -> str:
    """Return the part of a run's id that tells it from other runs."""
    return run_id.rpartition("_")[2]


def name_branch(task: str, run_id: str) -> str:
    """Return the branch of a run's work tree, by the words of its task."""
    words = re.sub(r"[^\w]+", "-", task.casefold()).strip("-_")
    slug = words[:_SLUG_LENGTH].rsplit("-", 1)[0] if len(words) > _SLUG_LENGTH and "-" in words else words
    return f"mi/{slug[:_SLUG_LENGTH] or 'task'}-{shorten_run_id(run_id)}"


def plan_tree(home: Home, project: Project, run_id: str, task: str) -> WorkTree:
    """Return the work tree that a run would get; MiError where the project can have none."""
    top = git.find_toplevel(project.main_root)
    if top is None:
        raise UsageError("tree-no-git", root=project.main_root)
    head = git.run(top, "rev-parse", "--verify", "-q", "HEAD^{commit}")
    if head.code is None:
        raise MiError("tree-git-missing", root=top)
    if head.code != 0:
        raise UsageError("tree-no-commit", root=top)
    folder = os.path.relpath(os.path.realpath(project.main_root), top)
    name = re.sub(r"[^\w.-]+", "-", os.path.basename(top)) or "project"
    place = os.path.join(find_trees_folder(home), f"{name}-{project.project_id[:8]}", shorten_run_id(run_id))
    return WorkTree(
        path=place,
        run_id=run_id,
        project_id=project.project_id,
        main=top,
        folder="" if folder == os.curdir else folder,
        branch=name_branch(task, run_id),
        base=head.output.strip(),
        made_at=clock.now(),
    )


def make_tree(home: Home, planned: WorkTree, keep: KeepRules | None, notices: Notices) -> WorkTree:
    """Make a work tree and its branch; with `keep` it begins with what is not committed in the main one.

    One that was made for the run already is taken as it is. MiError where it cannot be made: then nothing is left.
    """
    registry = TreeRegistry(home, notices)
    known = registry.find(planned.run_id)
    if known is not None and os.path.exists(os.path.join(known.path, ".git")):
        return known
    tree = planned
    if keep is not None:
        base = commit_changes(tree.main, tree.base, f"uncommitted changes when {tree.run_id} began", keep, notices)
        tree = msgspec.structs.replace(tree, base=base)
    registry.put(tree)
    try:
        _add(home, tree)
    except MiError:
        registry.remove(tree.run_id)
        raise
    return tree


def _add(home: Home, tree: WorkTree) -> None:
    is_made = git.run(tree.main, "show-ref", "--verify", "-q", f"refs/heads/{tree.branch}").code == 0
    if is_made:
        raise MiError("tree-branch-exists", branch=tree.branch, root=tree.main)
    try:
        os.makedirs(os.path.dirname(tree.path), mode=0o700, exist_ok=True)
    except OSError as error:
        raise MiError("tree-failed", path=tree.path, reason=error.strerror or str(error)) from None
    made = git.run_bytes(
        tree.main,
        *("worktree", "add", "--quiet", "--no-track", "-b", tree.branch, tree.path, tree.base),
        timeout_s=_MAKE_S,
        settings={"checkout.workers": "0"} | choose_filters(home, tree),
        env={"GIT_NO_LAZY_FETCH": None},  # of a partial clone the contents may have to come first
        umask=-1,
    )
    if made.code != 0:
        reason = made.error.removeprefix("fatal: ")
        _take_back(tree)
        raise MiError("tree-failed", path=tree.path, reason=reason)


def choose_filters(home: Home, tree: WorkTree) -> dict[str, str]:
    """Return settings under which files are written out and taken in.

    The filters of a repository run only where the person trusts it; Git LFS leaves its pointers where it is missing.
    """
    off = {} if read_trust(home.project(tree.project_id).trust) else git.disable_filters(tree.main)
    if not shutil.which("git-lfs"):
        off |= {
            "filter.lfs.smudge": "",
            "filter.lfs.clean": "",
            "filter.lfs.process": "",
            "filter.lfs.required": "false",
        }
    return off


def _take_back(tree: WorkTree) -> None:
    """Remove what is there of a work tree that could not be made."""
    shutil.rmtree(tree.path, ignore_errors=True)
    git.run(tree.main, "worktree", "prune")
    git.run(tree.main, "update-ref", "-d", f"refs/heads/{tree.branch}", tree.base)
