"""Figures of snapshots and copies: a project of 10,000 files, little changed, beside 1 GB of dependencies.

Prints, asserts nothing; ratios are to the venv's own `python -c pass`.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from mi.app.home_context import HomeContext
from mi.app.restore import find_difference, restore
from mi.app.snapshots import choose_snapshots
from mi.kernel.home import Home
from mi.project.proof.copies import Copy, close_scratch, make_copy, open_scratch, remove_copy
from mi.project.proof.sandbox import find_way, run_in_copy
from mi.project.snapshots import open_store, take_snapshot
from mi.project.tree_writer import TreeWriter
from mi.project.trees import GitTree

FILES = 10_000
PACKAGES = 1_000
PACKAGE_BYTES = 1 << 20
ROUNDS = 9


def main() -> None:
    base = timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    print(f"python -c pass                      {base * 1000:7.1f} ms")
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder) / "project")
        store = open_store(str(project), "")
        writer = TreeWriter(str(project), os.path.join(folder, "tree"), store)
        began = time.perf_counter()
        first = take_snapshot(writer, "run_1", "b0")
        show("first snapshot of a run", time.perf_counter() - began, base)
        numbers = iter(range(1_000))

        def change_and_keep() -> None:
            number = next(numbers)
            (project / "src/d1/f1.py").write_text(f"changed = {number}\n", "utf-8")
            assert take_snapshot(writer, "run_1", f"b{number + 1}").reason == ""

        show("next snapshot, one file changed", timed(change_and_keep), base, "goal 100 ms")
        measure_restore(project, folder, base)
        scratch = open_scratch(os.path.join(folder, "scratch"))
        tree = GitTree(str(project), first.tree)
        copies: list[Copy] = []
        seconds = timed(lambda: copies.append(make_copy(tree, scratch)), 5)
        show("copy, 1 GB of dependencies linked", seconds, base, "goal 2 s")
        for made in copies:
            remove_copy(made)
        show("  as many files written, to compare", timed(lambda: write_plainly(Path(folder)), 3), base)
        copy = make_copy(tree, scratch)
        find_way()
        show(f"a check that does nothing ({find_way()})", timed(lambda: run_in_copy(copy, "true")), base)
        close_scratch(scratch)


def measure_restore(project: Path, folder: str, base: float) -> None:
    """Print what a look at the difference and a restore of one file take, with 10,000 files beside it."""
    context = HomeContext(Home(os.path.join(folder, "home")), str(project))
    chosen = choose_snapshots(context, "run_1/b0")
    show("difference to a snapshot", timed(lambda: find_difference(context, chosen, [""]), 5), base)
    shown = find_difference(context, chosen, [""])
    began = time.perf_counter()
    restore(context, chosen, [""], shown, lambda kept: None)
    show("restore, the state before kept", time.perf_counter() - began, base)


def make_project(root: Path) -> Path:
    for number in range(FILES):
        path = root / f"src/d{number % 100}/f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value = {number}\n" * 40, "utf-8")
    for number in range(PACKAGES):
        path = root / f"node_modules/p{number}/index.js"
        path.parent.mkdir(parents=True)
        path.write_bytes(os.urandom(PACKAGE_BYTES))
    (root / ".gitignore").write_text("node_modules/\n", "utf-8")
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for args in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *args], cwd=root, check=True)
    return root


def write_plainly(folder: Path) -> None:
    place = Path(tempfile.mkdtemp(dir=folder))
    for number in range(100):
        (place / str(number)).mkdir()
    for number in range(FILES):
        (place / str(number % 100) / str(number)).write_bytes(b"x" * 600)


def timed(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    def once() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return statistics.median(once() for _ in range(rounds))


def show(name: str, seconds: float, base: float, goal: str = "") -> None:
    print(f"{name:<35} {seconds * 1000:8.1f} ms  {seconds / base:5.1f}x  {f'({goal})' if goal else ''}".rstrip())


if __name__ == "__main__":
    main()
