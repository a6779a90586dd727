"""What workflows hand to the search index."""

import json
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.kernel.home import Home
from mi.knowledge.search.backend import THOUGHTS, Hit, Query
from mi.knowledge.search.words import compact


def search(home: Home, words: str, kinds: tuple[str, ...] = THOUGHTS, project_id: str = "p1") -> list[Hit]:
    return build_recall(HomeContext(home)).index.search(Query(compact(words).tokens, kinds, project_id))


def workflow(folder: str, workflow_id: str, **more: object) -> Path:
    path = Path(folder) / f"{workflow_id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    steps = [{"id": "s1", "kind": "hands", "title": "Tag", "hands_input": "create the release tag"}]
    path.write_text(json.dumps({"id": workflow_id, "name": "Ship it", "enabled": True, "steps": steps} | more), "utf-8")
    return path


@pytest.mark.req("v1.recall.own-stores-only")
def test_workflows_of_the_project_and_global_ones(home: Home) -> None:
    workflow(home.project("p1").workflows, "wf_mine", created_ts="2026-01-01T00:00:00.000Z")
    workflow(home.workflows, "wf_all", trigger={"mode": "task_contains", "pattern": "release"})
    workflow(home.project("p2").workflows, "wf_other")
    assert {hit.document.id for hit in search(home, "release tag")} == {"wf_mine", "wf_all"}
    assert search(home, "ship")[0].document.title == "Ship it"


@pytest.mark.req("v1.recall.prune-workflows")
def test_a_workflow_that_is_disabled_changed_or_deleted(home: Home) -> None:
    path = workflow(home.project("p1").workflows, "wf_a")
    assert len(search(home, "release")) == 1
    workflow(home.project("p1").workflows, "wf_a", enabled=False)
    assert search(home, "release") == []
    workflow(home.project("p1").workflows, "wf_a", name="Ship the release candidate")
    assert search(home, "candidate")[0].document.id == "wf_a"
    path.unlink()
    assert search(home, "release") == []


@pytest.mark.req("v1.recall.prune-workflows")
def test_a_global_workflow_that_one_project_disabled(home: Home) -> None:
    workflow(home.workflows, "wf_a")
    overlay = Path(home.project("p1").overlay)
    overlay.parent.mkdir(parents=True)
    overlay.write_text(json.dumps({"global_workflow_overrides": {"wf_a": {"enabled": False}, "wf_b": {}}}), "utf-8")
    assert search(home, "release") == []
    assert len(search(home, "release", project_id="p2")) == 1
    overlay.write_text("{}", "utf-8")
    assert len(search(home, "release")) == 1
    overlay.write_text("no json", "utf-8")
    assert len(search(home, "release")) == 1


def test_an_unreadable_workflow_is_passed_over(home: Home) -> None:
    workflow(home.workflows, "wf_a")
    Path(home.workflows, "wf_b.json").write_text("{", "utf-8")
    Path(home.workflows, "notes.txt").write_text("release", "utf-8")
    assert [hit.document.id for hit in search(home, "release")] == ["wf_a"]
