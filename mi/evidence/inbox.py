"""The inbox: all that waits for the person, of every project, the same question once."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from mi.evidence.inbox_numbers import InboxNumbers
from mi.evidence.index import EvidenceIndex
from mi.evidence.open_items import open_items_of
from mi.evidence.reader import Event
from mi.evidence.records.base import Record
from mi.evidence.records.questions import AskedLimit, HookCall, Question, QuestionOption, WouldAnswer
from mi.evidence.records.run import NotifyFailed
from mi.evidence.records.thoughts import LearnSuggested
from mi.kernel.git import find_branch, is_linked_tree
from mi.kernel.home import Home
from mi.kernel.log_view import Progress
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices

_PERMISSIONS = ("risk", "judges", "limit", "trust")  # a yes to one run is no yes to another


class InboxItem(Struct, frozen=True, kw_only=True):
    """One thing that waits; it was asked `count` times, as `ids`, by `run_ids`, the latest first."""

    id: str
    kind: Literal["question", "suggestion", "review", "proposal", "handoff", "notification", "facts", "run"]
    question: str
    run_id: str = ""
    project_id: str = ""
    ts: str = ""
    answer_with: str = ""
    number: int = 0
    project: str = ""
    project_root: str = ""  # where the run works
    main_root: str = ""  # the person's own tree, where that is a linked work tree of it
    branch: str = ""  # of that work tree
    batch_id: str = ""
    task: str = ""
    about: str = ""
    said: str = ""
    options: list[QuestionOption] = []
    would: WouldAnswer | None = None
    default: str = ""
    call: HookCall | None = None
    limit: AskedLimit | None = None
    blocks: bool = False
    keep: bool = False  # the answer is kept for the next time
    count: int = 1
    seen: int = 0  # of a suggestion: in so many runs
    ids: list[str] = []
    run_ids: list[str] = []
    asked_by: str = ""  # of a question that waits at another home: whose that is
    machine: str = ""  # and on which machine

    @property
    def waiting(self) -> Literal["run", "call", ""]:
        """What waits for the answer: the run that asked, the call of a host's session, or nothing."""
        return "call" if self.call else "run" if self.blocks and self.run_id.startswith("run_") else ""

    @property
    def is_elsewhere(self) -> bool:
        """Return whether it waits at another home, which a hub tells of."""
        return bool(self.asked_by)


class LocatedItem(NamedTuple):
    """An item, the log it stands in ('' is none), and how long that was when it was read."""

    item: InboxItem
    log: str = ""
    size: int = 0


def list_waiting(
    home: Home, index: EvidenceIndex, roots: Mapping[str, str], notices: Notices, progress: Progress | None = None
) -> tuple[list[LocatedItem], bool]:
    """Return what waits in the logs of all projects, log by log, and whether that is all.

    `roots` are the folders of projects by id. Without `progress` nothing is written, and a log that the index does
    not know is read only near its end.
    """
    logs = {log: project_id for project_id, log in find_logs(home)}
    found: list[LocatedItem] = []
    complete = True
    for log, items in open_items_of(list(logs), index, notices, progress).items():
        found += locate(items.events, log, items.size, logs[log], roots.get(logs[log], ""))
        complete = complete and items.complete
    return found, complete


def find_logs(home: Home) -> Iterator[tuple[str, str]]:
    """Yield the logs of all projects, each after its project's id, and the global one."""
    for project_id in home.project_ids():
        yield project_id, home.project(project_id).evidence
    yield "", home.evidence


def locate(events: Iterable[Event], log: str, size: int, project_id: str, root: str) -> list[LocatedItem]:
    """Return what waits of the events of one log; a question that was asked again stands there once."""
    groups: dict[tuple[object, ...], list[InboxItem]] = {}
    for event in events:
        item = read_item(event.record(), project_id, root)
        if item is not None:
            groups.setdefault(_identify(item), []).append(item)
    return [LocatedItem(_merge(group), log, size) for group in groups.values()]


def sort_items(items: Iterable[LocatedItem]) -> list[LocatedItem]:
    """Return items newest first, after them what could not be told: it must not hide what it was about."""
    newest = sorted(items, key=lambda one: one.item.ts)[::-1]  # of the same moment: what was written last
    return sorted(newest, key=lambda one: one.item.kind == "notification")


def number_items(items: list[LocatedItem], numbers: InboxNumbers) -> list[LocatedItem]:
    """Return the items with their numbers."""
    return [
        one._replace(item=msgspec.structs.replace(one.item, number=numbers.find(one.item.ids or [one.item.id])))
        for one in items
    ]


def read_item(record: Record | None, project_id: str, root: str) -> InboxItem | None:
    """Return a record as something that waits; None where it does not."""
    main = branch = ""
    if isinstance(record, Question):
        item = _read_question(record)
        tree = record.project_root
        if root and tree not in ("", root) and is_linked_tree(tree):
            main, branch = root, find_branch(tree)
        root = tree or root
    elif isinstance(record, LearnSuggested) and not record.applied_claim_ids:
        item = InboxItem(
            id=record.id,
            kind="suggestion",
            question=record.text,
            seen=record.count,
            answer_with=f"mi answer {record.id} yes",
            options=[QuestionOption(key="yes"), QuestionOption(key="no")],
        )
    elif isinstance(record, NotifyFailed):
        item = InboxItem(
            id=record.id,
            kind="notification",
            question=f"{record.channel} ({record.event}): {record.reason}",
            answer_with="mi notify test",
        )
    else:
        return None
    return msgspec.structs.replace(
        item,
        run_id=record.run_id,
        batch_id=record.batch_id,
        project_id=project_id,
        project_root=root,
        project=os.path.basename(main or root),
        main_root=main,
        branch=branch,
        ts=record.ts,
    )


def _read_question(asked: Question) -> InboxItem:
    word = {"capture": "save", "trust": "yes"}.get(asked.about, '"…"')
    return InboxItem(
        id=asked.id,
        kind=asked.waits_as,
        question=asked.text,
        answer_with=f"mi answer {asked.id} {word}",
        task=asked.task,
        about=asked.about,
        said=asked.said,
        options=asked.options,
        would=asked.would,
        default=asked.default,
        call=asked.call,
        limit=asked.limit,
        blocks=asked.blocks,
        keep=asked.keep,
    )


def _identify(item: InboxItem) -> tuple[object, ...]:
    """Return what makes two questions the same; a permission is asked for anew in every run and session."""
    alone = item.id if item.kind == "suggestion" else ""
    asker = item.run_id if item.about in _PERMISSIONS or item.call else ""
    keys = tuple(option.key for option in item.options)
    return (alone, item.kind, item.about, " ".join(item.question.split()), keys, asker, item.call)


def _merge(group: list[InboxItem]) -> InboxItem:
    group = sorted(group, key=lambda one: one.ts)[::-1]
    runs = dict.fromkeys(one.run_id for one in group)
    return msgspec.structs.replace(group[0], count=len(group), ids=[one.id for one in group], run_ids=list(runs))
