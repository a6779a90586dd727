"""Workflows as skills: names that are folders, one for each, and no secret in any of them."""

import json

import pytest

from mi.autopilot.workflow_steps import injected
from mi.evidence.records.workflow_ir import Step
from mi.hosts.artefacts import folder_name
from mi.workflows.skills import skills
from tests.workflows.made import workflow


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
    (made,) = skills([workflow(name=name)])
    assert made.name == folder == folder_name(made.name)


def test_two_of_one_name_are_told_apart() -> None:
    made = skills([workflow(id="wf_one"), workflow(id="wf_two"), workflow(id="wf_three", name="Release!")])
    assert [one.name for one in made] == ["mi-release", "mi-release-two", "mi-release-three"]


def test_a_secret_that_an_older_tool_stored_goes_nowhere() -> None:
    secret = "ghp_" + "a1B2" * 9
    stored = workflow(steps=[Step(id="s1", title=f"use {secret}", hands_input=f"export TOKEN={secret}")])
    (made,) = skills([stored])
    assert secret not in made.body + made.description + made.files["workflow.json"] + injected(stored)
    assert json.loads(made.files["workflow.json"])["id"] == "wf_release"


def test_what_a_skill_says() -> None:
    (made,) = skills([workflow()])
    assert made.description == (
        "Release, the way this user does it: Update the changelog, then Test, then Push. "
        "Use it when the task says: release."
    )
    assert "3. Gate (push): stop before this and ask the person: Push the tag." in made.body
