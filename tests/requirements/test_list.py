"""The list of requirements: every entry is whole, and what stays open says why, in the list and in the coverage."""

from pathlib import Path

import pytest

from tests.requirements.plugin import Requirement, coverage_page, load

SECTION = "- source: 'a document, a section'\n  requirements:\n"


def listed(folder: Path, entries: str) -> dict[str, Requirement]:
    (folder / "kernel.yml").write_text(SECTION + entries, "utf-8")
    return load(folder)


def test_an_entry_is_done_unless_it_says_why_it_is_open(tmp_path: Path) -> None:
    found = listed(tmp_path, "    a.b: 'MUST be.'\n    a.c: {text: 'MUST fly.', open: 'later'}\n")
    assert found["a.b"] == Requirement("a.b", "a document, a section", "kernel", "MUST be.")
    assert found["a.b"].is_done
    assert not found["a.c"].is_done


@pytest.mark.parametrize(
    "entries",
    ["    a.b: {text: 'MUST be.'}\n", "    a.b: ''\n", "    A B: 'MUST be.'\n", "    a.b: x\n    a.b: y\n"],
    ids=["open without a reason", "no text", "no id", "repeated"],
)
def test_a_bad_entry_is_refused_by_its_name(tmp_path: Path, entries: str) -> None:
    with pytest.raises(pytest.UsageError, match=r"a\.b|A B"):
        listed(tmp_path, entries)


def test_an_id_that_two_files_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "agents.yml").write_text(SECTION + "    a.b: 'MUST be.'\n", "utf-8")
    with pytest.raises(pytest.UsageError, match=r"a\.b"):
        listed(tmp_path, "    a.b: 'MUST be.'\n")


def test_the_coverage_shows_why_an_entry_is_open() -> None:
    requirement = Requirement("a.b", "s", "kernel", "MUST fly.", "it has no wings")
    assert "- a.b: MUST fly. Open: it has no wings" in coverage_page({"a.b": requirement}, {})
