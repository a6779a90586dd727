"""The map of settings: every key of the rule books with its default, and no other."""

import json
import subprocess

import pytest

from tests.conftest import MI

# requirement → key and default, as the rule books name them
DEFAULTS = {
    "mi.config.version": ("version", "v1"),
    "mi.config.language": ("language", "auto"),
    "v1.cfg.no-tests-policy": ("runtime.verification.no_tests_policy", "ask_once_per_project_then_remember"),
    "v1.cfg.network-policy": ("runtime.external_actions.network_policy", "values_judged"),
    "v1.cfg.install-policy": ("runtime.external_actions.install_policy", "values_judged"),
    "v1.cfg.interrupt-mode": ("runtime.interrupt.mode", "off"),
    "v1.cfg.signal-sequence": ("runtime.interrupt.signal_sequence", ["SIGINT", "SIGTERM", "SIGKILL"]),
    "v1.cfg.escalation-ms": ("runtime.interrupt.escalation_ms", [2000, 5000]),
    "v1.cfg.store-raw-transcript": ("runtime.transparency.store_raw_transcript", True),
    "v1.cfg.store-evidence-log": ("runtime.transparency.store_evidence_log", True),
    "v1.cfg.ui-expandable": ("runtime.transparency.ui_expandable_transcript", True),
    "v1.cfg.wf-auto-mine": ("runtime.workflows.auto_mine", True),
    "v1.cfg.wf-auto-enable": ("runtime.workflows.auto_enable", True),
    "v1.cfg.wf-min-occurrences": ("runtime.workflows.min_occurrences", 2),
    "v1.cfg.wf-allow-single": ("runtime.workflows.allow_single_if_high_benefit", True),
    "v1.cfg.wf-auto-sync": ("runtime.workflows.auto_sync_on_change", True),
    "v1.cfg.recall-enabled": ("runtime.cross_project_recall.enabled", True),
    "v1.cfg.recall-top-k": ("runtime.cross_project_recall.top_k", 3),
    "v1.cfg.recall-max-chars": ("runtime.cross_project_recall.max_chars", 1800),
    "v1.cfg.recall-include-kinds": (
        "runtime.cross_project_recall.include_kinds",
        ["snapshot", "workflow", "claim", "node"],
    ),
    "v1.cfg.recall-exclude-current": ("runtime.cross_project_recall.exclude_current_project", False),
    "v1.cfg.recall-prefer-current": ("runtime.cross_project_recall.prefer_current_project", True),
    "v1.cfg.recall-trig-run-start": ("runtime.cross_project_recall.triggers.run_start", True),
    "v1.cfg.recall-trig-before-ask": ("runtime.cross_project_recall.triggers.before_ask_user", True),
    "v1.cfg.recall-trig-risk": ("runtime.cross_project_recall.triggers.risk_signal", True),
    "v1.cfg.pm-auto-mine": ("runtime.preference_mining.auto_mine", True),
    "v1.cfg.pm-min-occurrences": ("runtime.preference_mining.min_occurrences", 2),
    "v1.cfg.pm-allow-single": ("runtime.preference_mining.allow_single_if_high_benefit", True),
    "v1.cfg.pm-min-confidence": ("runtime.preference_mining.min_confidence", 0.75),
    "v1.cfg.pm-max-suggestions": ("runtime.preference_mining.max_suggestions", 3),
    "v1.cfg.vr-auto-learn": ("runtime.violation_response.auto_learn", True),
    "v1.cfg.vr-ask-high-risk": ("runtime.violation_response.ask_user_on_high_risk", True),
    "v1.cfg.vr-severities": ("runtime.violation_response.ask_user_risk_severities", ["high", "critical"]),
    "v1.cfg.vr-categories": ("runtime.violation_response.ask_user_risk_categories", []),
    "v1.cfg.vr-respect-should-ask": ("runtime.violation_response.ask_user_respect_should_ask_user", True),
    "v1.cfg.lu-enabled": ("runtime.violation_response.learn_update.enabled", True),
    "v1.cfg.lu-min-new": ("runtime.violation_response.learn_update.min_new_suggestions_per_run", 2),
    "v1.cfg.lu-min-active": ("runtime.violation_response.learn_update.min_active_learned_claims", 3),
    "v1.cfg.lu-min-confidence": ("runtime.violation_response.learn_update.min_confidence", 0.9),
    "v1.cfg.lu-max-claims": ("runtime.violation_response.learn_update.max_claims", 6),
    "v1.cfg.lu-max-retracts": ("runtime.violation_response.learn_update.max_retracts", 6),
    "v1.tdb.cfg-enabled": ("runtime.thought_db.enabled", True),
    "v1.tdb.cfg-auto-mine": ("runtime.thought_db.auto_mine", True),
    "v1.tdb.cfg-auto-materialize": ("runtime.thought_db.auto_materialize_nodes", True),
    "v1.tdb.cfg-min-confidence": ("runtime.thought_db.min_confidence", 0.9),
    "v1.tdb.cfg-max-claims": ("runtime.thought_db.max_claims_per_checkpoint", 6),
    "v1.tdb.cfg-why-auto": ("runtime.thought_db.why_trace.auto_on_run_end", False),
    "v1.tdb.cfg-why-top-k": ("runtime.thought_db.why_trace.top_k", 12),
    "v1.tdb.cfg-why-min-write": ("runtime.thought_db.why_trace.min_write_confidence", 0.7),
    "v1.tdb.cfg-why-write-edges": ("runtime.thought_db.why_trace.write_edges", True),
}
# The rest of the map: keys that our own rule book adds to the seed's.
OURS = {
    "notify": "",
    "mind.provider": "auto",
    "mind.models": {},
    "hands.provider": "auto",
    **{f"mind.{name}.timeout_s": 60 for name in ("openai_compatible", "anthropic")},
    **{f"mind.{name}.max_retries": 2 for name in ("openai_compatible", "anthropic")},
    **{f"mind.{name}.{key}": "" for name in ("openai_compatible", "anthropic") for key in ("base_url", "model")},
    **{f"mind.{name}.{key}": "" for name in ("openai_compatible", "anthropic") for key in ("api_key_env", "api_key")},
    **{f"mind.{name}.max_tokens": None for name in ("openai_compatible", "anthropic")},
    **{f"mind.{name}.{key}": "" for name in ("codex_schema", "claude_schema") for key in ("path", "model")},
    **{f"mind.{name}.timeout_s": None for name in ("codex_schema", "claude_schema")},
    "hands.continue_across_runs": False,
    "hands.codex.path": "",
    "hands.codex.sandbox": "workspace-write",
    "hands.codex.args": [],
    "hands.claude.path": "",
    "hands.claude.permission_mode": "acceptEdits",
    "hands.claude.allowed_tools": [],
    "hands.claude.args": [],
    "hands.cli.exec": [],
    "hands.cli.resume": [],
    "hands.cli.prompt_mode": "arg",
    "hands.cli.thread_id_regex": "",
    "hands.cli.env": {},
    "hands.replay.file": "",
    "runtime.injection.max_chars": 2000,
    "runtime.limits.batches": 8,
    "runtime.limits.minutes": None,
    "runtime.limits.tokens": None,
    "runtime.limits.cost_usd": None,
    "runtime.verification.command": "",
    "contract.receipt_max_age_s": 3600,
    "contract.evidence.allow_command": False,
    "contract.evidence.commands": [],
    "governance.profile": "standard",
    "governance.reviewers": [],
    "governance.urgency_words": [],
    "persona.root": "",
    "persona.member": "",
    "nexus.harness_id": "mi",
    "nexus.memory_gc.auto": False,
    "nexus.memory_gc.days": 180,
    "nexus.memory_gc.cycles": 6,
    "nexus.memory_gc.accesses": 0,
    "mcp.tools": [],
    "hooks.enforce": [],
    "runtime.project_selection.auto_update_last": True,
}


