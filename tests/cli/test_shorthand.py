"""Short ways to say a command."""

import json

import pytest

from tests.cli.conftest import Stage


@pytest.mark.req("mi.cli.path-first")
def test_a_path_before_the_command_is_the_project(mi, repository, tmp_path):
    root = repository("app")
    for way in (str(root), f"{root}/", "../app"):
        shown = json.loads(mi(way, "status", "--json").stdout)
        assert (shown["project"]["root"], shown["project"]["chosen_by"]) == (str(root), "cd")
    assert json.loads(mi("app", "status", "--json", cwd=tmp_path).stdout)["project"]["root"] == str(root)
    mi("project", "alias", "add", "web", "--cd", str(root))
    assert json.loads(mi("@web", "status", "--json").stdout)["project"]["root"] == str(root)
    assert mi(str(root)).stdout == mi(str(root), "status").stdout
    missing = mi("./nowhere", "status")
    assert (missing.returncode, "./nowhere" in missing.stderr) == (1, True)


def test_a_mistyped_command_is_not_a_folder(mi, tmp_path):
    (tmp_path / "work/stauts").mkdir()
    done = mi("stauts")
    assert (done.returncode, "mi status" in done.stderr) == (2, True)


@pytest.mark.req("mi.cli.ref-ev", "mi.cli.ref-last", "mi.cli.ref-hands")
def test_the_name_of_a_thing_shows_it(mi, recorded: Stage):
    event_id = json.loads(mi("tail", "-n", "1", "--raw").stdout)["event_id"]
    assert mi(event_id).stdout == mi("show", event_id).stdout != ""
    assert mi("last", "--json").stdout == mi("show", "last", "--json").stdout != ""
    for name in ("hands", "mind"):
        assert (mi(name).stdout, mi(name).returncode) == (mi("show", name).stdout, mi("show", name).returncode)
