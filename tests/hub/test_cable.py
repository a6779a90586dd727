"""A home on a machine of its own, by a network of its own: its cable is pulled while it shares, and put in again."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.hub.team import Team, TeamHome
from tests.hub.test_faults import COUNT, make_claim, read_hub, write
from tests.hub.wire import Wire
from tests.starting import MI


class Machine:
    """A network namespace and the cable that leads from it here; this very machine where that is not allowed."""

    def __init__(self) -> None:
        self._name, self._plug = f"mi{os.getpid()}", f"mi{os.getpid()}h"
        self.host, self._within = "10.231.7.1", ["ip", "netns", "exec", self._name]
        try:
            _ip("netns", "add", self._name)
            _ip("link", "add", self._plug, "type", "veth", "peer", "name", "eth0", "netns", self._name)
        except (OSError, subprocess.CalledProcessError):  # not root, or without the right to: the wire alone is cut
            self.remove()
            self.host, self._within = "127.0.0.1", []
            return
        _ip("addr", "add", f"{self.host}/24", "dev", self._plug)
        _ip("-n", self._name, "addr", "add", "10.231.7.2/24", "dev", "eth0")
        _ip("-n", self._name, "link", "set", "eth0", "up")
        self.plug("up")

    def plug(self, state: str) -> None:
        """Put the cable in (up), or pull it (down)."""
        if self._within:
            _ip("link", "set", self._plug, state)

    def mi(self, home: TeamHome, *words: str) -> "subprocess.CompletedProcess[str]":
        """A command on this machine."""
        command = [*self._within, *map(str, [MI] if isinstance(MI, (str, Path)) else MI), *words]
        env = os.environ | {"MI_HOME": str(home.root)}
        return subprocess.run(command, cwd=home.clone, env=env, capture_output=True, encoding="utf-8", check=False)

    def remove(self) -> None:
        with suppress(OSError, subprocess.CalledProcessError):
            _ip("netns", "del", self._name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def machine() -> Iterator[Machine]:
    found = Machine()
    yield found
    found.remove()


@pytest.mark.req("hub.resume")
def test_a_pulled_cable_is_one_line_and_the_next_sync_goes_on(team: Team, machine: Machine) -> None:
    ana, wire = team.join("ana"), Wire(team.server.port, machine.host)
    try:
        state = ana.state()
        dsn = state["dsn"].replace("host=127.0.0.1", f"host={machine.host}").replace("verify-full", "verify-ca")
        dsn = dsn.replace(f"port={team.server.port}", f"port={wire.port}") + " tcp_user_timeout=2000"
        (ana.root / "hub.json").write_text(json.dumps(state | {"dsn": dsn}), "utf-8")
        write(ana, *map(make_claim, range(COUNT)))
        wire.cut_after(1_500_000, lambda: machine.plug("down"))
        cut = machine.mi(ana, "sync")
        assert cut.returncode == 1
        assert "was cut: " in cut.stderr
        assert "nothing is lost; mi sync goes on where it was" in cut.stderr
        machine.plug("up")
        done = machine.mi(ana, "sync")
        assert done.returncode == 0, done.stderr
        assert read_hub(team) == [f"cl_{number:023d}" for number in range(COUNT)]
    finally:
        wire.close()
