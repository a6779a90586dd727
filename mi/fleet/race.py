"""Who is proposed first in a race: done and verified, proved, with the judges unbent, by the smallest difference."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from mi.evidence.records.run import Marks, RunUsage
from mi.fleet.report import RunReport

Ground = Literal["verified", "proved", "unbent", "smallest"]
_PROVED = {True: 0, None: 1, False: 2}


class RaceEntry(Struct, frozen=True, kw_only=True):
    """One run of a race, as it stands; what is not known yet is None."""

    run_id: str
    agent: str
    state: str  # of the run, or of its job while it has not begun
    marks: Marks
    spent: RunUsage
    unbent: bool | None = None  # no test and nothing else that judges was changed
    files: int | None = None
    lines: int | None = None  # added and removed
    branch: str = ""
    merged_into: str = ""
    reason: str = ""

    @property
    def is_done(self) -> bool:
        return self.state == "done"


def enter_run(report: RunReport, agent: str) -> RaceEntry:
    """Return the entry of a run that has begun."""
    files = None if report.diff.missing else report.diff.files
    end = report.story.end
    return RaceEntry(
        run_id=report.story.run_id,
        agent=agent or report.start.hands,
        state=report.status or "running",
        marks=report.marks,
        spent=report.spent,
        unbent=report.rows.get("unbent"),
        files=None if files is None else len(files),
        lines=None if files is None else sum((file.added or 0) + (file.removed or 0) for file in files),
        branch=report.start.branch,
        merged_into=report.merged_into,
        reason=end.reason if end else "",
    )


def rank_entries(entries: Iterable[RaceEntry]) -> list[RaceEntry]:
    """Return the entries of a race, the one that is proposed first."""
    return sorted(entries, key=_order)


def _order(entry: RaceEntry) -> tuple[object, ...]:
    unknown = float("inf")
    return (
        not entry.is_done,  # nobody brings over what is not done
        not entry.marks.verified,
        _PROVED[entry.marks.proved],
        entry.unbent is not True,
        unknown if entry.lines is None else entry.lines,
        unknown if entry.files is None else entry.files,
        entry.run_id,
    )


def list_race_grounds(first: RaceEntry, others: Iterable[RaceEntry]) -> list[Ground]:
    """Return why a run is proposed before the others: what holds of it, and whether its difference is the smallest."""
    grounds: list[Ground] = []
    if first.marks.verified:
        grounds.append("verified")
    if first.marks.proved:
        grounds.append("proved")
    if first.unbent:
        grounds.append("unbent")
    known = [other.lines for other in others if other.is_done and other.lines is not None]
    if first.lines is not None and all(first.lines <= lines for lines in known):
        grounds.append("smallest")
    return grounds
