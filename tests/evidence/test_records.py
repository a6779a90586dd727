"""Every kind of record: the seed's with the keys it shows, and ours."""

from typing import Any, get_args

import msgspec
import pytest

from mi.evidence.records.base import MindRecord, Record
from mi.evidence.records.hands import RepoObservation
from mi.evidence.records.kinds import record_type
from mi.evidence.records.mind import AutoAnswer, AutoAnswerOutput, Checks, LoopBreakOutput, ThoughtsUsed
from mi.evidence.records.run import BatchEnd, Marks, RunEnd, RunUsage
from mi.evidence.records.workflows import WorkflowProgressOutput

# The kinds the seed lists, with the keys its record shapes or its list name beyond those every record has.
SEED: dict[str, str] = {
    "hands_input": "transcript_path input light_injection prompt_sha256",
    "state_corrupt": "path kept_in",
    "defaults_claim_sync": "outcome claim_ids",
    "evidence": """hands_transcript_ref mind_transcript_ref mi_input transcript_observation repo_observation
        facts actions results unknowns risk_signals""",
    "mind_error": "schema_filename tag mind_transcript_ref error",
    "mind_circuit": "state threshold failures_total failures_consecutive schema_filename tag error",
    "risk_event": "risk mind_transcript_ref",
    "learn_suggested": "id text scope rationale severity source applied_claim_ids",
    "learn_applied": "suggestion_id applied_claim_ids",
    "learn_update": "output applied",
    "testless_strategy_set": "strategy rationale",
    "check_plan": "mind_transcript_ref checks",
    "auto_answer": "mind_transcript_ref auto_answer",
    "decide_next": """phase next_action status confidence notes ask_user_question next_hands_input
        mind_transcript_ref thought_db decision""",
    "workflow_progress": "workflow_id workflow_name state mind_transcript_ref output",
    "checkpoint": "segment_id state mind_transcript_ref planned_next_input status_hint note output",
    "snapshot": "snapshot_id source_refs",
    "node_materialized": "node_ids edge_ids",
    "cross_project_recall": "query_raw query_compact tokens_used items",
    "workflow_trigger": "workflow_id workflow_name",
    "workflow_suggestion": "output",
    "workflow_solidified": "workflow_id signature",
    "host_sync": "results",
    "preference_mining": "output",
    "preference_solidified": "signature count suggestion_id",
    "claim_mining": "output applied_claim_ids",
    "claim_retract": "claim_id",
    "claim_supersede": "claim_id new_claim_id",
    "claim_same_as": "duplicate_id canonical_id",
    "settings_set": "scope settings",
    "node_create": "node_id node_type title",
    "node_retract": "node_id",
    "edge_create": "edge_id edge_type from_id to_id",
    "why_trace": """target as_of_ts query candidate_claim_ids state mind_transcript_ref output
        written_edge_ids""",
    "loop_guard": "pattern hands_last_message next_input reason",
    "loop_break": "pattern reason state mind_transcript_ref output",
    "user_input": "question answer question_id",
    "hands_resume_failed": "error",
    "values_set": "values_text",
}
OURS: dict[str, str] = {
    "mi_defaults_set": "settings",
    "run_start": "task",
    "run_end": "status marks spent exit",
    "run_learned": "spent",
    "batch_end": "outcome usage",
    "question": "id text run_id blocks",
    "limit": "limit spent",
    "limit_raised": "name to was",
    "notify_failed": "id channel event about_id reason",
    "hands_retry": "error attempt attempts wait_s",
    "hands_leftovers": "provider processes ended",
    "closing": "outcome reason rows parts",
    "proof": "proved why base_tree final_tree checks changed_judges notices_tests dependencies seconds",
    "trust_set": "project_root commands removed",
    "tree_snapshot": "of commit tree left_out reason",
    "tree_work": "act path branch commit into result left_out",
    "race": "id task racers",
    "tasks_queued": "tasks",
    "queue_cancelled": "run_ids",
    "tree_restore": "ref commit kept state put_back removed left",
    "edge_retract": "edge_id",
    "answered_alone": "question answer topic cited_ids guessed agreed",
    "answer_kept": "question_id claim_id text replaced",
    "device_came": "device ids",
    "undo": "target",
    "redo": "target",
    "recall": "query ids",
    "mode_set": "mode",
    "gate": "code tool checklist",
    "violation": "id code",
    "seal_accepted": "paths",
    "task_outcome": "task_id authority status reason",
    "memory_write": "type summary",
    "memory_verify": "results",
    "preflight": "verdict",
    "override": "reason",
    "review": "id reviewer verdict",
    "verification": "verdict",
    "session_log": "path",
    "proposal": "title status",
    "handoff": "id status",
    "nexus_event": "event",
    "deploy": "step outcome",
}
EVERY = SEED | OURS
COMMON = {"kind", "v", "event_id", "run_id", "seq", "ts", "batch_id", "thread_id"}


