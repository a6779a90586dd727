"""Write the report of a Python runner, in whatever Python a project uses (3.6 or newer; it stands alone, without MI).

Lines of JSON go to a file of their own in the folder that the environment names: first which runner began, at the end
every test with its outcome, and a last line that tells that the runner came to its end, sealed with a key. They are
kept in memory until then, because a suite may replace the file system under a running test.
"""

import hashlib
import json
import os
import re

_FROM, _TO, _KEY = "MI_REPORT_FROM", "MI_REPORT_TO", "MI_REPORT_KEY"
_ROOT, _ONLY, _GOES_ON = "MI_REPORT_ROOT", "MI_REPORT_ONLY", "MI_REPORT_GOES_ON"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_open, _write, _close, _dumps, _sha256 = os.open, os.write, os.close, json.dumps, hashlib.sha256


class ReportWriter:
    """One run of a runner; the environment then no longer tells of the report, so that runs inside of it are apart."""

    def __init__(self, runner):
        self.root = os.path.realpath(os.environ.get(_ROOT) or os.getcwd())
        self.only = _wanted(os.environ.get(_ONLY))
        self._key = os.environ[_KEY]
        name = f"{runner}-{os.getpid()}-{os.urandom(4).hex()}.jsonl"
        self._path = os.path.join(os.environ[_TO], name)
        self._first = _dumps({"runner": runner}) + "\n"
        self._outcomes = {}
        self._append(self._first)
        _leave_environment()

    def place(self, path):
        """Return a path as seen from where the command began."""
        return os.path.relpath(os.path.realpath(path), self.root).replace(os.sep, "/")

    def add(self, test, outcome):
        """Keep the outcome of a test; a failure stays."""
        test = _ADDRESS.sub("0x", test).replace(self.root + "/", "")
        if self._outcomes.get(test) != "failed":
            self._outcomes[test] = outcome

    def forget(self, test):
        """Drop a test that is run once more."""
        self._outcomes.pop(_ADDRESS.sub("0x", test).replace(self.root + "/", ""), None)

    def end(self, **facts):
        """Write everything, with the mark of the end."""
        rows = [{"id": test, "outcome": outcome} for test, outcome in self._outcomes.items()]
        body = "".join(_dumps(row) + "\n" for row in [*rows, dict(facts, tests=len(rows))])
        seal = _sha256((self._key + "\n" + self._first + body).encode("utf-8", "surrogatepass")).hexdigest()
        self._append(body + _dumps({"end": seal}) + "\n")

    def _append(self, text):
        file = _open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            data = text.encode("utf-8", "surrogatepass")
            while data:
                data = data[_write(file, data) :]
        finally:
            _close(file)


def _wanted(path):
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return frozenset(json.load(file))


def is_asked():
    """Return whether the environment asks for a report."""
    return bool(os.environ.get(_TO) and os.environ.get(_KEY))


def _leave_environment():
    """Take out of every variable what MI put there."""
    mine = [os.environ.pop(name) for name in (_FROM, _TO) if os.environ.get(name)]
    for name in (_KEY, _ROOT, _ONLY, _GOES_ON):
        os.environ.pop(name, None)
    for name, value in list(os.environ.items()):
        if any(place in value for place in mine):
            mark = os.pathsep if name in ("PYTHONPATH", "PATH") else " "
            rest = mark.join(part for part in value.split(mark) if not any(place in part for place in mine))
            os.environ[name] = rest
            if not rest:
                del os.environ[name]
