"""Mining in whole runs: preferences that ripen over runs, claims that are carried by what they cite."""

import json
from typing import Any

import pytest

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.kernel.home import Home
from mi.knowledge.thoughts.trust import find_trust
from mi.learning.mining import mine
from mi.learning.suggestions import Learner
from mi.learning.values import set_values
from mi.testing import Request
from tests.autopilot.workbench import BROKEN, CHECK, MEND, RIGHT, TEST, Json, Ran, Workbench, edit, say
from tests.learning.conftest import Judged
from tests.learning.stored import RECALL_OFF, by_id, claims, lines, state_file, texts
from tests.learning.stretches import Stretch
from tests.mind.answers import asked, model

TASK = ("Fix the failing test.", "Always use tabs for indentation.")
TABS = "Always use tabs for indentation."
LOOK: Json = {"should_mine_preferences": True}
HONEST = [MEND, TEST, say("Done.")]


def preferring(text: str = TABS, **changes: Any) -> Json:
    one = {"scope": "project", "text": text, "rationale": "said so", "confidence": 0.9, "benefit": "medium"}
    return {"suggestions": [one | changes], "notes": ""}


def calls(server: Any) -> list[str]:
    return [asked(request) for request in server.requests]


def spoil_again(bench: Workbench) -> None:
    """Put the project back, so that the same run can be made once more."""
    (bench.project / "calc.py").write_text(f"def add(a, b):\n{BROKEN}\n", "utf-8")


@pytest.mark.req(
    "v1.pm.record",
    "v1.pm.candidates-file",
    "v1.pm.emit-suggestion",
    "v1.pm.emit-solidified",
    "v1.pm.auto-learn",
    "v1.pm.count-once-per-run",
    "v1.storage.preference-candidates",
    "v1.emit.checkpoint-mine-pref",
    "v1.prompt.mine-pref-in",
    "v1.prompt.mine-pref-out",
    "v1.prompt.checkpoint-in",
    "v1.prompt.checkpoint-out",
    "v1.pm.auto-mine",
)
def test_a_preference_ripens_over_runs_and_is_learned_at_its_threshold(bench: Workbench, judged: Judged) -> None:
    wordings = iter([TABS, "always use TABS for indentation"])
    server = judged(model(checkpoint_decide=LOOK, mine_preferences=lambda request: preferring(next(wordings))))
    bench.agent(HONEST)
    first = bench.run(*TASK)
    first.ended("done")
    assert len(first.of("preference_mining")) == 1
    assert first.of("learn_suggested") == []
    (candidate,) = state_file(bench, "preference_candidates.json")["candidates"].values()
    assert (candidate["count"], candidate["text"]) == (1, TABS)
    spoil_again(bench)
    second = bench.run(*TASK)
    (suggested,) = second.of("learn_suggested")
    assert suggested["source"] == "mine_preferences"
    (solid,) = second.of("preference_solidified")
    assert (solid["count"], solid["suggestion_id"]) == (2, suggested["id"])
    assert solid["signature"] in state_file(bench, "preference_candidates.json")["candidates"]
    (claim,) = claims(bench, "--tag", "mi:learned")
    assert suggested["applied_claim_ids"] == [claim["claim_id"]]
    shown = server.requests[calls(server).index("mine_preferences")].user_texts[-1]
    for part in (
        "<<<TASK",
        "<<<RUNTIME",
        '"min_occurrences"',
        "<<<PROJECT",
        '"project_id"',
        "<<<EVENTS",
        "hands_input",
    ):
        assert part in shown
    judged_by = server.requests[calls(server).index("checkpoint_decide")].user_texts[-1]
    for part in ("<<<RUNTIME", "<<<PROJECT", "<<<KNOWN ALREADY", "<<<EVENTS", "<<<STATUS\ndone"):
        assert part in judged_by


