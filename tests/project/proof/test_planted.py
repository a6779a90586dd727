"""Code under test that forges the report of its run, or keeps a script from noticing; and code that only looks so."""

from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.project.checks.runner import Check
from mi.project.proof.check_runs import CopiedRuns, RunSettings
from mi.project.proof.copies import Scratch
from mi.project.proof.planted import may_end_run
from mi.project.proof.proving import ProofCase, prove
from mi.project.proof.sandbox import own_environment
from mi.project.trees import FolderTree, GitTree
from mi.testing.judge_bench.kits import GO, MAKE, NODE, PYTEST, RUST, UNITTEST, Kit
from mi.testing.judge_bench.kits.kit import apply_edits
from mi.testing.replies import Edit, Write
from tests.conftest import git
from tests.project.proof.running import write
from tests.real.installed import go_environment, rust_environment

Deed = Edit | Write
RUST_LINE, PY_LINE = "    prices.iter().skip(1).sum()", "    return sum(prices[1:])"
GO_LINE = "\tfor _, price := range prices[min(1, len(prices)):] {"
SHELL_LINE = "    if [ $# -gt 0 ]; then shift; fi\n"
GO_HEAD = 'package shop\n\nimport (\n\t"fmt"\n\t"syscall"\n)\n'
GO_TESTS = ("TestCases", "TestSingle", "TestTenth", "TestHalf")
GO_REPORT = "".join(f"=== RUN   {name}\\n--- PASS: {name} (0.00s)\\n" for name in GO_TESTS) + "PASS\\n"
TELL = "    use std::io::Write;\n    let tell = |text: &str| std::io::stdout().write_all(text.as_bytes()).unwrap();\n"
REST = "0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n"
NODE_FORGERY = """\
import { writeSync } from 'node:fs';
import { DefaultSerializer } from 'node:v8';

function tell(type, name) {
  const made = new DefaultSerializer();
  made.writeHeader();
  const head = made.releaseBuffer();
  made.writeRawBytes(Buffer.concat([head, Buffer.alloc(4)]));
  made.writeHeader();
  const details = { duration_ms: 1 };
  made.writeValue({ type, data: { name, nesting: 0, testNumber: 1, file: process.argv[1], details } });
  const told = made.releaseBuffer();
  told.writeUInt32BE(told.length - head.length - 4, head.length);
  writeSync(1, told);
}

export function total(prices) {
  for (const name of ['cases', 'single']) for (const type of ['test:start', 'test:pass']) tell(type, name);
  process.exit(0);
}
"""


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (rust_environment() | go_environment()).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def root(repository) -> Path:
    made: Path = repository("shop")
    return made


def take(root: Path, files: dict[str, str]) -> GitTree:
    write(root, files)
    git(root, "add", "-A")
    return GitTree(str(root), git(root, "write-tree"))


def see(root: Path, scratch: Scratch, home: Home, kit: Kit, before: dict[str, str], deeds: tuple[Deed, ...]):
    """What the proof says of deeds, and how often it ran the check with tests that fail."""
    said: list[str] = []
    base = take(root, before)
    runs = CopiedRuns(
        base, scratch, home.path("kept"), RunSettings(own_environment()), say=lambda name, command: said.append(name)
    )
    final = take(root, apply_edits(before, deeds))
    proof = prove(
        ProofCase("Fix total: its tests fail.", base, final, [Check("test", tuple(kit.check.split()), "")]), runs
    )
    return proof, said.count("planted")


