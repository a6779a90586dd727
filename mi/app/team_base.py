"""What a run commits to the team's files: it binds after the person's yes, whenever the next run begins."""

import os
from collections.abc import Container, Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from mi.app.home_context import HomeContext
from mi.app.team_files import FOLDERS, build_team_files
from mi.evidence.records.questions import Question, QuestionOption
from mi.kernel import git, ids
from mi.kernel.home import ProjectHome
from mi.kernel.locks import is_held
from mi.kernel.messages import text
from mi.project.committed import read_committed
from mi.project.trust import Trusted, change_trust, read_trust

_RULES = (".nexus/rules/", "persona/core/", "persona/cards/")  # what can bind whatever is asked


def list_tips(root: str) -> dict[str, str]:
    """Return the commits of HEAD and of the branches, by name."""
    found = (line.split(" ", 1) for line in git.list_refs(root).splitlines())
    return {name: commit for commit, name in found if name == "HEAD" or name.startswith("refs/heads/")}


@contextmanager
def guard_team(context: HomeContext) -> Iterator[None]:
    """Keep where the branches stand while a run works: what is brought onto them then binds after the person's yes.

    It is kept in a file, so that the servers and hooks of the run's agent go by it, and a run that was killed is
    settled by the next one.
    """
    place, root = context.project_home, context.project.root
    if not build_team_files(context).is_trusted:
        yield
        return
    _settle(context)
    tips = list_tips(root)
    change_trust(place.trust, context.notices, lambda now: replace(now, at_work=now.at_work | {root: tips}))
    try:
        yield
    finally:
        if build_team_files(context).is_trusted:
            _settle(context)


def _settle(context: HomeContext) -> None:
    """Keep what this run, and those that were killed, brought as not binding; the rules among it are asked about."""
    root, place = context.project.root, context.project_home
    trusted = read_trust(place.trust) or Trusted()
    ended = {tree: tips for tree, tips in trusted.at_work.items() if tree == root or not _goes_on(place, tree)}
    if not ended or not (now := list_tips(root)):  # where git cannot tell, the next one settles it
        return
    found: dict[str, str] = {}
    for tips in ended.values():
        found |= _find_brought(context, tips, now, trusted.unbound)
    rules = {blob: path for blob, path in found.items() if path.startswith(_RULES)}
    if rules:
        _ask(context, rules)

    def change(now: Trusted) -> Trusted:
        left = {tree: tips for tree, tips in now.at_work.items() if tree not in ended}
        return replace(now, unbound=now.unbound | found, at_work=left)

    change_trust(place.trust, context.notices, change)


def _goes_on(place: ProjectHome, tree: str) -> bool:
    return os.path.isdir(tree) and is_held(place.find_run_lock(tree))


def _find_brought(
    context: HomeContext, tips: dict[str, str], now: dict[str, str], unbound: Container[str]
) -> dict[str, str]:
    """Return the team's files, by blob, that did not bind where a run began; a rule that is gone since is said."""
    root = context.project.root
    former = {path: blob for path, blob in _read(root, tips).items() if blob not in unbound}
    moved = {commit for name, commit in now.items() if tips.get(name) != commit}
    brought = [_read(root, {"HEAD": commit}) for commit in sorted(moved)]
    kept = _read(root, now)
    lost = [path for path in former if path.startswith(_RULES) and kept.get(path) != former[path]]
    if lost:
        source = tips["HEAD"][:12]
        context.notices.add("team-rule-lost", root, paths=", ".join(lost), source=source, first=lost[0])
    known = {*former.values()}
    return {blob: path for one in brought for path, blob in one.items() if blob not in known and blob not in unbound}


def _read(root: str, tips: dict[str, str]) -> dict[str, str]:
    return read_committed(root, FOLDERS, tips["HEAD"]) if "HEAD" in tips else {}


def _ask(context: HomeContext, rules: dict[str, str]) -> None:
    root, language = context.project.root, context.language
    question = Question(
        id=ids.make_id("qu"),
        text=text("trust.ask-unbound", language, paths=", ".join(dict.fromkeys(rules.values()))),
        blocks=False,
        about="trust",
        project_root=root,
        team_files=rules,
        options=[QuestionOption(key="yes"), QuestionOption(key="no")],
        default=text("question.team-waits", language),
    )
    context.evidence_writer(context.project_home.evidence).append(question, sync=True)
    context.notices.add("team-unbound", root, paths=", ".join(dict.fromkeys(rules.values())))
