"""A home and a project, opened for one command: configuration, language, selection, evidence."""

import os
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from mi.kernel.errors import BadConfig, MiError, NotFound, StorageError, from_os_error
from mi.kernel.home import Home, ProjectHome
from mi.kernel.messages import choose_language
from mi.kernel.notices import Notice, Notices

if TYPE_CHECKING:  # imported when used: most commands need only some of it
    from collections.abc import Callable, Iterable

    from mi.evidence.index import EvidenceIndex
    from mi.evidence.log import EvidenceWriter
    from mi.kernel.config.load import ConfigProblem, LoadedConfig
    from mi.kernel.config.types import Config
    from mi.project.identity import Project
    from mi.project.known import KnownProjects
    from mi.project.selection import Choice, SelectionFile

T = TypeVar("T")


class HomeContext:
    """The floor that every command stands on; everything is opened when it is first asked for."""

    def __init__(self, home: Home, cd: str | None = None, here: bool = False, agent_at: str | None = None) -> None:
        self.home = home
        self.notices = Notices()
        home.tell(self.notices)
        self._cd = cd
        self._here = here
        self._agent_at = agent_at
        self.words_alone = False  # a hook searches by words alone: it has no time to load a model
        self.by = ""  # the door by which a person acts, where it is no command
        self._profile = ""
        self._opened: dict[object, object] = {}

    def for_agent(self, folder: str = "") -> "HomeContext":
        """Return the same for an agent that works in a folder: what a person selected does not concern it."""
        other = HomeContext(self.home, self._cd, self._here, folder or find_current_folder()).in_profile(self._profile)
        other.words_alone = self.words_alone
        return other

    def at(self, root: str) -> "HomeContext":
        """Return the same for a project at another place; whoever hears the notices of this one hears its own."""
        other = HomeContext(self.home, root).in_profile(self._profile)
        other.notices, other.by, other.words_alone = self.notices, self.by, self.words_alone
        self.home.tell(self.notices)
        return other

    def in_profile(self, profile: str) -> "HomeContext":
        """Return this very context, bound by a profile that the place names; the person's own may be stricter."""
        self._profile = profile
        return self

    @property
    def is_agents(self) -> bool:
        """Return whether an agent works here, not a person at the command line."""
        return self._agent_at is not None

    def open_once(self, build: "Callable[[HomeContext], T]") -> "T":
        """Return what a builder makes of this context; the same until `close`."""
        if build not in self._opened:
            self._opened[build] = build(self)
        return self._opened[build]  # type: ignore[return-value]  # kept by the very function that made it

    @cached_property
    def loaded_config(self) -> "LoadedConfig":
        """Return the configuration and its problems; BadConfig when the file is no JSON object."""
        from mi.kernel.config.load import load

        return load(self.home.config)

    @cached_property
    def config(self) -> "Config":
        """Return the configuration for commands that work without one: what is wrong is noticed, the default used.

        The profile is the strictest of the file's, the one this project was set up with and the one the place names.
        """
        from mi.kernel.config.load import check, read_raw
        from mi.kernel.config.profiles import find_strictest

        try:
            own = self.needed_config
            profile = find_strictest(own.profile, self._profile, self._find_set_up())
            return own if profile == own.profile else check(read_raw(self.home.config), profile).config
        except BadConfig as error:
            unusable: MiError = error
        except OSError as error:
            unusable = from_os_error(error)
        self.notices.add("config-unusable", self.home.config, reason=unusable.line(self.quiet_language))
        return check({}, self._profile).config

    def _find_set_up(self) -> str:
        """Return the profile that this project was set up with; where no project can be told, none."""
        from mi.hosts.setups import find_set_up, is_any_set_up
        from mi.kernel.config.profiles import find_strictest

        try:
            places = {self.main_root, self.choice.root} if is_any_set_up(self.home) else ()
            return find_strictest(*(find_set_up(self.home, root, self.notices) for root in places))
        except (MiError, OSError):
            return ""

    @cached_property
    def needed_config(self) -> "Config":
        """Return the configuration for commands that are about it; BadConfig when the file is no JSON object."""
        for problem in self.loaded_config.problems:
            details = {"key": problem.path, "value": problem.value, "hint": problem.hint}
            self.notices.add("config-" + problem.code, self.home.config, **details)
        return self.loaded_config.config

    def close(self) -> None:
        """Let go of open files, in the thread that opened them; asked again, they are opened again."""
        for opened in (self.__dict__.pop("evidence_index", None), *self._opened.values()):
            close = getattr(opened, "close", None)
            if close is not None:
                close()
        self._opened.clear()

    def forget_config(self) -> None:
        """Read the configuration again at the next look: the file was changed."""
        for name in ("loaded_config", "config", "needed_config", "quiet_language"):
            self.__dict__.pop(name, None)

    @property
    def config_errors(self) -> "list[ConfigProblem]":
        """Return the mistakes in the configuration that change what it does; BadConfig as above."""
        return [problem for problem in self.loaded_config.problems if problem.code != "api-key-in-file"]

    @cached_property
    def quiet_language(self) -> str:
        """Return the language to speak where nothing is to be said about mistakes in the configuration."""
        try:
            return choose_language(self.loaded_config.config.language if os.path.exists(self.home.config) else "")
        except (BadConfig, OSError):
            return choose_language("")

    @property
    def language(self) -> str:
        """Return the language to speak where no message gives a hint."""
        return self.language_for("")

    def language_for(self, message: str) -> str:
        """Return the language to answer a person's message in."""
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
        """Return the project root the command means, and by which rule."""
        from mi.project.selection import Wish, choose

        self.home.check()
        wish = Wish(self._cd, self._here, self._agent_at is None)
        is_told = (self._cd or "").startswith(("/", "~", "@"))  # then it does not matter where we are
        where = self._agent_at or ("" if is_told else find_current_folder())
        return choose(wish, where, self.selections, self.known_projects, self.notices)

    @property
    def is_elsewhere(self) -> bool:
        """Return whether the project was chosen by what was used before, and the current folder is not in it."""
        if self.choice.how not in ("pinned", "last"):
            return False
        root = self.choice.root
        return os.path.commonpath((root, os.path.realpath(find_current_folder()))) != root

    @cached_property
    def main_root(self) -> str:
        """Return the project's root in the person's own tree, where the command means a linked work tree."""
        from mi.project.identity import find_main_root

        return find_main_root(self.choice.root) or self.choice.root

    @cached_property
    def project(self) -> "Project":
        """Return the project the command means; asking changes nothing."""
        return self.known_projects.open(self.choice.root)

    @property
    def project_home(self) -> ProjectHome:
        return self.home.project(self.project.project_id)

    def note_last(self) -> None:
        """Remember the project a command looked at as @last; when that cannot be written, it is no reason to fail."""
        last = self.selections.read().last
        if self.choice.how in ("last", "pinned") or (last and last.root_path == self.main_root):
            return
        if any(notice.key == "state-broken" and notice.path == self.home.selection for notice in self.notices):
            return  # whoever only looks sets nothing aside
        if self.home.exists() and self.config.runtime.project_selection.auto_update_last:
            try:
                self.selections.set_last(self.main_root)
            except (OSError, StorageError):
                pass

    def use_project(self) -> "Project":
        """Make the project known to the home, for a command that writes about it."""
        self._make_known()
        if self.config.runtime.project_selection.auto_update_last:
            self.selections.set_last(self.main_root)
        return self.project

    @cached_property
    def evidence_index(self) -> "EvidenceIndex":
        from mi.evidence.index import EvidenceIndex

        return EvidenceIndex(self.home)

    def keep_record(self, noticed: "Iterable[Notice]") -> None:
        """State that had to be set aside is evidence."""
        quarantined = [notice for notice in noticed if notice.key == "state-quarantined"]
        for notice in quarantined:
            writer = self.evidence_writer(self.home.log_beside(notice.path))
            writer.append_corrupt(notice.path, str(notice.details["kept_in"]), str(notice.details["reason"]))

    def evidence_writer(self, log: str) -> "EvidenceWriter":
        """Return a writer for what this command does."""
        from mi.evidence.log import EvidenceWriter

        return EvidenceWriter.for_command(log, self.notices, self.by)

    def open_global_log(self) -> "EvidenceWriter":
        """Return a writer for the log of what holds everywhere."""
        return self.evidence_writer(self.home.evidence)

    def open_project_log(self) -> "EvidenceWriter":
        """Return a writer for the project's log; the project is known from then on, and the last one used."""
        self.use_project()
        return self.evidence_writer(self.project_home.evidence)

    def open_agent_log(self) -> "EvidenceWriter":
        """Return a writer for the project's log; the project is known, but the person's selection stays as it is."""
        self._make_known()
        return self.evidence_writer(self.project_home.evidence)

    def _make_known(self) -> None:
        from mi.project.overlay import ensure_overlay

        ensure_overlay(self.home, self.project, self.notices)
        self.known_projects.remember(self.project)


def find_current_folder() -> str:
    """Return the folder the command was called in; NotFound when it is gone."""
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was deleted while the shell stood in it
        raise NotFound("no-current-folder") from None