@pytest.fixture(scope="module")
def defaults(tmp_path_factory) -> dict:
    """What `mi config init` writes."""
    home = tmp_path_factory.mktemp("defaults") / "home"
    subprocess.run([MI, "--home", home, "config", "init"], check=True, capture_output=True)
    return json.loads((home / "config.json").read_text("utf-8"))


def at(config: dict, path: str):
    for name in path.split("."):
        config = config[name]
    return config


@pytest.mark.parametrize(
    ("path", "default"),
    [pytest.param(*one, marks=pytest.mark.req(name), id=one[0]) for name, one in DEFAULTS.items()],
)
def test_default_of_a_seed_setting(defaults, path, default):
    assert at(defaults, path) == default


@pytest.mark.req("mi.config.map-complete", "mi.config.runtime-seed-knobs", "v1.cfg.runtime-in-config")
def test_map_holds_every_key_and_no_other(defaults):
    def leaves(section: dict, prefix: str = "") -> dict:
        found = {}
        for name, value in section.items():
            whole = isinstance(value, dict) and value and prefix + name not in OURS
            found |= leaves(value, f"{prefix}{name}.") if whole else {prefix + name: value}
        return found

    known = leaves(defaults)
    assert {path: known[path] for path in OURS} == OURS
    rest = set(known) - set(OURS) - {path for path, _ in DEFAULTS.values()}
    assert rest == {"contract.tasks.verify", "governance.preflight"}
