"""Workflow files: what is stored is what was said, what is no workflow is refused, overrides touch nothing."""

import json
import os
import re
from pathlib import Path

import msgspec
import pytest

from mi.evidence.records.workflow_ir import Trigger, Workflow, WorkflowStep
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.project.identity import Project
from mi.project.overlay import read_overlay
from mi.workflows.editor import WorkflowDesk
from mi.workflows.ir import BadWorkflow, matches, parse_steps
from mi.workflows.render import draw, draw_mermaid, render_markdown
from mi.workflows.store import WorkflowStore
from tests.workflows.made import CHECK, GATE, WORK, workflow

PROJECT = Project(root="/srv/app", project_id="p1", key="path:/srv/app")


@pytest.fixture
def desk(home: Home, notices: Notices) -> WorkflowDesk:
    return WorkflowDesk(home, PROJECT, notices)


@pytest.mark.req(
    "v1.wfir.project-path",
    "v1.wfir.global-path",
    "v1.wf.scopes",
    "v1.wfir.top-fields",
    "v1.wfir.timestamps",
    "v1.wfir.source",
    "v1.wfir.mermaid",
    "v1.wfir.trigger",
    "v1.wfir.step-fields",
    "v1.storage.project-workflows",
    "mi.ids.wf",
    "mi.rec.version-v1",
)
@pytest.mark.parametrize(("scope", "folder"), [("project", "projects/p1/workflows"), ("global", "workflows/global")])
def test_a_workflow_is_a_file_of_its_scope(desk: WorkflowDesk, home: Home, scope, folder: str) -> None:
    made = desk.create(scope, "Release", Trigger(mode="task_contains", pattern="release"), [WORK, CHECK])
    assert made.id.startswith("wf_")
    stored = json.loads(Path(home.path(folder, f"{made.id}.json")).read_bytes())
    fields = "version id name enabled trigger mermaid steps source created_ts updated_ts"
    assert list(stored) == fields.split()
    assert stored["version"] == "v1"
    assert list(stored["trigger"]) == ["mode", "pattern"]
    step_fields = "id kind title hands_input check_input risk_category policy notes"
    assert [list(step) for step in stored["steps"]] == [step_fields.split()] * 2
    assert stored["source"] == {"kind": "manual", "reason": "", "evidence_refs": []}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stored["created_ts"])
    assert stored["mermaid"] == draw_mermaid([WORK, CHECK])
    assert [held.workflow for held in desk.all(scope)] == [made]


@pytest.mark.req("v1.wfir.effective-merge", "v1.wfir.project-wins", "v1.wf.disabled-no-trigger")
def test_what_holds_is_both_and_the_project_wins(desk: WorkflowDesk) -> None:
    desk.globally.add(workflow())
    desk.globally.add(workflow(id="wf_review", name="Review"))
    desk.own.add(workflow(name="Release here", enabled=False))
    desk.own.add(workflow(id="wf_own", name="Own"))
    found = [(held.workflow.id, held.workflow.name, held.scope) for held in desk.all("effective")]
    assert found == [
        ("wf_own", "Own", "project"),
        ("wf_release", "Release here", "project"),
        ("wf_review", "Review", "global"),
    ]
    assert desk.get("wf_release", "effective").workflow.name == "Release here"
    assert [one.id for one in desk.effective.enabled()] == ["wf_own", "wf_review"]


BAD = {
    "kind": ({"steps": [{"id": "s1", "kind": "loop"}]}, "kind"),
    "policy": ({"steps": [{"id": "s1", "policy": "maybe"}]}, "policy"),
    "risk": ({"steps": [{"id": "s1", "risk_category": "fun"}]}, "risk_category"),
    "twice": ({"steps": [{"id": "s1"}, {"id": "s1"}]}, "two steps"),
    "no step id": ({"steps": [{"title": "x"}]}, "id"),
    "step id": ({"steps": [{"id": "a/b"}]}, "a/b"),
    "mode": ({"trigger": {"mode": "always"}}, "mode"),
    "pattern": ({"trigger": {"mode": "task_contains", "pattern": " "}}, "pattern"),
    "name": ({"name": "  "}, "name"),
    "id": ({"id": "wf_../../x"}, "wf_../../x"),
    "no wf": ({"id": "release"}, "release"),
    "steps": ({"steps": "none"}, "steps"),
    "source": ({"source": {"kind": "dreamt"}}, "source"),
}


