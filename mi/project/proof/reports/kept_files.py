"""The report files that build tools leave in their usual folders."""

import os
from collections.abc import Iterator

FileStamps = dict[str, tuple[int, int, int]]  # by path: inode, size, time of the last change
_USUAL = ("surefire-reports", "failsafe-reports", "test-results", "testresults", "test-reports")
_SKIPPED = frozenset((".git", "node_modules", ".venv", "venv", "site-packages", ".gradle", ".tox", ".nox"))
_MOST = 20_000  # files that are looked at


def stamp_reports(folder: str) -> FileStamps:
    """Return the report files below a folder as they are now."""
    return {path: stamp for path in _find_reports(folder) if (stamp := _stamp(path))}


def find_new_reports(folder: str, before: FileStamps) -> list[str]:
    """Return the report files that were written since."""
    return [path for path, stamp in stamp_reports(folder).items() if before.get(path) != stamp]


def _find_reports(folder: str) -> Iterator[str]:
    seen = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        seen += len(files) + 1
        if seen > _MOST:
            return
        if any(f"/{name}" in place for name in _USUAL):
            yield from (os.path.join(place, name) for name in sorted(files) if _is_report(name))


def _is_report(name: str) -> bool:
    return name.startswith("TEST-") and name.endswith(".xml")


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
