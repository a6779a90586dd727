"""Facts that a recall returns, looked at once more where what they rest on changed; never longer than a moment."""

import os
import time
from collections.abc import Iterable

from mi.contract.fact_evidence import CheckedEvidence, Checker, inside, is_command, is_plain
from mi.contract.fact_status import Truth
from mi.kernel.errors import UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import decode

BUDGET_S = 0.020  # for all the facts of one recall
_LARGEST = 4 << 20  # bytes of a file that is read for it
_SETTLED_NS = 100_000_000  # a file that changed just now may change again within the same tick of the clock
_Stamp = tuple[int, ...]


class SeenFact(NamedTuple):
    """How a fact stands now: it holds, it does not, or nobody could tell in time (`unknown`)."""

    truth: Truth
    broken: str = ""
    unknown: bool = False

    @property
    def news(self) -> bool:
        """Return whether that is another truth than the log tells."""
        return not self.unknown and bool(self.broken) != self.truth.stale


class FactRecheck:
    """Looks at evidence again; what was seen in a file counts while the file is the same."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple[_Stamp, str | None]] = {}
        self._inside: dict[str, tuple[str, int, int]] = {}  # by name: a file that was found to lie in the project

    def look(self, truths: Iterable[Truth], checker: Checker) -> dict[str, SeenFact]:
        """Return how each fact stands; the time is for all of them."""
        ends, commit = time.perf_counter() + BUDGET_S, list[str]()
        return {one.id: self._look_at(one, checker, ends, commit) for one in truths}

    def _look_at(self, truth: Truth, checker: Checker, ends: float, commit: list[str]) -> SeenFact:
        if truth.stale and any(is_command(one.kind) for one in truth.proofs):
            return SeenFact(truth, truth.why)  # only running it again could tell
        found = [(one, self._why_not(one, checker, ends, commit)) for one in truth.proofs]
        broken = [f"{one.kind} {one.value} ({why})" for one, why in found if why]
        if broken or all(why == "" for _, why in found):
            return SeenFact(truth, "; ".join(broken))
        return SeenFact(truth, truth.why, unknown=not truth.stale)

    def _why_not(self, proof: CheckedEvidence, checker: Checker, ends: float, commit: list[str]) -> str | None:
        """Return why evidence does not hold; "" when it does, None when that cannot be told in time."""
        if is_command(proof.kind):
            if not commit and time.perf_counter() > ends:
                return None
            commit[:] = commit or [checker.commit()[0]]
            return "" if commit[0] == proof.commit else None
        pattern, _, named = proof.value.rpartition("::") if proof.kind == "grep_hit" else ("", "", proof.value)
        try:
            path, status = self._find(checker.root, named)
        except UsageError:
            return "path-outside"
        except (FileNotFoundError, NotADirectoryError):
            return "missing"
        except OSError:
            return None
        if proof.kind == "file_exists":
            return ""
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        known = self._seen.get((proof.value, proof.sha256))
        if known and known[0] == stamp:
            return known[1]
        if time.perf_counter() > ends or status.st_size > _LARGEST:
            return None
        why = _grep(pattern, path, proof)
        if time.time_ns() - status.st_ctime_ns > _SETTLED_NS:
            self._seen[proof.value, proof.sha256] = stamp, why
        return why

    def _find(self, root: str, named: str) -> tuple[str, os.stat_result]:
        """Return where a file of the project is, and its state; UsageError when it lies elsewhere.

        Where it leads is followed again only when another file is found there: a recall names many.
        """
        path, *known = self._inside.get(named, ("", 0, 0))
        if path:
            status = os.stat(os.path.join(root, named))
            if known == [status.st_dev, status.st_ino]:
                return path, status
        path = inside(root, named)
        status = os.stat(path)
        self._inside[named] = path, status.st_dev, status.st_ino
        return path, status


def _grep(pattern: str, path: str, proof: CheckedEvidence) -> str | None:
    """Return why a pattern is not found; None where only an expression could tell, which takes a process."""
    from hashlib import sha256

    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError:
        return None
    if sha256(data).hexdigest() == proof.sha256:
        return ""
    lines = decode(data).split("\n")
    if any(pattern in line for line in lines):
        return ""
    if is_plain(pattern):
        return "no-match"
    return "" if proof.line_text and proof.line_text in map(str.strip, lines) else None
