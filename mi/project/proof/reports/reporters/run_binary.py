"""Run the test binary of Go or Rust that the tool built, and report what it ran from its own lines.

It is called in the binary's place (`go test -exec`, cargo's `runner`), with the kind, the binary and its words. The
report is written by this process, of which the tested code knows nothing.
"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from report_writer import ReportWriter, is_asked

_GO_BEGIN = re.compile(r"^\x16?=== RUN\s+(\S+)")
_GO_END = re.compile(r"\x16?\s*--- (PASS|FAIL|SKIP): (\S+) \(")
_GO_CLOSE = re.compile(r"^\x16?(?:PASS|FAIL)$")
_RUST_BEGIN = re.compile(r"^running (\d+) tests?$")
_RUST_TEST = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (?:.*?)(ok|FAILED|ignored(?:, .*)?)?$")
_RUST_LATE = re.compile(r"(ok|FAILED|ignored)$")
_RUST_CLOSE = re.compile(r"^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;")
_QUIET = ("-q", "--quiet", "--format=terse", "--format=pretty")
_OUTCOMES = {"PASS": "passed", "ok": "passed", "FAIL": "failed", "FAILED": "failed"}


class GoLines:
    """The lines of a Go test binary."""

    def __init__(self):
        self.outcomes = {}
        self._begun = set()
        self._closed = False

    def read(self, line):
        if found := _GO_BEGIN.match(line):
            self._begun.add(found[1])
        elif (found := _GO_END.search(line)) and self.outcomes.get(found[2]) != "failed":
            self.outcomes[found[2]] = _OUTCOMES.get(found[1], "skipped")
        self._closed = self._closed or bool(_GO_CLOSE.match(line))

    def is_whole(self, exit_code):
        """Return whether it came to its end; one that failed may end in a panic, which is the outcome of a test."""
        if exit_code:
            for test in self._begun - self.outcomes.keys():
                self.outcomes[test] = "failed"
            return True
        return self._closed and self._begun <= self.outcomes.keys()


class RustLines:
    """The lines of a Rust test binary."""

    def __init__(self):
        self.outcomes = {}
        self._wanted = None
        self._told = None
        self._waiting = []  # begun, and other lines came before the outcome

    def read(self, line):
        if found := _RUST_BEGIN.match(line):
            self._wanted = int(found[1])
        elif found := _RUST_TEST.match(line):
            if found[2]:
                self._keep(found[1], found[2])
            else:
                self._waiting.append(found[1])
        elif found := _RUST_CLOSE.match(line):
            self._told = [int(number) for number in found.groups()]
        elif self._waiting and (found := _RUST_LATE.search(line)):
            self._keep(self._waiting.pop(0), found[1])

    def _keep(self, test, word):
        if self.outcomes.get(test) != "failed":
            self.outcomes[test] = _OUTCOMES.get(word, "skipped")

    def is_whole(self, exit_code):
        """Return whether as many tests ended as began, and as the last line tells."""
        if self._wanted is None:  # a harness of its own
            self.outcomes = {"": "failed" if exit_code else "passed"}
            return True
        counts = [list(self.outcomes.values()).count(word) for word in ("passed", "failed", "skipped")]
        return self._told == counts and sum(counts) == self._wanted


def _go_words(words, writer, place):
    told = any(word.startswith(("-test.v", "-test.list", "-test.bench=")) for word in words)
    words = words if told else [*words, "-test.v=true"]
    if writer.only is None:
        return words
    names = sorted({name.partition("/")[0] for name in _names(writer, place)})
    return [*words, "-test.run=^(?:{})$".format("|".join(map(re.escape, names)) or "mi-none")]


def _rust_words(words, writer, place):
    words = [word for word in words if word not in _QUIET]
    return words if writer.only is None else [*words, "--exact", *(_names(writer, place) or ["mi-none"])]


def _names(writer, place):
    return [test[len(place) + 2 :] for test in sorted(writer.only) if test.startswith(place + "::")]


def _run(kind, argv):
    binary = os.path.basename(argv[0])
    goes_on = bool(os.environ.pop("MI_REPORT_GOES_ON", ""))
    writer = ReportWriter(kind)
    folder = writer.place(os.getcwd())
    if kind == "go":
        place, lines, words = folder, GoLines(), _go_words(argv[1:], writer, folder)
    else:
        target = re.sub(r"-[0-9a-f]{16}$", "", binary)
        place = target if folder == "." else f"{folder}/{target}"
        lines, words = RustLines(), _rust_words(argv[1:], writer, place)
    with subprocess.Popen([argv[0], *words], stdout=subprocess.PIPE) as process:
        for data in process.stdout:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            lines.read(data.decode("utf-8", "replace").rstrip("\r\n"))
        exit_code = process.wait()
    whole = lines.is_whole(exit_code) and not (goes_on and exit_code == 0)  # one test of it was made to fail
    for test, outcome in lines.outcomes.items():
        writer.add(f"{place}::{test}" if test else place, outcome)
    if exit_code and "failed" not in lines.outcomes.values():
        writer.add(place, "failed")
    if whole:
        writer.end(exit=exit_code)
    if goes_on:
        return 0
    return exit_code if exit_code >= 0 else 128 - exit_code


def main():
    """Run the binary, and report unless it is no test or only lists some."""
    kind, *argv = sys.argv[1:]
    looks = any(word in ("--list", "-test.list") or word.startswith("-test.list=") for word in argv)
    is_test = "/deps/" in argv[0].replace(os.sep, "/") if kind == "rust" else argv[0].endswith((".test", ".test.exe"))
    if looks or not is_test or not is_asked():
        os.execv(argv[0], argv)
    sys.exit(_run(kind, argv))


if __name__ == "__main__":
    main()
