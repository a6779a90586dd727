"""The queue of the hub as the person uses it: what a task there begins at, and what is sent with it."""

import os
from typing import TYPE_CHECKING, Any

from msgspec import structs, to_builtins

from mi.app.home_context import HomeContext
from mi.app.queue import AddedTasks, HubOrigin, QueueWishes, WantedTask, add_tasks
from mi.app.thoughts import build_thoughts
from mi.fleet.clones import find_remote, is_on_remote, push_refs
from mi.hub.procrastinate_queue import ProcrastinateQueue
from mi.hub.state import need_hub
from mi.kernel import git
from mi.kernel.errors import UsageError
from mi.kernel.jsontext import encode
from mi.kernel.secrets import find_secrets
from mi.knowledge.thoughts.kinds import TESTLESS, VALUES
from mi.knowledge.thoughts.settings import TAG as SETTING
from mi.project.snapshots import name_ref

if TYPE_CHECKING:
    from collections.abc import Iterable


def open_hub_queue(context: HomeContext, for_others: bool = False) -> ProcrastinateQueue:
    """Return the queue of the hub that this home joined; NotFound with the way out where it joined none."""
    return ProcrastinateQueue(context.home, need_hub(context.home, context.notices), for_others)


def add_to_hub(
    context: HomeContext,
    wanted: "Iterable[WantedTask]",
    wishes: QueueWishes,
    queue: ProcrastinateQueue,
    sends_values: bool,
) -> AddedTasks:
    """Put tasks of the project into the hub's queue. UsageError where no other machine could begin them."""
    origin, is_known = _find_origin(context)
    if sends_values:
        origin = structs.replace(origin, values=list_values(context))
    added = add_tasks(context, wanted, wishes._replace(options=structs.replace(wishes.options, hub=origin)), queue)
    if not is_known and added.tasks:
        refs = [f"+{origin.base}:{name_ref(task.run_id, 'base')}" for task in added.tasks]
        if reason := push_refs(context.main_root, *refs):
            for task in added.tasks:
                queue.cancel(task.run_id)
            raise UsageError("hub-base-not-pushed", base=origin.base[:12], remote=origin.remote, reason=reason)
    return added


def _find_origin(context: HomeContext) -> tuple[HubOrigin, bool]:
    """Return where runs of the project begin, and whether the remote has that commit already."""
    root = context.main_root
    top, remote = git.find_toplevel(root), find_remote(root)
    if top is None or not remote:
        raise UsageError("hub-no-remote", root=root)
    head = git.run(root, "rev-parse", "--verify", "-q", "HEAD^{commit}").output.strip()
    if not head:
        raise UsageError("tree-no-commit", root=top)
    is_known = is_on_remote(top, head)
    if not is_known and not context.config.fleet.push:
        raise UsageError("hub-base-missing", base=head[:12], remote=remote)
    folder = os.path.relpath(os.path.realpath(root), top)
    return HubOrigin(remote=remote, base=head, folder="" if folder == os.curdir else folder), is_known


def list_values(context: HomeContext) -> list[dict[str, Any]]:
    """Return what the person values and set, for every project and for this one; what holds a secret stays here."""
    thoughts, tags = build_thoughts(context), (VALUES, TESTLESS, f"{SETTING}*")
    claims = [claim for store in (thoughts.shared, thoughts.own) for tag in tags for claim in store.active(tag)]
    found = [to_builtins(claim) for claim in claims]
    return [raw for raw in found if not find_secrets(encode(raw).decode())]
