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
