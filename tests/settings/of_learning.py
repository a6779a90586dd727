"""Settings of what is remembered and learned: each shows in the claims, workflows, edges or records of a run."""

import json
from typing import Any

from mi.kernel import jsonl
from tests.autopilot.test_person_steps import add_claim
from tests.autopilot.workbench import BROKEN, MEND, TEST, Json, Ran, run, say
from tests.learning.stored import claims, lines
from tests.learning.test_autonomy import FRAMEWORK, VALUES, teach
from tests.learning.test_consolidation import BEFORE, EITHER, RULES, gone, new_claim, patch
from tests.learning.test_mining import mined, mining, preferring
from tests.learning.test_suggestions import suggesting
from tests.learning.test_why_model import answer as why_answer
from tests.learning.test_workflow_mining import habit
from tests.mind.answers import asked, model
from tests.settings.case import Bench, setting

HONEST = [MEND, TEST, say("Done.")]
PUSH = [MEND, TEST, run("git push origin main"), say("Done.")]
LASTING = ("Fix the failing test.", "Always use tabs for indentation.")
LEARNING: Json = {
    "workflows": {"auto_mine": True},
    "preference_mining": {"auto_mine": True},
    "thought_db": {"auto_mine": True, "auto_materialize_nodes": True},
}
LOOK: Json = {"should_mine_preferences": True, "should_mine_workflow": True}


def learn(bench: Bench, **answers: Any) -> Any:
    """Let runs learn, judged by a model with these answers."""
    bench.config["runtime"] = {"cross_project_recall": {"enabled": False}, **LEARNING}
    return bench.judged(model(checkpoint_decide=LOOK, **answers))


def again(bench: Bench, times: int, *task: str) -> Ran:
    """The same run so many times."""
    bench.agent(HONEST)
    for _ in range(times):
        (bench.project / "calc.py").write_text(f"def add(a, b):\n{BROKEN}\n", "utf-8")
        ran = bench.run(*(task or LASTING))
    return ran


# recall: a claim of this project, one of another and a global one, all about the same


def recalled(bench: Bench, *task: str) -> list[str]:
    """The ids that a run recalls at its start, in their order."""
    bench.config["runtime"]["cross_project_recall"]["enabled"] = True
    bench.configure()
    bench.mi("project", "use")
    (own,) = bench.home.glob("projects/*")
    add_claim(bench, "cl_here", "a failing test here means a wrong sign", "project", claim_type="fact")
    add_claim(bench, "cl_all", "a failing test means a wrong sign, a failing test", claim_type="fact")
    other = bench.home / "projects" / ("0" * 16) / "thoughtdb"
    other.mkdir(parents=True)
    line = json.loads((own / "thoughtdb/claims.jsonl").read_text("utf-8").splitlines()[-1])
    elsewhere = line | {"claim_id": "cl_there", "text": "the failing test fails: failing test, failing test"}
    jsonl.append(str(other / "claims.jsonl"), json.dumps(elsewhere).encode(), sealed=True)
    bench.agent([say("It adds.")])
    found = bench.run(*(task or ("what", "is", "the", "failing", "test?"))).of("cross_project_recall")
    return [item["id"] for one in found if one["reason"] == "run_start" for item in one["items"]]


@setting("runtime.cross_project_recall.enabled", (True, 3), (False, 0))
def recalls(bench: Bench) -> int:
    return len(recalled(bench))


@setting("runtime.cross_project_recall.top_k", (1, 1), (3, 3))
def how_many(bench: Bench) -> int:
    return len(recalled(bench))


@setting("runtime.cross_project_recall.max_chars", (20, 1), (1800, 3))
def how_much(bench: Bench) -> int:
    return len(recalled(bench))


@setting("runtime.cross_project_recall.include_kinds", (["claim"], 3), (["node"], 0))
def of_which_kind(bench: Bench) -> int:
    return len(recalled(bench))


@setting("runtime.cross_project_recall.exclude_current_project", (False, True), (True, False))
def own_recalled(bench: Bench) -> bool:
    return "cl_here" in recalled(bench)


@setting("runtime.cross_project_recall.prefer_current_project", (True, True), (False, False))
def own_first(bench: Bench) -> bool:
    return recalled(bench)[0] == "cl_here"


