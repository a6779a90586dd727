"""What agents write by the page's MCP endpoint is never told to runs as the person's word."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from mi.app.home_context import HomeContext
from mi.app.telling_runs import keep_from_runs, tell_runs
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import UserInput
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.web.test_access import PROJECT, ask

# A run that goes on in another process, and says whom it hears.
RUN = """
import sys
from mi.autopilot.person_door import PersonDoor
from mi.autopilot.run_lock import run_lock
from mi.kernel.home import Home
from mi.kernel.notices import Notices
home = Home(sys.argv[1])
door = PersonDoor(home, lambda pid: not print("heard", flush=True))
with door.open() as name, run_lock(home.project(sys.argv[2]).run_lock, "run_other", Notices(), name):
    print("goes on", flush=True)
    sys.stdin.read()
"""


@pytest.mark.req("page.start.mcp")
@pytest.mark.parametrize("by_agent", [True, False])
def test_a_thread_of_agents_speaks_for_nobody(home: Home, by_agent: bool) -> None:
    ask(home, "Which colour?")
    tell_runs(HomeContext(home))
    log = home.project(PROJECT).evidence
    with subprocess.Popen(
        [sys.executable, "-c", RUN, home.root, PROJECT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "goes on\n"
        with ThreadPoolExecutor(1, initializer=keep_from_runs if by_agent else None) as thread:
            word = UserInput(question_id="qu_x", answer="green", by="page")
            thread.submit(EvidenceWriter.for_command(log, Notices()).append, word).result(30)
        told, _ = run.communicate("")
    assert told == ("" if by_agent else "heard\n")
