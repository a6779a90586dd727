"""The `.nexus/` of a project, and the log of what was done in it."""

import os
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext

if TYPE_CHECKING:
    from mi.evidence.records.governed import NexusEvent
    from mi.nexus.store import Store


def build_nexus(context: HomeContext) -> "Store":
    """Return the `.nexus/` of the project, written as this home's harness; opened once."""
    return context.open_once(_open_nexus)


def _open_nexus(context: HomeContext) -> "Store":
    from mi.nexus.layout import NexusLayout
    from mi.nexus.store import Store

    if not os.path.exists(context.home.config):  # what nobody configured is not worth reading types for
        return Store(NexusLayout(context.choice.root))
    return Store(NexusLayout(context.choice.root, context.config.nexus.harness_id))


def record_nexus(context: HomeContext, event: "NexusEvent") -> None:
    """Append a call of a nexus tool, or a harness event, to the project's log."""
    log = context.open_agent_log() if context.is_agents else context.open_project_log()
    log.append(event)


def record_nexus_event(
    context: HomeContext, event: str, params: dict[str, Any], harness_id: str = "", error: str = ""
) -> None:
    """Append what a nexus command or a harness event did, beside the eleven tools."""
    from mi.evidence.records.governed import NexusEvent
    from mi.nexus.toolset import show_parameters

    named = harness_id or build_nexus(context).place.harness_id
    record_nexus(context, NexusEvent(event=event, harness_id=named, params=show_parameters(params), error=error))