@pytest.mark.req("v1.pm.count-once-per-run", "v1.pm.max-suggestions")
def test_a_run_counts_a_preference_once_and_looks_at_no_more_than_it_may(bench: Workbench, judged: Judged) -> None:
    """Two checkpoints of one run: the same preference twice, then another one that is one too many."""
    answers = iter([preferring(), preferring(), preferring("Never use tabs in Makefiles.")])
    bench.configure(runtime=RECALL_OFF | {"preference_mining": {"max_suggestions": 2}})
    server = judged(
        model(
            checkpoint_decide=LOOK,
            mine_preferences=lambda request: next(answers),
            decide_next=lambda request: {} if "verified" in request.user_texts[-1] else {"status": "not_done"} | SEND,
        )
    )
    bench.agent(*[[say(f"Step {number}.")] for number in range(4)], HONEST)
    bench.run(*TASK, "--max-batches", "6")
    assert calls(server).count("mine_preferences") == 2
    (candidate,) = state_file(bench, "preference_candidates.json")["candidates"].values()
    assert candidate["count"] == 1


KEY = "ghp_" + "aB3dE5gH7jK9" * 3


@pytest.mark.req("v1.pm.min-confidence", "v1.pm.count-once-per-run")
@pytest.mark.parametrize(
    "unfit",
    [{"confidence": 0.5}, {"text": f"Always use the key {KEY}."}],
    ids=["unsure", "secret"],
)
def test_what_is_dropped_is_not_counted_either(bench: Workbench, judged: Judged, unfit: Json) -> None:
    answers = iter([preferring() | {"suggestions": [preferring()["suggestions"][0] | unfit]}, preferring()])
    judged(model(checkpoint_decide=LOOK, mine_preferences=lambda request: next(answers)))
    bench.agent(HONEST)
    bench.run(*TASK).ended("done")
    assert not list(bench.home.glob("projects/*/preference_candidates.json"))
    spoil_again(bench)
    assert bench.run(*TASK).of("learn_suggested") == []  # the first time that it counts
    (candidate,) = state_file(bench, "preference_candidates.json")["candidates"].values()
    assert (candidate["count"], candidate["text"]) == (1, TABS)


@pytest.mark.req("alive.learn.preferences-counted", "v1.pm.count-once-per-run", "mi.trust.hands-never-rule")
@pytest.mark.parametrize("auto_learn", [True, False])
def test_a_preference_in_nobodys_words_is_counted_and_waits_with_its_count(
    bench: Workbench, judged: Judged, auto_learn: bool
) -> None:
    shown = "Ask before adding a dependency."
    bench.configure(runtime=RECALL_OFF | {"violation_response": {"auto_learn": auto_learn}})
    judged(model(checkpoint_decide=LOOK, mine_preferences=preferring(shown)))
    bench.agent(HONEST)
    bench.run("fix the failing test").ended("done")
    assert bench.inbox() == []
    spoil_again(bench)
    bench.run("fix the failing test").ended("done")
    (waiting,) = bench.inbox()
    assert (waiting["question"], waiting["seen"]) == (shown, 2)
    assert "seen in  2 runs" in bench.mi("inbox").stdout
    assert texts(bench, "--tag", "mi:learned") == []
    assert bench.mi("answer", waiting["id"], "yes").code == 0
    assert texts(bench, "--tag", "mi:learned") == [shown]


@pytest.mark.req("alive.learn.auto-learn")
@pytest.mark.parametrize(("auto_learn", "learned", "waits"), [(True, [TABS], []), (False, [], [TABS])])
def test_auto_learn_says_whether_a_ripe_preference_is_learned_or_waits(
    bench: Workbench, judged: Judged, auto_learn: bool, learned: list[str], waits: list[str]
) -> None:
    bench.configure(runtime=RECALL_OFF | {"violation_response": {"auto_learn": auto_learn}})
    judged(model(checkpoint_decide=LOOK, mine_preferences=preferring()))
    bench.agent(HONEST)
    for _ in range(2):
        spoil_again(bench)
        bench.run(*TASK).ended("done")
    assert texts(bench, "--tag", "mi:learned") == learned
    assert [one["question"] for one in bench.inbox()] == waits


SEND: Json = {"next_action": "send_to_hands", "next_hands_input": "Go on with the next part."}


