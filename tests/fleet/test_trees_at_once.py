"""Work trees of one repository that are made at the same time, and those of two homes on one machine."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from mi.fleet import tree_lock
from mi.fleet.tree_registry import choose_ports
from mi.fleet.work_trees import make_tree, plan_tree
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.project.known import KnownProjects
from tests.autopilot.workbench import open_bench
from tests.conftest import git


@pytest.mark.req("fleet.trees.at-once")
def test_a_tree_is_added_when_the_one_before_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git fails where it finds another work tree half made, as it is while another run begins."""
    repo, home, asked = open_bench(tmp_path).project, Home(str(tmp_path / "home")), Event()
    planned = plan_tree(home, KnownProjects(home, Notices()).open(str(repo)), "run_20260102T030405Z_aaaaaaaa", "a task")
    half = repo / ".git/worktrees/half"
    half.mkdir(parents=True)
    (half / "gitdir").write_text(f"{tmp_path}/half/.git\n", "utf-8")
    (half / "HEAD").write_text("ref: refs/heads/half\n", "utf-8")
    (half / "commondir").touch()  # git has opened it, and not written yet
    taken = tree_lock.acquire

    def take(fd: int, path: str, patience_s: float) -> None:
        asked.set()
        taken(fd, path, patience_s)

    with ThreadPoolExecutor(1) as pool, tree_lock.hold_tree_list(str(repo)):
        monkeypatch.setattr(tree_lock, "acquire", take)
        made = pool.submit(make_tree, home, planned, None, Notices())
        while not asked.wait(0.05) and not made.done():
            pass
        assert not made.done(), made.exception()
        shutil.rmtree(half)
    assert Path(made.result().path, "calc.py").is_file()
    assert len(git(repo, "worktree", "list").splitlines()) == 2


@pytest.mark.req("fleet.trees.ports-of-homes")
def test_two_homes_do_not_begin_with_the_same_ports() -> None:
    given = {choose_ports(4, [], f"/home/{name}") for name in ("ada", "bob", "eve")}
    assert len(given) == 3
    first = choose_ports(4, [], "/home/ada")
    assert choose_ports(4, [(first, 4)], "/home/ada") != first