@pytest.mark.req("v1.wfir.step-kind", "v1.wfir.step-risk-category", "v1.wfir.step-policy")
@pytest.mark.parametrize("name", BAD)
def test_what_is_no_workflow_is_refused_with_its_field(desk: WorkflowDesk, home: Home, name: str) -> None:
    change, told = BAD[name]
    given = {"id": "wf_x", "name": "X"} | change
    with pytest.raises(BadWorkflow) as refused:
        desk.take_in(json.dumps(given).encode(), "x.json", "project", False)
    assert told in refused.value.line()
    assert not os.path.exists(home.root)


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b'"x"', b'{"workflows": 3}', b'{"workflows": [3]}', b"\xff"])
def test_what_is_no_json_is_refused(desk: WorkflowDesk, data: bytes) -> None:
    with pytest.raises(BadWorkflow):
        desk.take_in(data, "x.json", "project", False)


def test_taking_in_is_all_or_nothing_and_keeps_unknown_keys(desk: WorkflowDesk) -> None:
    one = msgspec.to_builtins(workflow()) | {"x_later": 1}
    one["steps"][0]["x_step"] = 2
    other = msgspec.to_builtins(workflow(id="wf_other"))
    with pytest.raises(BadWorkflow, match="two workflows"):
        desk.take_in(json.dumps([one, one]).encode(), "x", "project", False)
    desk.own.add(workflow(id="wf_other", name="There already"))
    with pytest.raises(MiError, match="there already"):
        desk.take_in(json.dumps([one, other]).encode(), "x", "project", False)
    assert desk.own.raw("wf_release") is None
    taken = desk.take_in(json.dumps([one, other]).encode(), "x", "project", True)
    assert [workflow.id for workflow in taken] == ["wf_release", "wf_other"]
    desk.set_enabled("wf_release", "project", False, False)
    stored = desk.own.raw("wf_release")
    assert stored is not None
    assert (stored["x_later"], stored["steps"][0]["x_step"], stored["enabled"]) == (1, 2, False)
    again = desk.exported(desk.all("project"))
    assert again["workflows"][1]["x_later"] == 1
    desk.take_in(json.dumps(again).encode(), "x", "global", False)
    assert [held.workflow.id for held in desk.all("global")] == ["wf_other", "wf_release"]


def test_secrets_are_refused_and_not_repeated(desk: WorkflowDesk) -> None:
    secret = "ghp_" + "a1B2" * 9
    with pytest.raises(MiError) as refused:
        desk.create("project", "X", Trigger(), [WorkflowStep(id="s1", hands_input=f"use {secret}")])
    assert refused.value.code == "secret-refused"
    assert secret not in refused.value.line()
    assert desk.all("project") == []


def test_a_broken_file_is_passed_over_with_a_notice(desk: WorkflowDesk, notices: Notices) -> None:
    desk.own.add(workflow())
    for name, text in {"wf_torn.json": "{", "wf_other.json": '{"id": "wf_x", "name": "x"}'}.items():
        Path(desk.own.folder, name).write_text(text)
    assert [held.workflow.id for held in desk.all("project")] == ["wf_release"]
    assert [notice.key for notice in notices] == ["workflow-unreadable"] * 2
    desk.delete("wf_torn", "project", False)
    assert not Path(desk.own.folder, "wf_torn.json").exists()


def test_an_id_never_leaves_the_folder(desk: WorkflowDesk, home: Home) -> None:
    os.makedirs(home.path("projects", "p1", "workflows"))
    Path(home.path("projects", "p1", "overlay.json")).write_text("{}")
    for act in (lambda: desk.get("../overlay", "project"), lambda: desk.delete("../overlay", "project", False)):
        with pytest.raises(NotFound):
            act()
    assert os.path.exists(home.path("projects", "p1", "overlay.json"))


# overrides


