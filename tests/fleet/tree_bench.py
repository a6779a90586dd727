"""A bench for runs in work trees of their own."""

from pathlib import Path

from tests.autopilot.workbench import MEND, TEST, Ran, Workbench, open_bench, say
from tests.conftest import git

DONE = [MEND, TEST, say("Fixed and tested. Done.")]


def open_tree_bench(folder: Path) -> Workbench:
    """A bench whose repository knows who the person is."""
    bench = open_bench(folder)
    git(bench.project, "config", "user.name", "A Person")
    git(bench.project, "config", "user.email", "person@example.invalid")
    return bench


def out(folder: Path, *args: str) -> str:
    return git(folder, *args).strip()


def state(folder: Path) -> tuple[str, str, str]:
    """Where a work tree is, what is changed in it, and one file of it."""
    changed = out(folder, "status", "--porcelain")
    return out(folder, "rev-parse", "HEAD"), changed, (folder / "calc.py").read_text("utf-8")


def tree_of(ran: Ran) -> Path:
    """Where the latest run worked."""
    return Path(ran.of("run_start")[-1]["project_root"])


def commit(folder: Path, **files: str) -> str:
    """Commit some files; names have `_` for a dot."""
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "by the person")
    return out(folder, "rev-parse", "HEAD")