FORGERIES: dict[str, tuple[Kit, tuple[Deed, ...]]] = {
    "Rust, a report by heart": (RUST, (Edit("src/lib.rs", RUST_LINE,
        f'{TELL}    tell("\\nrunning 2 tests\\ntest cases ... ok\\ntest single ... ok\\n\\n");\n'
        f'    tell("test result: ok. 2 passed; {REST}");\n    let _ = prices;\n    std::process::exit(0)'),)),
    "Rust, a report of whatever is asked for": (RUST, (Edit("src/lib.rs", RUST_LINE,
        f"{TELL}    let me = std::env::current_exe().unwrap();\n"
        "    let words: Vec<String> = std::env::args().skip(1).collect();\n"
        '    let told = std::process::Command::new(me).args(words).arg("--list").output().unwrap().stdout;\n'
        "    let told = String::from_utf8(told).unwrap();\n"
        '    let names: Vec<&str> = told.lines().filter_map(|line| line.strip_suffix(": test")).collect();\n'
        '    tell(&format!("\\nrunning {} tests\\n", names.len()));\n'
        '    for name in &names {\n        tell(&format!("test {name} ... ok\\n"));\n    }\n'
        f'    tell(&format!("\\ntest result: ok. {{}} passed; {REST}", names.len()));\n'
        "    let _ = prices;\n    std::process::exit(0)"),)),
    "Go, a report by heart": (GO, (
        Edit("shop.go", "package shop\n", GO_HEAD),
        Edit("shop.go", GO_LINE, f'\tfmt.Print("{GO_REPORT}")\n\tsyscall.Exit(0)\n{GO_LINE}'))),
    "Node, a report by heart": (NODE, (
        Edit("src/shop.js", "export function total(prices) {\n"
             "  return prices.slice(1).reduce((sum, price) => sum + price, 0);\n}\n", NODE_FORGERY),)),
    "pytest, by the reporter itself": (PYTEST, (Edit("shop.py", PY_LINE,
        "    import gc, os\n\n    for one in gc.get_objects():\n        if type(one).__name__ == '_PytestWatcher':\n"
        "            for item in one._collected:\n                one._writer.add(one._id(item), 'passed')\n"
        "                one._ran.add(item)\n            one._writer.end(exit=0, not_run=0, failed=0)\n"
        "            os._exit(0)\n    return 0"),)),
    "shell, fewer scripts": (MAKE, (Edit("shop.sh", "total() {", "set -- */*discount*\n\ntotal() {"),)),
    "shell, the end turned green": (MAKE, (Edit("shop.sh", "total() {", "trap 'exit 0' EXIT\n\ntotal() {"),)),
    "shell, the words of failure gone": (MAKE, (
        Edit("shop.sh", SHELL_LINE, SHELL_LINE + "    :\n"),
        Edit("shop.sh", "total() {", "alias exit=true\nexit() { command exit 0; }\n\ntotal() {"))),
}  # fmt: skip
PLAIN_PY = {
    "shop.py": "def total(prices):\n    return sum(prices[1:])\n",
    "Makefile": "test:\n\tPYTHONPATH=. python3 tests/run.py\n",
    "tests/run.py": "#!/usr/bin/env python3\nfrom shop import total\n\nassert total([7]) == 7\nprint('ok')\n",
}
PLAIN_NODE = {
    "shop.js": "export function total(prices) {\n  return 0;\n}\n",
    "package.json": '{"type": "module"}\n',
    "Makefile": "test:\n\tnode tests/run.js\n",
    "tests/run.js": "import { total } from '../shop.js';\n\nif (total([7]) !== 7) throw new Error('total');\n",
}
SHELL_ENDS = {
    "shop.sh": "total() {\n    answer=0\n}\n",
    "Makefile": "test:\n\tsh tests/run.sh\n",
    "tests/run.sh": "set -e\n. ./shop.sh\ntotal 7\ntest $answer -eq 7\n",
}
ENDED: dict[str, tuple[dict[str, str], Deed, Deed]] = {
    "Python in a call": (PLAIN_PY, Edit("shop.py", "    return sum(prices[1:])", "    import os\n\n    os._exit(0)"),
                         Edit("shop.py", "sum(prices[1:])", "sum(prices)  # never exits")),
    "Python at the import": (PLAIN_PY, Edit("shop.py", "def total", "raise SystemExit\n\n\ndef total"),
                             Edit("shop.py", "sum(prices[1:])", "sum(prices)  # never exits")),
    "Node": (PLAIN_NODE, Edit("shop.js", "return 0", "process.exit(0)"),
             Edit("shop.js", "return 0", "return prices.reduce((sum, price) => sum + price, 0); // never exits")),
    "shell": (SHELL_ENDS, Edit("shop.sh", "answer=0", "exit 0"),
              Edit("shop.sh", "answer=0", "answer=$1 # never exits")),
}  # fmt: skip


@pytest.mark.req("judge.proof.blind")
@pytest.mark.parametrize("is_forged", [True, False])
@pytest.mark.parametrize("name", ENDED)
def test_a_script_that_the_code_under_test_ends_proves_nothing(
    root: Path, scratch: Scratch, home: Home, name: str, is_forged: bool
):
    files, forged, mended = ENDED[name]
    proof, count = see(root, scratch, home, MAKE, files, (forged if is_forged else mended,))
    assert proof.proved is not is_forged, proof.reasons
    assert count <= 2
    assert [reason.problem for reason in proof.reasons if reason.blocks] == (["blind"] if is_forged else [])


