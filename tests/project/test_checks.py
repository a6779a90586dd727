"""The checks a project has, and which commands are one."""

import json
from pathlib import Path

import pytest

from mi.project.checks.outcome import could_not_start, ran_nothing
from mi.project.checks.recognition import Check, detect, is_check, ran_check

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
        {"npm test", "npm run test", "npm run lint", "npx jest"},
    ),
    ({"package.json": json.dumps({"scripts": {"test": "x"}}), "pnpm-lock.yaml": ""}, {"pnpm test", "pnpm run test"}),
    ({"package.json": json.dumps({"scripts": {"test": "x"}}), "yarn.lock": ""}, {"yarn test", "yarn run test"}),
    ({"package.json": json.dumps({"devDependencies": {"eslint": "9", "typescript": "5"}})}, {"npx eslint", "npx tsc"}),
    ({"package.json": "{broken"}, set()),
    ({"package.json": "[]"}, set()),
    ({"Cargo.toml": ""}, {"cargo test", "cargo build", "cargo check", "cargo clippy"}),
    ({"go.mod": ""}, {"go test ./...", "go test", "go build ./...", "go build", "go vet"}),
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
    "make -k test",
    "make --keep-going -Otarget test",
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


PYTHON = {
    "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n",
    "tests/test_a.py": "",
    "tox.ini": "",
    "noxfile.py": "",
    "Makefile": "test:\n\tpytest\n",
    ".venv/bin/activate": "deactivate () {\n}\nVIRTUAL_ENV=x\n",
    ".venv/bin/pytest": "#!/x/bin/python\nfrom pytest import console_main\n",
    "bent/bin/activate": "pytest () {\n  true\n}\nVIRTUAL_ENV=x\n",
    "bent/bin/pytest": "#!/bin/sh\nexit 0\n",
    "bent/Makefile": "all:\n",
}
SCRIPTS = json.dumps({"scripts": {"test": "jest", "lint": "eslint ."}, "devDependencies": {"jest": "1", "vitest": "1"}})
KINDS: dict[str, dict[str, str]] = {
    "python": PYTHON,
    "node": {"package.json": SCRIPTS, "node_modules/.bin/jest": "#!/usr/bin/env node\n"},
    "go": {"go.mod": ""},
    "rust": {"Cargo.toml": ""},
    "maven": {"pom.xml": "", "mvnw": "#!/bin/sh\nexec java x\n"},
    "gradle": {"build.gradle": "", "gradlew": "#!/bin/sh\nexec java x\n"},
    "ruby": {"Gemfile": "", "Rakefile": "", "config.ru": "", "bin/rails": "#!/usr/bin/env ruby\n"},
    "cmake": {"CMakeLists.txt": "", "Makefile": "all:\n\tcc x.c\n"},
    "folders": {
        "web/package.json": SCRIPTS,
        "api/pyproject.toml": "[tool.pytest.ini_options]\n",
        "api/Makefile": "test:\n",
    },
    "deep": {"src/pkg/tests/test_a.py": "", "scripts/test.sh": ""},
}
HONEST: dict[str, list[str]] = {
    "python": [
        *("pytest --rootdir=. -q", "cd tests && pytest --rootdir .. ..", "pytest --rootdir ./"),
        *("pytest", "py.test -q", "uv run pytest -q", "uv run --extra dev python -m pytest", "poetry run pytest"),
        *("source .venv/bin/activate && pytest", ". .venv/bin/activate; python -m pytest -q", ".venv/bin/pytest -q"),
        *("python -m tox", "tox -e py311", "nox -s tests", "coverage run -m pytest", "python3 -X dev -m pytest"),
        *(
            "make -s -j4 test",
            "make -C . test",
            "make -j2 lint test",
            "cd tests && pytest -q",
            "bash -lc 'cd tests && pytest -q'",
        ),
        *("export CI=1 && pytest", "set -e; pytest; echo done", "bash -o pipefail -c 'pytest | tee log'"),
        *("PYTHONPATH=src:. pytest", 'export PATH="$HOME/.local/bin:$PATH" && pytest', "python -m unittest"),
        *('cd "$(git rev-parse --show-toplevel)" && pytest', "pytest &&\n  echo ok", "ruff check . && pytest"),
    ],
    "node": [
        *("npm t", "npm run -s test", "npm --silent test", "pnpm test", "yarn test", "yarn jest", "pnpm exec jest"),
        *("npx --yes jest --ci", "npx vitest --run", "node_modules/.bin/jest", "npm run lint", "npm ci && npm test"),
        *("CI=1 npm run test -- src/a.test.js", "NODE_OPTIONS=--experimental-vm-modules npx jest"),
    ],
    "go": ["go test ./...", "gotestsum ./...", "export PATH=$PATH:/usr/local/go/bin && go test -count=1 ./..."],
    "rust": ["cargo test --all", "cargo nextest run", "cargo +nightly test", "RUST_BACKTRACE=1 cargo clippy"],
    "maven": ["mvn -q test", "mvn -B clean verify", "./mvnw package", "mvn -Dtest=FooTest test"],
    "gradle": ["./gradlew clean test", "gradle :app:test", "./gradlew --no-daemon check", "gradle build"],
    "ruby": ["bundle exec rspec", "rspec", "bundle exec rake", "bin/rails test"],
    "cmake": ["cmake --build b && ctest --test-dir b", "make"],
    "folders": [
        "cd web && npm test",
        "npm --prefix web test",
        "cd api && pytest",
        "pytest api",
        "make -C api test",
        "npm test",
    ],
    "deep": ["pytest", "python -m unittest discover", "./scripts/test.sh", "bash scripts/test.sh"],
}
TRICKY: dict[str, list[str]] = {
    "python": [
        *("pytest --rootdir=tests", "pytest --rootdir /tmp", "cd tests && pytest --rootdir . .."),
        *("cd /tmp && pytest", "cd .. && pytest", "pushd /tmp && pytest", "(cd /; pytest)", "env -C /tmp pytest"),
        *("pytest /tmp/mine/test_x.py", "PATH=/tmp/mine:$PATH pytest", "PYTHONPATH=/tmp/mine python -m pytest"),
        *("bent/bin/pytest", "source bent/bin/activate && pytest", "source setup.sh && pytest", "gone/bin/pytest"),
        *("set +o pipefail; pytest | cat", "pytest | cat && set -o pipefail", "(set -o pipefail); pytest | cat"),
        *("ssh host pytest", "tox --notest", "tox -l", "nox -l", "nox -f mine.py", "ruff check --exit-zero"),
        *("pytest --setup-plan", "uv run --help pytest", "cd bent && make test", "make -C bent test", "cd - && pytest"),
        *("make -n test", "make -t test", "set -e; pytest && true; echo done"),
    ],
    "node": [
        *("npx jest --passWithNoTests", "npx vitest list", "npx --package=mine jest", "npm test --if-present"),
        *(
            "cd /tmp && npm test",
            "NODE_OPTIONS='--require /tmp/x.js' npx jest",
            "npm_config_script_shell=true npm test",
        ),
        *("npm run", "npm install jest", "npx jest --config /tmp/x.js"),
    ],
    "go": [
        "go test -exec true ./...",
        "go test -c",
        "go test -list . ./...",
        "GOFLAGS=-run=None go test ./...",
        "go version",
    ],
    "rust": ["cargo test --no-run", "cargo test -- --list", "cargo test --config x", "cargo --version"],
    "maven": ["mvn test -DskipTests", "mvn verify -Dmaven.test.failure.ignore=true", "mvn test -fn", "mvn compile"],
    "gradle": ["gradle test -x test", "gradle test -m", "gradle build -x test", "gradle tasks"],
    "folders": ["cd api && npm test", "make -C web test"],
}


