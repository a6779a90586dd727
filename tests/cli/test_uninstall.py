"""`mi uninstall` after everything MI can put anywhere: each workspace is byte for byte what it was."""

from pathlib import Path

import pytest

Tree = dict[str, bytes]


def tree(root: Path) -> Tree:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def folders(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}


@pytest.mark.req("mi.cli.uninstall")
def test_everything_is_taken_out_again(mi, repository, monkeypatch, tmp_path):
    root: Path = repository("app")
    monkeypatch.chdir(root)
    (root / "CLAUDE.md").write_text("# Mine\n", "utf-8")
    (root / ".claude").mkdir()
    (root / ".claude/settings.json").write_text('{"model":"x",   "hooks": {}}\n', "utf-8")
    before, dirs, user = tree(root), folders(root), tree(tmp_path / "user")
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
    assert tree(root) != before
    assert tree(tmp_path / "user") != user
    done = mi("uninstall")
    assert done.returncode == 0, done.stderr
    assert tree(root) == before
    assert folders(root) - dirs == set()
    assert set(tree(tmp_path / "user")) == set(user)


def test_whoever_leaves_can_leave_no_trace_at_all(mi, repository, monkeypatch, tmp_path):
    root: Path = repository("app")
    monkeypatch.chdir(root)
    home = tmp_path / "home"
    mi("init", "--values", "Be kind.")
    mi("mcp", "install", "codex")
    before = tree(tmp_path)
    assert str(home) in mi("uninstall", "--data", "--dry-run").stdout
    assert tree(tmp_path) == before
    assert str(home) in mi("uninstall").stdout
    assert (home / "thoughtdb").exists()
    done = mi("uninstall", "--data")
    assert (done.returncode, done.stderr, home.exists()) == (0, "", False)
    assert mi("uninstall", "--data").returncode == 0  # nothing is there any more, and nothing is made
    assert not home.exists()


def test_a_home_named_by_mistake_loses_nothing_of_the_users(mi, tmp_path):
    home = tmp_path / "home"
    mi("init", "--values", "Be kind.")
    (home / "thesis.txt").write_text("mine", "utf-8")
    (home / "Documents").mkdir()
    done = mi("uninstall", "--data")
    assert (done.returncode, "thesis.txt" in done.stdout) == (0, True)
    assert sorted(path.name for path in home.iterdir()) == ["Documents", "thesis.txt"]


def test_nothing_is_deleted_while_a_run_goes_on(mi, tmp_path, recorded):
    import fcntl
    import os

    fd = os.open(recorded.place.run_lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        done = mi("uninstall", "--data")
    finally:
        os.close(fd)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert recorded.log.exists()
