"""Making work trees for runs: a linked git work tree and a branch per run."""

import os
import re
import shutil
from collections.abc import Callable, Iterable
from functools import partial

import msgspec

from mi.fleet.tree_commit import commit_changes
from mi.fleet.tree_lock import hold_tree_list
from mi.fleet.tree_registry import TreeRegistry, WorkTree
from mi.fleet.tree_rules import FILE, TreeRules, read_rules
from mi.fleet.tree_setup import (
    copy_files,
    find_dependencies,
    find_shown,
    hide,
    link_folders,
    list_new,
    run_commands,
    share_submodules,
)
from mi.hosts.workspaces import Workspace
from mi.kernel import clock, git
from mi.kernel.errors import Blocked, MiError, UsageError
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.secrets import hide_credentials
from mi.project.identity import Project
from mi.project.left_out import KeepRules
from mi.project.trust import find_untrusted, read_trust

_SLUG_LENGTH = 40
_LITTLE_ROOM = 64_000_000  # bytes
_MAKE_S = 600.0  # a large repository on a slow disk


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
    words = re.sub(r"[^\w]+", "-", hide_credentials(task)[0].casefold()).strip("-_")
    slug = words[:_SLUG_LENGTH].rsplit("-", 1)[0] if len(words) > _SLUG_LENGTH and "-" in words else words
    return f"mi/{slug[:_SLUG_LENGTH] or 'task'}-{shorten_run_id(run_id)}"


def plan_tree(home: Home, project: Project, run_id: str, task: str) -> WorkTree:
    """Return the work tree that a run would get; MiError where the project can have none."""
    top, here = git.find_toplevel(project.main_root), git.find_toplevel(project.root)
    if top is None or here is None:
        raise UsageError("tree-no-git", root=project.main_root)
    head = git.run(here, "rev-parse", "--verify", "-q", "HEAD^{commit}")
    if head.code is None:
        raise MiError("tree-git-missing", root=top)
    if head.code != 0:
        git.require_willing(here)
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
        begun_in="" if here == top else here,
        branch=name_branch(task, run_id),
        base=head.output.strip(),
        made_at=clock.now(),
    )


def make_tree(
    home: Home,
    planned: WorkTree,
    keep: KeepRules | None,
    notices: Notices,
    say: Callable[[str], None] = lambda command: None,
) -> WorkTree:
    """Make a work tree and its branch; with `keep` it begins with what is not committed in the main one.

    One that was made for the run already is taken as it is. MiError where it cannot be made: then nothing is left.
    """
    registry = TreeRegistry(home, notices)
    known = registry.find(planned.run_id)
    if known is not None and known.ready and os.path.exists(os.path.join(known.path, ".git")):
        return known
    if known is not None and not known.ready:
        take_back(known)  # MI was killed while it made it
    if git.run(planned.main, "show-ref", "--verify", "-q", f"refs/heads/{planned.branch}").code == 0:
        raise MiError("tree-branch-exists", branch=planned.branch, root=planned.main)
    if os.path.lexists(planned.path):
        raise MiError("tree-in-the-way", path=planned.path)
    rules, tree = read_rules(os.path.join(planned.main, planned.folder)), planned
    refuse_untrusted(home, tree.project_id, rules.commands)
    if keep is not None:
        base = commit_changes(
            tree.begun_in or tree.main, tree.base, f"uncommitted changes when {tree.run_id} began", keep, notices
        )
        tree = msgspec.structs.replace(tree, base=base)
    tree = registry.put_with_ports(tree, rules.ports)
    try:
        _add(home, tree)
        return _make_ready(registry, tree, rules, notices, say)
    except BaseException as error:
        take_back(tree)
        registry.remove(tree.run_id)
        hide(tree.main, registry.list_shown(tree.main))
        if isinstance(error, OSError):
            raise MiError("tree-failed", path=tree.path, reason=error.strerror or str(error)) from None
        raise


def refuse_untrusted(home: Home, project_id: str, commands: Iterable[str]) -> None:
    """Raise Blocked where the person has not trusted a command that would be run."""
    untrusted = find_untrusted(read_trust(home.project(project_id).trust), commands)
    if untrusted:
        raise Blocked("tree-untrusted", file=FILE, commands=", ".join(untrusted))


