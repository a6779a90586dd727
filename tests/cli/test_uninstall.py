"""`mi uninstall` after everything MI can put anywhere: each workspace is byte for byte what it was."""

import fcntl
import json
import subprocess
from pathlib import Path

import pytest

from mi.project.snapshots import open_store, take_snapshot
from mi.project.tree_writer import TreeWriter

Tree = dict[str, bytes]


def tree(root: Path) -> Tree:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def folders(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}


@pytest.fixture
def installed(mi, repository, monkeypatch) -> Path:
    """A project with MI in everything that it can be in; the user has files of the same names."""
    root: Path = repository("app")
    monkeypatch.chdir(root)
    (root / "CLAUDE.md").write_text("# Mine\n", "utf-8")
    (root / ".claude").mkdir()
    (root / ".claude/settings.json").write_text('{"model":"x",   "hooks": {}}\n', "utf-8")
    return root


def install(mi) -> None:
    for words in (
        ["mcp", "install", "claude-code"],
        ["mcp", "install", "codex"],
        ["mcp", "install", "codex", "--user"],
        ["hook", "install", "claude-code", "--enforce", "permissions,contract,nexus"],
        ["hook", "install", "codex"],
        ["contract", "install"],
        ["workflow", "create", "--name", "Ship", "--step", "Write the changelog"],
        ["host", "bind", "claude-code"],
        ["host", "bind", "codex"],
        ["host", "sync"],
    ):
        done = mi(*words)
        assert done.returncode == 0, f"{words}: {done.stderr}"


@pytest.mark.req("mi.cli.uninstall")
def test_everything_is_taken_out_again(mi, installed, tmp_path):
    before, dirs, user = tree(installed), folders(installed), tree(tmp_path / "user")
    install(mi)
    full = tree(installed)
    assert full != before
    assert tree(tmp_path / "user") != user
    would = json.loads(mi("uninstall", "--dry-run", "--json").stdout)
    assert tree(installed) == full
    done = mi("uninstall", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == would | {"applied": True}
    assert ".claude/settings.json" in would["workspaces"][0]["changed"]
    assert ".mcp.json" in would["workspaces"][0]["removed"]
    assert tree(installed) == before
    assert folders(installed) - dirs == set()
    assert set(tree(tmp_path / "user")) == set(user)


def test_what_the_user_wrote_since_stays(mi, installed):
    install(mi)
    settings, rules = installed / ".claude/settings.json", installed / "CLAUDE.md"
    settings.write_bytes(settings.read_bytes().replace(b'"x",   ', b'"y",\t"n": 1.0,   '))
    rules.write_text("# First\n" + rules.read_text("utf-8") + "last\n", "utf-8")
    assert mi("uninstall").returncode == 0
    assert settings.read_bytes() == b'{"model":"y",\t"n": 1.0,   "hooks": {}}\n'
    assert rules.read_text("utf-8") == "# First\n# Mine\nlast\n"


def test_a_lost_list_of_workspaces_hides_nothing(mi, installed, tmp_path):
    before = tree(installed)
    install(mi)
    (tmp_path / "home/hosts/workspaces.json").unlink()
    assert mi("uninstall").returncode == 0
    assert tree(installed) == before


@pytest.mark.parametrize("how", ["cleaned", "damaged"])
def test_a_lost_manifest_hides_nothing(mi, installed, how):
    """`git clean -fdx` takes all of .mi/ and every link, but leaves what stands in tracked files."""
    subprocess.run(["git", "add", "."], cwd=installed, check=True)
    before = {name: data for name, data in tree(installed).items() if not name.startswith(".git/")}
    install(mi)
    if how == "cleaned":
        subprocess.run(["git", "clean", "-fdxq"], cwd=installed, check=True)
        assert not (installed / ".mi").exists()
    else:
        (installed / ".mi/manifest.json").write_text('{"entries": 3', "utf-8")
    assert tree(installed)[".claude/settings.json"] != before[".claude/settings.json"]
    assert mi("uninstall").returncode == 0
    assert {name: data for name, data in tree(installed).items() if not name.startswith(".git/")} == before


def test_the_home_goes_when_that_is_asked_for(mi, installed, tmp_path):
    before, home = tree(installed), tmp_path / "home"
    install(mi)
    would = mi("uninstall", "--purge", "--dry-run")
    assert would.returncode == 0
    assert str(home) in would.stdout
    assert (home / "projects").is_dir()
    done = mi("uninstall", "--purge", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["purged"] is True
    assert not home.exists()
    assert tree(installed) == before
    assert mi("uninstall", "--purge", "--yes").returncode == 0


def test_the_home_stays_while_something_cannot_be_taken_out(mi, installed, tmp_path):
    install(mi)
    (installed / ".claude/settings.json").write_text("{", "utf-8")
    done = mi("uninstall", "--purge", "--yes")
    assert done.returncode == 1
    assert "settings.json" in done.stderr
    assert (tmp_path / "home/projects").is_dir()


def test_the_home_stays_while_a_run_goes_on(mi, installed, tmp_path):
    install(mi)
    project = next((tmp_path / "home/projects").iterdir())
    with (project / "run.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = mi("uninstall", "--purge", "--yes")
    assert done.returncode == 1
    assert "mi stop" in done.stderr
    assert (installed / ".mi/mark").is_file()


@pytest.mark.req("person.net.uninstall")
def test_snapshots_are_listed_and_go_when_that_is_asked_for(mi, installed, home):
    install(mi)
    store = open_store(str(installed), home.path("none"))
    taken = take_snapshot(TreeWriter(str(installed), home.path("trees", "run_a"), store), "run_a", "b1")
    assert taken.reason == ""
    stays = mi("uninstall", "--dry-run")
    assert "1 snapshot of the work tree stays" in stays.stderr
    would = mi("uninstall", "--snapshots", "--dry-run")
    assert f"{installed} refs/mi/run_a/b1" in would.stdout
    listed = ["git", "for-each-ref", "refs/mi/"]
    assert subprocess.run(listed, cwd=installed, check=True, capture_output=True).stdout
    assert mi("uninstall", "--snapshots").returncode == 0
    assert not subprocess.run(listed, cwd=installed, check=True, capture_output=True).stdout
