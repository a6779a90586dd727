"""A check that writes to what judges it, while it runs on a copy."""

import sys
from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.project.checks.runner import Check
from mi.project.proof.check_runs import CopiedRuns, RunSettings
from mi.project.proof.copies import Scratch, make_copy
from mi.project.proof.proving import ProofCase, prove
from mi.project.proof.sandbox import Way, own_environment, run_in_copy
from mi.project.proof.writes import is_watched
from mi.project.trees import GitTree
from tests.conftest import git
from tests.project.proof.running import write

WAYS: list[Way] = ["namespaces", "bubblewrap", "plain"]
FILES = {
    "shop.py": "def total(prices):\n    return sum(prices[1:])\n",
    "test.sh": f"{sys.executable} -c 'import shop' && PYTHONPATH=. {sys.executable} tests/run.py\n",
    "tests/run.py": "import shop\n\nfor line in open('tests/data/cases.txt'):\n    left, right = line.split('=')\n"
    "    assert shop.total([int(word) for word in left.split()]) == int(right)\n",
    "tests/data/cases.txt": "1 2 = 3\n",
    "tests/conftest.py": "",
}


@pytest.fixture
def project(repository) -> Path:
    repo: Path = repository("project")
    return write(repo, FILES)


def take(root: Path) -> GitTree:
    git(root, "add", "-A")
    return GitTree(str(root), git(root, "write-tree"))


@pytest.mark.req("judge.proof.written-judges")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("echo 7 = 7 > tests/data/cases.txt", ["tests/data/cases.txt"]),
        ("cp tests/data/cases.txt was; echo > tests/data/cases.txt; cp was tests/data/cases.txt", None),
        ("rm tests/run.py", ["tests/run.py"]),
        ("rm -r tests/data", ["tests/data/cases.txt"]),
        ("cp -r tests/data kept; rm -r tests/data; mv kept tests/data", ["tests/data/cases.txt"]),
        ("echo pass > new; mv new tests/run.py", ["tests/run.py"]),
        ("sed -i s/1/2/ test.sh", ["test.sh"]),
        # what a suite may do
        ("cat tests/*.* > /dev/null; echo > tests/out.log; mkdir tests/data/made; echo > tests/data/made/x.txt", []),
        ("echo '#' >> shop.py; mkdir __pycache__; echo > __pycache__/shop.pyc", []),
    ],
)
def test_a_judge_that_is_written_to_is_named(project: Path, scratch: Scratch, way: Way, command: str, written):
    tree = take(project)
    watched = [path for path in tree.paths() if is_watched(path)]
    ended = run_in_copy(make_copy(tree, scratch), command, way=way, watched=watched)
    assert ended.exit_code == 0, ended.output
    assert list(ended.written) == (["tests/data/cases.txt"] if written is None else written)


@pytest.mark.req("judge.proof.written-judges")
def test_a_set_up_that_is_made_during_the_run_is_named(project: Path, scratch: Scratch):
    ended = run_in_copy(
        make_copy(take(project), scratch),
        "echo > tests/data/conftest.py; echo > pytest.ini",
        way="namespaces",
        watched=["tests/run.py"],
    )
    assert list(ended.written) == ["pytest.ini", "tests/data/conftest.py"]


REWRITES = "open('tests/data/cases.txt', 'w').write('7 = 0\\n')\n"
MENDED = "def total(prices):\n    return sum(prices)\n"


@pytest.mark.req("judge.proof.written-judges")
@pytest.mark.parametrize(
    ("before", "after", "proved"),
    [
        ("", FILES["shop.py"] + REWRITES, False),
        ("", MENDED, True),
        # a suite that writes its own data did so before, too
        (f"{sys.executable} -c \"open('tests/data/cases.txt', 'w').write('1 2 = 3')\"\n", MENDED, True),
    ],
)
def test_a_run_that_writes_to_its_judges_proves_nothing(
    project: Path, scratch: Scratch, home: Home, before: str, after: str, proved: bool
):
    write(project, {"test.sh": before + FILES["test.sh"]})
    base = take(project)
    write(project, {"shop.py": after})
    runs = CopiedRuns(base, scratch, home.path("kept"), RunSettings(own_environment()))
    proof = prove(ProofCase("Fix total", base, take(project), [Check("test", ("sh", "test.sh"), "test.sh")]), runs)
    assert proof.proved is proved
    named = [(reason.problem, reason.detail) for reason in proof.reasons if reason.blocks]
    assert named == ([] if proved else [("rewritten", "tests/data/cases.txt")])