def _make_ready(
    registry: TreeRegistry, tree: WorkTree, rules: TreeRules, notices: Notices, say: Callable[[str], None]
) -> WorkTree:
    """Give a work tree what it shares and gets, hide that from git, and run the person's commands in it."""
    if os.path.isfile(os.path.join(tree.path, ".gitmodules")):
        share_submodules(tree.main, tree.path, choose_filters(registry.home, tree), notices)
    place = partial(os.path.join, tree.folder) if tree.folder else str
    wanted = find_dependencies(tree.main, notices) if rules.link is None else list(map(place, rules.link))
    links = link_folders(tree.main, tree.path, wanted)
    placed = map(place, find_placed(registry.home, os.path.join(tree.main, tree.folder)))
    copies = copy_files(tree.main, tree.path, dict.fromkeys([*map(place, rules.copy), *placed]), notices)
    tree = msgspec.structs.replace(
        tree,
        links=links,
        copies=copies,
        shown=find_shown(tree.path, [*links, *copies]),
        teardown=list(rules.teardown),
        seconds=rules.seconds,
    )
    registry.put(tree)
    if tree.shown:
        hide(tree.main, registry.list_shown(tree.main))
    run_commands(rules.setup, tree.root, tree.ports, rules.seconds, say)
    made = list_new(tree.path) if rules.setup else {}
    return registry.put(msgspec.structs.replace(tree, made=made, ready=True))


def _add(home: Home, tree: WorkTree) -> None:
    """Have git make the work tree: on its branch where that is there already, else on a new one."""
    os.makedirs(os.path.dirname(tree.path), mode=0o700, exist_ok=True)
    is_there = git.run(tree.main, "show-ref", "--verify", "-q", f"refs/heads/{tree.branch}").code == 0
    begin = [tree.path, tree.branch] if is_there else ["--no-track", "-b", tree.branch, tree.path, tree.base]
    with hold_tree_list(tree.main):
        made = git.run_bytes(
            tree.main,
            *("worktree", "add", "--quiet", *begin),
            timeout_s=_MAKE_S,
            settings={"checkout.workers": "0"} | choose_filters(home, tree),
            env={"GIT_NO_LAZY_FETCH": None},  # of a partial clone the contents may have to come first
            umask=-1,
        )
    if made.code != 0:
        reason, free = made.error.removeprefix("fatal: "), shutil.disk_usage(os.path.dirname(tree.path)).free
        if free < _LITTLE_ROOM:  # git itself does not say so
            raise MiError("tree-disk-full", path=tree.path, reason=reason, free=free // 1_000_000)
        raise MiError("tree-failed", path=tree.path, reason=reason)


def remake_tree(
    home: Home, tree: WorkTree, snapshot: str, notices: Notices, say: Callable[[str], None] = lambda command: None
) -> WorkTree:
    """Make the work tree of a run again that is gone: on its branch, with what its latest snapshot held."""
    rules, registry = read_rules(os.path.join(tree.main, tree.folder)), TreeRegistry(home, notices)
    refuse_untrusted(home, tree.project_id, rules.commands)
    with hold_tree_list(tree.main):
        git.run(tree.main, "worktree", "prune")
    tree = registry.put_with_ports(tree, rules.ports)
    _add(home, tree)
    if snapshot:
        for words in (("read-tree", "--reset", "-u", snapshot), ("reset", "-q", "--mixed")):
            done = git.run_bytes(tree.path, *words, timeout_s=_MAKE_S, settings=choose_filters(home, tree), umask=-1)
            if done.code != 0:
                raise MiError("tree-failed", path=tree.path, reason=done.error)
    notices.add("tree-remade", tree.path)
    return _make_ready(registry, tree, rules, notices, say)


def mend_tree(registry: TreeRegistry, tree: WorkTree, main: str) -> WorkTree:
    """Return a work tree whose repository is at `main` now; where it was moved, git is told of it."""
    if tree.main != main:
        tree = registry.put(msgspec.structs.replace(tree, main=main))
    if os.path.isdir(tree.path) and git.find_main_tree(tree.path) != main:
        git.run(main, "worktree", "repair", tree.path)
    return tree


def find_placed(home: Home, root: str) -> list[str]:
    """Return what MI placed into the person's tree for hosts: what of it git does not keep, a work tree lacks."""
    workspace = Workspace(root, home)
    if not workspace.is_recorded:
        return []
    paths = dict.fromkeys(entry.path for entry in workspace.read().entries)
    return [path for path in paths if os.path.exists(os.path.join(root, path))]


def choose_filters(home: Home, tree: WorkTree) -> dict[str, str]:
    """Return settings under which files are written out and taken in.

    The filters of a repository run only where the person trusts it; Git LFS leaves its pointers where it is missing.
    """
    off = {} if read_trust(home.project(tree.project_id).trust) else git.disable_filters(tree.main)
    return off | find_missing_filters()


def find_missing_filters() -> dict[str, str]:
    """Return settings that switch Git LFS off where it is not installed: its pointers stay as they are."""
    if shutil.which("git-lfs"):
        return {}
    return {"filter.lfs.required": "false"} | {f"filter.lfs.{name}": "" for name in ("smudge", "clean", "process")}


def take_back(tree: WorkTree) -> None:
    """Remove what is there of a work tree that could not be made."""
    shutil.rmtree(tree.path, ignore_errors=True)
    with hold_tree_list(tree.main):
        git.run(tree.main, "worktree", "prune")
    git.run(tree.main, "update-ref", "-d", f"refs/heads/{tree.branch}", tree.base)
