"""Failing tests that MI plants among a project's own: a check that stays green over them has been blinded.

Code under test may narrow what a script runs, swallow failures, or write the report itself and end the process.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterator

from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.proof.results import TestResults
from mi.project.trees import ComposedTree, Tree

# Words by which code ends its process or reaches under its runner: what may forge a report, in any language.
_ENDS_PROCESS = re.compile(
    r"exit|exec|abort|syscall|\basm\b|\blibc\b|\bextern\b|\bunsafe\b|linkname|ctypes|\bcffi\b|\bgc\b|_getframe|getattr"
    r"|globals|sys\.modules|importlib|__import__|\beval\b|Function\(|Reflect|binding|process\s*\[|os\.kill|/proc/|dlopen"
    r"|\bsignal\b|atexit|trap\b",
    re.IGNORECASE,
)
_OWN_FAILURE = re.compile(
    r"^(?P<indent>[ \t]*)(?!(?:if|elif|while|until|for|case|then|do|else|\}|\)|#)\b)"
    r"(?P<wanted>[^\s#|](?:[^\n#]*?[^\s#])?)"
    r"[ \t]*\|\|[ \t]*+(?P<act>(?!true\b|:|return 0|continue|exit 0|\||\\)[^\n|&\\]+)$",
    re.MULTILINE,
)
_ENDS_ITSELF = re.compile(r"exit|return|quit|abort|exec\b|trap\b", re.IGNORECASE)
_SHELL = ("sh", "bash")
_NODE = ("js", "cjs", "mjs")
PLANTED = "planted"  # the name of a run in which tests were made to fail

Writer = Callable[[str, str], str]  # the text of a test file and a mark → the text with a test of that name that fails


class Planted(NamedTuple):
    """A tree with tests that fail; by the mark in a test's name, the file that it stands for."""

    tree: Tree
    marks: dict[str, str]

    def noticed(self, results: TestResults) -> set[str]:
        """Return the files whose planted test was reported as failed, or which were run where no test has a name."""
        told = " ".join((*results.failed, *results.ran))
        return {path for mark, path in self.marks.items() if mark in told}


def may_end_run(base: Tree, final: Tree) -> bool:
    """Return whether code that came can end the process it runs in, or reach what reports on it."""
    for path in final.changed_since(base):
        if judge_kind(path) not in ("", "inline"):
            continue
        before = set((base.read(path) or b"").splitlines())
        came = [line for line in (final.read(path) or b"").splitlines() if line not in before]
        text = b"\n".join(came)
        if b"\0" in text or _ENDS_PROCESS.search(text.decode("utf-8", "replace")):
            return True
    return False


def find_blind(
    base: Tree,
    final: Tree,
    before: TestResults,
    now: TestResults,
    folder: str,
    run: Callable[[Tree], TestResults],
) -> list[str]:
    """Return the test files whose failure the check noticed at the base and does not notice now.

    `before` and `now` are its own results. Of a check whose tests have names this is tried only where code came that
    may end the run; of one that has only an exit code, always. The base is run only where something went unnoticed.
    """
    if now.source == "report":
        if not may_end_run(base, final):
            return []
        return _unnoticed(lambda tree, seen: plant_failures(tree, seen, folder), (base, before), (final, now), run)
    failing = plant_failing_scripts(final, folder)
    if failing.marks and run(failing.tree).exit_code == 0:
        was = plant_failing_scripts(base, folder)
        if before.exit_code or run(was.tree).exit_code:
            return sorted(failing.marks.values())
    kinds = (*_SHELL, *_NODE, "py") if may_end_run(base, final) else _SHELL
    marked = plant_marks(final, folder, kinds)
    told = run(marked.tree) if marked.marks else now
    if not marked.marks or told.exit_code:
        return []  # nothing to mark, or the marks themselves were in the way
    if cut_short := _cut_short(marked, final, told):
        return cut_short
    missing = set(marked.marks.values()) - marked.noticed(told)
    was = plant_marks(base, folder, kinds)
    return sorted(missing & was.noticed(run(was.tree))) if missing else []


def _cut_short(planted: Planted, tree: Tree, results: TestResults) -> list[str]:
    """Return the test scripts that began and never came to their end, though the check is green and none ends itself.

    Whoever ended them is the code under test.
    """
    cut = [path for mark, path in planted.marks.items() if mark in results.ran and f"{mark}-end" not in results.ran]
    itself = any(_ENDS_ITSELF.search(_read(tree, path)) for path in planted.marks.values())
    return [] if itself else sorted(cut)


def _unnoticed(
    plant: Callable[[Tree, TestResults], Planted],
    base: tuple[Tree, TestResults],
    final: tuple[Tree, TestResults],
    run: Callable[[Tree], TestResults],
) -> list[str]:
    planted = plant(*final)
    missing = set(planted.marks.values()) - planted.noticed(run(planted.tree)) if planted.marks else set()
    if not missing:
        return []
    was = plant(*base)
    return sorted(missing & was.noticed(run(was.tree)))


