"""A run in a work tree of its own: what it leaves when it is done."""

import os
from collections.abc import Callable
from functools import partial

from mi.autopilot.steps.protocol import Outcome, RunRecorder, RunSteps, SendFirst, Stop
from mi.evidence.records.base import Record
from mi.evidence.records.run import RunEnd
from mi.evidence.records.trees import LeftOutFile, TreeWork
from mi.fleet.other_trees import OtherTrees
from mi.fleet.tree_commit import list_branches, make_commit, refuse_unfiltered, write_whole
from mi.fleet.tree_registry import TreeRegistry, WorkTree
from mi.fleet.tree_setup import find_time, list_submodules
from mi.fleet.work_trees import choose_filters
from mi.kernel import files, git
from mi.kernel.consent import agrees, refuses
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.language import patterns
from mi.kernel.messages import NestedText, text
from mi.kernel.notices import Notices
from mi.kernel.secrets import hide_credentials
from mi.mind.views import Case
from mi.project.left_out import KeepRules

_SUBJECT = 72


class TreeSteps(RunSteps):
    """Commits the work of a run that is done; of any other the tree stays as it is."""

    def __init__(
        self,
        home: Home,
        tree: WorkTree,
        task: str,
        keep: KeepRules,
        notices: Notices,
        language: str = "en",
        first_words: str = "",  # what an agent is told of the tree before anything else
    ) -> None:
        self._home = home
        self._tree = tree
        self._task = task
        self._keep = keep
        self._notices = notices
        self._language = language
        self._others = OtherTrees(tree, TreeRegistry(home, notices).read().values())
        self._answers = 0
        self._first_words = first_words

    def opening(self, recorder: RunRecorder, task: str) -> str:
        return self._first_words

    def closing(self, recorder: RunRecorder, case: Case) -> Outcome:
        """Ask about a tree that is not the run's own and that the agent worked in all the same."""
        log = self._home.project(self._tree.project_id).evidence
        acts = self._others.find_acts(log, self._tree.run_id, self._notices)
        if not acts:
            return None
        said = partial(
            text, language=self._language, path=acts[0].path, command=hide_credentials(acts[0].said)[0][:200]
        )
        answer = recorder.ask_once(said("run.other-tree"), of=f"tree {acts[0].path} {self._answers}")
        if answer is None or refuses(answer):
            return Stop(said("run.other-tree-waits"))
        if agrees(answer, patterns().go_on):
            return None
        self._answers += 1  # whoever said what to do instead is asked anew
        return SendFirst(answer)

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        if not isinstance(end, RunEnd) or end.status != "done":
            return
        try:
            commit_work(self._home, self._tree, self._task, end, self._keep, recorder.append, self._notices)
        except MiError as error:
            reason = NestedText(f"error.{error.code}", **error.details)
            self._notices.add("work-not-committed", self._tree.path, reason=reason)


def commit_work(
    home: Home,
    tree: WorkTree,
    task: str,
    end: RunEnd,
    keep: KeepRules,
    append: Callable[[TreeWork], TreeWork],
    notices: Notices,
) -> None:
    """Commit what a run left in its work tree, if anything; what stays out of the commit is noticed."""
    _name_submodules(tree.path, tree.branch, notices)
    given = [path for path, time in tree.made.items() if find_time(tree.path, path) == time]
    settings, head = choose_filters(home, tree), _ask(tree.path, "rev-parse", "HEAD")
    whole = write_whole(tree.path, keep, (*tree.links, *tree.copies, *given), settings)
    refuse_unfiltered(tree.path, head, whole.tree, settings)
    if head != tree.base or _ask(tree.path, "rev-parse", "HEAD^{tree}") != whole.tree:
        is_clean = not _has_given(tree, head)
        commit = make_commit(tree.path, whole.tree, head if is_clean else tree.base, write_message(task, end), notices)
        left = [LeftOutFile(path=one.path, why=one.why, size=one.size) for one in whole.left_out]
        append(TreeWork(path=tree.path, branch=tree.branch, commit=commit, left_out=left))
        take_up_commit(tree, commit, settings, is_anew=not is_clean)
    for one in whole.left_out:
        notices.add("not-committed", os.path.join(tree.path, one.path), why=NestedText(f"run.unkept-{one.why}"))


