"""Temporary places for tests: an MI home of their own, and a small git repository with one Python test."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.testing.replies import Edit

_WRONG = "    return a"
_RIGHT = "    return a + b"
# The two differ in length: Python takes a compiled file for current by its source's second and size.
_TEST = """\
import unittest

from calc import add


class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
"""


class Repository(NamedTuple):
    """A work tree with one test: `check` runs it, `mend` and `spoil` are the edits that make it pass and fail."""

    path: str
    check: str
    mend: Edit
    spoil: Edit

    def read(self, name: str) -> str:
        """Return the content of one of its files."""
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return file.read()


@contextmanager
def temporary_home() -> Iterator[Home]:
    """Give an empty MI home that this process and its children use until the block ends."""
    before = os.environ.get("MI_HOME")
    with tempfile.TemporaryDirectory(prefix="mi-home-") as folder:
        os.environ["MI_HOME"] = folder
        try:
            yield Home(folder)
        finally:
            if before is None:
                del os.environ["MI_HOME"]
            else:
                os.environ["MI_HOME"] = before


@contextmanager
def temporary_repository(*, passing: bool = True, parent: str | None = None) -> Iterator[Repository]:
    """Yield a git repository with one commit and one Python test, passing or failing.

    No network, nobody's configuration.
    """
    with tempfile.TemporaryDirectory(prefix="mi-repository-", dir=parent, ignore_cleanup_errors=True) as folder:
        files = {
            "calc.py": f"def add(a, b):\n{_RIGHT if passing else _WRONG}\n",
            "test_calc.py": _TEST,
            ".gitignore": "__pycache__/\n",
        }
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        _commit(folder)
        mend, spoil = Edit("calc.py", _WRONG, _RIGHT), Edit("calc.py", _RIGHT, _WRONG)
        yield Repository(os.path.realpath(folder), "python3 -m unittest -q", mend, spoil)


def _commit(folder: str) -> None:
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for command in (
        ["init", "--quiet", "--initial-branch=main"],
        ["config", "user.name", "Test"],
        ["config", "user.email", "test@example.invalid"],
        ["add", "--all"],
        ["commit", "--quiet", "--message", "A function and its test"],
    ):
        subprocess.run(["git", "-C", folder, *command], check=True, env=environment, stdin=subprocess.DEVNULL)
