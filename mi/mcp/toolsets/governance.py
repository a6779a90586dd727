"""The toolset `governance`: the team's rules before you act, and the team's memory."""

from mi.mcp import rules, team
from mi.mcp.tool import Tool

INSTRUCTIONS = (
    "The team's rules: call `signals` on what the person says and meet it in the mode it names; `assess` a task before "
    "you begin and stop where it is not free; ask `permission` before what leaves the project or cannot be undone. "
    "Read the cards that `card_match` says must be read; end a session with `session_save`."
)
TOOLS = (
    Tool(
        name="assess",
        title="Assess a task",
        description="Is it clear enough, how risky is it, who must look at it.",
        input=rules.AssessInput,
        output=rules.AssessResult,
        call=rules.assess_call,
        read_only=True,
    ),
    Tool(
        name="signals",
        title="Signals of a message",
        description="Mode, triggers T1 to T9, speed, secrets (never the secret itself), and how to meet it.",
        input=rules.SignalsInput,
        output=rules.SignalsResult,
        call=rules.signals_call,
        read_only=True,
    ),
    Tool(
        name="permission",
        title="Ask for permission",
        description="ALLOW, PROMPT or DENY for a tool call, with the reason and the nearest safe way.",
        input=rules.PermissionInput,
        output=rules.PermissionResult,
        call=rules.permission_call,
        read_only=True,
    ),
    Tool(
        name="card_match",
        title="Match cards",
        description="The team's cards that concern a task; those of salience 7 and more must be read.",
        input=team.MatchInput,
        output=team.MatchResult,
        call=team.match_call,
        read_only=True,
    ),
    Tool(
        name="proposal",
        title="Propose a card",
        description="Propose lasting knowledge; somebody else accepts it. No task state, TODO or lone fix.",
        input=team.ProposalInput,
        output=team.ProposalResult,
        call=team.proposal_call,
    ),
    Tool(
        name="session_save",
        title="Save the session",
        description="Write what was done, decided and comes next to your own window's log.",
        input=team.SessionInput,
        output=team.SessionResult,
        call=team.session_call,
    ),
    Tool(
        name="handoff",
        title="Hand a task over",
        description="Give a task to another member; refused without acceptance criteria or while it is unclear.",
        input=team.HandoffInput,
        output=team.HandoffResult,
        call=team.handoff_call,
    ),
)
