"""All runs of all projects, the latest first, from the index: it costs what is new in the logs and what is shown."""

import os
import sys
from collections.abc import Collection, Iterable
from typing import Any, Literal

from msgspec import Struct, field

from mi.evidence.former import find_end
from mi.evidence.index import EvidenceIndex
from mi.evidence.latest import count_batches
from mi.evidence.reader import read_at
from mi.evidence.records.base import Record
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.questions import Question
from mi.evidence.records.run import Marks, RunEnd, RunLearned, RunStart, RunUsage
from mi.kernel.home import Home
from mi.kernel.log_view import LogView
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.seal import find_foreign

SEARCHED = 5000  # runs, the latest, among which words are looked for
RunState = Literal["queued", "running", "waiting", "done", "blocked", "failed", "interrupted"]
_LOG = "log = (SELECT no FROM source WHERE name = ?1)"
_OF_RUN = f"FROM landmark AS a INDEXED BY of_run WHERE {_LOG} AND run = ?2"
_PLACES = f"SELECT kind, min(offset), max(offset) {_OF_RUN} GROUP BY kind"
_UNANSWERED = """a.kind = 'question' AND NOT EXISTS (SELECT 1 FROM landmark AS b INDEXED BY pair
    WHERE b.log = a.log AND b.kind = 'user_input' AND b.ref = a.ref)"""
_ASKED = f"SELECT max(offset) {_OF_RUN} AND {_UNANSWERED}"
_WAITS = "(status IN ('', 'blocked') AND (run.log, run.run) IN (SELECT log, run FROM asked))"


class RunWish(NamedTuple):
    """Which runs are wanted; without states all of them."""

    states: Collection[str] = ()
    since: str = ""  # a timestamp
    project_id: str = ""
    most: int = 20
    run_id: str = ""  # only this one
    text: str = ""  # in the task, the branch or the id, whatever its case
    agent: str = ""

    @property
    def by_words(self) -> bool:
        return bool(self.text or self.agent)

    def fits(self, entry: "RunEntry") -> bool:
        """Return whether a run is one whose words and agent are wanted."""
        words = f"{entry.task}\n{entry.branch}\n{entry.run_id}".casefold()
        return self.agent in ("", entry.agent) and all(word in words for word in self.text.casefold().split())


class RunEntry(Struct, frozen=True, kw_only=True):
    """A run in a list; `status` is how it stands: running while its process lives."""

    run_id: str
    project_id: str = ""
    project: str = ""
    root: str = ""
    branch: str = ""
    task: str = ""
    status: RunState = "interrupted"
    reason: str = ""
    marks: Marks = field(default_factory=Marks)
    batches: int = 0
    spent: RunUsage = field(default_factory=RunUsage)
    agent: str = ""
    started: str = ""
    ts: str = ""  # when it was last heard of
    question: str = ""  # that waits for the person
    question_id: str = ""
    not_before: str = ""  # when it may go on: a vendor's limit ends then, or the person said so


class _IndexedRun(NamedTuple):
    log: str  # relative to the home
    run_id: str
    ts: str
    status: str  # '' while it has no end
    root: str


class _Places(NamedTuple):
    first: dict[str, int]
    last: dict[str, int]
    asked: int | None


def find_latest_of_tree(index: EvidenceIndex, log: str, root: str) -> str:
    """Return the latest run of a work tree, as far as a log (relative to the home) was taken in; '' without one."""
    query = f"SELECT run FROM run WHERE {_LOG} AND root = ?2 ORDER BY ts DESC LIMIT 1"
    row = index.with_view(lambda view: view.db.execute(query, (log, root)).fetchone())
    return str(row[0]) if row else ""


def find_runs_ending(index: EvidenceIndex, logs: list[str], ending: str) -> list[str]:
    """Return the runs of some logs whose id has this last part."""
    index.catch_up_all(logs, lambda done, total: None)
    query = "SELECT DISTINCT run FROM run WHERE substr(run, -length(?1)) = ?1 ORDER BY 1"
    return [row[0] for row in index.with_view(lambda view: view.db.execute(query, (f"_{ending}",)).fetchall())]


def list_runs(home: Home, index: EvidenceIndex, wish: RunWish, living: Collection[str]) -> tuple[list[RunEntry], int]:
    """Return the latest runs that are wanted, and how many there are; `living` are those whose process lives."""
    where, values = _condition(home, wish, living)
    wanted = f"FROM run JOIN source ON no = log WHERE {where}"
    most = SEARCHED if wish.by_words else _limit(wish.most)
    limit = -1 if _WAITS in where else most  # few wait: they are not counted apart
    rows = f"SELECT name, run, ts, status, root {wanted} ORDER BY ts DESC, run DESC LIMIT {limit}"

    def work(view: LogView) -> tuple[list[tuple[_IndexedRun, _Places]], int]:
        found = [_IndexedRun(*row) for row in view.db.execute(rows, values)]
        total = len(found)
        if limit == len(found):
            total = view.db.execute(f"SELECT count(*) {wanted}", values).fetchone()[0]
        return [(run, _find_places(view, run)) for run in found[:most]], total

    found, total = index.with_view(work)
    foreign = {log: find_foreign(home.path(log)) for log in {run.log for run, _ in found}}
    readers = [_Reader(home, foreign[run.log], run, places) for run, places in found]
    if wish.by_words:
        readers = [one for one in readers if wish.fits(one.read_words())]
        total = len(readers)
    return [one.read(one.run_id in living) for one in readers[: _limit(wish.most)]], total


