"""Whether the work tree shows what the parts of a task name."""

from pathlib import Path

import pytest

from mi.autopilot.part_evidence import account_for_parts
from mi.project.worktree import WorktreeWatch
from tests.conftest import git

FIRST = {
    "calc.py": "LIMIT = 3\n\n\ndef add_all(a, b):\n    return a\n\n\nprint(add_all(1, 2))\n",
    "test_calc.py": "from calc import slugify\n",
    "README.md": "# calc\nadd_all adds\n",
}


@pytest.mark.req("judge.parts.added", "judge.parts.removed", "judge.parts.renamed")
@pytest.mark.parametrize("is_repository", [True, False], ids=["git", "no git"])
@pytest.mark.parametrize(
    ("task", "changes", "missing"),
    [
        ("Add `slugify()`", {"calc.py": "def slugify(): ...\n"}, []),
        ("Add `slugify()`", {"test_calc.py": "def test(): slugify()\n"}, ["`slugify` was not added"]),
        ("Add `slugify()`", {"calc.py": "x = 1\n"}, ["`slugify` was not added"]),
        ("Add tests for slugify in `test_slug.py`", {"test_slug.py": "slugify\n"}, []),
        ("Create `docs/guide.md`", {"docs/guide.md": "hello\n"}, []),
        ("Create `docs/guide.md`", {"calc.py": "x = 1\n"}, ["`docs/guide.md` is not there"]),
        ("Remove `add_all`", {"calc.py": "x = 1\n"}, []),
        ("Remove `add_all`", {"calc.py": FIRST["calc.py"] + "y = 2\n"}, ["`add_all` is still there"]),
        ("Remove the constant `LIMIT`", {"calc.py": FIRST["calc.py"].replace("LIMIT = 3\n", "")}, []),
        ("Rename `add_all` to `sum_all`", {"calc.py": FIRST["calc.py"].replace("add_all", "sum_all")}, []),
        (
            "Rename `add_all` to `sum_all`",
            {"calc.py": FIRST["calc.py"].replace("def add_all", "def sum_all")},
            ["`add_all` is still there"],
        ),
        ("Rename `add_all` to `sum_all`", {"calc.py": "x = 1\n"}, ["`sum_all` is not there"]),
        ("Rename `add_all` to `sum_all`, keep an alias", {"calc.py": FIRST["calc.py"] + "sum_all = add_all\n"}, []),
        ("Update the README", {"calc.py": "x = 1\n"}, ["`README` was not changed"]),
        ("Update the README", {"README.md": "# new\n"}, []),
        ('Fix it, and also print "all done"', {"calc.py": "x = 1\n"}, ["`all done` is nowhere in the code"]),
        ("Delete `calc.py`", {"calc.py": None}, []),
        ("Delete `calc.py`", {"README.md": "gone\n"}, ["`calc.py` is still there"]),
        ("fix the failing test", {"calc.py": "x = 1\n"}, []),
    ],
)
def test_what_a_part_names_must_stand_in_the_tree(
    tmp_path: Path, is_repository: bool, task: str, changes: dict[str, str | None], missing: list[str]
) -> None:
    for name, text in FIRST.items():
        (tmp_path / name).write_text(text)
    if is_repository:
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "-A")
        git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    with WorktreeWatch(str(tmp_path)) as watch:
        for name, content in changes.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.unlink() if content is None else path.write_text(content)
        parts = account_for_parts(task, watch.step().total, watch)
    assert [said for part in parts for said in part.missing] == missing


@pytest.mark.req("judge.parts.unclear")
def test_a_part_that_names_nothing_is_neither_done_nor_open(tmp_path: Path) -> None:
    with WorktreeWatch(str(tmp_path)) as watch:
        (tmp_path / "a.py").write_text("x = 1\n")
        parts = account_for_parts("make it faster", watch.step().total, watch)
    assert [part.state for part in parts] == ["unclear"]
