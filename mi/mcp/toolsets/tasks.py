"""The toolset `tasks`: the task file, the only task authority of a project that has no other."""

from mi.contract import task_tools as tasks
from mi.contract.guide import TASKS_INSTRUCTIONS
from mi.mcp.contract_session import governed
from mi.mcp.tool import Tool

INSTRUCTIONS = TASKS_INSTRUCTIONS
TOOLS = (
    Tool(
        name="task_list",
        title="List tasks",
        description="The tasks in order and the one to work on (pointer).",
        input=tasks.ListInput,
        output=tasks.ListResult,
        call=governed(tasks.task_list),
        read_only=True,
    ),
    Tool(
        name="task_add",
        title="Add a task",
        description="Add a task at the end; without a file, propose the list (needs recall and mode only).",
        input=tasks.AddInput,
        output=tasks.ChangeResult,
        call=governed(tasks.task_add),
    ),
    Tool(
        name="task_update",
        title="Change a task",
        description="Add subtasks to an open task, or put other words to a task you proposed.",
        input=tasks.UpdateInput,
        output=tasks.ChangeResult,
        call=governed(tasks.task_update),
    ),
    Tool(
        name="task_complete",
        title="Complete a task",
        description="Tick the current leaf; its task is done when all its subtasks are. Then recall again.",
        input=tasks.CompleteInput,
        output=tasks.ChangeResult,
        call=governed(tasks.task_complete),
    ),
)
