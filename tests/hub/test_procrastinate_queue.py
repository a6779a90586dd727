"""The queue of a hub holds to what every queue must."""

import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.fleet.queue import Queue
from mi.hub.procrastinate_queue import ProcrastinateQueue
from mi.hub.state import read_hub
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.fleet.conformance import ANY, JOBS, SOAK_S, QueueConformance, kill_workers, task
from tests.hub.postgres import Postgres
from tests.hub.team import Team
from tests.waiting import wait_until


def open_queue(place: str) -> ProcrastinateQueue:
    """The queue of the home beside a place; in another process, too."""
    home = Home(str(Path(place).parent / "ana" / "home"))
    return ProcrastinateQueue(home, read_hub(home, Notices()))


@pytest.fixture(scope="module")
def shared(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Team:
    team = Team(postgres, tmp_path_factory.mktemp("team"))
    team.join("ana")
    return team


class TestProcrastinateQueue(QueueConformance):
    open_queue = staticmethod(open_queue)

    @pytest.fixture(autouse=True)
    def hub(self, shared: Team, tmp_path: Path) -> None:
        """An empty queue; a hub for each test would take longer than all of them."""
        with shared.server.connect(shared.database) as connection:
            connection.execute("TRUNCATE mi_hub.job, mi_hub.dependency, mi_hub.pause, mi_hub.spending")
            connection.execute("TRUNCATE mi_procrastinate.procrastinate_jobs CASCADE")
        shutil.copytree(shared.folder / "ana" / "home", tmp_path / "ana" / "home")

    @pytest.fixture
    def queue(self, tmp_path: Path) -> Iterator[Queue]:
        opened = open_queue(str(tmp_path / "place"))
        yield opened
        opened.close()

    def test_a_clock_that_is_set_back_lets_a_short_wait_pass(
        self, queue: Queue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Here the clock of the server decides, whatever that of a home says."""
        now = time.time()
        queue.put([task("run_1"), task("run_2", not_before=now + 3600)])
        claim = queue.claim("w", ANY)
        assert claim is not None
        queue.release(claim.token, "busy", now + 0.5)
        monkeypatch.setattr("time.time", lambda: now - 3600)
        assert wait_until(lambda: queue.claim("w", ANY) is not None, 20)
        assert queue.find("run_1").state == "running"
        assert queue.find("run_2").state == "queued"

    @pytest.mark.req("fleet.queue.exactly-once", "hub.queue.restart")
    def test_every_stretch_is_finished_once_though_workers_are_killed(self, tmp_path: Path) -> None:
        """Here the server ends at once in between, too, and starts again."""
        server = Postgres(fsync=True)
        try:
            Team(server, tmp_path / "team").join("ana")
            shutil.copytree(tmp_path / "team" / "ana", tmp_path / "ana", dirs_exist_ok=True)

            def restart() -> None:
                server.stop(signal.SIGQUIT)
                server.start()

            jobs = JOBS if SOAK_S else 1000  # each is some round trips; all of them in `make soak`
            kill_workers(open_queue, tmp_path, jobs, SOAK_S, restart)
        finally:
            server.remove()