def of_kind(kind: str) -> type[Record]:
    shape = record_type(kind)
    assert shape is not None, kind
    return shape


def keys(record: Any) -> set[str]:
    return set(msgspec.to_builtins(record))


def filled(shape: Any, depth: int = 0) -> Any:
    """A value of a type in which nothing is at its default where that can be helped."""
    info = msgspec.inspect.type_info(shape) if depth == 0 else shape
    match info:
        case msgspec.inspect.StructType():
            fields = {one.name: filled(one.type, depth + 1) for one in info.fields if one.name != "v"}
            return info.cls(**fields)
        case msgspec.inspect.ListType():
            return [filled(info.item_type, depth + 1)] * 2
        case msgspec.inspect.DictType():
            return {"键": filled(info.value_type, depth + 1)}
        case msgspec.inspect.UnionType():
            return filled(next(one for one in info.types if not isinstance(one, msgspec.inspect.NoneType)), depth + 1)
        case msgspec.inspect.LiteralType():
            return info.values[-1]
        case msgspec.inspect.StrType():
            return 'text 值 "quoted"\n\u2028'
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.IntType():
            return 7
        case msgspec.inspect.FloatType():
            return 0.25
        case msgspec.inspect.AnyType():
            return {"any": [1, None, "x"]}
    raise AssertionError(info)


@pytest.mark.req("mi.kind.seed-kinds", *[f"v1.kind.{kind.replace('_', '-')}" for kind in SEED])
def test_every_kind_of_the_seed_is_one_typed_record_with_its_keys():
    assert {kind: set(names.split()) - keys(of_kind(kind)()) for kind, names in SEED.items()} == {
        k: set() for k in SEED
    }


@pytest.mark.req(
    "mi.kind.values-set", *[f"mi.kind.{kind.replace('_', '-')}" for kind in OURS if kind != "edge_retract"]
)
def test_every_kind_of_ours_is_one_typed_record_with_its_keys():
    assert {kind: set(names.split()) - keys(of_kind(kind)()) for kind, names in OURS.items()} == {
        k: set() for k in OURS
    }


@pytest.mark.req(
    *["v1.rec.evidence", "v1.rec.hands-input", "v1.rec.mind-error", "v1.rec.mind-circuit", "v1.rec.check-plan"],
    *["v1.rec.user-input", "v1.rec.auto-answer", "v1.rec.decide-next", "v1.rec.why-trace", "v1.rec.workflow-progress"],
    *["v1.rec.checkpoint", "v1.rec.loop-guard", "v1.rec.loop-break"],
)
def test_every_record_has_what_all_have_in_common():
    for kind in EVERY:
        assert keys(of_kind(kind)()) >= COMMON
        assert msgspec.to_builtins(of_kind(kind)())["kind"] == kind


@pytest.mark.req("mi.pre.later-seed-stands")
def test_names_of_the_earlier_seed_are_gone():
    assert record_type("codex_input") is None
    names = " ".join(name for kind in EVERY for name in keys(filled(of_kind(kind))))
    assert "codex" not in names + str(Checks.__struct_fields__) + str(AutoAnswerOutput.__struct_fields__)


