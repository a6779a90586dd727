"""Composition: opens a home and a project for one command and hands their stores to whoever needs them."""

import os
from functools import cached_property
from typing import TYPE_CHECKING

from mi.kernel.errors import BadConfig, MiError, NotFound, StorageError, from_os_error
from mi.kernel.home import Home, ProjectHome
from mi.kernel.messages import choose_language
from mi.kernel.notices import Notices

if TYPE_CHECKING:  # imported when used: most commands need only some of it
    from mi.evidence.index import EvidenceIndex
    from mi.evidence.log import EvidenceWriter
    from mi.kernel.config.load import Loaded, Problem
    from mi.kernel.config.types import Config
    from mi.memory.documents import Producer
    from mi.memory.index import Memory
    from mi.project.identity import Project
    from mi.project.known import KnownProjects
    from mi.project.selection import Choice, SelectionFile
    from mi.thoughtdb.changes import Desk
    from mi.thoughtdb.effective import Effective
    from mi.thoughtdb.store import ThoughtStore


class App:
    """What one command works with; everything is opened when it is first asked for."""

    def __init__(self, home: Home, cd: str | None = None, here: bool = False) -> None:
        self.home = home
        self.notices = Notices()
        self._cd = cd
        self._here = here

    @cached_property
    def loaded_config(self) -> "Loaded":
        """The configuration and its problems; BadConfig when the file is no JSON object."""
        from mi.kernel.config.load import load

        return load(self.home.config)

    @cached_property
    def config(self) -> "Config":
        """The configuration for commands that work without one: what is wrong is noticed, the default used."""
        from mi.kernel.config.types import Config

        try:
            return self.needed_config
        except BadConfig as error:
            unusable: MiError = error
        except OSError as error:
            unusable = from_os_error(error)
        self.notices.add("config-unusable", self.home.config, reason=unusable.line(self.quiet_language))
        return Config()

    @cached_property
    def needed_config(self) -> "Config":
        """The configuration for commands that are about it; BadConfig when the file is no JSON object."""
        for problem in self.loaded_config.problems:
            details = {"key": problem.path, "value": problem.value, "hint": problem.hint}
            self.notices.add("config-" + problem.code, self.home.config, **details)
        return self.loaded_config.config

    @property
    def config_errors(self) -> "list[Problem]":
        """The mistakes in the configuration that change what it does; BadConfig as above."""
        return [problem for problem in self.loaded_config.problems if problem.code != "api-key-in-file"]

    @cached_property
    def quiet_language(self) -> str:
        """The language to speak where nothing is to be said about mistakes in the configuration."""
        try:
            return choose_language(self.loaded_config.config.language if os.path.exists(self.home.config) else "")
        except (BadConfig, OSError):
            return choose_language("")

    @property
    def language(self) -> str:
        """The language to speak where no message gives a hint."""
        return self.language_for("")

    def language_for(self, message: str) -> str:
        """The language to answer a person's message in."""
        if not os.path.exists(self.home.config):
            return choose_language("", message)
        return choose_language(self.config.language, message)

    @cached_property
    def selections(self) -> "SelectionFile":
        from mi.project.selection import SelectionFile

        return SelectionFile(self.home, self.notices)

    @cached_property
    def known_projects(self) -> "KnownProjects":
        from mi.project.known import KnownProjects

        return KnownProjects(self.home, self.notices)

    @cached_property
    def choice(self) -> "Choice":
        """The project root the command means, and by which rule."""
        from mi.project.selection import Wish, choose

        self._check_access()
        wish = Wish(self._cd, self._here)
        return choose(wish, _current_folder(), self.selections, self.known_projects, self.notices)

    def _check_access(self) -> None:
        """A home that cannot be entered is one mistake, not one for every file in it."""
        if self.home.exists() and not os.access(self.home.root, os.R_OK | os.X_OK):
            raise StorageError("no-permission", path=self.home.root)

    @cached_property
    def project(self) -> "Project":
        """The project the command means; asking changes nothing."""
        return self.known_projects.open(self.choice.root)

    @property
    def project_home(self) -> ProjectHome:
        return self.home.project(self.project.project_id)

    def note_last(self) -> None:
        """Remember the project a command looked at as @last; when that cannot be written, it is no reason to fail."""
        last = self.selections.read().last
        if self.choice.how in ("last", "pinned") or (last and last.root_path == self.choice.root):
            return
        if any(notice.key == "state-broken" and notice.path == self.home.selection for notice in self.notices):
            return  # whoever only looks sets nothing aside
        if self.home.exists() and self.config.runtime.project_selection.auto_update_last:
            try:
                self.selections.set_last(self.choice.root)
            except (OSError, StorageError):
                pass

    def use_project(self) -> "Project":
        """Make the project known to the home, for a command that writes about it."""
        from mi.project.overlay import ensure_overlay

        ensure_overlay(self.home, self.project, self.notices)
        self.known_projects.remember(self.project)
        if self.config.runtime.project_selection.auto_update_last:
            self.selections.set_last(self.project.root)
        return self.project

    @cached_property
    def evidence_index(self) -> "EvidenceIndex":
        from mi.evidence.index import EvidenceIndex

        return EvidenceIndex(self.home)

    def evidence_writer(self, log: str) -> "EvidenceWriter":
        """A writer for what this command does."""
        from mi.evidence.log import EvidenceWriter

        return EvidenceWriter.for_command(log, self.notices)

    @cached_property
    def global_thoughts(self) -> "ThoughtStore":
        from mi.thoughtdb.store import ThoughtStore

        return ThoughtStore(self.home.thoughts, "global", "", self.notices)

    @cached_property
    def project_thoughts(self) -> "ThoughtStore":
        from mi.thoughtdb.store import ThoughtStore

        return ThoughtStore(self.project_home.thoughts, "project", self.project.project_id, self.notices)

    def read_thoughts(self, scope: str, as_of: int | None = None) -> "Effective":
        """What the project's store, the global one, or both together (`effective`) say."""
        from mi.thoughtdb.effective import Effective

        stores = {"project": [self.project_thoughts], "global": [self.global_thoughts]}
        chosen = stores.get(scope) or [self.project_thoughts, self.global_thoughts]
        return Effective(*(store.read(as_of) for store in chosen))

    def thought_desk(self, scope: str) -> "Desk":
        """Where a command writes thoughts of a scope."""
        from mi.thoughtdb.changes import Desk

        if scope == "global":
            log = lambda: self.evidence_writer(self.home.evidence)  # noqa: E731
            return Desk(self.global_thoughts, log, self.read_thoughts("global"), self.where_is)
        return Desk(self.project_thoughts, self.open_project_log, self.read_thoughts("effective"), self.where_is)

    def open_project_log(self) -> "EvidenceWriter":
        """A writer for the project's log; the project is known from then on."""
        self.use_project()
        return self.evidence_writer(self.project_home.evidence)

    def where_is(self, thought_id: str) -> str:
        """Which store holds a thought: project, global, the folder of another project's store, or none."""
        from mi.thoughtdb.store import ThoughtStore

        if self.project_thoughts.read().get(thought_id):
            return "project"
        if self.global_thoughts.read().get(thought_id):
            return "global"
        for one in sorted(os.listdir(self.home.projects)) if os.path.isdir(self.home.projects) else ():
            other = ThoughtStore(self.home.project(one).thoughts, "project", one, self.notices)
            if other.exists() and other.read(save=False).get(thought_id):
                return other.files.root
        return ""

    def thought_candidates(self, query: str, limit: int) -> list[str]:
        """Claims and nodes of the project and the global store that the text index finds for a query, best first."""
        from mi.memory.backend import Query
        from mi.memory.words import compact

        asked = compact(query)
        if not asked.tokens:
            return []
        wanted = Query(asked.tokens, ("claim", "node"), self.project.project_id, limit=limit)
        return [hit.document.id for hit in self.memory.search(wanted)]

    @cached_property
    def memory(self) -> "Memory":
        """The text index over everything in the home."""
        from mi.memory.index import Memory

        return Memory(self.home, self.memory_producers, self.notices)

    def memory_producers(self) -> "list[Producer]":
        """Whoever has something to find, of the global part and of every project."""
        from mi.memory.sources import WorkflowFiles, WorkflowOverrides, records, snapshots
        from mi.thoughtdb.documents import producers

        projects = sorted(os.listdir(self.home.projects)) if os.path.isdir(self.home.projects) else []
        homes: list[tuple[str, Home | ProjectHome]] = [("", self.home)]
        homes += [(one, self.home.project(one)) for one in projects]
        found: list[Producer] = []
        for one in projects:
            overlay = self.home.project(one).overlay
            found.append(WorkflowOverrides(overlay, self.home.relative(overlay), one))
        for project_id, place in homes:
            log = self.home.relative(place.evidence)
            found += producers(self.home, place.thoughts, project_id)
            found.append(WorkflowFiles(place.workflows, self.home.relative(place.workflows), project_id))
            found.append(snapshots(place.evidence, log, project_id))
            found.append(records(place.evidence, log, project_id))
        return found


def _current_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was deleted while the shell stood in it
        raise NotFound("no-current-folder") from None
