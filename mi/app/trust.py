"""Trust, put together: which commands of a repository MI may run itself, and the question about those it may not."""

from collections.abc import Container, Iterator

from msgspec.structs import replace

from mi.app.home_context import HomeContext
from mi.evidence.open_items import open_items
from mi.evidence.records.proof import TrustSet
from mi.evidence.records.questions import Question, QuestionOption, UserInput
from mi.kernel import believed, ids
from mi.kernel.errors import UsageError
from mi.kernel.home import ProjectHome
from mi.kernel.messages import text
from mi.project.trust import Trusted, change_trust, find_unasked, find_untrusted, read_trust


def find_check_commands(context: HomeContext) -> list[str]:
    """Return the commands that a proof of this project may run."""
    from mi.project.checks.coverage import ProjectChecks
    from mi.project.checks.own import read_own

    own = read_own(context.project.root, context.project_home.checks, context.notices)
    checks = ProjectChecks.read(context.project.root, own.checks).asked_for()
    return [*own.prepare, *(check.command for check in checks), *_find_tree_commands(context)]


def _find_tree_commands(context: HomeContext) -> list[str]:
    """Return the commands that a work tree of this project is made ready and taken down by."""
    from mi.fleet.tree_rules import read_rules

    try:
        return read_rules(context.main_root).commands
    except UsageError as error:
        context.notices.add("tree-rules-unread", context.main_root, reason=error.line(context.quiet_language))
        return []


def list_untrusted(context: HomeContext) -> list[str]:
    """Return the commands of this project that the person has not trusted."""
    return find_untrusted(read_trust(context.project_home.trust), find_check_commands(context))


def list_unasked(context: HomeContext) -> list[str]:
    """Return the commands of this project that the person neither trusted nor refused."""
    return find_unasked(read_trust(context.project_home.trust), find_check_commands(context))


def store_trust(context: HomeContext, commands: list[str], is_yes: bool = True) -> None:
    """Keep whether the person trusts these commands of this project; a question about them is settled."""
    _store(context, context.project_home, context.project.root, commands, is_yes)
    for question in _waiting(context, context.project_home):
        if not question.team_files and set(question.commands) <= set(commands):
            _settle(context, context.project_home, question, is_yes)


def _settle(context: HomeContext, place: ProjectHome, question: Question, is_yes: bool) -> None:
    said = UserInput(question=question.text, answer="yes" if is_yes else "no", question_id=question.id)
    context.evidence_writer(place.evidence).append(said, sync=True)


def _store(context: HomeContext, place: ProjectHome, root: str, commands: list[str], is_yes: bool) -> None:
    """Keep the person's word about some commands: the event first."""
    record = TrustSet(project_root=root, commands=commands, removed=not is_yes)
    context.evidence_writer(place.evidence).append(record, sync=True)

    def change(former: Trusted) -> Trusted:
        wanted, refused = {*former.commands}, {*former.refused}
        wanted, refused = (wanted | {*commands}, refused) if is_yes else (wanted - {*commands}, refused | {*commands})
        return replace(former, commands=sorted(wanted), refused=sorted(refused - wanted))

    change_trust(place.trust, context.notices, change)


def store_team_trust(context: HomeContext, is_yes: bool) -> None:
    """Keep whether this repository's team files bind, as they are committed now: the event first."""
    from mi.app.team_base import list_tips

    place, root = context.project_home, context.project.root
    record = TrustSet(project_root=root, team=is_yes, removed=not is_yes)
    context.evidence_writer(place.evidence).append(record, sync=True)

    def change(former: Trusted) -> Trusted:
        at_work = {tree: list_tips(tree) or tips for tree, tips in former.at_work.items()}
        return replace(former, team=is_yes, unbound={}, at_work=at_work)

    change_trust(place.trust, context.notices, change)
    for question in _waiting(context, place):
        if question.team_files:
            _settle(context, place, question, is_yes)


def bind_merged(context: HomeContext, base: str, tip: str) -> None:
    """Let bind what a run wrote into the team's files and the person has just merged: that is their yes to it."""
    from mi.app.team_files import FOLDERS
    from mi.project.committed import read_committed

    place, root = context.project_home, context.main_root
    trusted = read_trust(place.trust)
    if trusted is None or not trusted.unbound:
        return
    brought = {*read_committed(root, FOLDERS, tip).values()} - {*read_committed(root, FOLDERS, base).values()}
    if brought.isdisjoint(trusted.unbound):
        return
    context.evidence_writer(place.evidence).append(TrustSet(project_root=root, team=True), sync=True)
    change_trust(place.trust, context.notices, lambda former: _bind(former, brought))
    for question in _waiting(context, place):
        if question.team_files and brought.issuperset(question.team_files):
            _settle(context, place, question, is_yes=True)


def list_team_files(context: HomeContext) -> list[str]:
    """Return the files of a team that this repository has committed, as paths from its root."""
    from mi.app.team_files import FOLDERS
    from mi.project.committed import read_committed

    return sorted(path for path in read_committed(context.project.root, FOLDERS) if path.endswith(".md"))


def remove_trust(context: HomeContext) -> None:
    """Keep that the person trusts this repository no longer."""
    former = read_trust(context.project_home.trust)
    record = TrustSet(project_root=context.project.root, commands=former.commands if former else [], removed=True)
    context.evidence_writer(context.project_home.evidence).append(record, sync=True)
    believed.remove(context.project_home.trust)


def leave_question(context: HomeContext, commands: list[str]) -> None:
    """Ask in the inbox whether MI may run some commands of this project; not again while it waits or after a no."""
    unasked = find_unasked(read_trust(context.project_home.trust), commands)
    known = {command for question in _waiting(context, context.project_home) for command in question.commands}
    if set(unasked) <= known:
        return
    root = context.project.root
    asked = text("proof.ask-trust", context.language, root=root, commands=", ".join(unasked))
    question = Question(
        id=ids.make_id("qu"),
        text=asked,
        blocks=False,
        about="trust",
        project_root=root,
        commands=unasked,
        options=[QuestionOption(key="yes"), QuestionOption(key="no")],
        default=text("question.trust-waits", context.language),
    )
    context.evidence_writer(context.project_home.evidence).append(question, sync=True)


def find_question(context: HomeContext, project_id: str, question_id: str) -> Question | None:
    """Return the question about trust that waits in a project under an id."""
    found = _waiting(context, context.home.project(project_id))
    return next((question for question in found if question.id == question_id), None)


def store_answer(context: HomeContext, project_id: str, question: Question, is_yes: bool) -> None:
    """Keep the person's answer to a question about trust, whichever project it waited in."""
    place = context.home.project(project_id)
    if not question.team_files:
        _store(context, place, question.project_root, question.commands, is_yes)
    elif is_yes:
        record = TrustSet(project_root=question.project_root, team=True)
        context.evidence_writer(place.evidence).append(record, sync=True)
        change_trust(place.trust, context.notices, lambda former: _bind(former, question.team_files))


def _bind(former: Trusted, blobs: Container[str]) -> Trusted:
    left = {blob: path for blob, path in former.unbound.items() if blob not in blobs}
    return replace(former, unbound=left)


def _waiting(context: HomeContext, place: ProjectHome) -> Iterator[Question]:
    """Yield the questions about trust that a project's log still waits for."""
    for event in open_items(place.evidence, context.evidence_index, context.notices).events:
        record = event.record()
        if isinstance(record, Question) and record.about == "trust":
            yield record
