"""A stretch of work in a log, made without running an agent, and a Mind that asks a scripted model about it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from mi.app.home_context import HomeContext
from mi.app.learning import build_knowledge
from mi.app.thoughts import build_thoughts
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.hands import Evidence, HandsInput
from mi.evidence.records.mind import DecideNext
from mi.evidence.records.run import BatchEnd, RunStart
from mi.kernel.config.types import Config
from mi.learning.knowledge import Knowledge
from mi.learning.mine_command import CommandHand, find_latest_run
from mi.learning.segments import Segment
from mi.testing.server import ScriptedServer
from tests.learning.models import answering, mind_of

Json = dict[str, Any]


class Stretch:
    """One run of a project, and what learning from it needs."""

    def __init__(self, context: HomeContext, runtime: Json, task: str, run_id: str = "run_1") -> None:
        context.use_project()
        self.writer = EvidenceWriter(context.project_home.evidence, run_id, context.notices)
        self.writer.append(RunStart(task=task))
        self.writer.append(HandsInput(input=task))
        self.writer.append(BatchEnd(last_message="Done."))
        self.writer.append(Evidence(facts=["1 files changed"]))
        self.writer.append(DecideNext(status="done", notes="a check after the last change passed"))
        self.context = context
        self.runtime = msgspec.convert({"runtime": runtime}, Config).runtime

    @property
    def knowledge(self) -> Knowledge:
        return build_knowledge(self.context)._replace(runtime=self.runtime)

    @property
    def segment(self) -> Segment:
        return find_latest_run(self.knowledge)

    @contextmanager
    def judged(self, **answers: Any) -> Iterator[tuple[CommandHand, ScriptedServer]]:
        """The hand of a command whose Mind gets these answers."""
        with answering(**answers) as server:
            yield CommandHand(self.writer, mind_of(server, self.context.home)), server

    def texts(self, tag: str) -> list[str]:
        """The project's standing claims with a tag."""
        return [claim.text for claim in build_thoughts(self.context).own.active(tag)]
