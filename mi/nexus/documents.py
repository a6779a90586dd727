"""What `.nexus/` hands to the search index: memory, context and rules, what was decided, the closed cycles."""

import os
from collections.abc import Iterator

from mi.kernel.errors import StorageError
from mi.kernel.secrets import LOOK_AHEAD
from mi.knowledge.search.documents import MAX_TEXT, Change, Document, DocumentChanges, Producer
from mi.knowledge.search.sources import FolderProducer, file_stamp
from mi.knowledge.search.team import CONTEXT, CYCLE, DECISION, MEMORY, RULE
from mi.nexus.layout import NexusLayout


def find_nexus_producers(root: str, project_id: str) -> list[Producer]:
    """Return the producers of one repository.

    None where nothing was ever put into `.nexus/`, or a link leads out of it.
    """
    if not os.path.isdir(os.path.join(root, ".nexus")):
        return []
    layout = NexusLayout(root)
    try:
        folders = [(layout.memory, MEMORY), (layout.context, CONTEXT), (layout.rules, RULE)]
        files = [_KnowledgeFiles(folder, project_id, kind) for folder, kind in folders]
        return [*files, Cycles(layout.history, project_id), PlanDecisions(layout.plan, project_id)]
    except StorageError:
        return []  # its own commands say so; what others keep is found


class _KnowledgeFiles(FolderProducer):
    """The Markdown files of one folder, each a document under its path."""

    def __init__(self, folder: str, project_id: str, kind: str) -> None:
        def read(name: str, data: bytes) -> Document:
            from mi.kernel import clock

            path = os.path.join(folder, name)
            text = data[: (MAX_TEXT + LOOK_AHEAD) * 4].decode("utf-8", "replace")[: MAX_TEXT + LOOK_AHEAD]
            ts = clock.format_ms(int(os.stat(path).st_mtime * 1000))
            return Document(path, kind, text, project_id, title=name.removesuffix(".md"), ts=ts)

        super().__init__(folder, folder, project_id, kind, ".md", read)

    def id_of(self, name: str) -> str:
        return os.path.join(self.source, name)


class PlanDecisions:
    """What was decided of the active plan: read anew when the file is another one."""

    kinds = frozenset([DECISION])

    def __init__(self, plan: str, project_id: str) -> None:
        self.source = plan
        self.project_id = project_id

    def end(self) -> str:
        return _stamp(self.source)

    def read(self, cursor: str) -> Iterator[DocumentChanges]:
        from mi.nexus.reading import read_plan

        end = self.end()
        if end == cursor:
            return
        try:
            plan = read_plan(self.source)
        except StorageError:
            plan = None  # whoever writes it will say so
        found: list[Change] = [
            Document(f"{self.source}#{issue.id}", DECISION, f"{issue.title}\n{issue.decision}", self.project_id)
            for issue in (plan.issues if plan else ())
            if issue.decision
        ]
        yield DocumentChanges(found, end, len(found), len(found), anew=True)


class Cycles:
    """The closed cycles of a history: read anew when the file is another one."""

    kinds = frozenset([CYCLE])

    def __init__(self, history: str, project_id: str) -> None:
        self.source = history
        self.project_id = project_id
        self._history = history

    def end(self) -> str:
        return _stamp(self._history)

    def read(self, cursor: str) -> Iterator[DocumentChanges]:
        from mi.nexus.reading import read_cycles

        end = self.end()
        if end == cursor:
            return
        try:
            cycles = read_cycles(self._history)
        except StorageError:
            cycles = []  # whoever writes it will say so
        found: list[Change] = [self._document(number, cycle) for number, cycle in enumerate(cycles, 1)]
        yield DocumentChanges(found, end, len(found), len(found), anew=True)

    def _document(self, number: int, cycle: dict[str, object]) -> Document:
        plan = cycle.get("plan")
        tasks = cycle.get("tasks")
        said = [*_texts(plan), *_texts(tasks)]
        title = plan.get("topic", "") if isinstance(plan, dict) else ""
        ts = str(cycle.get("completed_at") or "")
        text = "\n".join(said)[: MAX_TEXT + LOOK_AHEAD]
        return Document(f"{self._history}#{number}", CYCLE, text, self.project_id, title=str(title), ts=ts)


def _stamp(path: str) -> str:
    try:
        return file_stamp(os.stat(path))
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _texts(value: object) -> Iterator[str]:
    """Yield what people wrote in a plan or a task, without the keys and states."""
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if isinstance(one, str) and key not in ("status", "created_at", "owner_reuse_policy"):
                yield one
            else:
                yield from _texts(one)
