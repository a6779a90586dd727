"""The Thought DB as plainly as it can be said: every answer is worked out from all lines, slowly."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

REDIRECTS = ("supersedes", "same_as")


class Naive:
    """A store given by the bytes of its files; `as_of` leaves out what was written later."""

    def __init__(self, root: Path, as_of: int | None = None) -> None:
        self.as_of = as_of
        self.claims = self._read(root / "claims.jsonl", "claim")
        self.nodes = self._read(root / "nodes.jsonl", "node")
        self.edges = self._read(root / "edges.jsonl", "edge")

    def _read(self, path: Path, kind: str) -> dict[str, tuple[dict[str, Any], bool, int]]:
        """Id → the line that last asserted it, whether it was taken back since, and the place of that line."""
        said: dict[str, tuple[dict[str, Any], bool, int]] = {}
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        for place, line in enumerate(lines):
            try:
                raw = json.loads(line)
            except ValueError:
                continue
            time = ms(raw.get("asserted_ts") if raw["kind"] == kind else raw.get("ts"))
            if self.as_of is not None and time is not None and time > self.as_of:
                continue
            one = raw[kind + "_id"]
            if raw["kind"] == kind:
                said[one] = (raw, False, place)
            elif one in said:
                said[one] = (said[one][0], True, said[one][2])
        return said

    def out(self, one: str) -> tuple[str, int] | None:
        found = [
            (place, raw["to_id"])
            for raw, retracted, place in self.edges.values()
            if raw["from_id"] == one and raw["to_id"] != one and raw["edge_type"] in REDIRECTS and not retracted
        ]
        return (max(found)[1], max(found)[0]) if found else None

    def head(self, one: str) -> str:
        """Follow redirects; of a cycle, the target of the newest edge stands."""
        path = [one]
        while (step := self.out(path[-1])) is not None:
            if step[0] in path:
                cycle = path[path.index(step[0]) :]
                newest = max((self.out(member) for member in cycle), key=lambda step: step[1])  # type: ignore[index, arg-type, return-value]
                return newest[0]  # type: ignore[index]
            path.append(step[0])
        return path[-1]

    def status(self, kind: str, one: str) -> str | None:
        known = {"claim": self.claims, "node": self.nodes, "edge": self.edges}[kind].get(one)
        if known is None:
            return None
        if known[1]:
            return "retracted"
        return "superseded" if kind != "edge" and self.head(one) != one else "active"

    def valid(self, one: str, at: int) -> bool:
        raw = self.claims[one][0]
        start, end = ms(raw.get("valid_from")), ms(raw.get("valid_to"))
        return (start is None or start <= at) and (end is None or at < end)


def ms(timestamp: str | None) -> int | None:
    return round(datetime.fromisoformat(timestamp).timestamp() * 1000) if timestamp else None
