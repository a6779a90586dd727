"""The toolset `governance`: the team's rules before you act, and the team's memory."""

from mi.mcp import rules, team
from mi.mcp.tool import Tool

INSTRUCTIONS = (
    "The team's rules: call `signals` on what the person says and meet it in the mode it names; `assess` a task before "
    "you begin and stop where it is not free; ask `permission` before what leaves the project or cannot be undone. "
    "Read the cards that `card_match` says must be read; end a session with `session_save`."
)
TOOLS = (
    Tool.of(
        rules.assess_call,
        "assess",
        "Assess a task",
        "Is it clear enough, how risky is it, who must look at it.",
        read_only=True,
    ),
    Tool.of(
        rules.call_signals,
        "signals",
        "Signals of a message",
        "Mode, triggers T1 to T9, speed, secrets (never the secret itself), and how to meet it.",
        read_only=True,
    ),
    Tool.of(
        rules.call_permission,
        "permission",
        "Ask for permission",
        "ALLOW, PROMPT or DENY for a tool call, with the reason and the nearest safe way.",
        read_only=True,
    ),
    Tool.of(
        team.match_call,
        "card_match",
        "Match cards",
        "The team's cards that concern a task; those of salience 7 and more must be read.",
        read_only=True,
    ),
    Tool.of(
        team.call_proposal,
        "proposal",
        "Propose a card",
        "Propose lasting knowledge; somebody else accepts it. No task state, TODO or lone fix.",
    ),
    Tool.of(
        team.call_session,
        "session_save",
        "Save the session",
        "Write what was done, decided and comes next to your own window's log.",
    ),
    Tool.of(
        team.call_handoff,
        "handoff",
        "Hand a task over",
        "Give a task to another member; refused without acceptance criteria or while it is unclear.",
    ),
)
