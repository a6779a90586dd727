"""Which module declares which kind, so that reading one kind does not declare all."""

from importlib import import_module

from mi.evidence.records.base import Record

_MODULES = {
    "run": """run_start run_end batch_end question user_input limit state_corrupt undo redo""",
    "hands": """hands_input hands_resume_failed evidence""",
    "mind": """mind_error mind_circuit risk_event check_plan auto_answer decide_next loop_guard loop_break
        testless_strategy_set""",
    "thoughts": """values_set mi_defaults_set settings_set defaults_claim_sync
        learn_suggested learn_applied learn_update checkpoint snapshot node_materialized cross_project_recall recall
        preference_mining preference_solidified claim_mining claim_retract claim_supersede claim_same_as
        node_create node_retract edge_create edge_retract why_trace""",
    "workflows": """workflow_progress workflow_trigger workflow_suggestion workflow_solidified host_sync""",
    "governed": """mode_set gate violation memory_write memory_verify preflight override review verification session_log
        proposal handoff nexus_event deploy""",
}
KINDS = {kind: module for module, kinds in _MODULES.items() for kind in kinds.split()}


def record_type(kind: str) -> type[Record] | None:
    """The type of a kind; None for a kind that a newer version wrote."""
    if kind not in KINDS:
        return None
    module = import_module("mi.evidence.records." + KINDS[kind])
    name = "".join(word.capitalize() for word in kind.split("_"))
    declared: type[Record] = getattr(module, name)
    return declared
