"""Which check covers which change: the packages, languages and tests that a typed command really runs."""

from pathlib import Path

import pytest

from mi.project.checks.coverage import ProjectChecks
from mi.project.checks.recognition import CheckRun, ran_checks
from tests.project.layouts import LAYOUTS, build


def ran(command: str, project: ProjectChecks) -> list[CheckRun]:
    return ran_checks(command, project.checks, project.root)


@pytest.mark.req("judge.scope.package", "judge.scope.covers", "judge.scope.each-package", "judge.scope.partial")
@pytest.mark.req("judge.scope.ecosystems")
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_change_needs_the_check_of_its_package_and_language(tmp_path: Path, name: str) -> None:
    layout = LAYOUTS[name]
    project = ProjectChecks.read(build(layout, tmp_path))
    assert [check.command for check in project.needed(layout.changed)] == layout.needed
    assert project.missing(layout.changed, []) == project.needed(layout.changed)
    for command in layout.covers:
        runs = ran(command, project)
        assert runs, command
        assert [one.command for one in project.missing(layout.changed, runs)] == [], command
        assert not any(map(project.is_partial, runs)), command
    for command in layout.partial:
        runs = ran(command, project)
        assert [project.is_partial(run) for run in runs] == [True], command
        assert project.missing(layout.changed, runs) != [], command
    for command in layout.other:
        runs = ran(command, project)
        assert project.missing(layout.changed, runs) != [], command
        assert not any(map(project.is_partial, runs)), command


@pytest.mark.req("judge.scope.prose")
def test_prose_needs_no_check_and_what_programs_read_does(tmp_path: Path) -> None:
    project = ProjectChecks.read(build(LAYOUTS["a Python package with pytest"], tmp_path))
    assert project.needed(["README.md", "docs/guide.rst", "LICENSE", "docs/logo.png", "docs/notes.txt"]) == []
    for path in ("requirements.txt", "tests/data/expected.md", "src/words.txt", "README.md.py", "pyproject.toml"):
        assert [check.command for check in project.needed(["README.md", path])] == ["pytest"], path


def test_a_file_that_no_language_owns_needs_the_checks_of_its_package(tmp_path: Path) -> None:
    project = ProjectChecks.read(build(LAYOUTS["halves of one root"], tmp_path))
    assert [check.command for check in project.needed(["schema.sql"])] == ["pytest", "npm test"]
    assert [check.command for check in project.needed(["schema.sql", "app.py"])] == ["pytest"]


@pytest.mark.req("judge.trust.first")
def test_a_wider_check_takes_the_place_of_several_only_where_it_may_run(tmp_path: Path):
    member = '[package]\nname = "{name}"\nversion = "0.1.0"\n\n[dependencies]\n'
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["shop", "web"]\n',
        "shop/Cargo.toml": member.format(name="shop"),
        "shop/src/lib.rs": "#[test]\nfn one() {}\n",
        "web/Cargo.toml": member.format(name="web") + 'shop = { path = "../shop" }\n',
        "web/src/lib.rs": "#[test]\nfn one() {}\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    checks = ProjectChecks.read(str(tmp_path))
    shown = {check.command for check in checks.asked_for()}
    assert [check.command for check in checks.needed(["shop/src/lib.rs"])] == ["cargo test"]
    needed = [check.command for check in checks.needed(["shop/src/lib.rs"], shown)]
    assert needed == ["cd shop && cargo test", "cd web && cargo test"]
    assert set(needed) <= shown