def moments(bench: Bench) -> set[str]:
    """When a run recalls that starts, does something risky and wants to ask."""
    bench.config["runtime"]["cross_project_recall"]["enabled"] = True
    asks = {"next_action": "ask_user", "status": "not_done", "ask_user_question": "Is a review needed to push?"}
    bench.judged(model(decide_next=asks, risk_judge={"severity": "low", "should_ask_user": False}))
    add_claim(bench, "cl_push", "git push needs a review by two people", claim_type="fact")
    bench.agent(PUSH)
    return {one["reason"] for one in bench.run().of("cross_project_recall")}


for name in ("run_start", "before_ask_user", "risk_signal"):
    both = {"run_start", "before_ask_user", "risk_signal"}
    setting(f"runtime.cross_project_recall.triggers.{name}", (True, both), (False, both - {name}))(moments)


# workflows


def kept(bench: Bench, times: int, benefit: str = "medium") -> list[Json]:
    learn(bench, suggest_workflow=lambda request: habit(benefit=benefit))
    again(bench, times, "Fix the failing test.", "Always do it like this.")
    found: list[Json] = bench.json("workflow", "list", "--scope", "project")
    return found


@setting("runtime.workflows.auto_mine", (True, 1), (False, 0))
def workflows_kept(bench: Bench) -> int:
    return len(kept(bench, 1, "high"))


@setting("runtime.workflows.auto_enable", (True, [True]), (False, [False]))
def workflows_on(bench: Bench) -> list[bool]:
    return [one["enabled"] for one in kept(bench, 1, "high")]


@setting("runtime.workflows.min_occurrences", (2, 1), (3, 0))
def workflows_after_two(bench: Bench) -> int:
    return len(kept(bench, 2))


@setting("runtime.workflows.allow_single_if_high_benefit", (True, 1), (False, 0))
def workflows_after_one(bench: Bench) -> int:
    return len(kept(bench, 1, "high"))


@setting("runtime.workflows.auto_sync_on_change", (True, True), (False, False))
def skill_placed(bench: Bench) -> bool:
    bench.mi("host", "bind", "codex")
    bench.mi("workflow", "create", "--name", "Ship", "--step", "Write the changelog")
    return (bench.project / ".agents/skills/mi-ship").exists()


# preferences


def preferred(bench: Bench, times: int, **changes: Any) -> int:
    learn(bench, mine_preferences=preferring(**changes))
    again(bench, times)
    return len(claims(bench, "--tag", "mi:learned"))


@setting("runtime.preference_mining.auto_mine", (True, 1), (False, 0))
def preferences(bench: Bench) -> int:
    return preferred(bench, 2)


@setting("runtime.preference_mining.min_occurrences", (2, 1), (3, 0))
def preferences_after_two(bench: Bench) -> int:
    return preferred(bench, 2)


@setting("runtime.preference_mining.allow_single_if_high_benefit", (True, 1), (False, 0))
def preferences_after_one(bench: Bench) -> int:
    return preferred(bench, 1, benefit="high")


@setting("runtime.preference_mining.min_confidence", (0.75, 1), (0.95, 0))
def preferences_when_sure(bench: Bench) -> int:
    return preferred(bench, 2, confidence=0.9)


@setting("runtime.preference_mining.max_suggestions", (1, 1), (2, 2))
def preferences_considered(bench: Bench) -> int:
    tabs, small = preferring()["suggestions"][0], preferring("Fix the failing test first.")["suggestions"][0]
    learn(bench, mine_preferences={"suggestions": [tabs, small], "notes": ""})
    again(bench, 1)
    (file,) = bench.home.glob("projects/*/preference_candidates.json")
    return len(json.loads(file.read_text("utf-8"))["candidates"])


# rules learned after a risk, and brought together at the end


@setting("runtime.violation_response.auto_learn", (True, (1, 0)), (False, (0, 1)))
def rule_learned(bench: Bench) -> tuple[int, int]:
    learn(bench, risk_judge=suggesting(RULES[0]))
    bench.agent(PUSH)
    bench.run().ended("done")
    return len(claims(bench, "--tag", "mi:learned")), len(bench.inbox())


def brought_together(bench: Bench) -> list[int]:
    """How many claims and retractions the update at the end of a run brought; nothing when none was made."""
    update = {
        "patch": {
            "claims": [new_claim(BEFORE), new_claim(EITHER)],
            "edges": [],
            "notes": "",
        },
        "retract": [gone("OLD0"), gone("OLD1")],
    }
    learn(bench, risk_judge=suggesting(*RULES), learn_update=patch(update))
    bench.agent(PUSH)
    found = bench.run().of("learn_update")
    return [len(one["applied"][name]) for one in found for name in ("claim_ids", "retracted")]


