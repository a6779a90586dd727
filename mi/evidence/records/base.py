"""What every evidence record carries."""

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

Say = Callable[[str], str]  # one of our own words, as somebody says it in their language
Json = dict[str, Any]  # a model's answer or a foreign object, kept as it came


class Record(Struct, frozen=True, kw_only=True, tag_field="kind", tag="record"):
    """One line of an EvidenceLog. The writer stamps v, event_id, run_id, seq and ts."""

    v: int = 1
    event_id: str = ""
    run_id: str = ""
    seq: int = 0
    ts: str = ""
    batch_id: str = ""
    thread_id: str = ""

    def headline(self, say: Say = str) -> str:
        """What happened, for one line of a list; `say` is asked for our own words in it, not for what others said."""
        return ""


class MindRecord(Record, frozen=True, kw_only=True, tag="mind_record"):
    """A record whose content a Mind produced."""

    state: Literal["ok", "error", "skipped"] = "ok"
    mind_transcript_ref: str = ""
