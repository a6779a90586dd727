"""English texts of runs in work trees of their own, of `mi merge` and of `mi runs clean`."""

TEXT = {
    "tree.made": "[mi] works in {path} on branch {branch}, begun at {base}",
    "tree.committed": "  commit   {commit} on {branch} · mi merge {run_id}",
    "tree.stays": "  tree     {path} on branch {branch}, as the agent left it",
    "error.tree-no-git": "{root} is in no git work tree; --worktree needs one (git init and a first commit, or run without --worktree)",
    "error.tree-no-commit": "{root} has no commit yet; --worktree begins at one (git commit, or run without --worktree)",
    "error.tree-git-missing": "{root}: git did not answer; is it installed? (or run without --worktree)",
    "error.tree-branch-exists": "the branch {branch} is already in {root} (git branch -m {branch} <another name>, or git branch -d {branch})",
    "error.tree-failed": "the work tree {path} could not be made: {reason} (nothing was begun)",
    "error.tree-not-written": "{path}: git could not write the work down: {reason}",
    "error.tree-branch-left": "{branch} holds commits that {path} does not have; the work stays there uncommitted (git -C {path} status)",
    "error.trees-in-home": "MI_WORKTREES={folder}: work trees may not be in MI's own home, where agents may not write (name another folder)",
    "error.run-tree-gone": "the work tree {path} of {run_id} is gone; its branch {branch} and its snapshots are still there (git worktree add {path} {branch}, then mi run --resume {run_id})",
    "error.changes-without-tree": "--with-changes: only with --worktree (without one, the agent works on your changes anyway)",
    "error.tree-of-resumed": "--worktree: a run that is resumed goes on where it worked (leave --worktree out)",
    "error.unknown-agent": "--agent {name}: no such agent (one of: {known})",
    "notice.work-not-committed": "the work is done but not committed: {reason}",
    "notice.not-committed": "{path} is not committed ({why}); it stays in the work tree",
    "notice.commit-nobody": "git does not know who you are, so the commit is in MI's name (git config user.name, user.email)",
}
