"""Every setting there is, with its default: the configuration map of the rule book, the seed's knobs among them."""

from typing import Any

import msgspec
import pytest

from mi.kernel.config.load import check, describe, load
from mi.kernel.config.types import Config

HTTP = {
    "base_url": "",
    "model": "",
    "api_key_env": "",
    "api_key": "",
    "timeout_s": 60,
    "max_retries": 2,
    "max_tokens": None,
}
CLI = {"path": "", "model": "", "timeout_s": None}
# Settings that are not the seed's runtime knobs.
OURS: dict[str, Any] = {
    "version": "v1",
    "language": "auto",
    "profile": "light",
    "notify": "",
    "mind.provider": "auto",
    "mind.models": {},
    **{f"mind.openai_compatible.{name}": value for name, value in HTTP.items()},
    **{f"mind.anthropic.{name}": value for name, value in HTTP.items()},
    **{f"mind.codex_schema.{name}": value for name, value in CLI.items()},
    **{f"mind.claude_schema.{name}": value for name, value in CLI.items()},
    "hands.provider": "auto",
    "hands.continue_across_runs": False,
    "hands.leftovers": "tell",
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
    "runtime.verification.command": "",
    "runtime.verification.scope": "all",
    "runtime.verification.prove_seconds": 900,
    "runtime.verification.prove_network": True,
    "runtime.autonomy": "ask",
    "runtime.retry.attempts": 4,
    "runtime.retry.wait_s": [5, 30, 120, 300],
    "snapshot.enabled": True,
    "snapshot.max_file": 10_000_000,
    "snapshot.secrets": "skip",
    "fleet.tick": "merge",
    "fleet.push": False,
    "fleet.jobs": None,
    "fleet.max_cost_per_day": None,
    "fleet.max_tokens_per_day": None,
    "fleet.vendors": {},
    "hub.share": "team",
    "hub.devices": "off",
    "memory.semantic": "off",
    "hands.cli.events": "auto",
    "runtime.injection.max_chars": 2000,
    "runtime.limits.batches": 8,
    "runtime.limits.minutes": None,
    "runtime.limits.tokens": None,
    "runtime.limits.cost_usd": None,
    "runtime.limits.wait": False,
    "contract.tasks.verify": "proceed",
    "contract.receipt_max_age_s": 3600,
    "contract.evidence.allow_command": False,
    "contract.evidence.commands": [],
    "contract.least_mode": "GUARDED",
    "governance.preflight": "irreversible",
    "governance.profile": "light",
    "governance.reviewers": [],
    "governance.urgency_words": [],
    "governance.preferred_speed": [],
    "governance.prompt_to_allow": False,
    "nexus.memory_overlap": 0.5,
    "nexus.memory_categories": [],
    "nexus.agent_capabilities": {},
    "persona.root": "",
    "persona.member": "",
    "persona.email": "",
    "persona.key": "",
    "nexus.harness_id": "mi",
    "nexus.memory_gc.auto": False,
    "nexus.memory_gc.days": 180,
    "nexus.memory_gc.cycles": 6,
    "nexus.memory_gc.accesses": 0,
    "mcp.tools": ["memory", "tasks"],
    "hooks.enforce": ["permissions"],
}
# The seed's knobs, each with the requirement that names it.
KNOBS: dict[str, tuple[str, Any]] = {
    "v1.cfg.no-tests-policy": ("verification.no_tests_policy", "ask_once_per_project_then_remember"),
    "v1.cfg.network-policy": ("external_actions.network_policy", "values_judged"),
    "v1.cfg.install-policy": ("external_actions.install_policy", "values_judged"),
    "v1.cfg.interrupt-mode": ("interrupt.mode", "off"),
    "v1.cfg.signal-sequence": ("interrupt.signal_sequence", ["SIGINT", "SIGTERM", "SIGKILL"]),
    "v1.cfg.escalation-ms": ("interrupt.escalation_ms", [2000, 5000]),
    "v1.cfg.store-raw-transcript": ("transparency.store_raw_transcript", True),
    "v1.cfg.store-evidence-log": ("transparency.store_evidence_log", True),
    "v1.cfg.ui-expandable": ("transparency.ui_expandable_transcript", True),
    "v1.cfg.wf-auto-mine": ("workflows.auto_mine", True),
    "v1.cfg.wf-auto-enable": ("workflows.auto_enable", True),
    "v1.cfg.wf-min-occurrences": ("workflows.min_occurrences", 2),
    "v1.cfg.wf-allow-single": ("workflows.allow_single_if_high_benefit", True),
    "v1.cfg.wf-auto-sync": ("workflows.auto_sync_on_change", True),
    "v1.cfg.recall-enabled": ("cross_project_recall.enabled", True),
    "v1.cfg.recall-top-k": ("cross_project_recall.top_k", 3),
    "v1.cfg.recall-max-chars": ("cross_project_recall.max_chars", 1800),
    "v1.cfg.recall-include-kinds": ("cross_project_recall.include_kinds", ["snapshot", "workflow", "claim", "node"]),
    "v1.cfg.recall-exclude-current": ("cross_project_recall.exclude_current_project", False),
    "v1.cfg.recall-prefer-current": ("cross_project_recall.prefer_current_project", True),
    "v1.cfg.recall-trig-run-start": ("cross_project_recall.triggers.run_start", True),
    "v1.cfg.recall-trig-before-ask": ("cross_project_recall.triggers.before_ask_user", True),
    "v1.cfg.recall-trig-risk": ("cross_project_recall.triggers.risk_signal", True),
    "v1.cfg.pm-auto-mine": ("preference_mining.auto_mine", True),
    "v1.cfg.pm-min-occurrences": ("preference_mining.min_occurrences", 2),
    "v1.cfg.pm-allow-single": ("preference_mining.allow_single_if_high_benefit", True),
    "v1.cfg.pm-min-confidence": ("preference_mining.min_confidence", 0.75),
    "v1.cfg.pm-max-suggestions": ("preference_mining.max_suggestions", 3),
    "v1.cfg.vr-auto-learn": ("violation_response.auto_learn", True),
    "v1.cfg.vr-ask-high-risk": ("violation_response.ask_user_on_high_risk", True),
    "v1.cfg.vr-severities": ("violation_response.ask_user_risk_severities", ["high", "critical"]),
    "v1.cfg.vr-categories": ("violation_response.ask_user_risk_categories", []),
    "v1.cfg.vr-respect-should-ask": ("violation_response.ask_user_respect_should_ask_user", True),
    "v1.cfg.lu-enabled": ("violation_response.learn_update.enabled", True),
    "v1.cfg.lu-min-new": ("violation_response.learn_update.min_new_suggestions_per_run", 2),
    "v1.cfg.lu-min-active": ("violation_response.learn_update.min_active_learned_claims", 3),
    "v1.cfg.lu-min-confidence": ("violation_response.learn_update.min_confidence", 0.9),
    "v1.cfg.lu-max-claims": ("violation_response.learn_update.max_claims", 6),
    "v1.cfg.lu-max-retracts": ("violation_response.learn_update.max_retracts", 6),
    "v1.tdb.cfg-enabled": ("thought_db.enabled", True),
    "v1.tdb.cfg-auto-mine": ("thought_db.auto_mine", True),
    "v1.tdb.cfg-auto-materialize": ("thought_db.auto_materialize_nodes", True),
    "v1.tdb.cfg-min-confidence": ("thought_db.min_confidence", 0.9),
    "v1.tdb.cfg-max-claims": ("thought_db.max_claims_per_checkpoint", 6),
    "v1.tdb.cfg-why-auto": ("thought_db.why_trace.auto_on_run_end", False),
    "v1.tdb.cfg-why-top-k": ("thought_db.why_trace.top_k", 12),
    "v1.tdb.cfg-why-min-write": ("thought_db.why_trace.min_write_confidence", 0.7),
    "v1.tdb.cfg-why-write-edges": ("thought_db.why_trace.write_edges", True),
}
SELECTION = {"runtime.project_selection.auto_update_last": True}
EVERY = OURS | {f"runtime.{path}": default for path, default in KNOBS.values()} | SELECTION
# What each choice may be.
CHOICES = {
    "version": "v1",
    "language": "auto|en|zh",
    "mind.provider": "anthropic|auto|claude_schema|codex_schema|openai_compatible|rules",
    "hands.provider": "auto|claude|cli|codex|replay",
    "hands.codex.sandbox": "danger-full-access|read-only|workspace-write",
    "hands.cli.prompt_mode": "arg|stdin",
    "hands.cli.events": "auto|claude|codex|jsonl|none",
    "runtime.verification.scope": "all|related",
    "snapshot.secrets": "keep|skip",
    "fleet.tick": "done|merge",
    "hub.share": "off|runs|team",
    "hub.devices": "off|on",
    "memory.semantic": "off|on",
    "runtime.verification.no_tests_policy": "ask_once_per_project_then_remember|never_ask",
    "runtime.external_actions.network_policy": "allow|ask|values_judged",
    "runtime.external_actions.install_policy": "allow|ask|values_judged",
    "runtime.interrupt.mode": "off|on_any_external|on_high_risk",
    "contract.tasks.verify": "ask|proceed",
    "profile": "light|strict|team",
    "contract.least_mode": "GUARDED|STRICT",
    "governance.preflight": "advise|enforce|irreversible|off",
    "governance.profile": "light|standard|strict",
}


