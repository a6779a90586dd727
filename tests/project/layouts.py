"""Projects in miniature, as public ones are laid out: which check a change needs, and which typed commands are it."""

import json
from pathlib import Path
from typing import NamedTuple


class Layout(NamedTuple):
    """Files of a project; a change in it, the checks it needs, and commands by what they show of it."""

    files: dict[str, str]
    changed: list[str]
    needed: list[str]
    covers: list[str]  # each covers the whole change
    partial: list[str] = []  # a part of the tests
    other: list[str] = []  # something else: another package, another language, no test at all


def scripts(**named: str) -> str:
    return json.dumps({"scripts": named})


TEST_PY = "def test_a(): ...\n"
LAYOUTS: dict[str, Layout] = {
    "a Python package with pytest": Layout(
        {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n", "src/a.py": "", "tests/test_a.py": TEST_PY}
        | {"tests/unit/test_b.py": TEST_PY},
        ["src/a.py"],
        ["pytest"],
        ["pytest", "python -m pytest -q", "pytest tests", "cd tests && pytest", "pytest -n 4 --cov src", "pytest -x ."],
        [
            *("pytest -k a", "pytest -ka", "pytest -xk a", "pytest -m 'not slow'", "pytest -m=slow", "pytest --lf"),
            *(
                "pytest tests/test_a.py",
                "pytest tests/test_a.py::test_a",
                "pytest tests/unit",
                "cd tests/unit && pytest",
            ),
            *("pytest --deselect tests/test_a.py::test_a", "pytest --ignore=tests/unit", "pytest --last-failed"),
        ],
        ["ruff check"],
    ),
    "one file with one test": Layout(
        {"calc.py": "", "test_calc.py": "import unittest\n"},
        ["calc.py"],
        ["python -m unittest"],
        [
            "python3 -m unittest -q",
            "python -m unittest test_calc",
            "python -m unittest discover",
            "pytest test_calc.py",
        ],
        ["python -m unittest test_calc.T", "python -m unittest -k add", "python -m unittest discover -p 'x_*'"],
    ),
    "halves of one root": Layout(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "package.json": scripts(test="jest", build="tsc", lint="eslint ."),
            "tests/test_a.py": TEST_PY,
            "app.py": "",
            "src/a.ts": "",
            "src/a.test.ts": "",
        },
        ["src/a.ts"],
        ["npm test"],
        ["npm test", "npm run test", "npm test -- --ci", "yarn test", "npx jest"],
        ["npm test -- src/x.test.ts", "npm test -- -t adds", "npm test -- --changedSince=main", "npx jest -t=a"],
        ["pytest", "npm run build", "npm run lint", "npx tsc --noEmit"],
    ),
    "both halves changed": Layout(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "package.json": scripts(test="vitest run"),
            "Makefile": "test:\n\tpytest\n\tnpm test\n",
            "tests/test_a.py": TEST_PY,
            "src/a.test.ts": "",
        },
        ["app.py", "src/a.ts"],
        ["make test"],
        ["make test", "make -s test", "pytest && npm test"],
        ["make test ARGS='-k a'", "make test TESTS=tests/test_a.py"],
        ["pytest", "npm test"],
    ),
    "Go with packages": Layout(
        {"go.mod": "module x\n", "a.go": "", "a_test.go": "", "sub/b.go": "", "sub/b_test.go": ""},
        ["sub/b.go"],
        ["go test ./..."],
        ["go test ./...", "go test -count=1 -race ./...", "gotestsum ./...", "go test . ./sub"],
        ["go test", "go test ./sub", "go test -run A ./...", "go test -run=A ./...", "go test --run=A ./..."],
        ["go vet ./...", "go build ./..."],
    ),
    "Go modules of a work space": Layout(
        {"go.work": "use ./a\nuse ./b\n", "a/go.mod": "", "a/a_test.go": "", "b/go.mod": "", "b/b_test.go": ""},
        ["a/a.go"],
        ["cd a && go test ./..."],
        ["cd a && go test ./...", "go test ./a/...", "go test ./a/... ./b/..."],
        ["cd a && go test -run=X ./..."],
        ["cd b && go test ./...", "go test ./b/..."],
    ),
    "a workspace of crates": Layout(
        {
            "Cargo.toml": '[workspace]\nmembers = ["one", "two"]\n',
            "one/Cargo.toml": "[package]\n",
            "one/src/lib.rs": "#[test]\nfn t() {}\n",
            "two/Cargo.toml": "[package]\n",
            "two/src/lib.rs": "#[test]\nfn t() {}\n",
        },
        ["one/src/lib.rs"],
        ["cd one && cargo test"],
        [
            "cargo test",
            "cargo test --workspace",
            "cd one && cargo test",
            "cargo nextest run",
            "cargo test --all-features",
        ],
        [
            "cargo test -p one",
            "cargo test --package=one",
            "cargo test adds",
            "cargo test --lib",
            "cargo nextest run -E x",
        ],
        ["cd two && cargo test", "cargo build", "cargo clippy", "cargo check"],
    ),
}


def build(layout: Layout, place: Path) -> str:
    """Write a project's files; return its root."""
    for name, content in layout.files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content, "utf-8")
    return str(place)
