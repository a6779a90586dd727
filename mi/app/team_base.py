"""What a run commits to the team's files: it binds after the person's yes, whenever the next run begins."""

from collections.abc import Iterator
from contextlib import contextmanager

from mi.app.home_context import HomeContext
from mi.app.team_files import FOLDERS
from mi.evidence.records.run import Question, QuestionOption
from mi.kernel import git, ids
from mi.kernel.messages import text
from mi.project.committed import read_committed
from mi.project.trust import Trusted, change_trust, read_trust

_RULES = (".nexus/rules/", "persona/core/", "persona/cards/")  # what can bind whatever is asked


def list_tips(root: str) -> dict[str, str]:
    """Return the commits of HEAD and of the branches, by name."""
    found = (line.split(" ", 1) for line in git.list_refs(root).splitlines())
    return {name: commit for commit, name in found if name == "HEAD" or name.startswith("refs/heads/")}


@contextmanager
def guard_team(context: HomeContext, run_id: str) -> Iterator[None]:
    """Keep where the branches stand while a run works: what it brings onto them binds after the person's yes.

    It is kept in a file, so that the servers and hooks of the run's agent go by it, and a run that was killed is
    settled by the next one.
    """
    place, root = context.project_home, context.project.root
    trusted = read_trust(place.trust)
    if trusted is None or not trusted.team:
        yield
        return
    _settle(context, trusted.at_work)
    at_work = {run_id: list_tips(root)}
    change_trust(place.trust, context.notices, at_work=at_work)
    try:
        yield
    finally:
        now = read_trust(place.trust)
        if now is not None and now.team:
            _settle(context, now.at_work or at_work)


def _settle(context: HomeContext, at_work: dict[str, dict[str, str]]) -> None:
    """Keep what runs brought onto the branches as not binding, and ask the person about the rules among it."""
    if not at_work:
        return
    root, place = context.project.root, context.project_home
    if not list_tips(root) and any(at_work.values()):
        return  # git cannot tell now: the next one settles it
    trusted = read_trust(place.trust) or Trusted()
    found: dict[str, str] = {}
    for tips in at_work.values():
        former = {path: blob for path, blob in _read(root, tips).items() if blob not in trusted.unbound}
        moved = {commit for name, commit in list_tips(root).items() if tips.get(name) != commit}
        brought = [_read(root, {"HEAD": commit}) for commit in sorted(moved)]
        known = {*former.values(), *trusted.unbound}
        found |= {blob: path for one in brought for path, blob in one.items() if blob not in known}
        now = _read(root, list_tips(root))
        lost = [path for path in former if path.startswith(_RULES) and now.get(path) != former[path]]
        if lost:
            base = tips.get("HEAD", "")[:12]
            context.notices.add("team-rule-lost", root, paths=", ".join(lost), source=base, first=lost[0])
    rules = {blob: path for blob, path in found.items() if path.startswith(_RULES)}
    if rules:
        _ask(context, rules)
    change_trust(place.trust, context.notices, unbound=trusted.unbound | found, at_work={})


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