def settings(shape: Any, prefix: str = "") -> dict[str, Any]:
    """The type of every setting, by its path."""
    found = {}
    for field in msgspec.structs.fields(shape):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            found |= settings(field.type, f"{prefix}{field.name}.")
        else:
            found[prefix + field.name] = field.type
    return found


def value_at(config: Config, path: str) -> Any:
    value: Any = config
    for name in path.split("."):
        value = getattr(value, name)
    return msgspec.json.decode(msgspec.json.encode(value))


def nested(path: str, value: Any) -> dict[str, Any]:
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


@pytest.mark.req("mi.config.map-complete")
def test_the_map_is_all_there_is():
    assert sorted(settings(Config)) == sorted(EVERY)


@pytest.mark.req("mi.config.map-complete", "mi.config.version", "v1.prov.two-roles", "v1.prov.mind-openai-config")
def test_every_setting_has_its_default():
    assert {path: value_at(Config(), path) for path in OURS} == OURS


@pytest.mark.req(*KNOBS, "mi.config.runtime-seed-knobs")
def test_every_knob_of_the_seed_has_its_default():
    assert {path: value_at(Config(), f"runtime.{path}") for path, _ in KNOBS.values()} == dict(KNOBS.values())


def test_the_selection_is_updated_by_default():
    assert Config().runtime.project_selection.auto_update_last is True