@pytest.mark.req("v1.pm.auto-mine", "v1.emit.checkpoint-mine-pref")
@pytest.mark.parametrize(("mine", "decision"), [(False, LOOK), (True, {})])
def test_no_preferences_are_mined_when_it_is_off_or_not_worth_it(
    bench: Workbench, judged: Judged, mine: bool, decision: Json
) -> None:
    bench.configure(runtime=RECALL_OFF | {"preference_mining": {"auto_mine": mine}})
    server = judged(model(checkpoint_decide=decision, mine_preferences=preferring()))
    bench.agent(HONEST)
    assert bench.run(*TASK).of("preference_mining") == []
    assert "mine_preferences" not in calls(server)


def test_without_a_model_what_the_person_names_as_lasting_is_learned_when_they_say_it_again(bench: Workbench) -> None:
    bench.agent(HONEST)
    for _ in range(2):
        spoil_again(bench)
        bench.run(*TASK).ended("done")
    assert texts(bench, "--tag", "mi:learned") == [TABS]


def event_of(kind: str, request: Request) -> str:
    """The id of an event in what a model is shown."""
    shown = request.user_texts[-1]
    line = next(line for line in shown.splitlines() if f"] {kind}:" in line)
    return line[line.index("[") + 1 : line.index("]")]


def mined(text: str, claim_type: str = "fact", by: str = "evidence", **changes: Any) -> Any:
    """A claim as a model proposes it, citing the first event of a kind."""

    def make(request: Request) -> Json:
        cited = event_of(by, request) if by else "ev_run_elsewhere_1"
        return {
            "local_id": text[:12],
            "claim_type": claim_type,
            "text": text,
            "scope": "project",
            "visibility": "project",
            "valid_from": None,
            "valid_to": None,
            "confidence": 0.95,
            "source_event_ids": [cited],
            "tags": [],
            "notes": "",
        } | changes

    return make


def link(edge_type: str, start: str, end: str, by: str = "evidence", **changes: Any) -> Any:
    def make(request: Request) -> Json:
        ends = {"edge_type": edge_type, "from_claim_id": start[:12], "to_claim_id": end[:12]}
        return ends | {"confidence": 0.95, "source_event_ids": [event_of(by, request)], "notes": ""} | changes

    return make


def mining(*proposed: Any, edges: Any = ()) -> Any:
    """What a model answers to mine_claims."""

    def answer(request: Request) -> Json:
        return {
            "claims": [one(request) for one in proposed],
            "edges": [one(request) for one in edges],
            "notes": "",
        }

    return answer


def mine_run(bench: Workbench, judged: Judged, answer: Any, agent: list[Json] = HONEST, **thoughts: Any) -> Ran:
    bench.configure(runtime=RECALL_OFF | {"thought_db": thoughts})
    judged(model(mine_claims=answer))
    bench.agent(agent)
    return bench.run(*TASK)


PARSER = "The parser lives in calc.py and reads one expression."
CHECKED = f"The tests of this project are run by `{CHECK}`."


@pytest.mark.req(
    "v1.tdb.mining-record",
    "v1.prompt.mine-claims-out",
    "v1.prompt.mine-claims-apply",
    "v1.tdb.mining-no-prompts",
    "mi.trust.hands-tentative",
    "v1.cli.tdb-append-only",
    "alive.learn.mined-sources",
)
def test_mined_claims_cite_the_stretch_and_are_trusted_no_more_than_that(bench: Workbench, judged: Judged) -> None:
    ran = mine_run(
        bench,
        judged,
        mining(
            mined(PARSER),
            mined(CHECKED),
            mined(TABS, "preference", by="task"),
            edges=[link("supports", PARSER, CHECKED), link("depends_on", "cl_nowhere", PARSER)],
        ),
    )
    ran.ended("done")
    (record,) = ran.of("claim_mining")
    found = {one["text"]: one for one in claims(bench, "--tag", "mi:mined")}
    assert set(found) == {PARSER, CHECKED, TABS}
    assert sorted(record["applied_claim_ids"]) == sorted(one["claim_id"] for one in found.values())
    trust = {
        text: json.loads(bench.mi("show", one["claim_id"], "--json").stdout)["trust"] for text, one in found.items()
    }
    assert trust == {PARSER: "hands", CHECKED: "mind", TABS: "mind"}
    bench.configure(mind={"provider": "rules"})
    for text, one in found.items():
        named = [by_id(ran)[ref["event_id"]]["kind"] for ref in one["source_refs"]]
        assert named == ["run_start" if text == TABS else "evidence", "claim_mining"]
        cited = one["source_refs"][0]["event_id"]
        assert cited in bench.mi("show", one["claim_id"]).stdout
        why = json.loads(bench.mi("why", "claim", one["claim_id"], "--json").stdout)
        assert cited in json.dumps(why)
    supports = [(one["from_id"], one["to_id"]) for one in lines(bench, "edges") if one["edge_type"] == "supports"]
    confirmed = (ran.of("batch_end")[0]["event_id"], found[CHECKED]["claim_id"])
    assert supports == [(found[PARSER]["claim_id"], found[CHECKED]["claim_id"]), confirmed]
    assert ran.of("question") == []
    context = json.loads(bench.mi("values", "show", "--injection", "--task", "the parser in calc.py", "--json").stdout)
    assert PARSER not in json.dumps(context)


