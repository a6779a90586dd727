"""The checks a project has, and which commands are one."""

import json
from pathlib import Path

import pytest

from mi.project.checks import Check, detect, is_check

PYTEST = [
    Check("test", ("pytest",), "x"),
    Check("test", ("python", "-m", "pytest"), "x"),
    Check("test", ("make", "test"), "x"),
    Check("test", ("npm", "test"), "x"),
]

PROJECTS: list[tuple[dict[str, str], set[str]]] = [
    ({}, set()),
    ({"pytest.ini": ""}, {"pytest", "python -m pytest"}),
    ({"tests/test_a.py": ""}, {"pytest", "python -m pytest", "python -m unittest"}),
    ({"test_a.py": ""}, {"pytest", "python -m pytest", "python -m unittest"}),
    (
        {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n"},
        {"pytest", "python -m pytest", "ruff check", "python -m ruff check", "mypy", "python -m mypy"},
    ),
    ({"pyproject.toml": "not toml ["}, set()),
    (
        {"package.json": json.dumps({"scripts": {"test": "jest", "lint": "x", "start": "y"}})},
        {"npm test", "npm run test", "npm run lint"},
    ),
    ({"package.json": json.dumps({"scripts": {"test": "x"}}), "pnpm-lock.yaml": ""}, {"pnpm test", "pnpm run test"}),
    ({"package.json": json.dumps({"scripts": {"test": "x"}}), "yarn.lock": ""}, {"yarn test", "yarn run test"}),
    ({"package.json": json.dumps({"devDependencies": {"eslint": "9", "typescript": "5"}})}, {"npx eslint", "npx tsc"}),
    ({"package.json": "{broken"}, set()),
    ({"package.json": "[]"}, set()),
    ({"Cargo.toml": ""}, {"cargo test", "cargo build", "cargo check", "cargo clippy"}),
    ({"go.mod": ""}, {"go test", "go build", "go vet"}),
    ({"Makefile": "test: x\n\techo\nlint:\nVAR := test\nother:\n"}, {"make test", "make lint"}),
    ({"justfile": "test arg='x':\n  echo\n"}, {"just test"}),
    ({"manage.py": ""}, {"python manage.py test"}),
]


@pytest.mark.parametrize(("files", "expected"), PROJECTS)
def test_checks_are_found_from_the_files_at_the_root(tmp_path: Path, files: dict[str, str], expected: set[str]) -> None:
    for name, content in files.items():
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).write_text(content, "utf-8")
    assert {check.text for check in detect(str(tmp_path / "project"))} == expected


ARE = [
    "pytest",
    "pytest -q tests/test_a.py",
    "python -m pytest",
    "python3 -m pytest -x",
    "/repo/.venv/bin/python -m pytest",
    ".venv/bin/pytest",
    "bash -lc 'cd sub && pytest'",
    "env X=1 timeout 60 pytest",
    "uv run pytest",
    "poetry run pytest -q",
    "make build && pytest",
    "set -o pipefail; pytest | tail -5",
    "pytest > log 2>&1",
    "cat file | pytest",
    "pytest -q -p no:cacheprovider -k add",
    "python -m pytest -m slow",
    "PYTHONPATH=src pytest",
    "make test",
    "make test ARGS=-v",
    "make test -j4",
    "npm test -- --ci",
]
ARE_NOT = [
    "echo pytest",
    'echo "12 passed"',
    "pytest | tail -5",
    "pytest; true",
    "pytest || true",
    "pip install pytest",
    "grep pytest setup.cfg",
    "cat pytest.ini",
    "PYTEST_ADDOPTS=--co pytest",
    "export PYTEST_ADDOPTS=--co; pytest",
    "MAKEFLAGS=-n make test",
    "pytest -c other.ini",
    "pytest -o addopts=--co",
    "python -m pytest -p bent_plugin",
    "make test -n",
    "make test -i",
    "make test -f other.mk",
    "make test -C other",
    "make test SHELL=/bin/true",
    "make test PYTHON=true",
    "make test PYTHON='echo x'",
    "npm test --prefix other",
    "npm test -- --passWithNoTests",
    "",
]


@pytest.mark.parametrize("command", ARE)
def test_a_command_whose_exit_code_is_the_checks_is_a_check(command: str) -> None:
    assert is_check(command, PYTEST)


@pytest.mark.parametrize("command", ARE_NOT)
def test_a_command_that_hides_or_only_names_the_check_is_none(command: str) -> None:
    assert is_check(command, PYTEST) is None
