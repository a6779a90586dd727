"""The thought stores of a home and of a project, as commands read and write them."""

from functools import cached_property
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext

if TYPE_CHECKING:  # imported when used: most commands need only some of it
    from mi.knowledge.thoughts.editor import ThoughtEditor
    from mi.knowledge.thoughts.store import ThoughtStore
    from mi.knowledge.thoughts.stores import CombinedStores


def build_thoughts(context: HomeContext) -> "Thoughts":
    """Return the thought stores of a context, opened once."""
    return context.open_once(Thoughts)


class Thoughts:
    """The store of a project (`own`) and that of all projects (`shared`)."""

    def __init__(self, context: HomeContext) -> None:
        self._context = context

    @cached_property
    def own(self) -> "ThoughtStore":
        return self.open_store(self._context.project.project_id)

    @cached_property
    def shared(self) -> "ThoughtStore":
        from mi.knowledge.thoughts.store import ThoughtStore

        return ThoughtStore(self._context.home.thoughts, "global", "", self._context.notices)

    def open_store(self, project_id: str) -> "ThoughtStore":
        """Return the store of any project."""
        from mi.knowledge.thoughts.store import ThoughtStore

        folder = self._context.home.project(project_id).thoughts
        return ThoughtStore(folder, "project", project_id, self._context.notices)

    def read(self, scope: str, as_of: int | None = None) -> "CombinedStores":
        """Return what the project's store, the global one, or both together (`effective`) say."""
        from mi.knowledge.thoughts.stores import CombinedStores

        stores = {"project": [self.own], "global": [self.shared]}.get(scope) or [self.own, self.shared]
        return CombinedStores(*(store.read(as_of) for store in stores))

    def read_project(self, project_id: str, as_of: int | None = None) -> "CombinedStores":
        """Return what the store of any project and the global one say; of "" only the global one."""
        from mi.knowledge.thoughts.stores import CombinedStores

        if project_id == self._context.project.project_id:
            return self.read("effective", as_of)
        if not project_id:
            return self.read("global", as_of)
        return CombinedStores(self.open_store(project_id).read(as_of), self.shared.read(as_of))

    def edit(self, scope: str) -> "ThoughtEditor":
        """Return the editor through which a command writes thoughts of a scope."""
        from mi.knowledge.thoughts.editor import ThoughtEditor

        if scope == "global":
            return ThoughtEditor(self.shared, self._context.open_global_log, self.read("global"), self.find_store)
        return ThoughtEditor(self.own, self._context.open_project_log, self.read("effective"), self.find_store)

    def find_store(self, thought_id: str) -> str:
        """Return which store holds a thought: project, global, the folder of another project's store, or ''."""
        if self.own.read().get(thought_id):
            return "project"
        if self.shared.read().get(thought_id):
            return "global"
        for project_id in self._context.home.project_ids():
            store = self.open_store(project_id)
            if store.exists() and store.read(save=False).get(thought_id):
                return store.files.root
        return ""

    def close(self) -> None:
        """Let go of the stores that are open."""
        for name in ("own", "shared"):
            store = self.__dict__.pop(name, None)
            if store is not None:
                store.close()
