"""How long a run in a work tree of its own takes to begin, on 10,000 files; beside git's own share of it."""

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from mi.app.home_context import HomeContext
from mi.app.work_trees import begin_tree
from mi.kernel import ids
from mi.kernel.home import Home

FOLDERS, FILES = 100, 100
TIMES = 5


def _make_repository(folder: Path) -> Path:
    repository = folder / "repository"
    for number in range(FOLDERS):
        (repository / f"f{number}").mkdir(parents=True)
        for name in range(FILES):
            (repository / f"f{number}/{name}.txt").write_text(f"{number} {name}\n" * 20, "utf-8")
    named = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for words in (["init", "-q"], ["add", "-A"], [*named, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    return repository


def main() -> None:
    """Print the seconds of both, the median of some."""
    with tempfile.TemporaryDirectory(prefix="mi-bench-") as name:
        folder = Path(name)
        repository = _make_repository(folder)
        context = HomeContext(Home(str(folder / "home")), str(repository))
        plain, ours = [], []
        for number in range(TIMES):
            began = time.perf_counter()
            words = ["git", "worktree", "add", "-q", "--detach", str(folder / f"plain{number}")]
            subprocess.run(words, cwd=repository, check=True)
            plain.append(time.perf_counter() - began)
            began = time.perf_counter()
            begin_tree(context, ids.make_run_id(), "do it", with_changes=False)
            ours.append(time.perf_counter() - began)
    git_s, mi_s = statistics.median(plain), statistics.median(ours)
    print(f"a work tree of {FOLDERS * FILES} files: {mi_s:.2f} s, {mi_s / git_s:.1f} × of git worktree add")


if __name__ == "__main__":
    main()