def test_an_unknown_kind_has_no_type():
    assert record_type("of_a_newer_version") is None
    assert record_type("") is None


@pytest.mark.req("mi.rec.v1-evidence")
def test_every_record_survives_the_way_to_disk_and_back():
    for kind in EVERY:
        shape = of_kind(kind)
        for record in (shape(), filled(shape)):
            line = msgspec.json.encode(record)
            assert b"\n" not in line
            assert msgspec.json.decode(line)["v"] == 1
            assert msgspec.json.decode(line, type=shape) == record


@pytest.mark.req("mi.rec.version-absent")
def test_a_record_without_a_version_is_version_1():
    for kind in EVERY:
        line = msgspec.json.encode({"kind": kind})
        assert msgspec.json.decode(line, type=of_kind(kind)) == of_kind(kind)(v=1)


def test_every_record_has_a_headline():
    for kind in EVERY:
        for record in (of_kind(kind)(), filled(of_kind(kind))):
            assert isinstance(record.headline(), str)
    silent = {kind for kind in EVERY if not filled(of_kind(kind)).headline()}
    assert silent == {"learn_update", "memory_verify", "preference_mining"}


@pytest.mark.req("v1.rec.state-enum")
def test_what_a_mind_did_is_ok_error_or_skipped():
    for kind in ("why_trace", "workflow_progress", "checkpoint", "loop_break"):
        shape = of_kind(kind)
        assert issubclass(shape, MindRecord)
        for state in ("ok", "error", "skipped"):
            assert msgspec.convert({"kind": kind, "state": state}, shape).state == state
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"kind": kind, "state": "maybe"}, shape)


@pytest.mark.req("mi.kind.batch-end-outcome")
def test_a_batch_ends_in_one_of_four_ways():
    field = next(one for one in msgspec.structs.fields(BatchEnd) if one.name == "outcome")
    assert get_args(field.type) == ("ended", "cut", "interrupted", "failed")


@pytest.mark.req("v1.rec.repo-observation")
def test_a_repo_observation_has_the_seeds_keys():
    assert set(RepoObservation.__struct_fields__) == {
        *["project_root", "stack_hints", "has_tests", "test_hints", "git_is_repo", "git_root", "git_head"],
        *["git_status_porcelain", "git_diff_stat", "git_diff_cached_stat"],
        "change_units",  # of the rule book
    }


def test_what_minds_answered_has_the_seeds_keys():
    shown = {
        Checks: """should_run_checks needs_testless_strategy testless_strategy_question check_goals commands_hints
            hands_check_input notes""",
        AutoAnswerOutput: """should_answer confidence hands_answer_input needs_user_input ask_user_question
            unanswered_questions notes""",
        ThoughtsUsed: """as_of_ts node_ids values_claim_ids pref_goal_claim_ids query_claim_ids edges_n notes""",
        WorkflowProgressOutput: """should_update completed_step_ids next_step_id should_close close_reason confidence
            notes""",
        LoopBreakOutput: "action confidence rewritten_next_input check_intent ask_user_question notes",
    }
    for shape, names in shown.items():
        assert set(shape.__struct_fields__) >= set(names.split())


def test_unknown_is_not_nothing():
    """A cost that nobody told is null, and a run that told nothing has no marks."""
    assert set(msgspec.to_builtins(RunUsage()).values()) == {None}
    assert RunEnd().marks == Marks(ran=False, claimed=False, verified=False)
    assert RunEnd().status != "done"


def test_a_question_without_an_answer_is_not_told_as_one():
    def told(**fields: Any) -> str:
        return AutoAnswer(auto_answer=AutoAnswerOutput(**fields)).headline()

    assert told(hands_answer_input="Use pytest.") == "Use pytest."
    assert told(ask_user_question="With tax?") == "none: With tax?"
    assert told() == ""
