"""Whether the work tree shows what the parts of a task name."""

import subprocess
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
        ("Add `slugify()`", {"calc.py": "def slugify(): return 1\n"}, []),
        ("Add `slugify()`", {"calc.py": "def slugify(): ...\n"}, ["`slugify` has an empty body"]),
        ("Add a stub `slugify()`", {"calc.py": "def slugify(): ...\n"}, []),
        ("Add `slugify()`", {"calc.py": "# slugify comes later\n"}, ["`slugify` stands only in comments"]),
        ("Add `slugify()`", {"README.md": "slugify makes slugs\n"}, ["`slugify` was not added"]),
        ("Add `slugify()` to the list in the README", {"README.md": "slugify makes slugs\n"}, []),
        ("Add an option `--json`", {"cli.go": 'package main\n\nvar json = flag.Bool("json", false, "")\n'}, []),
        ("Add an option `--dry-run`", {"cli.js": "parseArgs({ options: { dryRun: { type: 'boolean' } } })\n"}, []),
        (
            "Add an option `--json`",
            {"calc.py": "add_argument('--json')\n"},
            ["`--json` is declared, and nothing reads it"],
        ),
        ("Add an option `--json`", {"calc.py": "add_argument('--json')\n", "run.py": "print(args.json)\n"}, []),
        (
            "Let add_all raise `ValueError` for text",
            {"calc.py": "def add_all(a):\n    ValueError(a)\n"},
            ["`ValueError` is made, but nothing raises it"],
        ),
        ("Let add_all raise `ValueError` for text", {"calc.py": "def add_all(a):\n    raise ValueError(a)\n"}, []),
        (
            "Export a function `sum` from calc.js",
            {"calc.js": "function sum(a) { return a; }\n"},
            ["`sum` is not exported"],
        ),
        ("Add a target `dist`", {"Makefile": "dist:\n\t@echo done\n"}, ["`dist` only prints something"]),
        ("Add a target `greet` that prints hello", {"Makefile": "greet:\n\t@echo hello\n"}, []),
        (
            "Refactor: let add_all use a helper `both()`",
            {"calc.py": "def add_all(a, b):\n    def both():\n        return a + b\n    return both()\n"},
            [],
        ),
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


@pytest.mark.req("judge.parts.committed")
@pytest.mark.parametrize(
    ("task", "command", "missing"),
    [
        ("Fix add_all. Commit the fix.", ["commit", "-qm", "fix", "--allow-empty"], ["`calc.py` is not committed"]),
        ("Fix add_all and commit it", ["commit", "-qm", "fix", "--allow-empty"], ["`calc.py` is not committed"]),
        ("修复 add_all，然后提交", ["status"], ["`calc.py` is not committed"]),
        ("Fix add_all, then commit.", ["commit", "-qam", "fix"], []),
        ("Fix add_all, but don't commit it.", ["status"], []),
        ("Fix add_all; the last commit broke it.", ["status"], []),
        ("Fix add_all. Commit messages follow the guide.", ["status"], []),
        ("Fix the commit hook, and commit hooks in general", ["status"], []),
    ],
)
def test_a_commit_holds_the_change(tmp_path: Path, task: str, command: list[str], missing: list[str]) -> None:
    (tmp_path / "calc.py").write_text("x = 0\n")
    (tmp_path / "notes").write_text("")
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "a")
    git(tmp_path, "config", "user.email", "a@b")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "notes").write_text("what the person left before the run\n")
    with WorktreeWatch(str(tmp_path)) as watch:
        (tmp_path / "calc.py").write_text("x = 1\n")
        (tmp_path / "Cargo.lock").write_text("by a build\n")
        git(tmp_path, *command)
        parts = account_for_parts(task, watch.step().total, watch)
    assert [said for part in parts for said in part.missing] == missing


ON_BRANCH = "Fix add_all. Commit the fix on a new branch `fix-add`, leave main as it is."
SWITCH, BRANCH, COMMIT = ["switch", "-qc", "fix-add"], ["branch", "fix-add"], ["commit", "-qam", "fix"]
LACKS = "branch `fix-add` does not hold `calc.py` as it is"
HELD = "branch `fix-add` holds work that is not in the folder: switch to it"
LEFT = "branch `main` was to be left alone, and holds the change"


