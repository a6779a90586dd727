"""The workflows of a project and of the home, and the workspaces they go to."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext

if TYPE_CHECKING:
    from mi.workflows.editor import WorkflowDesk
    from mi.workflows.hosting import Bindings


def build_workflows(context: HomeContext) -> "WorkflowDesk":
    """Return the workflows of the project and of the home, opened once."""
    return context.open_once(_open_workflows)


def _open_workflows(context: HomeContext) -> "WorkflowDesk":
    from mi.workflows.editor import WorkflowDesk

    return WorkflowDesk(context.home, context.project, context.notices)


def build_bindings(context: HomeContext) -> "Bindings":
    """Return the workspaces that the project's workflows go to, opened once."""
    return context.open_once(_open_bindings)


def _open_bindings(context: HomeContext) -> "Bindings":
    from mi.workflows.hosting import Bindings

    return Bindings(context.home, context.project, context.notices)