def plant_failures(tree: Tree, results: TestResults, folder: str) -> Planted:
    """Return a tree in which each file of tests, or package of them, has one more test, which fails."""
    ran = {os.path.normpath(os.path.join(folder, test.partition("::")[0])) for test in results.outcomes}
    packages: set[str] = set()
    made: list[tuple[str, str, Writer]] = []  # the file it stands for, the file that is written, and how
    for path in _below(tree, folder):
        end, place = extension(path), os.path.dirname(path)
        if path.endswith("_test.go") and place not in packages:
            packages.add(place)
            made.append((path, os.path.join(place, "zz_planted_test.go"), _go(_read(tree, path))))
        elif end == "rs" and re.search(r"(?:^|/)(?:tests/[^/]+|src/(?:lib|main))\.rs$", path):
            made.append((path, path, _rust))
        elif path in ran and end == "py":
            made.append((path, path, _python))
        elif path in ran and end in ("js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx"):
            made.append((path, path, _javascript))
    return _write(tree, made)


def plant_marks(tree: Tree, folder: str, kinds: tuple[str, ...]) -> Planted:
    """Return a tree whose test scripts of some kinds tell that they began and that they came to their end."""
    return _write(tree, [(path, path, _marking(extension(path))) for path in _scripts(tree, folder, kinds)])


def plant_failing_scripts(tree: Tree, folder: str) -> Planted:
    """Return a tree whose shell scripts of tests fail by their own words; without marks where none has such words."""
    scripts = [path for path in _scripts(tree, folder, _SHELL) if _OWN_FAILURE.search(_read(tree, path))]
    return _write(tree, [(path, path, _failing_shell) for path in scripts])


def _scripts(tree: Tree, folder: str, kinds: tuple[str, ...]) -> list[str]:
    return [
        path for path in _below(tree, folder) if extension(path) in kinds and judge_kind(path) in ("code", "recipe")
    ]


def _marking(end: str) -> Writer:
    return _marked_shell if end in _SHELL else _marked_python if end == "py" else _marked_node


def _below(tree: Tree, folder: str) -> Iterator[str]:
    start = f"{folder}/" if folder else ""
    yield from (path for path in sorted(tree.paths()) if path.startswith(start))


def _read(tree: Tree, path: str) -> str:
    return (tree.read(path) or b"").decode("utf-8", "surrogateescape")


def _write(tree: Tree, made: list[tuple[str, str, Writer]]) -> Planted:
    replaced: dict[str, bytes | None] = {}
    marks: dict[str, str] = {}
    for stands_for, path, write in made:
        mark = f"mi{secrets.token_hex(6)}"
        marks[mark] = stands_for
        replaced[path] = write(_read(tree, path), mark).encode("utf-8", "surrogateescape")
    return Planted(ComposedTree(tree, replaced), marks)


def _go(beside: str) -> Writer:
    package = re.search(r"^package\s+(\w+)", beside, re.MULTILINE)
    name = package[1] if package else "main"
    return lambda text, mark: (
        f'package {name}\n\nimport "testing"\n\nfunc Test_{mark}(t *testing.T) {{ t.Fatal("planted") }}\n'
    )


def _rust(text: str, mark: str) -> str:
    return (
        f'{text}\n#[cfg(test)]\nmod {mark} {{\n    #[test]\n    fn fails() {{\n        panic!("planted");\n    }}\n}}\n'
    )


def _python(text: str, mark: str) -> str:
    return (
        f"{text}\n\nimport unittest as {mark}_unittest\n\n\nclass Test{mark}({mark}_unittest.TestCase):\n"
        f'    def test_{mark}(self):\n        raise AssertionError("planted")\n'
    )


def _javascript(text: str, mark: str) -> str:
    if "vitest" in text:
        return f'{text}\nimport {{ test as {mark} }} from "vitest";\n{mark}("{mark}", () => {{ throw Error(); }});\n'
    known = (
        "process.getBuiltinModule('node:test').test"
        if "node:test" in text
        else "(globalThis['test'] || globalThis['it'])"
    )
    return f'{text}\n;{known}("{mark}", () => {{ throw Error("planted"); }});\n'


def _marked_shell(text: str, mark: str) -> str:
    tell = '{{ echo >>"${{MI_REPORT_TO-}}/ran-{}"; }} 2>/dev/null || true'
    return _with_ends(text, f"{tell.format(mark)}; ", tell.format(f"{mark}-end"))


def _marked_python(text: str, mark: str) -> str:
    tell = f"import os as {mark}; open({mark}.environ['MI_REPORT_TO'] + '/ran-{{}}', 'a').close()"
    if "__future__" in text:  # has to stand first
        return text
    return _with_ends(text, f"{tell.format(mark)}\n", tell.format(f"{mark}-end"))


def _marked_node(text: str, mark: str) -> str:
    tell = ";process.getBuiltinModule('node:fs').writeFileSync(process.env.MI_REPORT_TO + '/ran-{}', '');"
    return _with_ends(text, tell.format(mark), tell.format(f"{mark}-end"))


def _with_ends(text: str, first: str, last: str) -> str:
    """Return a script with words at its begin, after a line that names its interpreter, and a line at its end."""
    head, end, rest = text.partition("\n") if text.startswith("#") else ("", "", text)
    return f"{head}{end}{first}{rest}\n{last}\n"


def _failing_shell(text: str, mark: str) -> str:
    """Return a script of which every `wanted || failure` goes the way of the failure, after what was wanted ran."""
    return _OWN_FAILURE.sub(r"\g<indent>{ \g<wanted>; false; } || \g<act>", text)