@pytest.mark.req("mi.trust.hands-never-rule", "mi.prompt.unknown-claim-ids")
@pytest.mark.parametrize("edge_type", ["supersedes", "same_as", "depends_on", "derived_from"])
def test_nothing_that_is_mined_takes_the_place_or_the_trust_of_what_was_there(home: Home, edge_type: str) -> None:
    context = HomeContext(home)
    stretch = Stretch(context, {}, " ".join(TASK))
    (value,) = set_values(build_thoughts(context).shared, context.open_global_log(), "Ask me before pushing.").added
    bold = link(edge_type, "", PARSER, from_claim_id=value.claim_id)
    own = link(edge_type, CHECKED, PARSER)
    with stretch.judged(mine_claims=mining(mined(PARSER), mined(CHECKED), edges=[bold, own])) as (hand, _):
        record = mine(Learner(stretch.knowledge, None, "run_1"), hand, stretch.segment)
    assert record.dropped == [f"{edge_type} {value.claim_id} → {PARSER[:12]}: void"]
    thoughts = build_thoughts(context).read("effective")
    kept = thoughts.get(value.claim_id)
    assert kept is not None
    assert (kept.status, find_trust(kept, thoughts)) == ("active", "user")


@pytest.mark.req(
    "v1.tdb.min-confidence",
    "v1.tdb.max-claims",
    "v1.tdb.mining-high-only",
    "v1.prompt.mine-claims-in",
    "mi.prompt.citation-voids-claim",
    "mi.prompt.unknown-claim-ids",
)
@pytest.mark.parametrize(
    ("proposed", "knobs", "kept"),
    [
        ([mined(PARSER)], {}, 1),
        ([mined(PARSER, confidence=0.85)], {}, 0),
        ([mined(PARSER, confidence=0.85)], {"min_confidence": 0.8}, 1),
        ([mined(PARSER), mined("The report is written in green.")], {"max_claims_per_checkpoint": 1}, 1),
        ([mined(PARSER, by="")], {}, 0),
        ([mined(PARSER, source_event_ids=[])], {}, 0),
        ([mined("x" * 400)], {}, 0),
        ([mined("The key is ghp_" + "a1B2" * 9)], {}, 0),
        ([mined(PARSER), mined("the parser lives in calc.py, and reads one expression")], {}, 1),
    ],
)
def test_every_knob_of_claim_mining_is_heard(home: Home, proposed: list[Any], knobs: Json, kept: int) -> None:
    stretch = Stretch(HomeContext(home), {"thought_db": knobs}, " ".join(TASK))
    with stretch.judged(mine_claims=mining(*proposed)) as (hand, server):
        record = mine(Learner(stretch.knowledge, None, "run_1"), hand, stretch.segment)
        (request,) = server.requests
    for part in ("<<<TASK", "<<<RUNTIME", '"max_claims_per_checkpoint"', "<<<PROJECT", "<<<EVENTS", "evidence:"):
        assert part in request.user_texts[-1]
    assert len(stretch.texts("mi:mined")) == kept
    assert len(record.dropped) == len(proposed) - kept


