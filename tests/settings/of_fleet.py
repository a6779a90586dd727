"""Settings of what all queued runs may use together."""

import json

from tests.autopilot.workbench import MEND, TEST, run, say
from tests.settings.case import Bench, setting

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
# Waits a while for another agent that does the same.
MEET = (
    "touch {folder}/here-$$; for i in $(seq 60); do test $(ls {folder}/here-* | wc -l) -gt 1 &&"
    " touch {folder}/met && break; sleep 0.05; done; rm {folder}/here-$$"
)


@setting("fleet.jobs", (1, False), (2, True))
def met_another_agent(bench: Bench) -> bool:
    bench.agent([run(MEET.replace("{folder}", str(bench.folder))), *DONE])
    for task in ("fix the failing test", "mend add"):
        assert bench.mi("queue", "add", task).code == 0
    assert bench.mi("worker", "--drain").code == 0
    return bench.file("met").exists()


def held(bench: Bench, cost: float = 0.0) -> dict[str, str]:
    """The budgets that are spent after a run: of 500 tokens, or of another agent that says what it cost."""
    bench.agent(DONE, tokens=500)
    if cost:
        says = {"type": "result", "session_id": "s1", "is_error": False, "result": "Looked.", "total_cost_usd": cost}
        agent = f"printf '%s\\n' '{json.dumps(says)}'"
        bench.configure(hands={"provider": "cli", "cli": {"exec": ["sh", "-c", agent], "events": "claude"}})
    assert bench.mi("queue", "add", "fix the failing test").code == 0
    assert bench.mi("worker", "--drain").code == 0
    found: dict[str, str] = json.loads(bench.mi("queue", "list", "--json").stdout)["held"]
    return found


@setting("fleet.max_tokens_per_day", (501, {}), (500, {"*": "fleet.max_tokens_per_day = 500"}))
def held_by_tokens(bench: Bench) -> dict[str, str]:
    return held(bench)


@setting("fleet.max_cost_per_day", (99, {}), (0.5, {"*": "fleet.max_cost_per_day = 0.5"}))
def held_by_cost(bench: Bench) -> dict[str, str]:
    return held(bench, 0.5)


@setting(
    "fleet.vendors",
    ({"claude": {"max_tokens_per_day": 1}}, {}),
    ({"replay": {"max_tokens_per_day": 1}}, {"replay": "fleet.vendors.replay.max_tokens_per_day = 1"}),
)
def held_by_agent(bench: Bench) -> dict[str, str]:
    return held(bench)
