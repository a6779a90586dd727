"""Report what pytest ran: a plugin that is found through an entry point beside it on PYTHONPATH."""

import importlib
import os

import pytest

_NEVER_LEFT_OUT = ("conftest.py", "__init__.py")  # they stand for more than their own tests
_writer = importlib.import_module(__name__.rpartition("_")[0])


@pytest.hookimpl(tryfirst=True)  # before xdist reads how many processes there are to be
def pytest_cmdline_main(config):
    """Leave out the report that stands in for ours, and keep a run of some tests in one process."""
    if not _writer.is_asked():
        return
    if str(getattr(config.option, "xmlpath", None)).startswith(os.environ["MI_REPORT_TO"]):
        config.option.xmlpath = None
    if os.environ.get("MI_REPORT_ONLY") and hasattr(config.option, "numprocesses"):
        config.option.numprocesses = None
        config.option.dist = "no"
        config.option.tx = []


def pytest_configure(config):
    """Begin to report, once, in the process that leads the run."""
    if _writer.is_asked() and not hasattr(config, "workerinput"):
        config.option.continue_on_collection_errors = True  # one file that cannot be imported hides no other
        config.pluginmanager.register(_PytestWatcher(config), "mi-report")


class _PytestWatcher:
    def __init__(self, config):
        self._writer = _writer.ReportWriter("pytest")
        only = self._writer.only
        self._wanted = None if only is None else {test.partition("::")[0] for test in only}
        self._places = {}
        self._rootdir = str(getattr(config, "rootpath", None) or config.rootdir)
        self._collected = set()
        self._ran = set()
        self._session = None

    def _id(self, nodeid):
        path, mark, rest = nodeid.partition("::")
        if path not in self._places:
            self._places[path] = self._writer.place(os.path.join(self._rootdir, path))
        return self._places[path] + mark + rest

    def pytest_collectreport(self, report):
        if report.outcome != "passed" and report.nodeid:
            self._writer.add(self._id(report.nodeid), report.outcome)

    if hasattr(pytest, "version_tuple"):  # from pytest 7 on, where the path has this name

        def pytest_ignore_collect(self, collection_path):
            """Leave files alone that hold none of the wanted tests: to import all of them takes as long as a run."""
            if self._wanted is None or collection_path.suffix != ".py" or collection_path.name in _NEVER_LEFT_OUT:
                return None
            return True if self._writer.place(str(collection_path)) not in self._wanted else None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if self._writer.only is not None:
            left_out = [item for item in items if self._id(item.nodeid) not in self._writer.only]
            items[:] = [item for item in items if self._id(item.nodeid) in self._writer.only]
            if left_out:
                config.hook.pytest_deselected(items=left_out)

    def pytest_collection_finish(self, session):
        self._collected.update(item.nodeid for item in getattr(session, "items", ()))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node, ids):
        self._collected.update(ids)

    def pytest_runtest_logreport(self, report):
        test = self._id(report.nodeid)
        self._ran.add(report.nodeid)
        if report.outcome == "rerun":
            self._writer.forget(test)
        elif report.when == "call" or report.outcome != "passed":
            self._writer.add(test, report.outcome)

    def pytest_sessionfinish(self, session):
        self._session = session

    def pytest_unconfigure(self):
        session = self._session
        self._writer.end(
            exit=int(getattr(session, "exitstatus", 3)),
            not_run=len(self._collected - self._ran),
            failed=getattr(session, "testsfailed", 0),
        )