ALL = [2, 2]
for name, values in {
    "enabled": ((True, ALL), (False, [])),
    "min_new_suggestions_per_run": ((3, ALL), (4, [])),
    "min_active_learned_claims": ((3, ALL), (4, [])),
    "min_confidence": ((0.9, ALL), (0.99, [0, 0])),
    "max_claims": ((6, ALL), (1, [0, 0])),
    "max_retracts": ((6, ALL), (1, [0, 0])),
}.items():
    setting(f"runtime.violation_response.learn_update.{name}", *values)(brought_together)


# thoughts


@setting("runtime.thought_db.enabled", (True, True), (False, False))
def fact_told(bench: Bench) -> bool:
    add_claim(bench, "cl_fact", "The failing test is about addition", claim_type="fact")
    bench.agent(HONEST)
    return "about addition" in bench.run().of("hands_input")[0]["light_injection"]


def mined_claims(bench: Bench) -> int:
    facts = [mined(text) for text in ("The parser lives in calc.py.", "The adder lives in calc.py as well.")]
    learn(bench, mine_claims=mining(*facts))
    again(bench, 1)
    return len(claims(bench, "--tag", "mi:mined"))


@setting("runtime.thought_db.auto_mine", (True, 2), (False, 0))
def thoughts_mined(bench: Bench) -> int:
    return mined_claims(bench)


@setting("runtime.thought_db.min_confidence", (0.9, 2), (0.99, 0))
def thoughts_when_sure(bench: Bench) -> int:
    return mined_claims(bench)


@setting("runtime.thought_db.max_claims_per_checkpoint", (6, 2), (1, 1))
def thoughts_at_most(bench: Bench) -> int:
    return mined_claims(bench)


@setting("runtime.thought_db.auto_materialize_nodes", (True, True), (False, False))
def nodes_made(bench: Bench) -> bool:
    learn(bench)
    again(bench, 1)
    return bool(lines(bench, "nodes"))


def why(bench: Bench, **reply: Any) -> tuple[Any, Ran]:
    """A run that says why at its end, by a model that chooses the first value."""
    bench.values("Keep changes small. Run the tests.")
    (first, *_) = claims(bench, "--tag", "values:base")
    server = bench.judged(lambda request: _why_or(request, why_answer(first["claim_id"], **reply)))
    bench.config["runtime"]["thought_db"]["why_trace"] = {"auto_on_run_end": True}
    bench.agent(HONEST)
    return server, bench.run()


def _why_or(request: Any, reply: Json) -> Any:
    from mi.testing import say as says

    return model()(request) if asked(request) else says(json.dumps(reply))


@setting("runtime.thought_db.why_trace.auto_on_run_end", (True, 1), (False, 0))
def why_said(bench: Bench) -> int:
    return len(why(bench)[1].of("why_trace"))


@setting("runtime.thought_db.why_trace.top_k", (1, 1), (12, 2))
def why_candidates(bench: Bench) -> int:
    """How many values the model may choose among."""
    server, _ = why(bench)
    shown = next(one.user_texts[-1] for one in server.requests if not asked(one))
    return sum(text in shown for text in ("Keep changes small.", "Run the tests."))


@setting("runtime.thought_db.why_trace.min_write_confidence", (0.7, 1), (0.95, 0))
def why_edges_when_sure(bench: Bench) -> int:
    why(bench, confidence=0.9)
    return _depends(bench)


@setting("runtime.thought_db.why_trace.write_edges", (True, 1), (False, 0))
def why_edges(bench: Bench) -> int:
    why(bench)
    return _depends(bench)


def _depends(bench: Bench) -> int:
    return sum(one["edge_type"] == "depends_on" for one in lines(bench, "edges"))


@setting("runtime.autonomy", ("ask", True), ("earned", False))
def asks_though_it_was_right(bench: Bench) -> bool:
    """Whether the person is asked after ten answers that MI knew."""
    bench.values(VALUES)
    bench.agent([say(FRAMEWORK)])
    bench.run()
    teach(bench, 10, "pytest")
    return len(bench.run().of("question")) == 12
