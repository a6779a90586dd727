"""What a proof costs beside one run of the suite: final tree only, and with the judges of the base and new tests.

Run: python bench/proof.py. Projects of five sizes with pytest; the base is run before and kept, as in a run.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mi.kernel.files import write_atomic
from mi.project.checks.coverage import ProjectChecks
from mi.project.proof.check_runs import RunSettings
from mi.project.proof.sandbox import own_environment
from mi.project.proof.witness import Witness, WitnessPlace
from mi.project.trees import GitTree

SIZES = (20, 100, 300, 600, 1000)  # tests; each waits a little, as tests do
_FEW = 3


def main() -> None:
    plain, judged = [], []
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="mi-bench-proof-") as folder:
            one, three = measure(Path(folder), size)
        plain.append(one)
        judged.append(three)
        print(f"{size:>5} tests: {one:.2f} × one run of the suite, {three:.2f} × where a judge changed")
    print(f"median: {statistics.median(plain):.2f} × (goal 1.3), {statistics.median(judged):.2f} × (goal 2.5)")


def measure(folder: Path, size: int) -> tuple[float, float]:
    root = folder / "project"
    make_project(root, size)
    base = tree_of(root)
    (root / "calc.py").write_text("def add(a, b):\n    return b + a\n")
    final = tree_of(root)
    test = root / "tests" / "test_0.py"
    test.write_text(test.read_text().replace("== 1", "!= 2", 1) + "\n\ndef test_more():\n    assert add(1, 1) == 2\n")
    bent = tree_of(root)
    suite = statistics.median(run_suite(root) for _ in range(_FEW))
    return tuple(median_proof(folder, root, base, tree) / suite for tree in (final, bent))  # type: ignore[return-value]


def median_proof(folder: Path, root: Path, base: GitTree, final: GitTree) -> float:
    commands = frozenset(check.command for check in ProjectChecks.read(str(root)).checks)
    place = WitnessPlace(str(folder / "kept"), str(folder / "lock"), commands, RunSettings(own_environment()))
    witness = Witness(base, place)
    try:
        witness.run_base(final.changed_since(base))
        taken = []
        for _ in range(_FEW):
            started = time.perf_counter()
            seen = witness.testify("make add handle it", final)
            taken.append(time.perf_counter() - started)
            assert seen.proof is not None, seen.problem
        return statistics.median(taken)
    finally:
        witness.close()


def run_suite(root: Path) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=root, check=True, capture_output=True)
    return time.perf_counter() - started


def make_project(root: Path, size: int) -> None:
    (root / "tests").mkdir(parents=True)
    (root / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    (root / "conftest.py").write_text("")
    write_atomic(str(root / "pytest.ini"), b"[pytest]\n", mode=0o644, sync=False)
    for at in range(0, size, 20):
        tests = "".join(
            f"\n\ndef test_{one}():\n    time.sleep(0.003)\n    assert add({one}, 1 - {one}) == 1\n"
            for one in range(at, min(at + 20, size))
        )
        (root / "tests" / f"test_{at}.py").write_text("import time\n\nfrom calc import add\n" + tests)
    git(root, "init", "-q")


def tree_of(root: Path) -> GitTree:
    git(root, "add", "-A")
    return GitTree(str(root), git(root, "write-tree").strip())


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
