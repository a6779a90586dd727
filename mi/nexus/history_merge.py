"""Two people's histories made one: every cycle that either has archived, once."""

from typing import Any

import msgspec


def unite_histories(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Return the cycles of both, by when they were completed; the same moment with other content is another cycle."""
    found = {_content(one): one for one in (*ours["cycles"], *theirs["cycles"])}
    moments: list[tuple[str, str]] = []
    for content, cycle in found.items():
        said = cycle.get("completed_at") if isinstance(cycle, dict) else None
        last = moments[-1][0] if moments else ""
        moments.append((said if isinstance(said, str) else last, content))  # one without a moment stays where it stood
    cycles = [found[content] for _, content in sorted(moments)]
    return theirs | ours | {"cycles": cycles}


def _content(cycle: Any) -> str:
    return msgspec.json.encode(cycle, order="sorted").decode()