def project_of(tmp_path: Path, kind: str) -> str:
    for name, content in KINDS[kind].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    return str(tmp_path)


@pytest.mark.parametrize("kind", HONEST)
@pytest.mark.req("mi.check.argv-runner", "mi.check.pipeline-last")
def test_a_check_is_known_in_all_its_usual_spellings(tmp_path: Path, kind: str) -> None:
    root = project_of(tmp_path, kind)
    checks = detect(root)
    assert [command for command in HONEST[kind] if not is_check(command, checks, root)] == []


@pytest.mark.parametrize("kind", TRICKY)
@pytest.mark.req("mi.check.argv-runner", "mi.check.pipeline-last", "mi.check.echo-no-check")
def test_a_check_elsewhere_or_with_another_program_is_none(tmp_path: Path, kind: str) -> None:
    root = project_of(tmp_path, kind)
    checks = detect(root)
    assert [command for command in TRICKY[kind] if is_check(command, checks, root)] == []


def test_a_program_that_the_agent_wrote_itself_is_no_check(tmp_path: Path) -> None:
    root = project_of(tmp_path, "python")
    own = frozenset([".venv/bin/pytest"])
    assert ran_check(".venv/bin/pytest", detect(root), root)
    assert ran_check(".venv/bin/pytest", detect(root), root, own) is None


