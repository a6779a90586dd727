"""Races: the same task in several work trees."""

from msgspec import Struct

from mi.evidence.records.base import Record, Say


class Racer(Struct, frozen=True, kw_only=True):
    """One run of a race, and the agent that the person named for it."""

    run_id: str
    agent: str = ""


class Race(Record, frozen=True, kw_only=True, tag="race"):
    """The person lets several agents work on one task; written before any of the runs is queued."""

    said_by = "person"
    is_landmark = True

    id: str = ""
    task: str = ""
    racers: list[Racer] = []

    def headline(self, say: Say = str) -> str:
        return f"{self.id} {self.task}"