@pytest.mark.req("v1.wfir.override-enabled", "v1.overlay.wf-overrides")
def test_an_override_turns_a_global_workflow_off_here_alone(desk: WorkflowDesk, home: Home, notices: Notices) -> None:
    desk.globally.add(workflow())
    before = desk.globally.raw("wf_release")
    desk.set_enabled("wf_release", "global", False, True)
    assert desk.get("wf_release", "effective").workflow.enabled is False
    assert desk.globally.raw("wf_release") == before
    assert read_overlay(home, PROJECT, notices).global_workflow_overrides == {"wf_release": {"enabled": False}}
    other = WorkflowDesk(home, Project(root="/o", project_id="p2", key="path:/o"), notices)
    assert other.get("wf_release", "effective").workflow.enabled is True
    desk.delete("wf_release", "global", True)
    assert desk.get("wf_release", "effective").workflow.enabled is True
    with pytest.raises(NotFound):
        desk.delete("wf_release", "global", True)


def test_what_holds_here_is_changed_where_it_is_decided(desk: WorkflowDesk) -> None:
    desk.globally.add(workflow())
    assert not desk.is_decided_here("wf_release", "effective", False)
    desk.set_enabled("wf_release", "global", False, True)
    assert desk.is_decided_here("wf_release", "effective", False)
    assert not desk.is_decided_here("wf_release", "global", False)
    desk.replace("wf_release", "global", workflow(), True)  # nothing is overridden any more
    assert not desk.get("wf_release", "effective").overridden


PATCHED = msgspec.structs.replace(WORK, hands_input="Update NEWS.")
EDITS = {
    "patch": ([PATCHED, CHECK, GATE], {"step_patches": {"s1": {"hands_input": "Update NEWS."}}}),
    "left out": ([WORK, GATE], {"step_patches": {"s2": {"enabled": False}}}),
    "both": ([PATCHED, GATE], {"step_patches": {"s1": {"hands_input": "Update NEWS."}, "s2": {"enabled": False}}}),
    "order": ([CHECK, WORK, GATE], {"steps_replace": msgspec.to_builtins([CHECK, WORK, GATE])}),
    "new": (
        [WORK, CHECK, GATE, WorkflowStep(id="s9")],
        {"steps_replace": msgspec.to_builtins([WORK, CHECK, GATE, WorkflowStep(id="s9")])},
    ),
    "same": ([WORK, CHECK, GATE], {}),
}


@pytest.mark.req("v1.wfir.override-step-patches", "v1.wfir.override-steps-replace")
@pytest.mark.parametrize("name", EDITS)
def test_an_override_says_no_more_than_what_differs(desk, home: Home, notices: Notices, name: str) -> None:
    steps, expected = EDITS[name]
    desk.globally.add(workflow())
    changed = desk.replace("wf_release", "global", workflow(steps=steps, name="Another"), True)
    assert changed.lost == ["name"]
    assert changed.held.workflow.steps == steps
    assert changed.held.workflow.name == "Release"
    assert read_overlay(home, PROJECT, notices).global_workflow_overrides.get("wf_release", {}) == expected
    stored = desk.globally.get("wf_release")
    assert stored.steps == [WORK, CHECK, GATE]
    if steps != [WORK, CHECK, GATE]:
        assert draw(changed.held.workflow) == draw_mermaid(steps)


@pytest.mark.parametrize(
    ("override", "steps", "keys"),
    [
        ({"step_patches": {"gone": {"title": "x"}}}, ["s1", "s2", "s3"], ["override-ignored"]),
        ({"step_patches": {"s1": {"kind": "loop"}}}, ["s1", "s2", "s3"], ["override-ignored"]),
        ({"step_patches": {"s1": {"colour": "red"}}}, ["s1", "s2", "s3"], ["override-ignored"]),
        ({"enabled": "no"}, ["s1", "s2", "s3"], ["override-ignored"]),
        ({"step_patches": {"s1": {"disabled": True}}}, ["s2", "s3"], []),
        ({"steps_replace": []}, [], []),
    ],
)
def test_an_override_as_others_may_have_written_it(desk, home: Home, notices: Notices, override, steps, keys) -> None:
    desk.globally.add(workflow())
    os.makedirs(home.project("p1").root)
    Path(home.project("p1").overlay).write_text(json.dumps({"global_workflow_overrides": {"wf_release": override}}))
    held = desk.get("wf_release", "effective")
    assert [step.id for step in held.workflow.steps] == steps
    assert [notice.key for notice in notices] == keys


