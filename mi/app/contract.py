"""The agents' contract over a project: its sessions, its memory, and what the team's rules permit in it."""

from functools import partial
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.app.team import build_worker
from mi.app.team_files import build_team_files
from mi.app.thoughts import build_thoughts
from mi.tasks import TINY_TASKS, find_list

if TYPE_CHECKING:
    from mi.contract.gate import MutationRequest, Permission
    from mi.contract.session import ContractPlace, ContractSession


def build_contract(context: HomeContext) -> "ContractPlace":
    """Return the project as the agents' contract sees it; nothing is written before something is done."""
    from mi.contract.session import ContractPlace

    thoughts = build_thoughts(context)
    return ContractPlace(
        root=context.project.root,
        folder=context.project_home.contract,
        log=context.project_home.evidence,
        open_log=context.open_agent_log,
        thoughts=thoughts.own,
        read_thoughts=lambda: thoughts.read("effective"),
        search=build_recall(context).search,
        project_id=context.project.project_id,
        settings=lambda: context.config.contract,
        notices=context.notices,
        language=context.quiet_language,
        permission=partial(_permit, context),
        team=build_team_files(context),
    )


def open_person_session(context: HomeContext) -> "ContractSession":
    """Return the session in which a person changes tasks and memory, by whichever door."""
    from mi.contract.session import ContractSession

    return ContractSession.open(build_contract(context), "person", "cli", wait=True, person=True)


def _permit(context: HomeContext, request: "MutationRequest") -> "Permission":
    """Return what the team's rules say to a change of files, tasks or memory; what they ask about, the host asks."""
    from mi.contract.gate import Permission
    from mi.project.permissions import permit_here

    listed = [find_list(context.project.root) or TINY_TASKS]
    paths = listed if request.what in ("task", "propose") else request.arguments.get("paths", [])
    acts = [(request.tool, "call", "")] if request.what == "memory" else [("edit", "edit", str(path)) for path in paths]
    language, profile = context.quiet_language, context.config.governance.profile
    worker = build_worker(context, context.project.root)
    for act in acts:
        verdict = permit_here(context.home, worker, *act, context.notices, profile=profile)
        if verdict.decision == "DENY":
            return Permission("deny", f"{verdict.reason(language)}; {verdict.alternative(language)}")
    return Permission()