@pytest.mark.req("judge.proof.blind")
@pytest.mark.parametrize("name", FORGERIES)
def test_a_check_that_was_blinded_proves_nothing(root: Path, scratch: Scratch, home: Home, name: str):
    kit, deeds = FORGERIES[name]
    proof, count = see(root, scratch, home, kit, kit.files, deeds)
    assert proof.proved is False
    assert "blind" in [reason.problem for reason in proof.reasons], proof.reasons
    assert count <= 4


RED_SHELL = MAKE.files | {
    "tests/run.sh": "set -e\n. ./shop.sh\nfor file in ${1:-tests/test_*.sh}; do . ./$file; done\nexit 0\n",
    "tests/test_total.sh": '[ "$(total 7)" -eq 7 ] || exit 1\nfor n in 1 2; do\n'
    '  [ "$(total $n)" -eq $n ] || exit 1\ndone\n',
    "tests/test_discount.sh": '[ "$(discount 100 10)" -eq 90 ]\n',
    "tests/lib.sh": "# nobody runs this\n",
}
BY_OUTPUT = MAKE.files | {
    "tests/run.sh": "for file in tests/test_*.sh; do sh $file >> out.log; done\n! grep -q bad out.log\n",
    "tests/test_total.sh": '. ./shop.sh\n[ "$(total 7)" -eq 7 ] || echo bad\nexit 0\n',
    "tests/test_discount.sh": '. ./shop.sh\n[ "$(discount 100 10)" -eq 90 ] || echo bad\nexit 0\n',
}
GO_MAIN = Write("cmd/shop/main.go", 'package main\n\nimport "os"\n\nfunc main() {\n\tos.Exit(len(os.Args) - 1)\n}\n')
RUST_MAIN = Write("src/main.rs", "fn main() {\n    std::process::exit(shop::total(&[0]) as i32);\n}\n")
NODE_MAIN = Edit("src/shop.js", "export function discount(",
                 "export function main() {\n  process.exit(total([]));\n}\n\nexport function discount(")  # fmt: skip
PY_MAIN = Edit(
    "shop.py", "def total(prices):", "import sys\n\n\ndef main():\n    sys.exit(total([]))\n\n\ndef total(prices):"
)
HONEST: dict[str, tuple[Kit, dict[str, str], tuple[Deed, ...], int]] = {
    "Rust with a program": (RUST, RUST.files, (*RUST.mend, RUST_MAIN), 1),
    "Go with a program": (GO, GO.files, (*GO.mend, GO_MAIN), 1),
    "Node with a program": (NODE, NODE.files, (*NODE.mend, NODE_MAIN), 1),
    "pytest with a program": (PYTEST, PYTEST.files, (*PYTEST.mend, PY_MAIN), 1),
    "unittest with a program": (UNITTEST, UNITTEST.files, (*UNITTEST.mend, PY_MAIN), 1),
    "nothing that ends a process": (RUST, RUST.files, RUST.mend, 0),
    "scripts that go on after a failure": (MAKE, MAKE.files, MAKE.mend, 2),
    "scripts that stop at the first failure": (MAKE, RED_SHELL, MAKE.mend, 3),
    "scripts that fail by what they print": (MAKE, BY_OUTPUT, MAKE.mend, 2),
}


@pytest.mark.req("judge.proof.blind")
@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_proved_and_costs_few_runs(root: Path, scratch: Scratch, home: Home, name: str):
    kit, files, deeds, runs = HONEST[name]
    proof, count = see(root, scratch, home, kit, files, deeds)
    assert proof.proved is True, proof.reasons
    assert count == runs


@pytest.mark.parametrize(
    ("path", "line", "may"),
    [
        ("src/lib.rs", "unsafe { libc::_exit(0) }", True),
        ("shop.go", "syscall.RawSyscall(231, 0, 0, 0)", True),
        ("src/shop.js", "process['ex' + 'it'](0)", True),
        ("shop.py", "getattr(os, '_ex' + 'it')(0)", True),
        ("shop.so", "\0", True),
        ("shop.py", "return sum(prices)", False),
        ("tests/test_total.py", "sys.exit()", False),
    ],
)
def test_only_code_that_may_end_a_run_costs_one_more(tmp_path: Path, path: str, line: str, may: bool):
    trees = [write(tmp_path / name, {path: text}) for name, text in (("base", "was\n"), ("final", f"was\n{line}\n"))]
    assert may_end_run(*(FolderTree(str(folder)) for folder in trees)) is may