@pytest.mark.req("mi.config.map-complete")
def test_every_setting_can_be_written_with_its_default():
    assert {path: check(nested(path, EVERY[path])).problems for path in EVERY} == {path: [] for path in EVERY}


@pytest.mark.req(
    "mi.config.map-complete",
    "mi.config.language",
    "v1.cfg.interrupt-mode",
    "mi.config.mind-provider",
    "v1.cli.knob-mind-provider",
)
@pytest.mark.parametrize("path", CHOICES)
def test_choices_are_closed(path):
    assert "|".join(sorted(describe(settings(Config)[path]).split("|"))) == CHOICES[path]
    for value in CHOICES[path].split("|"):
        loaded = check(nested(path, value))
        assert loaded.problems == []
        assert value_at(loaded.config, path) == value
    assert [problem.code for problem in check(nested(path, "other")).problems] == ["wrong-type"]


@pytest.mark.req("mi.config.map-complete")
def test_every_setting_has_a_type_that_can_be_told():
    assert all(describe(shape) for shape in settings(Config).values())


@pytest.mark.req("v1.cfg.runtime-in-config", "v1.prov.two-roles")
def test_runtime_hands_and_mind_are_read_from_the_file(home, tmp_path):
    (tmp_path / "home").mkdir()
    roles = '"hands": {"provider": "claude"}, "mind": {"provider": "rules"}'
    raw = f'{{"runtime": {{"workflows": {{"min_occurrences": 5}}}}, {roles}}}'
    (tmp_path / "home/config.json").write_text(raw, "utf-8")
    config = load(home.config).config
    assert config.runtime.workflows.min_occurrences == 5
    assert (config.hands.provider, config.mind.provider) == ("claude", "rules")
