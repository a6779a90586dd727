"""What the events of a session look up: an agent's task, the files it touched, whether it goes on or another begins."""

from glob import glob, has_magic
from typing import TYPE_CHECKING, Any, Literal, cast

from mi.governance.command_tables import PRINTING
from mi.governance.file_acts import edits_in_place
from mi.kernel import jsonl
from mi.kernel.errors import MiError
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.shell import simple_commands
from mi.nexus import extensions, pairing, tracker
from mi.nexus.capabilities import EDITS, find_action, find_tier
from mi.nexus.state import Task, Tasks, TrackerEntry
from mi.nexus.store import Store
from mi.nexus.targets import find_common, find_targets
from mi.nexus.tasks import find_named, find_owner, find_ready

if TYPE_CHECKING:
    from mi.kernel.shell import Simple

_NEVER_CHECKED = (*pairing.CHECKERS, "researcher")
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


def _tasks(store: Store) -> Tasks | None:
    try:
        return store.tasks()
    except MiError:
        return None


def find_task(store: Store, task_id: Any, agent_name: str, agent_id: str) -> Task | None:
    """Return the task an agent was working on: the one that is named, else the one in progress that is its own."""
    found = _tasks(store)
    if found is None:
        return None
    if number := _number(task_id):
        return find_named(found, number)
    open_tasks = [task for task in found.tasks if task.status == "in_progress"]
    by_id = [task for task in open_tasks if agent_id and task.owner_agent_id == agent_id]
    by_name = [task for task in open_tasks if agent_name and task.owner == agent_name]
    return next((group[0] for group in (by_id, by_name) if len(group) == 1), None)


def find_touched(store: Store, agent_id: str) -> list[str]:
    """Return the files that an agent changed, as the tool log of the session saw it."""
    found: dict[str, None] = {}
    for line in jsonl.read_forward(store.place.tool_log):
        try:
            raw = decode_stored(line.data, dict)
        except BadJson:
            continue
        mine = agent_id and raw.get("agent_id") == agent_id and raw.get("status") == "ok"
        if mine and isinstance(raw.get("file"), str) and find_action(str(raw.get("tool"))) in EDITS:
            found[raw["file"]] = None
    return list(found)


def find_unchecked_acceptance(store: Store, task: Task) -> bool:
    """Return whether a task promises something that no tester or reviewer task will look at."""
    found = _tasks(store)
    checkable = pairing.has_acceptance(task) and find_owner(task) not in _NEVER_CHECKED
    return checkable and found is not None and not pairing.find_checks(found, task)


def find_done_unchecked(store: Store, owner: str) -> list[Task]:
    """Return the completed tasks of an owner whose acceptance nobody will look at."""
    found = _tasks(store)
    done = [task for task in found.tasks if task.status == "completed" and task.owner == owner] if found else []
    return [task for task in done if find_unchecked_acceptance(store, task)]


def resume_of(store: Store, task_id: Any, can_resume: Any, owner: str = "") -> Resume | None:
    """Return whether an earlier agent should go on with the named task, else with the next one of an owner."""
    found = _tasks(store)
    task = find_named(found, number) if (number := _number(task_id)) else _next_of(found, owner)
    if task is None:
        return None
    tier = cast(Tier, find_tier(find_owner(task)))
    targets = find_targets(task, extensions.read_task_fields(store))
    return evaluate(task, tier, tracker.read_entries(store), targets, can_resume=can_resume is not False)


def _number(task_id: Any) -> int:
    """Return the number of a task as an event names it; 0 for none."""
    if isinstance(task_id, str) and task_id.strip().isdecimal():
        return int(task_id)
    return task_id if isinstance(task_id, int) and not isinstance(task_id, bool) else 0


def _next_of(found: Tasks | None, owner: str) -> Task | None:
    """Return the task that an owner has in progress, or could begin."""
    if found is None or not owner:
        return None
    mine = [task for task in found.tasks if task.status == "in_progress"] + find_ready(found)
    return next((task for task in mine if task.owner == owner), None)


def find_printed_files(command: str, root: str) -> list[str]:
    """Return the files whose content a shell command prints.

    What only goes through a search or into a file is not shown.
    """
    pipelines: dict[int, list[Simple]] = {}
    for one in simple_commands(command):
        if one.argv:
            pipelines.setdefault(one.pipeline, []).append(one)
    shown = [stages[0] for stages in pipelines.values() if all(_prints(stage) for stage in stages)]
    named_files = [word for one in shown for word in one.argv[1:] if not word.startswith("-")]
    return [path for name in named_files for path in (sorted(glob(name, root_dir=root)) if has_magic(name) else [name])]


def _prints(one: "Simple") -> bool:
    writes = set(one.writes) - {"/dev/null"}  # where the errors go
    return one.name in PRINTING and not writes and not edits_in_place([one.name, *one.argv[1:]])


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
        same = bool(find_common(_touched(prior), targets))
        return Resume("resume", "same-artifact", str(prior.agent_id)) if same else Resume("fresh", "other-artifact")
    if tier == "ephemeral":
        return Resume("fresh", "ephemeral")
    return Resume("resume", "persistent", str(prior.agent_id))


def prior_agent(task: Task, tracker: list[TrackerEntry]) -> TrackerEntry | None:
    """Return the agent that worked on a task before: the instance it names, else the last of its owner's name."""
    with_id = [entry for entry in tracker if isinstance(entry.agent_id, str)]
    if isinstance(task.owner_agent_id, str):
        return next((entry for entry in reversed(with_id) if entry.agent_id == task.owner_agent_id), None)
    return next((entry for entry in reversed(with_id) if entry.agent_name == task.owner), None)


def _bounded(task: Task, prior: TrackerEntry, tracker: list[TrackerEntry], targets: list[str]) -> Resume:
    """Return whether an agent may go on: same owner, same targets, nobody else in them since."""
    since = prior.stopped_at if isinstance(prior.stopped_at, str) else prior.started_at
    for other in tracker:
        stopped = other.stopped_at if isinstance(other.stopped_at, str) else ""
        if (
            other is not prior
            and other.status == "completed"
            and stopped >= since
            and find_common(_touched(other), targets)
        ):
            return Resume("fresh", "intervening-edit")
    agent_id, reread = str(prior.agent_id), tuple(find_common(targets, targets))
    if task.owner_reuse_policy == "resume":
        return Resume("resume", "policy-resume", agent_id, reread)
    if isinstance(prior.agent_name, str) and isinstance(task.owner, str) and prior.agent_name != task.owner:
        return Resume("fresh", "other-owner")
    if not targets or not all(find_common([target], _touched(prior)) for target in targets):
        return Resume("fresh", "other-artifact")
    return Resume("resume", "bounded", agent_id, reread)


def _touched(entry: TrackerEntry) -> list[str]:
    return entry.files_touched if isinstance(entry.files_touched, list) else []
