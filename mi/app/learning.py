"""What learning stands on, what it can take back, and what is known of the person."""

import os
from functools import partial
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.app.team_files import build_team_files
from mi.app.thoughts import build_thoughts
from mi.app.workflows import build_bindings
from mi.kernel.errors import MiError

if TYPE_CHECKING:
    from mi.agents.signals import StopFlag
    from mi.autopilot.run_context import KnownPerson
    from mi.learning.knowledge import Knowledge
    from mi.learning.undo import OtherLesson
    from mi.mind.mind import Mind


def build_mind(context: HomeContext, transcripts: str = "", stop: "StopFlag | None" = None) -> "Mind":
    """Return the configured Mind, for a command outside a run; where none can be used, the rules judge.

    `stop` ends what it waits for.
    """
    from mi.mind.choose import name_agent_and_mind, open_mind
    from mi.mind.mind import Mind

    context.home.check()
    transcripts = transcripts or context.project_home.mind_transcripts
    hands, _ = name_agent_and_mind(context.config)
    try:
        return open_mind(context.config, context.home, transcripts, hands, stop)
    except MiError as error:
        context.notices.add("mind-unusable", context.home.config, reason=error.line(context.quiet_language))
        return Mind(context.home, transcripts, None)


def build_knowledge(context: HomeContext, project_id: str = "") -> "Knowledge":
    """Return what learning stands on, for this project or for another one of the home."""
    from mi.learning.knowledge import Knowledge

    thoughts = build_thoughts(context)
    chosen = project_id or context.project.project_id
    own = thoughts.open_store(project_id) if project_id else thoughts.own
    search = partial(build_recall(context).find_thoughts, project_id=chosen)
    return Knowledge(context.home, chosen, own, thoughts.shared, search, context.config.runtime, context.notices)


def build_known_person(context: HomeContext) -> "KnownPerson":
    """Return what the stores say about the person and the project, as a run reads it."""
    from mi.autopilot.run_context import KnownPerson

    thoughts, search = build_thoughts(context), build_recall(context).find_thoughts
    remembers = context.config.runtime.thought_db.enabled
    stores = (thoughts.own, thoughts.shared)
    find_team = build_team_files(context).find
    return KnownPerson(context.home, context.project, *stores, search, context.notices, remembers, find_team)


def build_other_lessons(context: HomeContext) -> "list[OtherLesson]":
    """Return whoever else keeps what runs teach and can take it back: `mi undo` asks each."""
    from mi.learning.overlay import OverlayLesson

    place = context.project_home
    found: list[OtherLesson] = [OverlayLesson(place.overlay, build_thoughts(context).own, context.notices)]
    if any(map(os.path.exists, (place.workflows, place.workflow_candidates))):  # most projects have none of these
        from mi.learning.workflow_lesson import WorkflowLesson

        found.append(WorkflowLesson(place, context.notices, partial(_sync_after_undo, context)))
    if os.path.exists(place.preference_candidates):
        from mi.learning.candidates import PreferenceCandidates

        found.append(PreferenceCandidates(place.preference_candidates, context.notices))
    return found


def _sync_after_undo(context: HomeContext, event_id: str) -> None:
    from mi.workflows.hosting import sync_bound

    if context.config.runtime.workflows.auto_sync_on_change:
        log = context.evidence_writer(context.project_home.evidence)
        sync_bound(build_bindings(context), log.append, f"after {event_id}")
