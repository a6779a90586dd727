"""Composition: opens a home and a project for one command and hands their stores to whoever needs them."""

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext, current_folder
from mi.kernel.errors import MiError, NotFound

if TYPE_CHECKING:  # imported when used: most commands need only some of it
    from mi.autopilot.run_context import KnownPerson
    from mi.contract.gate import MutationRequest, Permission
    from mi.contract.session import ContractPlace
    from mi.evidence.log import EvidenceWriter
    from mi.evidence.records.governed import NexusEvent
    from mi.knowledge.search.backend import Hit, Query
    from mi.knowledge.search.documents import Producer
    from mi.knowledge.search.index import TextIndex
    from mi.knowledge.thoughts.editor import ThoughtEditor
    from mi.knowledge.thoughts.store import ThoughtStore
    from mi.knowledge.thoughts.stores import CombinedStores
    from mi.learning.knowledge import Knowledge
    from mi.learning.undo import OtherLesson
    from mi.mind.mind import Mind
    from mi.nexus.store import Store
    from mi.persona.place import PersonaView
    from mi.project.permissions import Worker
    from mi.workflows.editor import WorkflowDesk
    from mi.workflows.hosting import Bindings


class App(HomeContext):
    """What one command works with: the stores and rooms, joined where they meet."""

    def for_agent(self, folder: str = "") -> "App":
        """The same for an agent that works in a folder: what a person selected for commands does not concern it."""
        return App(self.home, self._cd, self._here, folder or current_folder())

    def open_mind(self, transcripts: str) -> "Mind":
        """The configured Mind, for a command outside a run; where none can be used, the rules judge."""
        from mi.agents.choose import resolve_provider
        from mi.mind.choose import open_mind
        from mi.mind.mind import Mind

        self.home.check()
        try:
            hands: str = resolve_provider(self.config)
        except NotFound:
            hands = ""  # whoever only judges needs no agent
        try:
            return open_mind(self.config, self.home, transcripts, hands)
        except MiError as error:
            self.notices.add("mind-unusable", self.home.config, reason=error.line(self.quiet_language))
            return Mind(self.home, transcripts, None)

    @cached_property
    def global_thoughts(self) -> "ThoughtStore":
        from mi.knowledge.thoughts.store import ThoughtStore

        return ThoughtStore(self.home.thoughts, "global", "", self.notices)

    @cached_property
    def project_thoughts(self) -> "ThoughtStore":
        from mi.knowledge.thoughts.store import ThoughtStore

        return ThoughtStore(self.project_home.thoughts, "project", self.project.project_id, self.notices)

    def read_thoughts(self, scope: str, as_of: int | None = None) -> "CombinedStores":
        """What the project's store, the global one, or both together (`effective`) say."""
        from mi.knowledge.thoughts.stores import CombinedStores

        stores = {"project": [self.project_thoughts], "global": [self.global_thoughts]}
        chosen = stores.get(scope) or [self.project_thoughts, self.global_thoughts]
        return CombinedStores(*(store.read(as_of) for store in chosen))

    def thoughts_of(self, project_id: str) -> "CombinedStores":
        """What the store of any project and the global one say; of "" only the global one."""
        from mi.knowledge.thoughts.store import ThoughtStore
        from mi.knowledge.thoughts.stores import CombinedStores

        if project_id == self.project.project_id:
            return self.read_thoughts("effective")
        if not project_id:
            return self.read_thoughts("global")
        other = ThoughtStore(self.home.project(project_id).thoughts, "project", project_id, self.notices)
        return CombinedStores(other.read(), self.global_thoughts.read())

    def thought_desk(self, scope: str) -> "ThoughtEditor":
        """Where a command writes thoughts of a scope."""
        from mi.knowledge.thoughts.editor import ThoughtEditor

        if scope == "global":
            return ThoughtEditor(
                self.global_thoughts, self.open_global_log, self.read_thoughts("global"), self.where_is
            )
        return ThoughtEditor(
            self.project_thoughts, self.open_project_log, self.read_thoughts("effective"), self.where_is
        )

    def open_global_log(self) -> "EvidenceWriter":
        """A writer for the log of what holds everywhere."""
        return self.evidence_writer(self.home.evidence)

    def open_project_log(self) -> "EvidenceWriter":
        """A writer for the project's log; the project is known from then on."""
        self.use_project()
        return self.evidence_writer(self.project_home.evidence)

    def other_lessons(self) -> "list[OtherLesson]":
        """Whoever else keeps what runs teach and can take it back: `mi undo` asks each."""
        from mi.learning.candidates import PreferenceCandidates
        from mi.learning.overlay import OverlayLesson
        from mi.learning.workflow_lesson import WorkflowLesson

        return [
            OverlayLesson(self.project_home.overlay, self.project_thoughts, self.notices),
            WorkflowLesson(self.project_home, self.notices, self._sync_after_undo),
            PreferenceCandidates(self.project_home.preference_candidates, self.notices),
        ]

    def _sync_after_undo(self, event_id: str) -> None:
        from mi.workflows.hosting import sync_bound

        if self.config.runtime.workflows.auto_sync_on_change:
            log = self.evidence_writer(self.project_home.evidence)
            sync_bound(self.bindings, log.append, f"after {event_id}")

    @cached_property
    def nexus(self) -> "Store":
        """The `.nexus/` of the project, written as this home's harness."""
        from mi.nexus.layout import NexusLayout
        from mi.nexus.store import Store

        if not os.path.exists(self.home.config):  # what nobody configured is not worth reading types for
            return Store(NexusLayout(self.choice.root))
        return Store(NexusLayout(self.choice.root, self.config.nexus.harness_id))

    def record_nexus(self, event: "NexusEvent") -> None:
        """Keep a call of a nexus tool, or a harness event, in the project's log."""
        log = self.open_project_log() if self._agent_at is None else self.open_agent_log()
        log.append(event)

    def record_nexus_event(self, event: str, params: dict[str, Any], harness_id: str = "", error: str = "") -> None:
        """Keep what a nexus command or a harness event did, beside the eleven tools."""
        from mi.evidence.records.governed import NexusEvent
        from mi.nexus.toolset import shown

        named = harness_id or self.nexus.place.harness_id
        self.record_nexus(NexusEvent(event=event, harness_id=named, params=shown(params), error=error))

    def contract_place(self) -> "ContractPlace":
        """The project as the agents' contract sees it; nothing is written before something is done."""
        from mi.contract.session import ContractPlace

        return ContractPlace(
            root=self.project.root,
            folder=self.project_home.contract,
            log=self.project_home.evidence,
            open_log=self.open_agent_log,
            thoughts=self.project_thoughts,
            read_thoughts=lambda: self.read_thoughts("effective"),
            search=self._search_memory,
            project_id=self.project.project_id,
            settings=lambda: self.config.contract,
            notices=self.notices,
            language=self.quiet_language,
            permission=self._contract_permission,
        )

    def note_changed_hooks(self) -> None:
        """Say which of MI's hook files are no longer as MI left them."""
        from mi.hosts.integrity import changed_hooks

        for one in changed_hooks(self.home, self.choice.root):
            self.notices.add("hooks-changed", one.path, missing=one.missing, entered=one.entered)

    def _contract_permission(self, request: "MutationRequest") -> "Permission":
        """What the team's rules say to a change of files, tasks or memory; what they ask about, the host asks about."""
        from mi.contract.gate import Permission
        from mi.project.permissions import permit_here

        paths = ["tinyTasks.md"] if request.what in ("task", "propose") else request.arguments.get("paths", [])
        acts = (
            [(request.tool, "call", "")] if request.what == "memory" else [("edit", "edit", str(one)) for one in paths]
        )
        language, profile = self.quiet_language, self.config.governance.profile
        for act in acts:
            verdict = permit_here(self.home, self.worker(self.project.root), *act, self.notices, profile=profile)
            if verdict.decision == "DENY":
                return Permission("deny", f"{verdict.reason(language)}; {verdict.alternative(language)}")
        return Permission()

    def _search_memory(self, wanted: "Query") -> "list[Hit]":
        return self.memory.search(wanted)

    def open_agent_log(self) -> "EvidenceWriter":
        """As `open_project_log`, but an agent that works somewhere does not choose what the person sees next."""
        from mi.project.overlay import ensure_overlay

        ensure_overlay(self.home, self.project, self.notices)
        self.known_projects.remember(self.project)
        return self.evidence_writer(self.project_home.evidence)

    def where_is(self, thought_id: str) -> str:
        """Which store holds a thought: project, global, the folder of another project's store, or none."""
        from mi.knowledge.thoughts.store import ThoughtStore

        if self.project_thoughts.read().get(thought_id):
            return "project"
        if self.global_thoughts.read().get(thought_id):
            return "global"
        for one in self.home.project_ids():
            other = ThoughtStore(self.home.project(one).thoughts, "project", one, self.notices)
            if other.exists() and other.read(save=False).get(thought_id):
                return other.files.root
        return ""

    def thought_candidates(self, query: str, limit: int, project_id: str = "", corrected: bool = False) -> list[str]:
        """Claims and nodes of the project and the global store that the text index finds for a query, best first.

        With `corrected`, also what was taken back or replaced since.
        """
        from mi.knowledge.search.backend import Query
        from mi.knowledge.search.words import compact

        asked = compact(query)
        if not asked.tokens:
            return []
        place = project_id or self.project.project_id
        wanted = Query(asked.tokens, ("claim", "node"), place, limit=limit, corrected=corrected)
        return [hit.document.id for hit in self.memory.search(wanted)]

    def earlier_candidates(self, query: str, limit: int) -> list[str]:
        """As `thought_candidates`, for an earlier time: more of them, for what was not known then falls out."""
        return self.thought_candidates(query, limit * 4, corrected=True)

    def persona(self, member: str = "") -> "PersonaView":
        """The team's persona as a member sees it; asking makes nothing."""
        from mi.persona.place import find_view, member_name

        settings = self.config.persona
        name = member_name(member or settings.member or "mi")
        return find_view(settings.root, self.choice.root, self.home.root, name)

    def worker(self, folder: str = "", member: str = "") -> "Worker":
        """Who is about to do something, and where: for the permission decision."""
        from mi.project.permissions import Worker

        persona = self.persona(member)
        return Worker(folder or self.choice.root, persona.member, persona.root)

    @cached_property
    def workflows(self) -> "WorkflowDesk":
        """The workflows of the project and of the home."""
        from mi.workflows.editor import WorkflowDesk

        return WorkflowDesk(self.home, self.project, self.notices)

    @cached_property
    def bindings(self) -> "Bindings":
        """The workspaces that the project's workflows go to."""
        from mi.workflows.hosting import Bindings

        return Bindings(self.home, self.project, self.notices)

    def known_person(self) -> "KnownPerson":
        """What the stores say about the person and the project, as a run reads it."""
        from mi.autopilot.run_context import KnownPerson

        stores = (self.project_thoughts, self.global_thoughts)
        remembers = self.config.runtime.thought_db.enabled
        return KnownPerson(self.home, self.project, *stores, self.thought_candidates, self.notices, remembers)

    def knowledge(self, project_id: str = "") -> "Knowledge":
        """What learning stands on, for this project or for another one of the home."""
        from functools import partial

        from mi.knowledge.thoughts.store import ThoughtStore
        from mi.learning.knowledge import Knowledge

        chosen = project_id or self.project.project_id
        own = ThoughtStore(self.home.project(chosen).thoughts, "project", chosen, self.notices)
        own = own if project_id else self.project_thoughts
        search = partial(self.thought_candidates, project_id=chosen)
        return Knowledge(self.home, chosen, own, self.global_thoughts, search, self.config.runtime, self.notices)

    @cached_property
    def memory(self) -> "TextIndex":
        """The text index over everything in the home."""
        from mi.knowledge.search.index import TextIndex

        return TextIndex(self.home, self.memory_producers, self.notices)

    def memory_producers(self) -> "list[Producer]":
        """Whoever has something to find, of the global part and of every project."""
        from mi.app.producers import of_home, of_workspaces

        own_root = self.persona().root if self.config.persona.root else ""
        return [*of_home(self.home), *of_workspaces(self.home, own_root, self.known_projects, self.choice.root)]
