"""Cross-project recall: what was learned before, here or elsewhere, that bears on what is done now."""

import time
from collections.abc import Callable
from itertools import islice
from typing import Literal

from mi.evidence.records.base import Json
from mi.evidence.records.thoughts import CrossProjectRecall, RecalledItem
from mi.kernel.config.types import CrossProjectRecallConfig as Settings
from mi.kernel.secrets import redact
from mi.kernel.text import ELLIPSIS
from mi.knowledge.search.backend import Hit, Query
from mi.knowledge.search.words import compact
from mi.knowledge.thoughts.kinds import RAW

Trigger = Literal["run_start", "before_ask_user", "risk_signal"]
# Per item that may be returned: enough to choose by project among the good ones; more where few of them are heard.
_WIDER = (8, 32, 128, 512)
_FAINT = 0.25  # of the best score: less is a word in common, not a memory


def due(settings: Settings, trigger: Trigger) -> bool:
    """Return whether the settings want a recall at this point of a run."""
    return bool(settings.enabled and getattr(settings.triggers, trigger))


def recall(
    search: Callable[[Query], list[Hit]],
    settings: Settings,
    trigger: Trigger,
    text: str,
    project_id: str,
    now: float | None = None,
    is_heard: Callable[[Hit], bool] = lambda hit: True,
) -> CrossProjectRecall | None:
    """Return the record of one recall, for the loop to append.

    None when the settings do not want it or nothing is asked.
    """
    query = compact(text)
    if not due(settings, trigger) or not query.tokens:
        return None
    asked = Query(
        tokens=query.tokens,
        kinds=settings.include_kinds,
        project_id=project_id,
        only_project=False,
        without_project=settings.exclude_current_project,
        now=time.time() if now is None else now,
        text=query.raw,
    )
    chosen: list[Hit] = []
    for times in _WIDER:
        limit = settings.top_k * times
        hits = search(asked._replace(limit=limit))
        clear = _clear(hits, is_heard)
        chosen = _chosen(clear, settings, project_id, is_heard)
        rest_is_faint = bool(clear) and hits[-1].score < _FAINT * clear[0].score
        if len(chosen) == settings.top_k or len(hits) < limit or rest_is_faint:
            break
    return CrossProjectRecall(
        reason=trigger,
        query_raw=redact(query.raw),
        query_compact=redact(query.text),
        tokens_used=list(query.tokens),
        items=_items(chosen, settings.max_chars),
    )


def _clear(hits: list[Hit], is_heard: Callable[[Hit], bool]) -> list[Hit]:
    """Return the hits that are not faint beside the first that is heard."""
    known = [hit for hit in hits if RAW not in hit.document.tags]
    best = next((at for at, hit in enumerate(known) if is_heard(hit)), len(known))
    return [hit for hit in known[best:] if hit.score >= _FAINT * known[best].score]


def _chosen(clear: list[Hit], settings: Settings, project_id: str, is_heard: Callable[[Hit], bool]) -> list[Hit]:
    """Return those that are heard; with prefer_current_project, those of the project first, then the global ones.

    To hear costs a look: no more are asked than are wanted.
    """
    if settings.prefer_current_project and not settings.exclude_current_project:
        place = {project_id: 0, "": 1}
        clear = sorted(clear, key=lambda hit: place.get(hit.document.project_id, 2))
    return list(islice(filter(is_heard, clear), settings.top_k))


def _items(hits: list[Hit], max_chars: int) -> list[RecalledItem]:
    items: list[RecalledItem] = []
    room = max_chars
    for hit in hits:
        if room <= 0:
            break
        one = hit.document
        text = one.text if len(one.text) <= room else one.text[: room - 1] + ELLIPSIS
        room -= len(text)
        refs: list[Json] = [{"kind": "evidence_event", "event_id": event_id} for event_id in one.event_ids]
        items.append(
            RecalledItem(
                kind=one.kind, id=one.id, project_id=one.project_id, text=text, score=hit.score, source_refs=refs
            )
        )
    return items
