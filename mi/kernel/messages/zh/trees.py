"""Chinese texts of runs in work trees of their own, of `mi merge` and of `mi runs clean`."""

TEXT: dict[str, str] = {
    "tree.made": "[mi] 在 {path} 的分支 {branch} 上工作，始于 {base}",
    "tree.committed": "  提交     {commit}，分支 {branch} · mi merge {run_id}",
    "tree.stays": "  工作树   {path}，分支 {branch}，保持代理留下的样子",
    "error.tree-no-git": "{root} 不在任何 git 工作树中；--worktree 需要它（先 git init 并提交一次，或不用 --worktree 运行）",
    "error.tree-no-commit": "{root} 还没有提交；--worktree 从提交开始（先 git commit，或不用 --worktree 运行）",
    "error.tree-git-missing": "{root}：git 没有回应；安装了吗？（或不用 --worktree 运行）",
    "error.tree-branch-exists": "分支 {branch} 已在 {root} 中（git branch -m {branch} <另一个名字>，或 git branch -d {branch}）",
    "error.tree-failed": "无法建立工作树 {path}：{reason}（什么都没有开始）",
    "error.tree-not-written": "{path}：git 无法写下这些工作：{reason}",
    "error.tree-branch-left": "{branch} 上有 {path} 没有的提交；工作未提交，仍在那里（git -C {path} status）",
    "error.trees-in-home": "MI_WORKTREES={folder}：工作树不能在 MI 自己的主目录中，代理不可写那里（换一个文件夹）",
    "error.run-tree-gone": "{run_id} 的工作树 {path} 不见了；它的分支 {branch} 和快照还在（git worktree add {path} {branch}，然后 mi run --resume {run_id}）",
    "error.changes-without-tree": "--with-changes：只能与 --worktree 一起用（不用它时，代理本来就在你的改动上工作）",
    "error.tree-of-resumed": "--worktree：恢复的运行在原处继续（去掉 --worktree）",
    "error.unknown-agent": "--agent {name}：没有这个代理（可选：{known}）",
    "notice.work-not-committed": "工作已完成但未提交：{reason}",
    "notice.not-committed": "{path} 未提交（{why}）；它留在工作树中",
    "notice.commit-nobody": "git 不知道你是谁，因此提交以 MI 的名义进行（git config user.name、user.email）",
}
HELP: dict[str, str] = {
    "this agent for this run, in place of yours": "这次运行用这个代理，而不是你设定的",
    "in a work tree and on a branch of its own": "在独立的工作树和分支中运行",
    "with --worktree: with what you have not committed": "与 --worktree 一起：带上你未提交的改动",
}