@pytest.mark.req("v1.tdb.auto-mine", "v1.tdb.enabled")
@pytest.mark.parametrize("knobs", [{"auto_mine": False}, {"enabled": False}])
def test_no_claims_are_mined_when_it_is_off(bench: Workbench, judged: Judged, knobs: Json) -> None:
    ran = mine_run(bench, judged, mining(mined(PARSER)), **knobs)
    ran.ended("done")
    assert ran.of("claim_mining") == []
    assert claims(bench, "--tag", "mi:mined") == []


def test_a_claim_that_is_mined_again_is_merged(home: Home) -> None:
    for number, wording in enumerate((PARSER, PARSER.lower())):
        stretch = Stretch(HomeContext(home), {}, " ".join(TASK), f"run_{number}")
        with stretch.judged(mine_claims=mining(mined(wording))) as (hand, _):
            record = mine(Learner(stretch.knowledge, None, f"run_{number}"), hand, stretch.segment)
    (claim,) = build_thoughts(stretch.context).own.active("mi:mined")
    assert record.merged_claim_ids == [claim.claim_id]


@pytest.mark.req("v1.ckpt.mine-segment-only")
def test_a_checkpoint_mines_its_own_stretch_only(bench: Workbench, judged: Judged) -> None:
    send = {"next_action": "send_to_hands", "status": "not_done", "next_hands_input": "Go on."}
    server = judged(model(decide_next=lambda request: {} if "verified" in request.user_texts[-1] else send))
    bench.agent(
        [say("First.")], [say("Second.")], [say("Third.")], [edit("calc.py", BROKEN, RIGHT), TEST, say("Done.")]
    )
    ran = bench.run(*TASK)
    ran.ended("done")
    cited = [set(one["source_refs"]["event_ids"]) for one in ran.of("snapshot")]
    assert len(cited) == 4
    assert sum(map(len, cited)) == len(set.union(*cited))
    shown = [request.user_texts[-1] for request in server.requests if asked(request) == "mine_claims"]
    assert ["First." in one for one in shown] == [True, False, False, False]
    assert ["Third." in one for one in shown] == [False, False, True, False]
    decided = [request.user_texts[-1] for request in server.requests if asked(request) == "checkpoint_decide"]
    assert "<<<PLANNED NEXT INPUT\nGo on." in decided[0]


@pytest.mark.req("v1.cli.claim-mine", "v1.tdb.mining-checkpoint-only")
def test_claims_are_mined_by_command_too(bench: Workbench, judged: Judged) -> None:
    assert bench.mi("claim", "mine").code == 1
    server = judged(model(mine_claims=mining(mined(PARSER))))
    bench.configure(runtime=RECALL_OFF | {"thought_db": {"auto_mine": False}})
    bench.agent(HONEST)
    bench.run()
    assert "mine_claims" not in calls(server)
    done = bench.mi("claim", "mine", "--json")
    assert done.code == 0
    told = json.loads(done.stdout)
    assert [one["claim_id"] for one in claims(bench, "--tag", "mi:mined")] == told["applied_claim_ids"]
    again = bench.mi("claim", "mine")
    assert "stands already" in again.stdout
    bench.configure(mind={"provider": "rules"})
    assert "a model" in bench.mi("claim", "mine").stdout


@pytest.mark.req("alive.home.flags")
def test_the_command_takes_its_own_limits(bench: Workbench, judged: Judged) -> None:
    judged(model(mine_claims=mining(mined(PARSER, confidence=0.8), mined(CHECKED, confidence=0.8))))
    bench.agent(HONEST)
    bench.run()
    assert json.loads(bench.mi("claim", "mine", "--json").stdout)["applied_claim_ids"] == []
    done = bench.mi("claim", "mine", "--min-confidence", "0.7", "--max-claims", "1", "--json")
    assert len(json.loads(done.stdout)["applied_claim_ids"]) == 1
    assert [one["text"] for one in claims(bench, "--tag", "mi:mined")] == [PARSER]
