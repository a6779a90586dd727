"""What every evidence record carries, and what is declared once for each kind."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from msgspec import Struct

Say = Callable[[str], str]  # one of our own words, as somebody says it in their language
Json = dict[str, Any]  # a model's answer or a foreign object, kept as it came
Speaker = Literal["person", "agent", "mind", "mi"]
Trust = Literal["user", "hands", "mind"]
# run: a line while a run goes on; batch, batch_list: the last one, or all, of a batch in `mi show last`; segment: told
# to whoever learns from a stretch of work; recent: told to the judge of the next batch; why: what `mi why` explains.
Place = Literal["run", "batch", "batch_list", "segment", "recent", "why"]


class Record(Struct, frozen=True, kw_only=True, tag_field="kind", tag="record"):
    """One line of an EvidenceLog. The writer stamps v, event_id, run_id, seq and ts.

    The class attributes say all that is known of a kind; `table.py` is written from them by `make docs`.
    """

    said_by: ClassVar[Speaker] = "mi"  # whose word it carries
    trust: ClassVar[Trust | None] = None  # how far it can be trusted; None: as far as whoever said it
    shown_in: ClassVar[tuple[Place, ...]] = ()
    pairs_with: ClassVar[str] = ""  # the kind that settles one of this kind; until then it waits
    paired_by: ClassVar[str] = ""  # the field that joins it to its counterpart
    is_landmark: ClassVar[bool] = False  # the index finds it by its kind; so it does whatever is paired
    follows_end: ClassVar[bool] = False  # may follow a run's end, and is no part of its course

    v: int = 1
    event_id: str = ""
    run_id: str = ""
    seq: int = 0
    ts: str = ""
    batch_id: str = ""
    thread_id: str = ""
    by: str = ""  # the door by which a person did it: "page"; '' is a command, or no person

    @classmethod
    def read_former(cls, fields: Json) -> Json:
        """Return the fields of a record of the earlier tool as this version names them."""
        return fields

    def headline(self, say: Say = str) -> str:
        """Return what happened, for one line of a list; `say` is asked for our own words, not for what others said."""
        return ""


class MindRecord(Record, frozen=True, kw_only=True, tag="mind_record"):
    """A record whose content a Mind produced."""

    said_by = "mind"

    state: Literal["ok", "error", "skipped"] = "ok"
    mind_transcript_ref: str = ""
