"""What a file of data says, entry by entry where it has entries: snapshots, and cases that tests go through."""

import hashlib
import json
import re

from mi.project.checks.judge_items import JudgeItem

_CASES = re.compile(r"(?:^|[/._-])(?:cases?|scenarios?|examples?|params?|parameters|inputs?)(?=[/._-])", re.IGNORECASE)
_JEST = re.compile(r"exports\[`((?:\\.|[^`\\])*)`\]\s*=\s*(`(?:\\.|[^`\\])*`);", re.DOTALL)
_AMBR = re.compile(r"(?m)^# name: (.*)\n((?:.*\n)*?)# ---")
_SHOWN = 1200


def data_items(path: str, data: bytes) -> list[JudgeItem]:
    """Return the entries of a file of data; one whose entries nobody knows is one item, compared to the byte."""
    text = data.decode("utf-8", "replace")
    for ending, pattern in ((".snap", _JEST), (".ambr", _AMBR)):
        entries = pattern.findall(text) if path.endswith(ending) else []
        if entries:
            return [JudgeItem(name, body, body, adds=True) for name, body in entries]
    if _CASES.search(path) and (cases := _cases(path, text)):
        return cases
    shown = text[:_SHOWN] if b"\0" not in data[:1024] else f"{len(data)} bytes"
    return [JudgeItem("", hashlib.sha256(data).hexdigest(), shown)]


def _cases(path: str, text: str) -> list[JudgeItem]:
    """Return each case of a list of them."""
    if path.endswith((".csv", ".tsv", ".txt", ".jsonl")):
        return [JudgeItem(line[:60], line, line, adds=True) for line in text.splitlines() if line.strip()]
    try:
        found = json.loads(text) if path.endswith(".json") else None
    except ValueError:
        return []
    pairs = found.items() if isinstance(found, dict) else ((json.dumps(one)[:60], one) for one in found or ())
    return [JudgeItem(str(name), json.dumps(one), json.dumps(one), adds=True) for name, one in pairs]