def _has_given(tree: WorkTree, head: str) -> bool:
    """Return whether commits of the agent hold what the tree shares or was given, such as the person's .env."""
    given = [*tree.links, *tree.copies]
    asked = ("--literal-pathspecs", "rev-list", "-1", f"{tree.base}..{head}", "--", *given)
    return bool(given) and bool(_ask(tree.path, *asked))


def _name_submodules(top: str, branch: str, notices: Notices) -> None:
    """Give the commits that the agent made in submodules a branch there, and say what it left uncommitted in them."""
    for path in list_submodules(top):
        place = os.path.join(top, path)
        if git.find_toplevel(place) != os.path.realpath(place):
            continue
        head = _ask(place, "rev-parse", "HEAD")
        if not list_branches(place, head):
            _ask(place, "update-ref", f"refs/heads/{branch}", head)
        if git.list_uncommitted(place):
            notices.add("not-committed", place, why=NestedText("run.unkept-submodule"))
        _name_submodules(place, branch, notices)


def take_up_commit(tree: WorkTree, commit: str, settings: dict[str, str], is_anew: bool = False) -> None:
    """Move a run's branch and its work tree on to a commit, whatever branch the agent left the tree on.

    `settings` are those of the filters that may run. `is_anew`: it takes the place of the agent's own commits. The
    branch moves last: whoever is killed before it can do all of this again.
    """
    ref = f"refs/heads/{tree.branch}"
    if not is_anew and git.run(tree.path, "merge-base", "--is-ancestor", ref, commit).code != 0:
        raise MiError("tree-branch-left", branch=tree.branch, path=tree.path)
    _ask(tree.path, "symbolic-ref", "HEAD", ref)
    _ask(tree.path, "read-tree", "--reset", commit, settings=settings)
    _ask(tree.path, "update-ref", "-m", f"mi: {tree.run_id}", ref, commit)


def take_up_recorded(home: Home, tree: WorkTree, commit: str) -> None:
    """Move a run's branch on to the commit that MI made for it, where MI was killed before it could."""
    tip = git.run(tree.path, "rev-parse", "--verify", "-q", f"refs/heads/{tree.branch}").output.strip()
    if not tip or tip == commit:
        return
    has_given = _has_given(tree, tip)
    if has_given or tip == _ask(tree.path, "rev-parse", f"{commit}^"):
        files.remove_if_there(
            os.path.join(git.find_git_folder(tree.path), "index.lock")
        )  # of a git that was killed too
        take_up_commit(tree, commit, choose_filters(home, tree), is_anew=has_given)


def _ask(top: str, *args: str, settings: dict[str, str] | None = None) -> str:
    answer = git.run_bytes(top, *args, settings=settings, umask=-1)
    if answer.code != 0:
        raise MiError("tree-not-written", path=top, reason=answer.error or args[0])
    return answer.output.decode("utf-8", "replace").strip()


def write_message(task: str, end: RunEnd) -> str:
    """Return a commit's message: the task, and as trailers the run, its marks and its checks."""
    lines = hide_credentials(task)[0].strip().splitlines() or [end.run_id]
    subject = lines[0] if len(lines[0]) <= _SUBJECT else lines[0][: _SUBJECT - 1].rstrip() + "…"
    body = "" if [subject] == lines else "\n".join(lines)
    marks = [name for name in ("ran", "claimed", "verified", "proved") if getattr(end.marks, name)]
    trailers = [f"MI-Run: {end.run_id}", f"MI-Marks: {', '.join(marks) or 'none'}"]
    if end.verified_by is not None:
        command = " ".join(end.verified_by.command.split())
        trailers.append(f"MI-Checks: {command} (run by {'MI' if end.verified_by.by == 'mi' else 'the agent'})")
    return "\n\n".join(part for part in (subject, body, "\n".join(trailers)) if part) + "\n"
