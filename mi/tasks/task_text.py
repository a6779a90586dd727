"""A task of the list as words: what a run is about, and what an agent is told."""

from mi.kernel.messages import text
from mi.tasks.task_list import ListedTask, TaskList


def write_task_text(tasks: TaskList, task: ListedTask, language: str) -> str:
    """Return a task with its open subtasks, its context and how one sees that it is done."""
    parts = [task.title, *(f"- {child.title}" for child in tasks.list_children(task.id) if not child.checked)]
    if (parent := tasks.find(task.parent)) is not None:
        parts.append(text("tasks.part-of", language, title=parent.title))
    if task.context:
        parts.append(text("tasks.context", language, context=task.context))
    if task.acceptance:
        parts.append(text("tasks.acceptance", language, acceptance=task.acceptance))
    return "\n".join(parts)
