"""What the tests of the command line share: a project with a recorded run, a way to see that nothing was written."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from mi.app.home_context import HomeContext
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.base import Record
from mi.evidence.records.hands import Evidence, HandsInput
from mi.evidence.records.mind import CheckPlan, DecideNext
from mi.evidence.records.questions import Question
from mi.evidence.records.run import BatchEnd, Marks, RunEnd, RunStart, RunUsage
from mi.evidence.records.thoughts import LearnApplied, LearnSuggested
from mi.evidence.records.trees import LeftOutFile, TreeSnapshot
from mi.kernel.home import Home, ProjectHome
from mi.kernel.notices import Notices
from mi.project.identity import make_project_id
from mi.project.snapshots import open_store, take_snapshot
from mi.project.tree_writer import TreeWriter
from tests.cli.restoring import RUN, Keep

Tree = dict[str, tuple[int, int, bytes]]


class Stage(NamedTuple):
    """The project of the folder in which the tests' commands run."""

    root: Path
    project_id: str
    place: ProjectHome

    @property
    def log(self) -> Path:
        return Path(self.place.evidence)

    def writer(self, run_id: str = "run_20260101T000000Z_aaaaaaaa") -> EvidenceWriter:
        return EvidenceWriter.resume(str(self.log), run_id, Notices())

    def append(self, *records: Record) -> list[Record]:
        writer = self.writer()
        return [writer.append(record) for record in records]

    def transcript(self, kind: str, name: str, *lines: str) -> Path:
        """A transcript as the agents' room will write it."""
        folder = Path(self.place.path("transcripts", kind))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_text("".join(line + "\n" for line in lines), "utf-8")
        return path


@pytest.fixture
def stage(tmp_path: Path, home: Home) -> Stage:
    root = tmp_path / "work"
    own_id = make_project_id(f"path:{root}")
    return Stage(root, own_id, home.project(own_id))


def a_run(batches: int = 1) -> list[Record]:
    """The records of a run that ended well, without what a Mind said beside the decisions."""
    records: list[Record] = [RunStart(task="add a flag", hands="codex", mind="rules")]
    for number in range(batches):
        batch = f"b{number}"
        records += [
            HandsInput(
                batch_id=batch, input=f"task {batch}", light_injection="Purpose: help.", transcript_path="t.jsonl"
            ),
            BatchEnd(batch_id=batch, last_message=f"done with {batch}", hands_transcript_ref=f"hands/{batch}.jsonl"),
            Evidence(batch_id=batch, facts=[f"fact {batch}"], mind_transcript_ref=f"mind/{batch}.jsonl"),
            CheckPlan(batch_id=batch),
            DecideNext(batch_id=batch, status="done", next_action="stop", notes="all checks pass"),
        ]
    marks = Marks(ran=True, claimed=True, verified=True)
    return [
        *records,
        RunEnd(status="done", marks=marks, spent=RunUsage(input_tokens=10), exit=0, evidence_ids=["ev_x"]),
    ]


@pytest.fixture
def recorded(stage: Stage) -> Stage:
    """A project with a run of two batches, an open question, one suggestion that was applied and one that was not."""
    *course, end = a_run(2)
    stage.append(
        *course,
        Question(id="qu_1", text="Push to main?"),
        LearnSuggested(id="ls_1", batch_id="b1", text="Never push to main"),
        LearnSuggested(id="ls_2", batch_id="b1", text="Run the linter"),
        LearnApplied(suggestion_id="ls_2", applied_claim_ids=["cl_1"]),
        end,
    )
    return stage


def tree(*roots: Path | str) -> Tree:
    """Everything below some folders: mode, time of change and bytes."""
    found: Tree = {}
    for root in roots:
        for folder, _, names in os.walk(root):
            for path in (folder, *(os.path.join(folder, name) for name in names)):
                seen = os.lstat(path)
                content = Path(path).read_bytes() if os.path.isfile(path) else b""
                found[path] = (seen.st_mode, seen.st_mtime_ns, content)
    return found


@pytest.fixture
def unchanged(tmp_path: Path) -> Callable[[], None]:
    """Call it at the end: nothing below the test's folder was written since the test began to use it."""
    before: list[Tree] = []

    def check() -> None:
        if before:
            assert tree(tmp_path) == before[0]
        else:
            before.append(tree(tmp_path))

    return check


@pytest.fixture
def keep(home: Home) -> Keep:
    """Keeps the work tree as a run does before a batch, and records it."""

    def take(root: Path, batch: str = "b1", run: str = RUN) -> None:
        context = HomeContext(home, str(root))
        context.use_project()
        place = context.project_home
        store = open_store(str(root), place.snapshots)
        taken = take_snapshot(TreeWriter(str(root), place.path("trees", run), store), run, batch)
        assert taken.reason == ""
        log = EvidenceWriter.resume(place.evidence, run, Notices())
        if batch == "b1":
            log.append(RunStart(task="mend it", project_root=str(root)))
        left_out = [LeftOutFile(path=left.path, why=left.why) for left in taken.left_out]
        rules = taken.attributes
        log.append(TreeSnapshot(of=batch, commit=taken.commit, tree=taken.tree, left_out=left_out, attributes=rules))

    return take