def test_an_override_is_for_global_workflows(desk: WorkflowDesk) -> None:
    desk.own.add(workflow())
    with pytest.raises(UsageError, match="global"):
        desk.set_enabled("wf_release", "effective", False, True)
    with pytest.raises(NotFound, match="--scope project"):
        desk.set_enabled("wf_release", "global", False, True)


def test_unknown_steps_of_a_patch_are_refused_when_written(desk: WorkflowDesk, home: Home) -> None:
    desk.globally.add(workflow())
    os.makedirs(home.project("p1").root)
    bad = {"global_workflow_overrides": {"wf_release": {"step_patches": {"s7": {"title": "x"}}}}}
    Path(home.project("p1").overlay).write_text(json.dumps(bad))
    with pytest.raises(MiError, match="no step s7; its steps: s1, s2, s3"):
        desk.set_enabled("wf_release", "global", False, True)


# pure


@pytest.mark.req("v1.wf.trigger-match")
@pytest.mark.parametrize(
    ("pattern", "task", "expected"),
    [
        ("release", "Make a RELEASE today", True),
        ("release", "unreleased things", False),
        ("release", "the released releases", True),
        ("test", "write the tests", True),
        ("deploy", "Deploying to staging", True),
        ("PR", "open the PRs", True),
        ("PR", "print the project", False),
        ("cut a release", "please cut  a\nrelease", True),
        ("发布", "请发布新版本", True),
        ("v2", "upgrade to v2.", True),
        ("c++", "port to C++ now", True),
        ("a.b", "axb", False),
    ],
)
def test_a_pattern_matches_words(pattern: str, task: str, expected: bool) -> None:
    assert matches(Trigger(mode="task_contains", pattern=pattern), task) is expected
    assert matches(Trigger(mode="manual", pattern=pattern), task) is False


def test_steps_from_the_command_line() -> None:
    made = parse_steps(["Write it", "check: run `make`", "gate: push: the tag", "note: this is work", ""])
    assert [(one.id, one.kind, one.text) for one in made] == [
        ("s1", "hands", "Write it"),
        ("s2", "check", "run `make`"),
        ("s3", "gate", "push: the tag"),
        ("s4", "hands", "note: this is work"),
        ("s5", "hands", ""),
    ]
    assert made[2].policy == "ask"


def test_a_workflow_as_a_page_and_as_a_drawing() -> None:
    page = render_markdown(workflow())
    assert "1. Update the changelog: Update CHANGELOG.md." in page
    assert "2. Check: Test: Run `make test`." in page
    assert "3. Gate (push): stop before this and ask the person: Push the tag." in page
    assert '"Push"}' in page
    assert "s2 --> s3" in page
    assert draw(workflow(mermaid="flowchart LR\n  a")) == "flowchart LR\n  a"


def test_a_drawing_of_ones_own_is_kept_and_ours_follows_the_steps(home: Home, notices: Notices) -> None:
    store = WorkflowStore(home.workflows, "global", notices)
    store.add(workflow())
    shorter = store.change("wf_release", lambda old: msgspec.structs.replace(old, steps=[WORK]))
    assert shorter.mermaid == draw_mermaid([WORK])
    own = store.change("wf_release", lambda old: msgspec.structs.replace(old, mermaid="flowchart LR"))
    assert store.change("wf_release", lambda old: msgspec.structs.replace(old, steps=[])).mermaid == own.mermaid


def test_changing_nothing_writes_nothing(home: Home, notices: Notices) -> None:
    store = WorkflowStore(home.workflows, "global", notices)
    made: Workflow = store.add(workflow())
    assert store.change("wf_release", lambda old: old) == made
    with pytest.raises(MiError, match="there already"):
        store.add(workflow())
