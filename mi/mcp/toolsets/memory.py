"""The toolset `memory`: recall, mode, writing and checking memory, and how the session stands."""

from mi.contract import diagnostics as look
from mi.contract import memory_tools as memory
from mi.contract.guide import MEMORY_INSTRUCTIONS
from mi.mcp.contract_session import governed
from mi.mcp.tool import Tool

INSTRUCTIONS = MEMORY_INSTRUCTIONS
TOOLS = (
    Tool(
        name="memory_query",
        title="Recall",
        description="Recall what is known about a question. Facts and constraints always come along. Never gated.",
        input=memory.QueryInput,
        output=memory.RecallResult,
        call=governed(memory.memory_query),
        read_only=True,
        redacted=True,
    ),
    Tool(
        name="memory_recent",
        title="Recall the latest",
        description="Recall what was remembered last. Counts as recall (R1). Never gated.",
        input=memory.RecentInput,
        output=memory.RecallResult,
        call=governed(memory.memory_recent),
        read_only=True,
        redacted=True,
    ),
    Tool(
        name="memory_set_mode",
        title="Declare the mode",
        description="Declare your intent before any mutation. Allowed at any time.",
        input=memory.ModeInput,
        output=memory.ModeResult,
        call=governed(memory.memory_set_mode),
        idempotent=True,
    ),
    Tool(
        name="memory_write",
        title="Remember",
        description="Keep a durable memory. Needs recall, a mode and, where there are tasks, an open one. "
        "Facts need evidence, decisions and constraints a rationale. Each write can be undone.",
        input=memory.WriteInput,
        output=memory.WriteResult,
        call=governed(memory.memory_write),
    ),
    Tool(
        name="memory_verify",
        title="Check facts again",
        description="Check the evidence of one fact or of all again; what no longer holds is shown as stale.",
        input=memory.VerifyInput,
        output=memory.VerifyResult,
        call=governed(memory.memory_verify),
        idempotent=True,
    ),
    Tool(
        name="memory_check_task_authority",
        title="Check task authority",
        description="Whether work may go on, on which task, and the next legal call.",
        input=look.NoInput,
        output=look.AuthorityResult,
        call=governed(look.memory_check_task_authority),
        read_only=True,
    ),
    Tool(
        name="memory_claim_success",
        title="Say how it ended",
        description="Record whether the work succeeded and whether the contract was enforced meanwhile.",
        input=look.ClaimInput,
        output=look.ClaimResult,
        call=governed(look.memory_claim_success),
    ),
    Tool(
        name="memory_stats",
        title="Count memories",
        description="How many memories, tasks and violations there are.",
        input=look.NoInput,
        output=look.StatsResult,
        call=governed(look.memory_stats),
        read_only=True,
    ),
    Tool(
        name="memory_health",
        title="Memory health",
        description="Whether memory can be read and written.",
        input=look.NoInput,
        output=look.HealthResult,
        call=governed(look.memory_health),
        read_only=True,
    ),
    Tool(
        name="memory_doctor",
        title="Memory doctor",
        description="Everything that could stand in the way of memory and tasks.",
        input=look.NoInput,
        output=look.HealthResult,
        call=governed(look.memory_doctor),
        read_only=True,
    ),
    Tool(
        name="memory_run_metadata",
        title="This session",
        description="Project, client, mode, recall and task of this session.",
        input=look.NoInput,
        output=look.MetadataResult,
        call=governed(look.memory_run_metadata),
    ),
)
