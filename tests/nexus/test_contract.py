"""Every clause of the tool contract and of the harness events, by fixtures."""

from pathlib import Path

import pytest

from mi.nexus.toolset import TOOLS
from tests.nexus.contract import Case, cases, check, in_process
from tests.nexus.mutants import ROOT, mutants

ALL = [
    pytest.param(case, id=case.name.replace(" ", "-"), marks=pytest.mark.req(*case.fixture.get("req", []), *ALWAYS))
    for ALWAYS in [("nxs.guide.tools-exact", "nx.state.schemas-tested", "nx.layout.no-root-files")]
    for case in cases()
]


@pytest.mark.parametrize("case", ALL)
def test_fixture(case: Case, tmp_path: Path):
    root = tmp_path / "repo"
    root.mkdir()
    check(case, root, in_process)


@pytest.mark.req("nx.tool.count")
def test_eleven_tools_and_each_has_fixtures():
    names = "plan_start plan_status plan_update plan_decide task_list task_add task_update task_close history_search"
    assert list(TOOLS) == [*names.split(), "context", "artifact_write"]
    assert set(TOOLS) <= {case.fixture.get("tool") for case in cases()}


def test_each_mutant_has_its_place_in_the_source():
    found = {
        row: (ROOT / (row.module.replace(".", "/") + ".py")).read_text("utf-8").count(row.old) for row in mutants()
    }
    assert [row for row, count in found.items() if count != 1] == []
