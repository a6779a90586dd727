"""Report what unittest ran."""

import functools
import importlib
import os
import re
import sys

_writer = importlib.import_module(__name__.rpartition("_")[0])


def watch_unittest(unittest):
    """Report every run of a suite of tests that is not a part of another one."""
    _wrap_run(unittest.TextTestRunner)
    _wrap_suite(unittest.TestSuite)


_running = []


def _wrap_run(runner):
    original = runner.run

    @functools.wraps(original)
    def run(self, test):
        if _running or not _writer.is_asked():
            return original(self, test)
        watcher = _UnittestWatcher()
        make = self._makeResult
        self._makeResult = lambda: watcher.watch(make())
        return watcher.run(lambda: original(self, watcher.select(test)))

    runner.run = run


def _wrap_suite(suite):
    original = suite.run

    @functools.wraps(original)
    def run(self, result, *args, **kwargs):
        if _running or not _writer.is_asked():
            return original(self, result, *args, **kwargs)
        watcher = _UnittestWatcher()
        return watcher.run(lambda: original(watcher.select(self), watcher.watch(result), *args, **kwargs))

    suite.run = run


class _UnittestWatcher:
    def __init__(self):
        self._writer = _writer.ReportWriter("unittest")
        self._result = None

    def run(self, call):
        """Run, and report the end unless the run was broken off."""
        _running.append(self)
        try:
            returned = call()
        finally:
            _running.pop()
        self._writer.end(exit=0 if self._result is not None and self._result.wasSuccessful() else 1)
        return returned

    def select(self, test):
        """Return the tests that are wanted, in a suite of their own, with what stands for a file that did not load."""
        if self._writer.only is None:
            return test
        return sys.modules["unittest"].TestSuite(one for one in _flat(test) if self._is_wanted(self._id(one)))

    def _is_wanted(self, test):
        return test in self._writer.only or any(wanted.startswith(test + "::") for wanted in self._writer.only)

    def watch(self, result):
        """Have every outcome told to us, too."""
        self._result = result
        for method, outcome in (
            ("addSuccess", "passed"),
            ("addFailure", "failed"),
            ("addError", "failed"),
            ("addUnexpectedSuccess", "failed"),
            ("addSkip", "skipped"),
            ("addExpectedFailure", "skipped"),
        ):
            self._wrap(result, method, outcome)
        subtest = getattr(result, "addSubTest", None)

        def add_subtest(test, part, error):
            if error is not None:
                self._writer.add(self._id(test), "failed")
            return subtest(test, part, error)

        if subtest is not None:
            result.addSubTest = add_subtest
        return result

    def _wrap(self, result, method, outcome):
        original = getattr(result, method)

        def add(test, *details, **more):
            self._writer.add(self._id(test), outcome)
            return original(test, *details, **more)

        setattr(result, method, add)

    def _id(self, test):
        test = getattr(test, "test_case", test)  # of a part of a test
        if type(test).__name__ == "_ErrorHolder":
            return self._located(re.sub(r"^.*\((.*)\)$", r"\1", test.description))
        if type(test).__name__ == "_FailedTest":
            return self._located(test._testMethodName)
        kind = type(test)
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        if not file or not hasattr(test, "_testMethodName"):
            return str(test.id())
        return "::".join([self._writer.place(file), *kind.__qualname__.split("."), test._testMethodName])

    def _located(self, dotted):
        """Return the file, and perhaps the class in it, of a dotted name."""
        parts = dotted.split(".")
        for end in range(len(parts), 0, -1):
            loaded = getattr(sys.modules.get(".".join(parts[:end])), "__file__", None)
            found = loaded or os.path.join(os.getcwd(), *parts[:end]) + ".py"
            if os.path.exists(found):
                return "::".join([self._writer.place(found), *parts[end:]])
        return dotted


def _flat(test):
    try:
        inside = list(test)
    except TypeError:
        return [test]
    return [one for part in inside for one in _flat(part)]
