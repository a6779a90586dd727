"""JUnit's XML, which most runners write: read without a document type, so that no entity stands for anything."""

import os
import re
from xml.parsers import expat

from mi.project.proof.results import Outcome, worst

_RED, _SKIPPED = ("failure", "error"), ("skipped", "disabled")


class NoReport(Exception):
    """A file is no report; the text says in one line why."""


def read_junit(data: bytes, root: str = "") -> dict[str, Outcome]:
    """Return the outcomes of the tests that a report names, or raise NoReport."""
    reader = _Reader(root)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise NoReport(f"no XML: {expat.ErrorString(error.code)}, line {error.lineno}") from None
    except (ValueError, LookupError) as error:  # an encoding that nobody knows
        raise NoReport(f"no XML: {error}") from None
    if not reader.is_junit:
        raise NoReport("XML, but no report of tests")
    return reader.outcomes


def _refuse(*_: object) -> None:
    raise NoReport("it declares a document type")


class _Reader:
    def __init__(self, root: str) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.is_junit = False
        self._root = root
        self._test = ""
        self._outcome: Outcome = "passed"
        self._files: list[str] = []  # of the suites around

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("testsuites", "testsuite"):
            self.is_junit = True
            self._files.append(attributes.get("file") or (self._files[-1] if self._files else ""))
        elif name == "testcase":
            self._test = self._id(attributes)
            disabled = attributes.get("status") in ("disabled", "notrun")
            self._outcome = "failed" if attributes.get("status") == "fail" else "skipped" if disabled else "passed"
        elif name in _RED:
            self._outcome = "failed"
        elif name in _SKIPPED and self._outcome != "failed":
            self._outcome = "skipped"

    def end(self, name: str) -> None:
        if name == "testcase" and self._test:
            known = self.outcomes.get(self._test)
            self.outcomes[self._test] = worst([known, self._outcome]) if known else self._outcome
            self._test = ""
        elif name in ("testsuites", "testsuite") and self._files:
            self._files.pop()

    def _id(self, attributes: dict[str, str]) -> str:
        file = attributes.get("file") or (self._files[-1] if self._files else "")
        name, group = attributes.get("name", ""), attributes.get("classname", "")
        parts = (
            [_relative(file, self._root), *_names(file, group), name]
            if file
            else [group if group != name else "", name]
        )
        if not group and file and name == _module(file):  # a file that pytest could not import
            parts = parts[:1]
        return "::".join(part for part in parts if part)


def _names(file: str, group: str) -> list[str]:
    """Return the classes in a file, of a dotted name that may begin with the file's own."""
    module = _module(file)
    if group == module or not group or module.endswith(f".{group}"):
        return []
    return group.removeprefix(f"{module}.").split(".") if group.startswith(f"{module}.") else [group]


def _module(file: str) -> str:
    return re.sub(r"\.\w+$", "", file).replace("/", ".")


def _relative(file: str, root: str) -> str:
    return os.path.relpath(file, root).replace(os.sep, "/") if root and os.path.isabs(file) else file
