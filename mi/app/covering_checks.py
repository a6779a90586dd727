"""Which checks were seen on the files of a project as a run, or one batch of it, left them."""

from collections.abc import Iterator

from mi.evidence.index import EvidenceIndex
from mi.evidence.latest import count_batches
from mi.evidence.records.run import BatchEnd
from mi.evidence.run_batches import read_window
from mi.kernel.named_tuple import NamedTuple
from mi.mind.views import BatchView, read_batch
from mi.project.checks.file_kinds import is_prose
from mi.project.checks.languages import language_of
from mi.project.checks.listing import is_below

_BATCHES = 5  # that are looked at, the latest first


class CoveringCheck(NamedTuple):
    """A check that ran on the work as it was left, and whether it passed."""

    command: str
    passed: bool
    places: tuple[tuple[str, str], ...]  # the packages that it reaches: folder and language, each '' for any

    def covers(self, path: str, package: str) -> bool:
        """Return whether it reaches a file of a package."""
        return any(folder == package and language in ("", language_of(path)) for folder, language in self.places)


def list_checks(log: str, run_id: str, batch: str, index: EvidenceIndex) -> list[CoveringCheck]:
    """Return the checks of a run, or of a batch, that ran after the last change; of each command the latest."""
    found: dict[str, CoveringCheck] = {}
    for seen in _read_back(log, run_id, batch, index):
        for one in reversed(seen.commands):
            if one.is_check and one.after_last_change and one.exit_code is not None:
                places = tuple(_read_place(place) for place in one.scope)
                found.setdefault(one.command, CoveringCheck(one.command, one.exit_code == 0, places))
        if seen.changed_now:
            break  # what ran before that ran on other work
    return list(found.values())


def find_covering(checks: list[CoveringCheck], path: str) -> list[CoveringCheck]:
    """Return the checks that reach a file: they ran in the package that it lies in, for its language."""
    packages = {folder for check in checks for folder, _ in check.places}
    around = [folder for folder in packages if is_below(path, folder)]
    if not around or is_prose(path):
        return []
    return [check for check in checks if check.covers(path, max(around, key=len))]


def _read_place(named: str) -> tuple[str, str]:
    folder, _, language = named.removesuffix(")").rpartition(" (")
    return "" if folder == "." else folder, "" if language == "all" else language


def _read_back(log: str, run_id: str, batch: str, index: EvidenceIndex) -> Iterator[BatchView]:
    """Yield what was seen in the latest batches, the last one first; with a batch, in that one alone."""
    last, most = (count_batches(batch), 1) if batch else (0, _BATCHES)
    window = read_window(log, run_id, index, lambda done, total: None, last, most)
    for one in reversed(window.batches):
        ends = [record for record in one.records if isinstance(record, BatchEnd) and record.seen]
        if ends and batch in ("", one.batch_id):
            yield read_batch(ends[-1].seen)