def _limit(most: int) -> int:
    return most if most >= 0 else sys.maxsize


def _condition(home: Home, wish: RunWish, living: Collection[str]) -> tuple[str, list[Any]]:
    parts, values = ["1"], list[Any]()
    if wish.project_id:
        parts.append("name = ?")
        values.append(home.relative(home.project(wish.project_id).evidence))
    if wish.run_id:
        parts.append("run = ?")
        values.append(wish.run_id)
    if wish.since:
        parts.append("ts >= ?")
        values.append(wish.since)
    if wish.states:
        alive = f"run IN ({', '.join('?' * len(living))})"
        ways = {
            "queued": "0",  # the log does not know
            "waiting": _WAITS,
            "running": f"(status = '' AND {alive})",
            "interrupted": f"(status = 'interrupted' OR (status = '' AND NOT {alive}))",
        }
        chosen = []
        for state in dict.fromkeys(wish.states):
            chosen.append(ways.get(state, "status = ?"))
            values += [] if state in ("queued", "waiting") else living if state in ways else [state]
        parts.append(f"({' OR '.join(chosen)})")
    return " AND ".join(parts), values


def _find_places(view: LogView, run: _IndexedRun) -> _Places:
    found = view.db.execute(_PLACES, (run.log, run.run_id)).fetchall()
    asked = view.db.execute(_ASKED, (run.log, run.run_id)).fetchone()[0]
    return _Places({kind: first for kind, first, _ in found}, {kind: last for kind, _, last in found}, asked)


class _Reader:
    """Reads what the list shows of one run; lines that are not MI's tell nothing."""

    def __init__(self, home: Home, foreign: Iterable[Any], run: _IndexedRun, places: _Places) -> None:
        self._home = home
        self._log = home.path(run.log)
        self._foreign = list(foreign)
        self._run = run
        self._places = places
        self.run_id = run.run_id

    def read(self, is_alive: bool) -> RunEntry:
        """Return the run as the list shows it."""
        start, end = self._read(self._places.first.get("run_start")), self._find_end()
        begun = start if isinstance(start, RunStart) else self._read_former()
        again = self._read_latest_start()
        asked = self._read(self._places.asked) if is_alive or not end or end.status == "blocked" else None
        question = asked if isinstance(asked, Question) and asked.blocks else None
        learned = self._read(self._places.last.get("run_learned"))
        root = self._run.root or begun.project_root
        spent = end.spent if end else RunUsage()
        return RunEntry(
            run_id=self._run.run_id,
            project_id=os.path.basename(os.path.dirname(self._run.log)),
            root=root,
            branch=begun.branch,
            task=begun.task,
            status=end.status if end else "running" if is_alive else "interrupted",
            reason=end.reason if end else "",
            marks=end.marks if end else Marks(),
            batches=self._count_batches(),
            spent=spent.plus(learned.spent) if isinstance(learned, RunLearned) and end else spent,
            agent=again.hands if isinstance(again, RunStart) else begun.hands,
            started=begun.ts,
            ts=self._run.ts,
            question=question.text if question else "",
            question_id=question.id if question else "",
        )

    def read_words(self) -> RunEntry:
        """Return of a run what can be looked for in words."""
        start = self._read(self._places.first.get("run_start"))
        begun = start if isinstance(start, RunStart) else self._read_former()
        is_first = self._places.first.get("run_start") == self._places.last.get("run_start")
        again = start if is_first else self._read_latest_start()
        agent = again.hands if isinstance(again, RunStart) else begun.hands
        return RunEntry(run_id=self.run_id, task=begun.task, branch=begun.branch, agent=agent)

    def _read_latest_start(self) -> Record | None:
        return self._read(self._places.last.get("run_start"))

    def _find_end(self) -> RunEnd | None:
        """Return the run's end, unless it went on after it."""
        at, begun = self._places.last.get("run_end"), self._places.last.get("run_start", -1)
        end = self._read(at) if at is not None and at > begun else None
        if isinstance(end, RunEnd):
            return end
        event = read_at(self._log, self._places.last["decide_next"]) if "decide_next" in self._places.last else None
        return find_end(event) if event else None

    def _read_former(self) -> RunStart:
        """Return the start of a run of the earlier tool, which is its first input."""
        sent = self._read(self._places.first.get("hands_input"))
        return RunStart(task=sent.input, ts=sent.ts) if isinstance(sent, HandsInput) else RunStart(ts=self._run.ts)

    def _count_batches(self) -> int:
        offset = self._places.last.get("hands_input")
        event = read_at(self._log, offset) if offset is not None else None
        return count_batches(event.head.batch_id) if event else 0

    def _read(self, offset: int | None) -> Record | None:
        if offset is None or any(one.start <= offset < one.end for one in self._foreign):
            return None
        event = read_at(self._log, offset)
        return event.record() if event and event.head.run_id == self._run.run_id else None
