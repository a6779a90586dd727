"""The home during a run: what somebody else changes in it does not count, is recorded, and waits for the person."""

import os
from collections.abc import Callable, Iterable

from mi.evidence.home_changes import Doorkeeper, LogChange, LogWatch, forget_view
from mi.evidence.records.base import Record
from mi.evidence.records.governed import Violation
from mi.evidence.records.questions import Question, QuestionOption
from mi.kernel import ids
from mi.kernel.believed import ForeignChange, StateWatch
from mi.kernel.home import Home, ThoughtFiles
from mi.kernel.messages import text
from mi.kernel.view_watch import is_written_by_others, watch_view
from mi.project.identity import Project


class HomeWatch:
    """Looks, from batch to batch, whether the home holds only what MI's own processes wrote."""

    def __init__(
        self,
        home: Home,
        project: Project,
        language: str,
        append: Callable[[Record], Record],
        read_anew: Callable[[], None],
        door: Doorkeeper,
    ) -> None:
        """`read_anew` has thoughts read again that may have been read with what does not count."""
        self._home = home
        self._project = project
        self._language = language
        self._append = append
        self._read_anew = read_anew
        self._logs = LogWatch(_logs_of(home, project.project_id), door)
        self._state = StateWatch(home, project.project_id)
        self._views = [store.view for store in _stores_of(home, project.project_id)]
        for view in self._views:
            watch_view(view)

    def look(self) -> None:
        """Set aside, record and tell what is new and not MI's."""
        logs, states = self._logs.look(), self._state.look()
        others = [view for view in self._views if is_written_by_others(view)]
        if logs or others:
            self._read_anew()
        for view in others:
            forget_view(view)
        for view in self._views if logs or others else ():
            watch_view(view)
        found = [*map(self._describe_log, logs), *map(self._describe_state, states)]
        for what in found:
            self._append(
                Violation(id=ids.make_id("vi"), code="HOME_CHANGED", boundary="home", outcome="set aside", details=what)
            )
        if found:
            self._append(self._ask(found))

    def _ask(self, found: Iterable[str]) -> Question:
        return Question(
            id=ids.make_id("qu"),
            text=text("seal.asks", self._language, what="; ".join(found)),
            about="home",
            blocks=False,
            project_root=self._project.root,
            options=[QuestionOption(key="seen")],
            default=text("seal.default", self._language),
        )

    def _describe_log(self, change: LogChange) -> str:
        count = len(change.read_lines()) or 1
        return text(f"seal.{change.kind}", self._language, path=self._home.relative(change.log), count=count)

    def _describe_state(self, change: ForeignChange) -> str:
        path, aside = self._home.relative(change.path), os.path.basename(change.aside)
        return text("seal.state" if aside else "seal.state-gone", self._language, path=path, aside=aside)


def _logs_of(home: Home, project_id: str) -> list[str]:
    place = home.project(project_id)
    logs = [home.evidence, home.run_times, home.written, place.evidence]
    for files in _stores_of(home, project_id):
        logs += [files.claims, files.nodes, files.edges]
    return logs


def _stores_of(home: Home, project_id: str) -> list[ThoughtFiles]:
    return [ThoughtFiles(home.thoughts), ThoughtFiles(home.project(project_id).thoughts)]
