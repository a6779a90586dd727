"""What a file is, by its path."""

import pytest

from mi.project.checks.file_kinds import is_prose, is_test


@pytest.mark.parametrize("path", ["README.md", "docs/guide.rst", "LICENSE", "docs/notes.txt", "NOTES.txt", "logo.svg"])
def test_prose_is_read_by_people_alone(path: str) -> None:
    assert is_prose(path)
    assert not is_test(path)


@pytest.mark.parametrize("path", ["requirements.txt", "CMakeLists.txt", "data/words.txt", "src/docs.py", "setup.cfg"])
def test_what_a_program_reads_is_neither(path: str) -> None:
    assert not is_prose(path)
    assert not is_test(path)


@pytest.mark.parametrize(
    "path",
    ["tests/data/golden.md", "test_a.py", "pkg/a_test.go", "src/a.spec.ts", "conftest.py", "src/test/java/ATest.java"],
)
def test_tests_and_what_they_need_are_tests(path: str) -> None:
    assert is_test(path)
    assert not is_prose(path)
