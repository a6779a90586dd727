"""What became of each test between two runs of the same check, in the words of SWE-bench."""

import msgspec

from mi.project.proof.results import COMMAND, Outcome, TestResults, containers


class Comparison(msgspec.Struct, kw_only=True):
    """Test ids by what became of them; a test that no longer runs has vanished, one that runs only now is new."""

    f2p: list[str] = []
    p2p: list[str] = []
    p2f: list[str] = []
    vanished: list[str] = []
    new: list[str] = []
    new_red: list[str] = []  # those of `new` that fail
    red_before: list[str] = []  # failed at the base and fail now

    @property
    def not_green(self) -> list[str]:
        return [*self.p2f, *self.vanished, *self.new_red, *self.red_before]


def compare(base: TestResults, final: TestResults) -> Comparison:
    """Return what became of every test that was seen in one of the two runs."""
    found = Comparison()
    before, now = _View(base), _View(final)
    for test in dict.fromkeys((*base.outcomes, *final.outcomes)):
        if before.is_group(test) or now.is_group(test):
            continue  # its tests speak for themselves
        match before.outcome(test), now.outcome(test):
            case None | "skipped", "passed":
                found.new.append(test)
            case None | "skipped", "failed":
                found.new.append(test)
                found.new_red.append(test)
            case "passed", "passed":
                found.p2p.append(test)
            case "passed", "failed":
                found.p2f.append(test)
            case "failed", "passed":
                found.f2p.append(test)
            case "failed", "failed":
                found.red_before.append(test)
            case (_, None) | ("passed" | "failed", "skipped"):
                found.vanished.append(test)
            case _:
                pass
    return found


class _View:
    """The outcomes of one run, also of tests that only a failed file or package, or the exit code, speaks for."""

    def __init__(self, results: TestResults) -> None:
        self._results = results
        self._groups = {group for test in results.outcomes for group in containers(test)}

    def is_group(self, test: str) -> bool:
        """Return whether single tests of what this id stands for were seen."""
        return test in self._groups and not test.startswith(COMMAND)

    def outcome(self, test: str) -> Outcome | None:
        if test.startswith(COMMAND):
            return "passed" if self._results.exit_code == 0 else "failed"
        known = self._results.outcomes
        if test in known:
            return known[test]
        return "failed" if any(known.get(group) == "failed" for group in containers(test)) else None
