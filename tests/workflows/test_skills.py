"""Workflows as skills: names that are folders, one for each, and no secret in any of them."""

import json
import re

import pytest
import yaml

from mi.autopilot.steps.workflows import injected
from mi.evidence.records.workflow_ir import WorkflowStep
from mi.hosts.adapters.host import render_skill
from mi.hosts.artefacts import name_folder
from mi.workflows.skills import build_skills
from tests.workflows.made import WORK, workflow


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("Release", "mi-release"),
        ("  Cut: a RELEASE! ", "mi-cut-a-release"),
        ("../../etc", "mi-etc"),
        ("发布", "mi-release"),
        ("///", "mi-release"),
        ("x" * 200, "mi-" + "x" * 48),
    ],
)
def test_every_name_gives_a_folder(name: str, folder: str) -> None:
    (made,) = build_skills([workflow(name=name)])
    assert made.name == folder == name_folder(made.name)


def test_two_of_one_name_are_told_apart() -> None:
    made = build_skills([workflow(id="wf_one"), workflow(id="wf_two"), workflow(id="wf_three", name="Release!")])
    assert [one.name for one in made] == ["mi-release", "mi-release-two", "mi-release-three"]


def test_ids_that_look_alike_are_told_apart() -> None:
    names = [
        one.name for one in build_skills([workflow(id=f"wf_{one}", name="发布") for one in ("a1", "a-1", "A1", "a_1")])
    ]
    assert names == ["mi-a1", "mi-a1-2", "mi-a1-3", "mi-a1-4"]


def test_a_name_that_another_project_uses_is_left_to_it() -> None:
    others = {"mi-release": "wf_other", "mi-ship": "wf_ship"}
    made = build_skills([workflow(), workflow(id="wf_ship", name="Ship")], others)
    assert [one.name for one in made] == ["mi-release-release", "mi-ship"]


def test_a_secret_that_an_older_tool_stored_goes_nowhere() -> None:
    secret = "ghp_" + "a1B2" * 9
    stored = workflow(steps=[WorkflowStep(id="s1", title=f"use {secret}", hands_input=f"export TOKEN={secret}")])
    (made,) = build_skills([stored])
    assert secret.lower() not in build_skills([workflow(name=f"use {secret}")])[0].name
    assert secret not in made.body + made.description + made.files["workflow.json"] + injected(stored)
    assert json.loads(made.files["workflow.json"])["id"] == "wf_release"


def test_what_a_skill_says() -> None:
    (made,) = build_skills([workflow()])
    assert made.description == (
        "Release, the way this user does it: Update the changelog, then Test, then Push. "
        "Use it when the task says: release."
    )
    assert "3. Gate (push): stop before this and ask the person: Push the tag." in made.body
    assert "exit code 0" in made.body
    assert "ask the user" in made.body
    (plain,) = build_skills([workflow(steps=[WORK])])
    assert "exit code" not in plain.body
    assert "gate" not in plain.body


HEADS = {
    "long": workflow(name="n" * 300, steps=[WorkflowStep(id=f"s{one}", title="t" * 200) for one in range(20)]),
    "chinese": workflow(
        name="发" * 300, steps=[WorkflowStep(id=f"s{one}", title="写变更记录" * 40) for one in range(20)]
    ),
    "hostile": workflow(
        name='a"b: {c}\n---\x7f\x1b[31m <b>x</b> # \\', steps=[WorkflowStep(id="s1", title="- !!x &y *z |")]
    ),
}


@pytest.mark.parametrize("name", HEADS)
def test_the_head_is_one_that_hosts_accept(name: str) -> None:
    """The limits of Codex and Claude Code: a name as the folder, at most 64; a description of at most 1024, no tags."""
    (made,) = build_skills([HEADS[name]])
    _, head, body = render_skill(made).split("---\n", 2)
    read = yaml.safe_load(head)
    assert read.keys() == {"name", "description"}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", read["name"])
    assert len(read["name"]) <= 64
    assert 0 < len(read["description"]) <= 1024
    assert not set("<>\x1b\x7f\n") & set(read["description"])
    assert read["description"].endswith("Use it when the task says: release.")
    assert body.startswith("\n# ")


def test_a_step_of_several_lines_keeps_them() -> None:
    text = "Run these:\n```sh\nmake a\n  make b\n```"
    step = WorkflowStep(id="s1", title="Build", hands_input=text, notes="in order")
    (made,) = build_skills([workflow(steps=[step, step])])
    indented = "1. Build:\n   Run these:\n   ```sh\n   make a\n     make b\n   ```\n   (in order)\n2. Build:\n"
    assert indented in made.body
    assert indented in injected(workflow(steps=[step, step]))
