"""Whether an earlier agent goes on with a task or a new one begins: by tier, policy and who touched what since."""

from typing import Any, Literal, NamedTuple

from mi.nexus.state import Task, TrackerEntry
from mi.nexus.targets import common

Tier = Literal["persistent", "bounded", "ephemeral"]


class Resume(NamedTuple):
    """The decision; `reason` names its text in the catalogue (`resume.<reason>`)."""

    decision: Literal["resume", "fresh"]
    reason: str
    agent_id: str = ""
    reread: tuple[str, ...] = ()

    def fields(self) -> dict[str, Any]:
        found: dict[str, Any] = {"decision": self.decision, "reason": self.reason}
        found |= {"agent_id": self.agent_id} if self.agent_id else {}
        return found | ({"reread": list(self.reread)} if self.reread else {})


def evaluate(
    task: Task, tier: Tier, tracker: list[TrackerEntry], targets: list[str], *, can_resume: bool = True
) -> Resume:
    """Decide for a task whose owner has this tier; the tracker tells who worked before and on which files."""
    prior = prior_agent(task, tracker)
    if task.owner_reuse_policy == "fresh":
        return Resume("fresh", "policy-fresh")
    if prior is None:
        return Resume("fresh", "no-prior")
    if not can_resume:
        return Resume("fresh", "no-mechanism")
    if tier == "bounded":
        return _bounded(task, prior, tracker, targets)
    if task.owner_reuse_policy == "resume":
        return Resume("resume", "policy-resume", str(prior.agent_id))
    if task.owner_reuse_policy == "resume_if_same_artifact":
        same = bool(common(_touched(prior), targets))
        return Resume("resume", "same-artifact", str(prior.agent_id)) if same else Resume("fresh", "other-artifact")
    if tier == "ephemeral":
        return Resume("fresh", "ephemeral")
    return Resume("resume", "persistent", str(prior.agent_id))


def prior_agent(task: Task, tracker: list[TrackerEntry]) -> TrackerEntry | None:
    """The agent that worked on a task before: the instance it names, else the last of its owner's name."""
    with_id = [entry for entry in tracker if isinstance(entry.agent_id, str)]
    if isinstance(task.owner_agent_id, str):
        return next((entry for entry in reversed(with_id) if entry.agent_id == task.owner_agent_id), None)
    return next((entry for entry in reversed(with_id) if entry.agent_name == task.owner), None)


def _bounded(task: Task, prior: TrackerEntry, tracker: list[TrackerEntry], targets: list[str]) -> Resume:
    """Same owner, same targets, nobody else in them since; no policy beats someone else's edit."""
    since = prior.stopped_at if isinstance(prior.stopped_at, str) else prior.started_at
    for other in tracker:
        stopped = other.stopped_at if isinstance(other.stopped_at, str) else ""
        if other is not prior and other.status == "completed" and stopped >= since and common(_touched(other), targets):
            return Resume("fresh", "intervening-edit")
    agent_id, reread = str(prior.agent_id), tuple(common(targets, targets))
    if task.owner_reuse_policy == "resume":
        return Resume("resume", "policy-resume", agent_id, reread)
    if isinstance(prior.agent_name, str) and isinstance(task.owner, str) and prior.agent_name != task.owner:
        return Resume("fresh", "other-owner")
    if not targets or not all(common([target], _touched(prior)) for target in targets):
        return Resume("fresh", "other-artifact")
    return Resume("resume", "bounded", agent_id, reread)


def _touched(entry: TrackerEntry) -> list[str]:
    return entry.files_touched if isinstance(entry.files_touched, list) else []
