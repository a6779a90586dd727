"""Whether a mending only changed what its tests expect."""

import pytest

from mi.autopilot.changed_expectations import bent_tests
from mi.autopilot.weakening import split

OLD = ["    assert f(1) == 2", "    assert f(2) == 3"]


@pytest.mark.parametrize(
    ("now", "bent"),
    [
        pytest.param(["    assert f(1) == 9", OLD[1]], True, id="one of two alike"),
        pytest.param(OLD[::-1], False, id="in another order"),
        pytest.param([*OLD, "    assert f(3) == 4"], False, id="one more"),
        pytest.param(["    assert g(1) == 2", OLD[1]], False, id="of something else"),
    ],
)
def test_an_assertion_that_stands_there_but_for_a_value_is_bent(now: list[str], bent: bool) -> None:
    lines = [*(f"-{line}" for line in OLD), *(f"+{line}" for line in now)]
    diff = "\n".join(
        ["diff --git a/test_f.py b/test_f.py", "--- a/test_f.py", "+++ b/test_f.py", "@@ -1,2 +1,2 @@", *lines]
    )
    assert bent_tests("fix the failing test", ["test_f.py"], lambda: split(diff)) == (["test_f.py"] if bent else [])
