"""The toolset `tasks`: the task file, the only task authority of a project that has no other."""

from mi.contract import task_tools as tasks
from mi.contract.guide import TASKS_INSTRUCTIONS
from mi.mcp.contract_session import governed

INSTRUCTIONS = TASKS_INSTRUCTIONS
TOOLS = (
    governed(tasks.task_list, "List tasks", "The tasks in order and the one to work on (pointer).", read_only=True),
    governed(
        tasks.task_add,
        "Add a task",
        "Add a task at the end; without a file, propose the list (needs recall and mode only).",
    ),
    governed(
        tasks.task_update, "Change a task", "Add subtasks to an open task, or put other words to a task you proposed."
    ),
    governed(
        tasks.task_complete,
        "Complete a task",
        "Tick the current leaf; its task is done when all its subtasks are. Then recall again.",
    ),
)
