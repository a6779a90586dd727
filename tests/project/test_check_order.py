"""Which command is asked for: the one that the project's people would type."""

import json
from pathlib import Path

import pytest

from mi.kernel.notices import Notices
from mi.project.checks.coverage import ProjectChecks
from mi.project.checks.own import read_own
from tests.project.layouts import Layout, build

TESTED = {"pyproject.toml": "[tool.pytest.ini_options]\n", "a.py": "", "tests/test_a.py": "def test_a(): ...\n"}
NODE = {"package.json": json.dumps({"scripts": {"test": "jest"}}), "a.js": "", "a.test.js": ""}
MAKE = {"Makefile": "test:\n\tpytest\n"}
CI = {
    ".github/workflows/ci.yml": "jobs:\n  t:\n    steps:\n      - uses: x\n      - run: |\n          pip install -e .\n"
    "          python -m pytest -ra\n      - run: ruff check .\n"
}
GITLAB = {".gitlab-ci.yml": "unit:\n  script:\n    - pip install .\n    - pytest -ra\n"}
AGENTS = {"AGENTS.md": "# Work\nOne test: `pytest tests/test_a.py::test_a`. All: `uv run pytest -q`.\n"}
BLOCK = {"CONTRIBUTING.md": "Run\n```sh\n$ pip install -e .\n$ pytest -q --strict-markers\n```\nand `make docs`.\n"}
OWN = {".mi/checks.toml": '[[check]]\ncommand = "sh ci.sh"\n', "ci.sh": "pytest\n"}

ORDER: list[tuple[str, dict[str, str], str]] = [
    ("a.py", TESTED, "pytest"),
    ("a.py", TESTED | {".venv/bin/python": ""}, ".venv/bin/python -m pytest"),
    ("a.py", TESTED | {"uv.lock": "", ".venv/bin/python": ""}, "uv run pytest"),
    ("a.py", TESTED | {"poetry.lock": ""}, "poetry run pytest"),
    ("a.py", TESTED | {"pdm.lock": ""}, "pdm run pytest"),
    ("a.py", TESTED | {"uv.lock": ""} | MAKE, "make test"),
    ("a.py", TESTED | {"Makefile": "test:\n\truff check .\n"}, "pytest"),
    ("a.py", TESTED | {"tox.ini": "[testenv]\ncommands = pytest\n"}, "tox"),
    ("a.py", TESTED | MAKE | CI, "python -m pytest -ra"),
    ("a.py", TESTED | MAKE | GITLAB, "pytest -ra"),
    ("a.py", TESTED | MAKE | CI | AGENTS, "uv run pytest -q"),
    ("a.py", TESTED | MAKE | BLOCK, "pytest -q --strict-markers"),
    ("a.py", TESTED | MAKE | CI | AGENTS | OWN, "sh ci.sh"),
    ("a.js", NODE, "npm test"),
    ("a.js", NODE | {"pnpm-lock.yaml": ""}, "pnpm test"),
    ("a.js", NODE | {"yarn.lock": ""}, "yarn test"),
    ("a.js", NODE | {"bun.lock": ""}, "bun run test"),
    ("web/a.js", {"pnpm-lock.yaml": "", **{f"web/{name}": text for name, text in NODE.items()}}, "cd web && pnpm test"),
    ("a.js", NODE | {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, ""),
]


@pytest.mark.req("judge.order.maintainers")
@pytest.mark.parametrize(("changed", "files", "first"), ORDER)
def test_the_command_that_maintainers_would_type_comes_first(
    tmp_path: Path, changed: str, files: dict[str, str], first: str
) -> None:
    root = build(Layout(files, [], [], []), tmp_path)
    project = ProjectChecks.read(root, read_own(root, str(tmp_path / "none.toml"), Notices()).checks)
    assert [check.command for check in project.needed([changed])] == [first] * bool(first)


@pytest.mark.req("judge.order.own")
def test_what_the_person_set_is_what_must_run(tmp_path: Path) -> None:
    from mi.project.checks.recognition import ran_checks

    root = build(Layout(TESTED | OWN, [], [], []), tmp_path)
    project = ProjectChecks.read(root, read_own(root, str(tmp_path / "none.toml"), Notices()).checks)
    assert project.missing(["a.py"], ran_checks("pytest", project.checks, root))
    for command in ("sh ci.sh", "bash -lc 'sh ci.sh'"):
        assert not project.missing(["a.py"], ran_checks(command, project.checks, root)), command


BROKEN = {
    "no TOML": ("[[check]\n", "cannot be read"),
    "no command": ('[[check]]\nrun = "x"\n', "is no check"),
    "a kind there is not": ('[[check]]\ncommand = "sh a.sh"\nkind = "smoke"\n', "is no check"),
    "a table in place of a list": ("check = 3\n", "is no check"),
    "a tool there is not": ('[[check]]\ncommand = "no-such-tool-1 test"\n', "'no-such-tool-1', which is not there"),
    "a folder outside": ('[[check]]\ncommand = "sh a.sh"\nfolder = "../x"\n', "outside of the project"),
    "what cannot fail": ('[[check]]\ncommand = "sh a.sh || true"\n', "what would have to succeed"),
}


@pytest.mark.req("judge.order.broken-file")
@pytest.mark.parametrize("way", BROKEN)
def test_a_broken_file_is_said_in_one_line_and_the_rest_goes_on(tmp_path: Path, way: str) -> None:
    text, said = BROKEN[way]
    root = build(Layout(TESTED | {".mi/checks.toml": text}, [], [], []), tmp_path)
    notices = Notices()
    project = ProjectChecks.read(root, read_own(root, str(tmp_path / "none.toml"), notices).checks)
    (line,) = [notice.line() for notice in notices]
    assert said in line
    assert ".mi/checks.toml" in line
    assert [check.command for check in project.needed(["a.py"])] == ["pytest"]