def test_a_check_of_a_folder_is_said_with_the_way_there(tmp_path: Path) -> None:
    checks = detect(project_of(tmp_path, "folders"))
    assert "cd web && npm test" in [check.command for check in checks]


NOTHING_RAN = [
    "Ran 0 tests in 0.000s\n\nOK",
    "?   \texample.com/a\t[no test files]",
    "ok  \texample.com/a\t0.003s [no tests to run]",
    "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored",
    "No tests found, exiting with code 0",
    "No test files found, exiting with code 0",
    "\n  0 passing (1ms)\n",
    "0 examples, 0 failures",
    "# tests 0\n# pass 0",
    "[INFO] Tests are skipped.",
    "> Task :test NO-SOURCE",
    "====== 3 skipped in 0.01s ======",
    "make: 'test' is up to date.",
    "make[1]: Nothing to be done for 'check'.",
]
SOMETHING_RAN = [
    "Ran 2 tests in 0.000s\n\nOK",
    "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.003s",
    "running 0 tests\nrunning 3 tests\ntest result: ok. 3 passed",
    "====== 1 passed, 3 skipped in 0.01s ======",
    "  4 passing (3ms)",
    "make[1]: Nothing to be done for 'all'.\nRan 2 tests in 0.000s\n\nOK",
    "make: 'test' is up to date, says the README",
    "",
]


@pytest.mark.parametrize("output", NOTHING_RAN)
def test_a_run_of_no_tests_shows_nothing(output: str) -> None:
    assert ran_nothing(output)


@pytest.mark.parametrize("output", SOMETHING_RAN)
def test_a_run_of_some_tests_shows_something(output: str) -> None:
    assert not ran_nothing(output)


@pytest.mark.parametrize(
    ("files", "first"),
    [
        ({"test_a.py": "import unittest\n"}, "python -m unittest"),
        ({"tests/test_a.py": "import unittest\n"}, "python -m unittest discover -s tests"),
        ({"tests/test_a.py": "import unittest\n", "tests/__init__.py": ""}, "python -m unittest"),
        ({"test_a.py": "import pytest\n"}, "pytest"),
        ({"test_a.py": "def test_a(): ...\n"}, "pytest"),
        ({"test_a.py": "import unittest\n", "pytest.ini": ""}, "pytest"),
    ],
)
def test_what_the_tests_are_written_for_comes_first(tmp_path: Path, files: dict[str, str], first: str) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    assert detect(str(tmp_path))[0].text == first


@pytest.mark.parametrize(
    ("code", "output", "expected"),
    [
        (127, "sh: 1: tox: not found", True),
        (2, "/bin/sh: 1: tox: not found\nmake: *** [Makefile:2: test] Error 127\n", True),
        (2, "gmake[1]: *** [Makefile:9: unit] Error 127\ngmake: *** [Makefile:2: test] Error 2\n", True),
        (127, "error: Recipe `test` failed on line 2 with exit code 127\n", True),
        (201, 'task: Failed to run task "test": exit status 127', True),
        (2, "FAILED test_calc.py\nmake: *** [Makefile:2: test] Error 1\n", False),
        (2, "AssertionError: Error 127\nmake: *** [Makefile:2: test] Error 1\n", False),
        (0, "make: *** [Makefile:2: test] Error 127\n", False),
    ],
)
@pytest.mark.req("judge.proof.bad-input")
def test_a_missing_program_is_told_apart_from_a_failure_also_inside_of_a_recipe(
    code: int, output: str, expected: bool
) -> None:
    assert could_not_start(code, output) is expected
