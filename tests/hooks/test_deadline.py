"""A hook that is not done in time answers by itself: hosts let a call pass whose hook is late."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mi.hooks.deadline import SECONDS
from mi.hooks.event import EVENTS
from mi.hooks.install import _AT_END_S, _TIMEOUT_S

PRE = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}}
# What keeps a hook busy for ever: an expression that runs away, a lock, a pipe, a loop.
BUSY = {
    "expression": "import re; re.search('(a+)+$', 'a' * 60 + 'b')",
    "loop": "while True: pass",
    "lock": "import threading; threading.Event().wait()",
    "pipe": "os.read(os.pipe()[0], 1)",
    "child": "import subprocess; subprocess.run(['cat'], stdin=os.pipe()[0])",
}


def call(
    cwd: Path, event: str, busy: str, enforce: str = "permissions", **env: str
) -> subprocess.CompletedProcess[str]:
    """Return what a host sees of a hook that has a tenth of a second and cannot go on."""
    code = f"""
import os, sys
from mi.hooks import deadline, main
deadline.SECONDS = 0.1
def stuck(*_):
    {busy}
main.reply_to = stuck
from mi.cli.main import run
sys.exit(run({["hook", event, "--host", "codex", "--enforce", enforce]}))
"""
    return subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(PRE),
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        timeout=60,
        env=os.environ | env,
    )


@pytest.mark.req("safe.hooks.deadline")
@pytest.mark.parametrize("busy", BUSY)
def test_a_call_that_cannot_be_judged_in_time_is_refused(repository, busy):
    done = call(repository("app"), "pre-tool", BUSY[busy])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mi: the hook for pre-tool had no answer within 0.1 s, so the call is refused")
    assert done.stderr.count("\n") == 1


@pytest.mark.req("safe.hooks.deadline")
@pytest.mark.parametrize("event", [one for one in EVENTS if one != "pre-tool"])
def test_an_event_that_only_informs_stops_nobody(repository, event):
    done = call(repository("app"), event, BUSY["loop"])
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    assert event in done.stderr


@pytest.mark.req("safe.hooks.deadline")
def test_what_only_notes_stops_nobody(repository):
    root = repository("app")
    assert call(root, "pre-tool", BUSY["loop"], "nexus").returncode == 0
    assert call(root, "pre-tool", BUSY["loop"], "nexus,contract").returncode == 2


@pytest.mark.req("safe.hooks.deadline")
def test_it_speaks_the_language(repository):
    assert "拒绝" in call(repository("app"), "pre-tool", BUSY["loop"], MI_LANG="zh").stderr


@pytest.mark.req("safe.hooks.deadline")
def test_a_host_that_never_ends_its_input_is_answered(repository):
    code = "from mi.hooks import deadline; deadline.SECONDS = 0.1; from mi.cli.main import run; import sys; "
    code += "sys.exit(run(['hook', 'pre-tool', '--host', 'codex']))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=repository("app")
    ) as process:
        assert process.wait(60) == 2  # its standard input is still open


@pytest.mark.req("safe.hooks.deadline")
def test_hosts_wait_longer_than_a_hook_takes():
    assert SECONDS * 2 <= _TIMEOUT_S
    assert SECONDS > _AT_END_S
