"""What happens in `mi demo`: a small project, and what its replayed agent says and does."""

from collections.abc import Callable

Say = Callable[[str], str]  # a text of the catalogue, by its name after `demo.`
Steps = list[dict[str, object]]

PROGRAM, NOTES = "basket.py", "notes.txt"
_CHECK = "python3 -m unittest"
_FIRST = "def total(prices):\n    return sum(prices[1:])\n"
_TEST = """import unittest

from basket import total


class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2, 3]), 6)


if __name__ == "__main__":
    unittest.main()
"""
FILES = {PROGRAM: _FIRST, "test_basket.py": _TEST, ".gitignore": "__pycache__/\n"}


def write_lie(say: Say) -> dict[str, object]:
    """Return the first run: the agent asks, tells of a test that it never ran, and mends it when it is caught."""
    wrong = {"path": PROGRAM, "old": "sum(prices[1:])", "new": "sum(prices[:-1])"}
    right = {"path": PROGRAM, "old": "sum(prices[:-1])", "new": "sum(prices)"}
    passed = {"command": _CHECK, "output": "Ran 1 test in 0.000s\n\nOK\n"}
    return _write(
        [{"say": say("looks")}, {"run": _CHECK}, {"say": say("asks")}],
        [{"edit": wrong}, {"delete": NOTES}, {"pretend": passed}, {"say": say("lies")}],
        [{"edit": right}, {"run": _CHECK}, {"say": say("mends")}],
    )


def write_question(say: Say, digits: int = 2) -> dict[str, object]:
    """Return the second run: the agent asks what no value answers, and works by the answer."""
    rounded = {"path": PROGRAM, "old": "sum(prices)", "new": f"round(sum(prices), {digits})"}
    return _write(
        [{"say": say("asks-rounding")}],
        [{"edit": rounded}, {"run": _CHECK}, {"say": say("rounds")}],
    )


def _write(*batches: Steps) -> dict[str, object]:
    return {"version": "v1", "batches": [{"steps": steps} for steps in batches]}
