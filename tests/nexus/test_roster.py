"""Vocabulary, agents, skills: what ships is valid, says what the contract says, and reaches the hosts."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import referencing
import yaml

from mi.kernel.config.types import Nexus
from mi.kernel.errors import MiError, UsageError
from mi.nexus import capabilities, macros, manifest, roster, tags, validate
from mi.nexus.roster import SHIPPED

ROSTER = roster.load()
WORDS = ROSTER.vocabulary
AGENTS = {member.meta.id: member for member in ROSTER.agents}
SKILLS = {member.meta.id: member for member in ROSTER.skills}
SCHEMAS = {path.name: json.loads(path.read_text("utf-8")) for path in Path(SHIPPED, "schema").glob("*.json")}
REGISTRY: referencing.Registry = referencing.Registry().with_resources(
    (schema["$id"], referencing.Resource.from_contents(schema)) for schema in SCHEMAS.values()
)


def validator(schema: dict[str, Any]) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema, registry=REGISTRY)


def of_vocabulary(name: str) -> jsonschema.Draft202012Validator:
    return validator({"$ref": f"{SCHEMAS['vocabulary.schema.json']['$id']}#/$defs/{name}"})


def load(name: str) -> Any:
    return yaml.safe_load(Path(SHIPPED, "vocabulary", name).read_text("utf-8"))


ADVISER = ("how", "persistent", "high", {"no_file_edit", "no_task_create", "no_task_update"})
MAKER = ("do", "bounded", "standard", {"no_task_create"})
CHECKER = ("check", "ephemeral", "standard", {"no_file_edit", "no_task_create"})
EXPECTED = {
    "architect": (ADVISER, "아키텍트", "nx.agents.architect"),
    "designer": (ADVISER, "디자이너", "nxs.manifest.agent-designer"),
    "postdoc": (ADVISER, "포닥", "nx.agents.postdoc"),
    "strategist": (ADVISER, "전략가", "nx.agents.strategist"),
    "engineer": (MAKER, "엔지니어", "nxs.manifest.agent-engineer"),
    "writer": (MAKER, "라이터", "nx.agents.writer"),
    "researcher": (
        ("do", "persistent", "standard", {"no_file_edit", "no_task_create"}),
        "리서처",
        "nx.agents.researcher",
    ),
    "tester": (CHECKER, "테스터", "nx.agents.tester"),
    "reviewer": (CHECKER, "리뷰어", "nxs.manifest.agent-reviewer"),
}


@pytest.mark.req("nx.agents.nine", "nx.vocab.agent-metadata", "nx.vocab.model-tiers")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.req(req)) for name, (_, _, req) in EXPECTED.items()]
)
def test_agents(name):
    (category, tier, model, bounds), alias, _ = EXPECTED[name]
    assert set(AGENTS) == set(EXPECTED)
    meta, body = AGENTS[name].meta, AGENTS[name].body
    assert (meta.category, meta.resume_tier, meta.model_tier, set(meta.capabilities)) == (category, tier, model, bounds)
    assert (meta.id, meta.name, meta.alias_ko) == (name, name, alias)
    assert 500 < len(body) < 2500
    assert capabilities.list_capabilities(name, Nexus()) == bounds


@pytest.mark.req("nxs.manifest.agent-postdoc-purpose")
def test_the_postdoc_is_for_methods_and_synthesis():
    said = f"{AGENTS['postdoc'].meta.description} {AGENTS['postdoc'].meta.task}".lower()
    for word in ("research method", "synthesis", "investigation approach", "evidence quality"):
        assert word in said


@pytest.mark.req(
    *("nx.skills.four", "nx.skills.nx-init-manual", "nx.vocab.skill-metadata", "nxs.manifest.skill-nx-run"),
    *("nxs.manifest.skill-nx-init", "nxs.manifest.skill-nx-plan-refs"),
)
def test_skills():
    shown = {name: (one.meta.triggers, one.meta.harness_docs_refs) for name, one in SKILLS.items()}
    assert shown == {
        "nx-init": ([], []),
        "nx-plan": (["plan"], ["resume_invocation"]),
        "nx-run": (["run"], ["resume_invocation"]),
        "nx-sync": (["sync"], []),
    }
    assert SKILLS["nx-init"].meta.manual_only is True
    assert "user-directed agent composition" in SKILLS["nx-run"].meta.summary
    for word in ("scan", "mission", "essentials", "context"):
        assert word in SKILLS["nx-init"].meta.description
        assert word in SKILLS["nx-init"].body.lower()


# What the text of nx-plan must tell: a phrase of it, and the requirement it meets.
PLAN_BODY = {
    "nxs.plan-body.tasks-when-all-decided": "When all issues are decided, make tasks.json at once",
    "nxs.plan-body.owner-how": "| analysis or review of a design | architect or another HOW agent |",
    "nxs.plan-body.owner-lead": "| edits of one file that follow each other | lead |",
    "nxs.plan-body.artifact-coherence": "One artifact, or a few that only change together, and one coherent change",
    "nxs.plan-body.coherence-test": "when one sentence describes it, when taking it back leaves everything else "
    "consistent, and when its outputs alone show whether its acceptance is met",
    "nxs.plan-body.pair-tester": "the acceptance names behaviour at run time: a tester task",
    "nxs.plan-body.pair-reviewer": "something verifiable in the deliverable: a reviewer task",
    "nxs.plan-body.pair-deps": "linked by `deps` to the task",
    "nxs.plan-body.exception-id-in-context": "record the id in the task's `context`",
    "nxs.plan-body.dedup-merge": "look for tasks with the same target files and merge them under one owner",
    "nxs.plan-body.do-check-decompose": "Several independent artifacts go to several DO or CHECK agents side by side",
    "nxs.plan-body.parallel-three": "from three independent artifacts up; below that one owner does them all",
    "nxs.plan-body.how-single": "HOW agents stay in one session",
    "nxs.plan-body.how-split": "split it among several only when it crosses these domains",
    "nxs.plan-body.populate-by-task-add": "through `nx_task_add`",
    "nxs.plan-body.goal-from-topic": "`goal` is the plan's topic",
    "nxs.exc.applied-in-synthesis": "apply them while you make the tasks",
    "nxs.exc.bundle-treatment": "listing what each piece requires",
    "nxs.exc.generated-commit": "committed with the task that makes it",
}


@pytest.mark.parametrize("req", [pytest.param(req, marks=pytest.mark.req(req)) for req in PLAN_BODY])
def test_what_the_planning_skill_tells(req):
    assert PLAN_BODY[req] in " ".join(SKILLS["nx-plan"].body.split())


# vocabulary


@pytest.mark.req("nx.vocab.seven-shipped", "nxs.validate.seven-files", "nx.vocab.categories", "nx.vocab.tiers")
def test_seven_files_each_valid_against_its_schema():
    files = {
        "capabilities.yml": of_vocabulary("capabilityFile"),
        "categories.yml": of_vocabulary("categoryFile"),
        "resume-tiers.yml": of_vocabulary("resumeTierFile"),
        "tags.yml": of_vocabulary("tagFile"),
        "invocations.yml": of_vocabulary("invocationFile"),
        "task-exceptions.yml": validator(SCHEMAS["task-exceptions.schema.json"]),
        "memory_policy.yml": of_vocabulary("memoryPolicyFile"),
    }
    assert list(roster.VOCABULARY) == list(files)
    for name, check in files.items():
        check.validate(load(name))
    assert [one.id for one in WORDS.categories] == ["how", "do", "check"]
    assert [one.id for one in WORDS.resume_tiers] == ["persistent", "bounded", "ephemeral"]
    for entries in (WORDS.capabilities, WORDS.categories, WORDS.resume_tiers, WORDS.invocations):
        assert all(len(one.prose_guidance) >= 40 for one in entries)


@pytest.mark.req(
    *("nx.tags.trigger-rule", "nx.tags.plan", "nx.tags.plan-auto", "nx.tags.run", "nx.tags.sync", "nx.tags.d"),
    *(
        "nxs.tags.m",
        "nxs.tags.m-gc",
        "nxs.tags.rule",
        "nxs.tags.m-gc-guidance",
        "nxs.tags.m-admission",
        "nxs.manifest.tag-prose",
    ),
)
def test_tags():
    """The file says what the code recognises."""
    by_id = {tag.id: tag for tag in WORDS.tags}
    assert [tag.trigger for tag in WORDS.tags] == ["[plan]", "[run]", "[sync]", "[d]", "[m]", "[m:gc]", "[rule]"]
    assert {tag.id: tag.skill for tag in WORDS.tags if hasattr(tag, "skill")} == tags.SKILLS
    assert {tag.id: tag.handler for tag in WORDS.tags if hasattr(tag, "handler")} == tags.INLINE
    assert {tag.id: tuple(tag.variants) for tag in WORDS.tags if isinstance(tag.variants, list)} == tags.VARIANTS
    assert all(tag.trigger == validate.trigger_of(tag.id) for tag in WORDS.tags)
    assert "neither the code nor the web" in str(by_id["m"].prose_guidance)
    assert "memory_policy.yml" in str(by_id["m-gc"].prose_guidance)
    assert "local settings" in " ".join(str(by_id["m-gc"].prose_guidance).split())
    shown = json.loads(manifest.build_shipped_manifest())["vocabulary"]["tags"]
    assert {tag["id"] for tag in shown if "prose_guidance" in tag} >= {"m", "m-gc"}


PARAMS = {
    "skill_activation": {"skill": True, "mode": False},
    "subagent_spawn": {"target_role": True, "prompt": True, "name": False, "resume_tier_hint": False},
    "task_register": {"label": True, "state": True},
    "user_question": {"question": True, "options": True},
    "memory_read_observation": {"file_path": True, "reader_identity": True, "observed_at": True},
}


@pytest.mark.req(
    *(
        "nx.invoc.skill-activation",
        "nx.invoc.skill-activation-mode",
        "nx.invoc.subagent-spawn",
        "nx.invoc.subagent-spawn-name",
    ),
    *("nx.invoc.subagent-spawn-tier-hint", "nx.invoc.task-register", "nx.invoc.user-question", "nxs.invoc.mro"),
    *(
        "nxs.invoc.mro-file-path",
        "nxs.invoc.mro-reader-identity",
        "nxs.invoc.mro-observed-at",
        "nxs.invoc.entry-fields",
    ),
    *("nxs.manifest.user-question-fallback", "nxs.manifest.user-question-intent", "nxs.invoc.mro-fallback-manual"),
    *("nxs.invoc.mro-fallback-no-auto", "nxs.invoc.mro-after-read"),
)
def test_invocations():
    by_id = {one.id: one for one in WORDS.invocations}
    assert {name: {p.name: p.required for p in one.semantic_params} for name, one in by_id.items()} == PARAMS
    assert by_id["memory_read_observation"].intent == "memory_read_observation"
    assert by_id["user_question"].intent == "structured_user_prompt"
    fallback = by_id["user_question"].fallback_behavior
    assert all(word in fallback for word in ("prose", "numbered list", "option it comes closest to", "as it is"))
    observed = by_id["memory_read_observation"]
    assert "[m:gc]" in observed.fallback_behavior
    assert "not enabled" in observed.fallback_behavior
    assert "after a read below .nexus/memory/ has completed" in " ".join(observed.prose_guidance.split())


EXCEPTIONS = {
    "docs_only.coherent": {
        "applies_when": ("every changed file is .md", "front matter", "one scheme, decision or restructuring"),
        "treatment": ("one writer task and one reviewer task", "files and lines do not count", "the approach says"),
    },
    "docs_only.independent": {
        "applies_when": ("each .md file has its own topic", "none refers to"),
        "treatment": ("one writer task per file", "each with one reviewer task", "limit on files does not count"),
    },
    "same_file_bundle": {
        "applies_when": ("two or more sub-tasks would each change one target file",),
        "treatment": (
            "one task with one owner",
            "counts as one task and one artifact",
            "not for sequenced work",
            "deps",
        ),
    },
    "generated_artifacts": {
        "applies_when": ("build output, as the build configuration declares",),
        "treatment": ("left out when tasks, files and lines are counted", "committed with the task"),
    },
}


@pytest.mark.req(
    *("nxs.exc.docs-coherent-when", "nxs.exc.docs-coherent-treatment", "nxs.exc.docs-coherent-claim"),
    *(
        "nxs.exc.docs-independent-when",
        "nxs.exc.docs-independent-treatment",
        "nxs.exc.bundle-when",
        "nxs.exc.bundle-treatment",
    ),
    *(
        "nxs.exc.bundle-counts-one",
        "nxs.exc.bundle-not-sequenced",
        "nxs.exc.generated-when",
        "nxs.exc.generated-not-counted",
    ),
    "nxs.exc.generated-commit",
)
def test_task_exceptions():
    assert [one.id for one in WORDS.task_exceptions] == list(EXCEPTIONS)
    for one in WORDS.task_exceptions:
        for field, phrases in EXCEPTIONS[one.id].items():
            for phrase in phrases:
                assert phrase in getattr(one, field), (one.id, field)


@pytest.mark.req(
    *("nxs.policy.category-ids", "nxs.policy.observation-primitive", "nxs.policy.information-names"),
    *(
        "nxs.policy.forgetting-values",
        "nxs.policy.merge-principle",
        "nxs.policy.name-pattern",
        "nxs.policy.name-prefix-optional",
    ),
    *("nxs.life.cat-empirical", "nxs.life.cat-external", "nxs.life.cat-pattern", "nx.cap.no-shell-exec"),
)
def test_memory_policy_and_capabilities():
    policy = load("memory_policy.yml")
    from mi.nexus import memory_rules

    assert [(one["id"], one["prefix"]) for one in policy["categories"]] == [
        (c, c + "-") for c in memory_rules.CATEGORIES
    ]
    assert policy["naming"] == policy["naming"] | {"pattern": memory_rules.PATTERN, "optional_prefix": True}
    tracking = policy["access_tracking"]
    assert (tracking["observation_primitive"], tracking["scope"]) == ("file_read", ".nexus/memory/")
    assert tracking["storage_contract_reference"].endswith("memory-access.schema.json")
    names = [one["name"] for one in tracking["information_accumulated"]]
    assert names == ["last_access_timestamp", "access_count", "last_reader_identity"]
    forgetting = policy["forgetting"]
    assert forgetting["manual_gate_default"] is True
    assert forgetting["automatic_deletion_structure"]["principle"] == "minimum_three_signal_intersection"
    assert forgetting["recoverable_deletion_requirement"] == "git_commit"
    assert policy["merge"]["principle"] == "merge_before_create"
    assert {one.id: one.blocks for one in WORDS.capabilities} == {
        "no_file_edit": ["file_create", "file_modify", "file_delete", "file_partial_edit", "file_structured_edit"],
        "no_task_create": ["task_create"],
        "no_task_update": ["task_update"],
        "no_shell_exec": ["shell_exec"],
    }


# schemas: what they refuse


def without(value: Any, *path: Any) -> Any:
    copy = json.loads(json.dumps(value))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return copy


def changed(value: Any, new: Any, *path: Any) -> Any:
    copy = json.loads(json.dumps(value))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = new
    return copy


def paths_of(value: Any, *here: Any) -> list[tuple[Any, ...]]:
    """Every object of a value: each of its keys is required, none may be added."""
    if isinstance(value, dict):
        return [here, *(path for key, one in value.items() for path in paths_of(one, *here, key))]
    return paths_of(value[0], *here, 0) if isinstance(value, list) and value else []


@pytest.mark.req(
    *("nxs.mp-schema.shipped", "nxs.mp-schema.top", "nxs.mp-schema.categories", "nxs.mp-schema.naming"),
    *("nxs.mp-schema.access-tracking", "nxs.mp-schema.information-accumulated", "nxs.mp-schema.forgetting"),
    *(
        "nxs.mp-schema.auto-structure",
        "nxs.mp-schema.merge",
        "nxs.te-schema.shipped",
        "nxs.te-schema.top",
        "nxs.te-schema.entry",
    ),
)
@pytest.mark.parametrize("name", ["memory_policy.yml", "task-exceptions.yml"])
def test_closed_schemas(name):
    """Every key of every object is needed, none may be added, no text may be empty, no flag a text."""
    schema = SCHEMAS[{"memory_policy.yml": "memory-policy.schema.json"}.get(name, "task-exceptions.schema.json")]
    check, good = validator(schema), load(name)
    assert schema["$schema"].endswith("2020-12/schema")
    check.validate(good)
    for path in paths_of(good):
        inner = good
        for step in path:
            inner = inner[step]
        assert not check.is_valid(changed(good, 1, *path, "extra"))
        for key, value in inner.items():
            assert not check.is_valid(without(good, *path, key)), (path, key)
            wrong = "" if isinstance(value, str) else "yes"
            assert not check.is_valid(changed(good, wrong, *path, key)), (path, key)


@pytest.mark.req("nxs.te-schema.id-pattern")
@pytest.mark.parametrize(
    ("name", "valid"),
    [("docs_only", True), ("docs_only.x1", True), ("a.b.c", False), ("Docs", False), ("a-b", False), ("1a", False)],
)
def test_ids_of_exceptions(name, valid):
    good = load("task-exceptions.yml")
    assert (
        validator(SCHEMAS["task-exceptions.schema.json"]).is_valid(changed(good, name, "task_exceptions", 0, "id"))
        is valid
    )


TAG = {"id": "x", "trigger": "[x]", "description": "d"}


@pytest.mark.req("nxs.vocab-schema.prose-guidance", "nxs.vocab-schema.tag-fields", "nxs.vocab-schema.tag-type-skill")
@pytest.mark.parametrize(
    ("more", "valid"),
    [
        ({"type": "skill", "skill": "nx-run"}, True),
        ({"type": "skill", "skill": "nx-run", "variants": ["auto"]}, True),
        ({"type": "skill"}, False),
        ({"type": "skill", "skill": "Not an id"}, False),
        ({"type": "skill", "skill": "nx-run", "variants": [""]}, False),
        ({"type": "inline_action", "handler": "h"}, True),
        ({"type": "inline_action"}, False),
        ({"type": "inline_action", "handler": ""}, False),
        ({"type": "inline_action", "handler": "h", "prose_guidance": "x" * 40}, True),
        ({"type": "inline_action", "handler": "h", "prose_guidance": "x" * 39}, False),
        ({"type": "other"}, False),
        ({"type": "skill", "skill": "nx-run", "colour": "red"}, False),
    ],
)
def test_tag_entries(more, valid):
    assert of_vocabulary("tagEntry").is_valid(TAG | more) is valid


@pytest.mark.req("nxs.vocab-schema.defs", "nxs.manifest-schema.vocab-required", "nxs.manifest-schema.vocab-closed")
def test_definitions_of_the_vocabulary():
    defs = SCHEMAS["vocabulary.schema.json"]["$defs"]
    assert {"taskExceptionEntry", "taskExceptionFile", "memoryPolicyFile"} <= set(defs)
    assert defs["memoryPolicyFile"] == {"$ref": "memory-policy.schema.json"}
    of_vocabulary("taskExceptionEntry").validate(load("task-exceptions.yml")["task_exceptions"][0])
    check, good = validator(SCHEMAS["manifest.schema.json"]), json.loads(manifest.build_shipped_manifest())
    names = ["capabilities", "categories", "resume_tiers", "tags", "invocations", "task_exceptions", "memory_policy"]
    check.validate(good)
    for name in names:
        assert not check.is_valid(without(good, "vocabulary", name))
        assert not check.is_valid(changed(good, "text", "vocabulary", name))
    assert not check.is_valid(changed(good, [], "vocabulary", "more"))
    assert sorted(good["vocabulary"]) == sorted(names)


# manifest


@pytest.mark.req(
    *("nx.manifest.fields", "nx.manifest.sorted", "nx.manifest.deterministic", "nxs.manifest.contract-version"),
    *("nxs.manifest.agent-entry", "nxs.manifest.skill-entry", "nxs.manifest.invocation-summary"),
    *("nxs.manifest.task-exceptions", "nxs.manifest.memory-policy", "nx.cli.manifest"),
)
def test_manifest(mi):
    made = manifest.build_shipped_manifest()
    assert made == manifest.build_shipped_manifest()
    whole = json.loads(made)
    assert list(whole) == ["version", "commit", "schema_contract_version", "agents", "skills", "vocabulary"]
    assert whole["schema_contract_version"] == "2.0"
    for kind, fields in (
        ("agents", "id name description task alias_ko category resume_tier model_tier capabilities body_hash"),
        ("skills", "id name description summary triggers harness_docs_refs body_hash"),
    ):
        ids = [one["id"] for one in whole[kind]]
        assert ids == sorted(ids)
        assert all(set(one) - {"manual_only"} == set(fields.split()) for one in whole[kind])
    words = whole["vocabulary"]
    assert all(set(one) == {"id", "description", "intent", "fallback_behavior"} for one in words["invocations"])
    assert words["task_exceptions"] == sorted(load("task-exceptions.yml")["task_exceptions"], key=lambda one: one["id"])
    assert words["memory_policy"] == load("memory_policy.yml")
    shuffled = ROSTER._replace(agents=ROSTER.agents[::-1], skills=ROSTER.skills[::-1])
    assert manifest.build_manifest(shuffled, whole["commit"]) == made
    assert json.loads(mi("nexus", "manifest").stdout) == whole


@pytest.mark.req("nx.manifest.body-hash")
def test_the_fingerprint_of_a_body():
    from hashlib import sha256

    expected = "sha256:" + sha256("# Ä\ntext\n".encode()).hexdigest()
    for body in ("# Ä\ntext\n", "# Ä\r\ntext\r\n", "# Ä\ntext", "# Ä\ntext \t\n\n\n"):
        assert manifest.hash_body(body) == expected
    assert manifest.hash_body("# Ä\n text\n") != expected
    entry = next(one for one in json.loads(manifest.build_shipped_manifest())["agents"] if one["id"] == "tester")
    assert entry["body_hash"] == manifest.hash_body(Path(SHIPPED, "agents/tester/body.md").read_text("utf-8"))


# macros


@pytest.mark.req("nx.invoc.macro-form", "nx.invoc.macro-heredoc")
@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("{{skill_activation skill=nx-run}}", {"skill": "nx-run"}),
        ('{{ skill_activation  skill=nx-run mode="a b" }}', {"skill": "nx-run", "mode": "a b"}),
        (
            '{{user_question question="a \\"b\\"?" options=[one, "two three",四]}}',
            {"question": 'a "b"?', "options": ["one", "two three", "四"]},
        ),
        ("{{user_question question=x options=[]}}", {"question": "x", "options": []}),
        (
            '{{subagent_spawn target_role=writer prompt=>>END\nline "1" }} [x]\n\nline 2\n<<END name=w}}',
            {"target_role": "writer", "prompt": 'line "1" }} [x]\n\nline 2', "name": "w"},
        ),
    ],
)
def test_macros_are_read(text, params):
    (macro,) = macros.find_macros(f"before {text} after")
    assert macro.params == params


@pytest.mark.req("nx.invoc.macro-form", "nx.invoc.macro-unknown")
def test_macros_are_written_out():
    body = 'a {{task_register label="b c" state=pending}} d {{user_question question=Q? options=[x, y]}}'
    assert (
        macros.expand(body, WORDS.invocations)
        == "a > Show the person: b c — pending. d > Ask the person, and wait: Q?\n> 1. x\n> 2. y"
    )
    assert macros.expand("no {{ 1 }} macro, {{}} none", WORDS.invocations) == "no {{ 1 }} macro, {{}} none"
    for broken, said in {
        "{{make_tea}}": "unknown primitive 'make_tea'",
        "{{skill_activation}}": "needs skill",
        "{{skill_activation skill=x colour=red}}": "no parameter 'colour'",
        "{{skill_activation skill}}": "key=value expected",
        "{{skill_activation skill=x": "broken macro",
        "\n\n{{skill_activation skill= }}": "line 3",
        "{{user_question question=x options=[a": "broken macro",
    }.items():
        with pytest.raises(UsageError, match=said):
            macros.expand(broken, WORDS.invocations)


# validate


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("vocabulary", "agents", "skills"):
        shutil.copytree(Path(SHIPPED, name), tmp_path / "roster" / name)
    return tmp_path / "roster"


BREAKS = [
    ("vocabulary/tags.yml", 'trigger: "[m:gc]"', 'trigger: "[m-gc]"', "trigger", "nx.validate.trigger-rule"),
    ("vocabulary/tags.yml", "skill: nx-run", "skill: nx-walk", "tag-skill", "nx.validate.ref-tag-skill"),
    ("skills/nx-run/meta.yml", "triggers: [run]", "triggers: [walk]", "skill-tag", "nx.validate.ref-skill-tag"),
    ("skills/nx-init/meta.yml", "triggers: []", "triggers: [run]", "manual-triggered", "nx.skills.nx-init-manual"),
    ("agents/tester/meta.yml", "no_file_edit", "no_sleep", "capability", "nx.validate.ref-capability"),
    ("agents/tester/meta.yml", "category: check", "category: doubt", "category", "nx.validate.ref-category"),
    ("agents/tester/meta.yml", "resume_tier: ephemeral", "resume_tier: eternal", "tier", "nx.validate.ref-tier"),
    ("agents/tester/meta.yml", "id: tester", "id: taster", "id-folder", "nx.validate.id-is-folder"),
    ("agents/tester/meta.yml", "model_tier: standard", "model_tier: huge", "shape", "nx.validate.schemas"),
    ("skills/nx-run/meta.yml", "summary:", "sumary:", "shape", "nx.validate.schemas"),
    ("vocabulary/categories.yml", "description: Advises", "descr: Advises", "shape", "nx.validate.schemas"),
    ("vocabulary/memory_policy.yml", "merge:", "merging:", "shape", "nxs.validate.any-missing-fails"),
    ("agents/tester/body.md", "You find out", "Use TodoWrite. You find out", "host-tool", "nx.validate.no-host-tools"),
    ("agents/tester/body.md", "You find out", "Call `Bash`. You find out", "host-tool", "nx.validate.no-host-tools"),
    ("agents/tester/body.md", "You find out", "As GPT-5 you find out", "model", "nx.validate.no-model-names"),
    ("agents/tester/body.md", "You find out", "Ask Sonnet. You find out", "model", "nx.validate.no-model-names"),
    ("agents/tester/body.md", "You find out", "{{make_tea}} You find out", "macro", "nx.validate.macros-known"),
    ("vocabulary/tags.yml", "tags:", "tags: [", "shape", "nx.validate.schemas"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "rule"),
    [pytest.param(*row[:4], marks=pytest.mark.req(row[4], "nx.cli.validate")) for row in BREAKS],
)
def test_what_validation_finds(copy: Path, file, old, new, rule):
    assert validate.validate(str(copy)) == []
    text = (copy / file).read_text("utf-8")
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1), "utf-8")
    found = validate.validate(str(copy))
    assert rule in {one.rule for one in found}
    assert all(one.file.startswith(file.rpartition("/")[0]) for one in found if one.rule == rule)


@pytest.mark.req("nx.validate.zero-files", "nxs.validate.any-missing-fails")
def test_nothing_found_is_a_fault(copy: Path, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert {one.rule for one in validate.validate(str(empty))} >= {"none-found", "nothing"}
    shutil.rmtree(copy / "agents")
    assert [one.rule for one in validate.validate(str(copy))] == ["none-found"]
    (copy / "vocabulary/tags.yml").unlink()
    with pytest.raises(MiError, match=r"tags\.yml"):
        roster.load(str(copy))
    (copy / "skills/nx-run/body.md").unlink()
    assert {one.file for one in validate.validate(str(copy))} == {"agents", "vocabulary/tags.yml", "skills/nx-run"}


# capabilities and hosts


@pytest.mark.req("nx.cap.effective-union", "nx.cap.no-removal", "nx.cap.no-shell-exec", "nxs.guide.reads-never-gated")
def test_a_project_adds_capabilities_and_takes_none_away():
    more = Nexus(agent_capabilities={"tester": ("no_shell_exec",), "architect": ()})
    assert capabilities.list_capabilities("tester", more) == {"no_file_edit", "no_task_create", "no_shell_exec"}
    assert capabilities.list_capabilities("architect", more) == set(ADVISER[3])
    assert capabilities.find_blocking_capability("tester", "Bash", more) == "no_shell_exec"
    assert capabilities.find_blocking_capability("tester", "exec_command", more) == "no_shell_exec"
    assert capabilities.find_blocking_capability("tester", "Bash", Nexus()) == ""
    for tool in ("Read", "Grep", "Glob", "nx_task_list", "mcp__mi__nx_plan_status", "memory_query", "WebFetch"):
        assert capabilities.find_blocking_capability("architect", tool, more) == ""


@pytest.mark.req("nx.host.tool-lists")
def test_the_tool_lists_of_agents():
    tools = {one.name: one.tools for one in manifest.wishes(ROSTER, Nexus()) if hasattr(one, "tools")}
    assert {"Read", "Grep", "mcp__mi__nx_task_list"} <= set(tools["architect"])
    assert not {"Edit", "Write", "NotebookEdit", "mcp__mi__nx_task_add", "mcp__mi__nx_task_update"} & set(
        tools["architect"]
    )
    assert {"Bash", "mcp__mi__nx_artifact_write"} <= set(tools["architect"])
    assert {"Edit", "Write", "mcp__mi__nx_task_update"} <= set(tools["engineer"])
    assert "mcp__mi__nx_task_add" not in tools["engineer"]
    bound = manifest.wishes(ROSTER, Nexus(agent_capabilities={"engineer": ("no_shell_exec",)}))
    assert "Bash" not in next(one.tools for one in bound if one.name == "engineer")


@pytest.mark.req("nx.cli.init", "nx.host.tool-lists", "nx.duty.start-directories")
def test_placed_into_both_hosts_and_taken_out_again(mi, repository):
    root = repository()
    done = json.loads(
        mi("nexus", "init", "--host", "claude-code", "--host", "codex", "--json", "--cd", str(root)).stdout
    )
    assert set(done["placed"]) == {"claude-code", "codex"}
    agent = (root / ".claude/agents/architect.md").read_text("utf-8")
    assert agent.startswith('---\nname: "architect"\n')
    tools = next(line for line in agent.splitlines() if line.startswith("tools: "))
    assert "Read" in tools
    assert "Write" not in tools
    assert "Hand this to the agent `researcher`" in (root / ".claude/skills/nx-plan/SKILL.md").read_text("utf-8")
    assert "\ndisable-model-invocation: true\n" in (root / ".claude/skills/nx-init/SKILL.md").read_text("utf-8")
    policies = [path.parent.parent.name for path in (root / ".agents/skills").glob("*/agents/openai.yaml")]
    assert policies == ["nx-init"]  # the one skill that a person has to ask for
    assert "disable-model-invocation" not in (root / ".claude/skills/nx-run/SKILL.md").read_text("utf-8")
    assert (root / ".agents/skills/nx-run/SKILL.md").exists()
    assert (root / ".agents/skills/tester/SKILL.md").exists()
    again = json.loads(mi("nexus", "init", "--host", "codex", "--json", "--cd", str(root)).stdout)
    assert again["placed"] == {"codex": []}
    assert (root / ".nexus/state/mi/agent-tracker.json").read_text("utf-8") == "[]\n"
