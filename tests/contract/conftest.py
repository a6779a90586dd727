"""A project, and sessions of agents in it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.contract.memory_tools import (
    ModeInput,
    QueryInput,
    RecentInput,
    WriteInput,
    WriteResult,
    memory_query,
    memory_recent,
    memory_set_mode,
    memory_write,
)
from mi.contract.session import ContractPlace, ContractSession, Refused
from mi.contract.task_tools import AddInput, ChangeResult, task_add
from mi.evidence.reader import read_back
from mi.evidence.records.base import Record
from mi.kernel.home import Home
from mi.kernel.notices import Notices

OpenSession = Callable[..., ContractSession]


class Project:
    """A project folder with everything a session needs, and what it left."""

    def __init__(self, root: Path, home: Home) -> None:
        self.root = root
        self.home = home
        self.context = HomeContext(home, cd=str(root))

    def place(self, **changed: Any) -> ContractPlace:
        return build_contract(self.context)._replace(**changed)

    @property
    def tasks(self) -> Path:
        return self.root / "tinyTasks.md"

    @property
    def log(self) -> str:
        return self.context.project_home.evidence

    def events(self, kind: str) -> list[Record]:
        """The records of a kind, oldest first."""
        found = [event.record() for event in read_back(self.log, Notices()) if event.head.kind == kind]
        return [record for record in reversed(found) if record is not None]


@pytest.fixture
def project(tmp_path: Path, home: Home) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("def main():\n    return 'std::vector'\n", "utf-8")
    return Project(root, home)


@pytest.fixture
def opened(project: Project) -> Iterator[OpenSession]:
    """Opens sessions, and closes them at the end."""
    sessions: list[ContractSession] = []

    def open_one(client: str = "codex", *, person: bool = False, **changed: Any) -> ContractSession:
        sessions.append(ContractSession.open(project.place(**changed), client, "mcp", person=person))
        return sessions[-1]

    yield open_one
    for one in sessions:
        one.close()


@pytest.fixture
def session(opened: OpenSession) -> ContractSession:
    return opened()


def recall(session: ContractSession, query: str = "") -> list[Any]:
    if query:
        return memory_query(session, QueryInput(query=query)).results
    return memory_recent(session, RecentInput()).results


def mode(session: ContractSession, name: Any = "GUARDED") -> None:
    memory_set_mode(session, ModeInput(mode=name))


def ready(session: ContractSession, name: Any = "GUARDED") -> ContractSession:
    """A session that may write, as long as no tasks are required."""
    recall(session)
    mode(session, name)
    return session


def write(session: ContractSession, type_: Any = "note", summary: str = "A note", **more: Any) -> WriteResult:
    return memory_write(session, WriteInput(type=type_, summary=summary, **more))


def add(session: ContractSession, title: str = "Ship it", *subtasks: str, section: str = "") -> ChangeResult:
    return task_add(session, AddInput(title=title, section=section, subtasks=list(subtasks)))


def code_of(call: Callable[[], Any]) -> str:
    """The code a call is refused with, `ok` when it is not."""
    try:
        call()
    except Refused as refused:
        return refused.verdict.code
    return "ok"
