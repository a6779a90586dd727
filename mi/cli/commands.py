"""Every command of `mi`, declared once; what lists, completes, guesses or opens commands goes by this table."""

from mi.kernel.named_tuple import NamedTuple


class CommandEntry(NamedTuple):
    """What is known of a command before its module is imported; its module's `parser` tells the rest."""

    group: str  # of the overview, in which commands stand in the order of this table
    module: str  # of mi.cli
    summary: str  # in the overview and in completions; translated like a help
    purpose: str = ""  # of every day, by which `mi --help` shows it; '': only `mi help all` does
    checks_home: bool = True  # False: it works without a home, or answers for a broken one in its own way


COMMANDS = {
    "demo": CommandEntry("work", "demo", "see it work, offline, in a minute", "begin"),
    "run": CommandEntry("work", "run", "let an agent work on a task, judged until verified", "work"),
    "queue": CommandEntry("work", "queue", "tasks for later, side by side: add, list, cancel, retry", "work"),
    "worker": CommandEntry("work", "worker", "work through the queue"),
    "attach": CommandEntry("work", "attach", "watch a run of another terminal"),
    "tell": CommandEntry("work", "tell", "say something to a run: its agent hears it next"),
    "stop": CommandEntry("work", "attach", "stop a run of another terminal"),
    "merge": CommandEntry("work", "merge", "bring the work of a run in its own work tree to your branch"),
    "runs": CommandEntry("work", "runs", "all runs of all projects; watch those that go on, clean their work trees"),
    "race": CommandEntry("work", "race", "the same task by several agents; take the best"),
    "inbox": CommandEntry("work", "inbox", "what waits for you", "answer"),
    "answer": CommandEntry("work", "answer", "answer a question that waits", "answer"),
    "web": CommandEntry("work", "web", "the page: see and answer all of it in a browser", "answer"),
    "status": CommandEntry("work", "status", "where things stand (also: mi alone)", "answer"),
    "init": CommandEntry("person", "values", "write down your values and begin", "begin"),
    "values": CommandEntry("person", "values", "set or show your values"),
    "settings": CommandEntry("person", "settings", "what MI does when unsure; what a refactoring may change"),
    "autonomy": CommandEntry("person", "autonomy", "how often MI would have answered as you did"),
    "checks": CommandEntry("person", "checks", "which commands must be green here; set and run them"),
    "trust": CommandEntry("person", "trust", "let MI run this repository's checks itself, to prove what agents did"),
    "notify": CommandEntry("person", "notify", "whether you can be reached when you are away"),
    "why": CommandEntry("person", "why", "why MI did something: the thoughts it rested on", "look"),
    "undo": CommandEntry("person", "undo", "take back what a run or event taught", "back"),
    "redo": CommandEntry("person", "undo", "restore what was undone"),
    "restore": CommandEntry("person", "restore", "put the files back as they were before a run or a batch", "back"),
    "diff": CommandEntry("look", "restore", "what a run or a batch did to the files"),
    "show": CommandEntry("look", "show", "one thing by its id, or last, hands, mind, project", "look"),
    "tail": CommandEntry("look", "tail", "the latest evidence or transcript lines; -f follows"),
    "search": CommandEntry("look", "search", "find anything by its words: thoughts, workflows, evidence"),
    "context": CommandEntry("look", "context", "the thoughts MI would decide a task with"),
    "cost": CommandEntry("look", "cost", "what runs have cost: tokens, money, time"),
    "report": CommandEntry("look", "report", "what a run did, as a page to send or a pull request's text"),
    "prove": CommandEntry("look", "prove", "run the project's own checks on what a run left, and say what they show"),
    "proof": CommandEntry("look", "prove", "a run's proof as a file; run such a proof again"),
    "remember": CommandEntry("knowledge", "remember", "write something down, for yourself or for the team"),
    "claim": CommandEntry("knowledge", "claim", "what MI holds true, wanted or likely"),
    "node": CommandEntry("knowledge", "node", "decisions, actions, summaries"),
    "edge": CommandEntry("knowledge", "edge", "how thoughts and events hang together"),
    "memory": CommandEntry("knowledge", "memory", "search what MI knows; the state of its text index"),
    "workflow": CommandEntry("knowledge", "workflow", "what you keep doing, written down and followed"),
    "export": CommandEntry("knowledge", "transfer", "a project's knowledge as one file"),
    "import": CommandEntry("knowledge", "transfer", "take in what another home exported"),
    "setup": CommandEntry("agents", "setup", "put MI into Claude Code or Codex, in one go; take it out again"),
    "mcp": CommandEntry(
        "agents", "mcp", "the tools MI offers to agents, and their place in an agent's configuration", checks_home=False
    ),
    "hook": CommandEntry(
        "agents", "hook", "answer the hook events of agent hosts; install and remove the hooks", checks_home=False
    ),
    "host": CommandEntry("agents", "host", "your workflows as skills in your agents' workspaces"),
    "contract": CommandEntry(
        "agents", "contract", "the contract with agents: where a session stands, violations, the text in AGENTS.md"
    ),
    "task": CommandEntry("agents", "task", "the one task list of the project"),
    "plan": CommandEntry("agents", "plan", "the questions to decide before work begins"),
    "nexus": CommandEntry("agents", "nexus", "tasks, history, memory files and roster of a repository"),
    "gate": CommandEntry("team", "gate", "the team's rules: assess, signals, diff, review, permission, deploy"),
    "persona": CommandEntry("team", "persona", "a team's shared mind: boot, notes, lint, publish"),
    "card": CommandEntry("team", "card", "what the team has learned and verified"),
    "proposal": CommandEntry("team", "proposal", "propose a card, review proposals"),
    "session": CommandEntry("team", "session", "what a window leaves for the next"),
    "handoff": CommandEntry("team", "handoff", "hand a task to another member"),
    "hub": CommandEntry("team", "hub", "a PostgreSQL where the homes of a team meet: init, invite, join, leave"),
    "sync": CommandEntry("team", "sync", "share with the hub, and take in what others share"),
    "merge-file": CommandEntry(
        "team", "merge_file", "what git calls to merge two people's history or card", checks_home=False
    ),
    "project": CommandEntry("upkeep", "project", "which project MI works on"),
    "config": CommandEntry("upkeep", "config", "who works, who judges, every knob", checks_home=False),
    "doctor": CommandEntry(
        "upkeep", "doctor", "what works here, and how to fix what does not", "mend", checks_home=False
    ),
    "seal": CommandEntry("upkeep", "seal", "what somebody else changed in MI's own files"),
    "repair": CommandEntry("upkeep", "repair", "mend what doctor found; a dry run first"),
    "gc": CommandEntry("upkeep", "gc", "archive and tidy up, dry run first"),
    "uninstall": CommandEntry("upkeep", "uninstall", "take everything MI put elsewhere out again"),
    "bench": CommandEntry(
        "upkeep", "bench", "measure a judge by agents that work honestly, err and lie", checks_home=False
    ),
    "completion": CommandEntry("upkeep", "completion", "what your shell offers after Tab", checks_home=False),
    "version": CommandEntry("upkeep", "version", "the version", checks_home=False),
}
EXAMPLES = {
    "work": "mi run fix the failing test",
    "person": 'mi values add "Prefer the standard library."',
    "look": "mi show last",
    "knowledge": 'mi remember "Releases go out on Tuesdays."',
    "agents": "mi setup claude-code",
    "team": 'mi gate assess --task "encrypt the backups"',
    "upkeep": "mi doctor",
}  # of each group
