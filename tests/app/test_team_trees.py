"""What a team wrote down, in linked work trees and submodules: each tree has its own files, and a project one trust."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.app.recall import build_recall
from mi.app.trust import store_team_trust
from mi.contract.memory_tools import QueryInput, memory_query
from mi.contract.session import ContractSession
from mi.kernel.home import Home
from mi.knowledge.search.backend import Query
from tests.conftest import git


def write_rule(root: Path, name: str, text: str) -> None:
    (root / ".nexus/rules").mkdir(parents=True, exist_ok=True)
    (root / ".nexus/rules" / f"{name}.md").write_text(text + "\n", "utf-8")


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "rules")


def use(root: Path, home: Home, *, trusted: bool = False) -> HomeContext:
    context = HomeContext(home, cd=str(root))
    context.use_project()
    if trusted:
        store_team_trust(context, is_yes=True)
    return context


def recalled(root: Path, home: Home) -> list[tuple[str, str]]:
    """The texts of the team about walruses, and how each counts."""
    session = ContractSession.open(build_contract(use(root, home)), "codex", "mcp")
    try:
        found = memory_query(session, QueryInput(query="walrus", reach="team")).results
    finally:
        session.close()
    return sorted((one.detail.strip(), one.tier) for one in found)


@pytest.fixture
def main(repository: Callable[..., Path], home: Home) -> Path:
    root = repository("main")
    write_rule(root, "release", "Never release the walrus on Fridays.")
    commit(root)
    use(root, home, trusted=True)
    return root


@pytest.mark.req("one.knowledge.trees")
def test_each_work_tree_has_its_own_files_under_one_trust(main: Path, tmp_path: Path, home: Home):
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "-q", "-b", "other", str(tree))
    write_rule(tree, "release", "Release the walrus on Mondays.")
    commit(tree)
    write_rule(tree, "draft", "Feed the walrus.")
    ours = [("Never release the walrus on Fridays.", "always")]
    theirs = [("Feed the walrus.", "contextual"), ("Release the walrus on Mondays.", "always")]
    for _ in range(2):
        assert recalled(main, home) == ours
        assert recalled(tree, home) == theirs


@pytest.mark.req("one.knowledge.trees")
def test_trees_that_take_turns_do_not_take_in_each_others_files_anew(main: Path, tmp_path: Path, home: Home):
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "-q", "-b", "other", str(tree))
    for root in (main, tree):
        recalled(root, home)
    index = Path(home.memory_index)
    before = index.stat().st_mtime_ns
    for root in (main, tree, main):
        recalled(root, home)
    assert index.stat().st_mtime_ns == before


@pytest.mark.req("one.knowledge.trees")
def test_what_a_removed_work_tree_held_is_forgotten(main: Path, tmp_path: Path, home: Home):
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "-q", "-b", "other", str(tree))
    write_rule(tree, "draft", "Feed the walrus.")
    assert len(recalled(tree, home)) == 2
    git(main, "worktree", "remove", "--force", str(tree))
    assert recalled(main, home) == [("Never release the walrus on Fridays.", "always")]
    index = build_recall(use(main, home)).index
    index.search(Query(("walrus",), only_project=False))
    status, _ = index.status()
    assert status.documents["rule_file"] == 1


@pytest.mark.req("one.knowledge.trees")
def test_a_submodule_is_a_project_of_its_own_in_every_tree(
    main: Path, repository: Callable[..., Path], tmp_path: Path, home: Home
):
    part = repository("part")
    write_rule(part, "part", "The walrus has no globals.")
    commit(part)
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "vendor/part")
    commit(main)
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "-q", "-b", "other", str(tree))
    git(tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    inner = [root / "vendor/part" for root in (main, tree)]
    assert {use(root, home).project.project_id for root in inner} == {use(inner[0], home).project.project_id}
    assert use(inner[0], home).project.project_id != use(main, home).project.project_id
    assert [recalled(root, home) for root in inner] == [[("The walrus has no globals.", "contextual")]] * 2
    use(inner[1], home, trusted=True)
    assert [recalled(root, home) for root in inner] == [[("The walrus has no globals.", "always")]] * 2
    assert [recalled(root, home) for root in (main, tree)] == [[("Never release the walrus on Fridays.", "always")]] * 2


@pytest.mark.req("one.knowledge.trees")
def test_a_recall_looks_at_no_other_project(main: Path, repository: Callable[..., Path], home: Home):
    """However many there are, a recall here costs the same; a search over all of them finds what they hold."""
    other = repository("elsewhere")
    recalled(other, home)
    write_rule(other, "feed", "Feed the walrus.")
    assert recalled(main, home) == [("Never release the walrus on Fridays.", "always")]
    index = build_recall(use(main, home)).index
    assert index.status()[0].documents["rule_file"] == 1
    found = index.search(Query(("walrus",), only_project=False))
    assert sorted(hit.document.text.strip() for hit in found) == [
        "Feed the walrus.",
        "Never release the walrus on Fridays.",
    ]
