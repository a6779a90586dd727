"""Copy the reports that build tools leave in their own folders to where MI reads them, while they can be seen.

What a check writes to a copy may be thrown away with the copy, so that this runs right after the command, in its
folder. A report that is older than the command is marked: it counts only where the tool says that it still holds.
"""

import os
import shutil
import sys

_USUAL = ("surefire-reports", "failsafe-reports", "test-results", "test-reports")
_SKIPPED = frozenset((".git", "node_modules", ".venv", "venv", ".gradle", ".tox", ".nox"))
_MOST = 50_000  # files that are looked at


def find_reports(folder):
    """Yield the report files below a folder, also behind links, as a build folder may be one."""
    count, seen = 0, set()
    for place, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        folders[:] = [] if real in seen else sorted(name for name in folders if name not in _SKIPPED)
        count += len(files) + 1
        if count > _MOST:
            return
        if real in seen:
            continue
        seen.add(real)
        if any(os.sep + name in place for name in _USUAL):
            yield from (
                os.path.join(place, name)
                for name in sorted(files)
                if name.startswith("TEST-") and name.endswith(".xml")
            )


def main():
    """Copy each report, with its age in its name."""
    folder, reports = sys.argv[1:]
    began = os.stat(os.path.join(reports, "root")).st_mtime_ns
    for count, path in enumerate(find_reports(folder)):
        age = "new" if os.stat(path).st_mtime_ns >= began else "old"
        shutil.copyfile(path, os.path.join(reports, f"{age}-{count}.xml"))


if __name__ == "__main__":
    main()
