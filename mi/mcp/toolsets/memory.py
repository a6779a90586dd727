"""The toolset `memory`: recall, mode, writing and checking memory, and how the session stands."""

from mi.contract import diagnostics as look
from mi.contract import memory_tools as memory
from mi.contract.guide import MEMORY_INSTRUCTIONS
from mi.mcp.contract_session import governed

INSTRUCTIONS = MEMORY_INSTRUCTIONS
TOOLS = (
    governed(
        memory.memory_query,
        "Recall",
        "Recall what is known about a question. Facts and constraints always come along. Never gated.",
        read_only=True,
        redacted=True,
    ),
    governed(
        memory.memory_recent,
        "Recall the latest",
        "Recall what was remembered last. Counts as recall (R1). Never gated.",
        read_only=True,
        redacted=True,
    ),
    governed(
        memory.memory_set_mode,
        "Declare the mode",
        "Declare your intent before any mutation. Allowed at any time.",
        idempotent=True,
    ),
    governed(
        memory.memory_write,
        "Remember",
        "Keep a durable memory. Needs recall, a mode and, where there are tasks, an open one. "
        "Facts need evidence, decisions and constraints a rationale. Each write can be undone.",
    ),
    governed(
        memory.memory_verify,
        "Check facts again",
        "Check the evidence of one fact or of all again; what no longer holds is shown as stale.",
        idempotent=True,
    ),
    governed(
        look.memory_check_task_authority,
        "Check task authority",
        "Whether work may go on, on which task, and the next legal call.",
        read_only=True,
    ),
    governed(
        look.memory_claim_success,
        "Say how it ended",
        "Record whether the work succeeded and whether the contract was enforced meanwhile.",
    ),
    governed(look.memory_stats, "Count memories", "How many memories, tasks and violations there are.", read_only=True),
    governed(look.memory_health, "Memory health", "Whether memory can be read and written.", read_only=True),
    governed(
        look.memory_doctor,
        "Memory doctor",
        "Everything that could stand in the way of memory and tasks.",
        read_only=True,
    ),
    governed(look.memory_run_metadata, "This session", "Project, client, mode, recall and task of this session."),
)