@pytest.mark.req("judge.parts.branch")
@pytest.mark.parametrize(
    ("task", "commands", "missing"),
    [
        (ON_BRANCH, [BRANCH, COMMIT], [LACKS, LEFT]),
        (ON_BRANCH, [COMMIT], ["there is no branch `fix-add`", LEFT]),
        (ON_BRANCH, [COMMIT, SWITCH], [LEFT]),
        (ON_BRANCH, [SWITCH, COMMIT], []),
        (ON_BRANCH, [SWITCH, COMMIT, ["switch", "-qc", "more"]], []),
        (ON_BRANCH, [SWITCH, COMMIT, ["switch", "-q", "main"]], [HELD]),
        (ON_BRANCH, [BRANCH, ["checkout", "-q", "--", "."]], []),  # a branch that holds nothing new
        ("Fix add_all and commit it to the `fix-add` branch.", [BRANCH, COMMIT], [LACKS]),
        ("Check out a new branch fix-add, fix add_all there.", [BRANCH], [LACKS]),
        ("On a branch named fix-add, fix add_all.", [SWITCH], []),
        ("Fix add_all, which fails on the `fix-add` branch.", [COMMIT], []),
        ("Create a branch called fix-add and fix add_all there.", [BRANCH], [LACKS]),
        ("Create a branch `fix-add` and fix add_all there.", [SWITCH], []),
        ("Work on the branch fix-add. Fix add_all.", [SWITCH], []),
        ("修复 add_all，提交到新分支 `fix-add`", [BRANCH, COMMIT], [LACKS]),
        ("修复 add_all，新建 `fix-add` 分支并提交，main 不动。", [SWITCH, COMMIT], []),
        ("新建一个 branch `fix-add`，修复 add_all 并提交。", [SWITCH, COMMIT], []),
        ("创建名为 `fix-add` 的分支，修复 add_all 并提交。", [BRANCH, COMMIT], [LACKS]),
        ("在 `fix-add` 分支上修复 add_all 并提交。", [SWITCH, COMMIT], []),
        ("add_all 在 `fix-add` 分支上会失败。", [COMMIT], []),
        ("Fix add_all, which fails on branch `fix-add`.", [COMMIT], []),
        ("Fix add_all and commit it, but do not commit it on a new branch `fix-add`.", [COMMIT], []),
        ("Fix add_all and put the commit on a branch of your own.", [COMMIT], []),
        ("Let main as a function be: leave main as it is. Commit the fix of add_all.", [COMMIT], []),
    ],
)
def test_the_branch_that_is_named_holds_the_change(
    tmp_path: Path, task: str, commands: list[list[str]], missing: list[str]
) -> None:
    (tmp_path / "calc.py").write_text("x = 0\n")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "a")
    git(tmp_path, "config", "user.email", "a@b")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    with WorktreeWatch(str(tmp_path)) as watch:
        (tmp_path / "calc.py").write_text("x = 1\n")
        for command in commands:
            git(tmp_path, *command)
        parts = account_for_parts(task, watch.step().total, watch)
    assert [said for part in parts for said in part.missing] == missing


MERGE = "Merge the branch `tax` into main."
CONFLICT = "`README.md` holds a conflict that is not resolved"
UNMERGED = "`tax.py` is as it was before branch `tax`"


@pytest.mark.req("judge.parts.branch")
@pytest.mark.parametrize(
    ("task", "commands", "missing"),
    [
        (MERGE, ["git merge -q -m m -s ours tax"], [UNMERGED]),
        (MERGE, [], [UNMERGED]),
        (MERGE, ["git merge -q tax; git commit -qam m"], [CONFLICT]),
        (MERGE, ["git merge -q tax; echo both > README.md; git commit -qam m"], []),
        (MERGE, ["git merge -q tax; git checkout -q --ours README.md; git commit -qam m"], []),
        (MERGE, ["git merge -q --squash tax; echo both > README.md; git add -A; git commit -qm m"], []),
        ("Merge tax into main, and leave tax.py out of it.", ["git merge -q -m m -s ours tax"], []),
        ("Merge `tax` with strategy ours into main.", ["git merge -q -m m -s ours tax"], []),
        ("把 `tax` 分支合并到 main。", ["git merge -q -m m -s ours tax"], [UNMERGED]),
        ("Merge total into main.py.", ["echo 1 > main.py"], []),
        ("Fix it. Make two commits.", ["echo 1 > a.py; git add -A; git commit -qm 1"], ["1 of 2 commits were made"]),
        ("Fix it. Make two commits.", [f"echo {n} > a.py; git add -A; git commit -qm {n}" for n in (1, 2)], []),
        ("修复它，分成三个提交。", ["echo 1 > a.py; git add -A; git commit -qm 1"], ["1 of 3 commits were made"]),
        ("Fix it.", ["echo 1 > a.py; git add -A; git commit -qm 1"], []),
        ("Write a sample of a conflict to b.txt.", ["printf '<<<<<<< a\\nx\\n' > b.txt"], []),
    ],
)
def test_a_branch_is_merged_with_what_it_holds(
    tmp_path: Path, task: str, commands: list[str], missing: list[str]
) -> None:
    def run(command: str) -> None:
        subprocess.run(command, shell=True, cwd=tmp_path, check=False, capture_output=True)

    run("git init -q -b main; git config user.name a; git config user.email a@b; echo first > README.md")
    run("git add -A; git commit -qm first; git switch -qc tax; echo tax > README.md; echo 'x = 1' > tax.py")
    run("git add -A; git commit -qm tax; git switch -q main; echo main > README.md; git commit -qam main")
    with WorktreeWatch(str(tmp_path)) as watch:
        for command in commands:
            run(command)
        parts = account_for_parts(task, watch.step().total, watch)
    assert [said for part in parts for said in part.missing] == missing


@pytest.mark.req("judge.parts.unclear")
def test_a_part_that_names_nothing_is_neither_done_nor_open(tmp_path: Path) -> None:
    with WorktreeWatch(str(tmp_path)) as watch:
        (tmp_path / "a.py").write_text("x = 1\n")
        parts = account_for_parts("make it faster", watch.step().total, watch)
    assert [part.state for part in parts] == ["unclear"]
