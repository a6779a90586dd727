"""How tests speak as a person, whoever runs them: an agent above the test run stands above no command of a test.

A chain of processes ends at the test run, as if that were a person's shell. In this process the reader of chains is
replaced; where an agent stands above, commands are started by a script that replaces it first. The product itself has
no switch for it.
"""

import os
import sys
import tempfile
from pathlib import Path

from mi.agents.programs import find_agent
from mi.app import speaker
from mi.kernel.ancestry import ProcessInfo, read_ancestry

INSTALLED = Path(sys.executable).parent / "mi"
SHELL = ProcessInfo(2, "bash", ("bash",), 1.0, 1, "/bin/bash", 0)
_SCRIPT = """#!{python}
import sys
sys.path.insert(0, {root!r})
from mi.__main__ import main
from mi.app import speaker
from tests.speaking import make_reader
speaker.read_ancestry = make_reader({pid})
sys.exit(main())
"""


def make_reader(pid: int) -> speaker.ChainReader:
    """Return a reader of chains that ends them at a process, as if it were a person's shell."""

    def read(asked: int | None) -> list[ProcessInfo] | None:
        chain = read_ancestry(asked)
        pids = [process.pid for process in chain or []]
        return [*chain[: pids.index(pid)], SHELL] if chain and pid in pids else chain

    return read


def find_command() -> Path:
    """Return the command that a person would call: the installed one, unless an agent runs the tests."""
    if not any(find_agent(process) for process in read_ancestry() or []):
        return INSTALLED
    made = Path(tempfile.mkdtemp(prefix="mi-tests-")) / "mi"
    root = str(Path(__file__).parents[1])
    made.write_text(_SCRIPT.format(python=sys.executable, root=root, pid=os.getpid()), "utf-8")
    made.chmod(0o755)
    return made
