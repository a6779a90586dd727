"""The list of requirements: every entry is whole, and what stays open says why, in the list and in the coverage."""

from pathlib import Path

import pytest

from tests.requirements_plugin import Requirement, coverage_page, load

ENTRY = "- {id: a.b, source: s, area: floor, state: %s, text: MUST be.%s}\n"


@pytest.mark.parametrize(("state", "reason"), [("done", ""), ("open", ", reason: later")])
@pytest.mark.parametrize("swapped", [False, True])
def test_an_open_entry_says_why_and_a_done_one_has_nothing_to_say(tmp_path: Path, state, reason, swapped):
    other = "open" if state == "done" else "done"
    path = tmp_path / "requirements.yml"
    path.write_text(ENTRY % (other if swapped else state, reason), "utf-8")
    if swapped:
        with pytest.raises(pytest.UsageError, match=r"a\.b.*reason"):
            load(path)
    else:
        assert load(path)["a.b"].state == state


def test_the_coverage_shows_why_an_entry_is_open():
    one = Requirement("a.b", "s", "floor", "open", "MUST fly.", "it has no wings")
    assert "- a.b: MUST fly. Open: it has no wings" in coverage_page({"a.b": one}, {})
