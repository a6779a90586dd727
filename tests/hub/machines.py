"""Machines of a team in tests: a home that joined the hub, a clone of the team's repository, an agent of its own."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from mi.hub import membership
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.autopilot.workbench import Workbench, open_bench, run, say, write
from tests.conftest import git
from tests.hub.team import Team
from tests.waiting import wait_until


class HubMachine(Workbench):
    """A machine of a member."""

    def __init__(self, project: Path, folder: Path, member: str) -> None:
        super().__init__(project, folder)
        self.member = member
        self.env = {"MI_HOME": str(self.home)}

    def queue(self, *words: str) -> str:
        """Queue a task at the hub and return its run."""
        added = self.mi("queue", "add", "--hub", *words, "--json")
        assert added.code == 0, added.stderr
        found: str = json.loads(added.stdout)["queued"][0]["run_id"]
        return found

    def jobs(self) -> dict[str, dict[str, Any]]:
        """What the hub's queue says, by run."""
        shown = json.loads(self.mi("queue", "list", "--hub", "--all", "--json").stdout)
        return {job["run_id"]: job for job in shown["jobs"]}

    def work(self, *words: str) -> str:
        """Work until nothing is left; return what the worker said."""
        done = self.mi("worker", "--hub", "--drain", *words)
        assert done.code == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def run_log(self, run_id: str) -> list[dict[str, Any]]:
        """What a run recorded on this machine."""
        logs = self.home.glob(f"hub/runs/{run_id}/projects/*/evidence.jsonl")
        return [json.loads(line) for log in logs for line in log.read_text("utf-8").splitlines()]

    def kinds(self, run_id: str, kind: str) -> list[dict[str, Any]]:
        return [one for one in self.run_log(run_id) if one["kind"] == kind]

    def kill(self, worker: "subprocess.Popen[str]") -> None:
        """Have the machine die: the worker, and whatever it started, before any of them sees that another is gone."""
        os.kill(worker.pid, signal.SIGSTOP)
        pids = [worker.pid, *list_below(worker.pid)]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        worker.communicate()


def list_below(pid: int) -> list[int]:
    """The processes that a process started, and those that these did, each after whoever it started."""
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], check=False, capture_output=True, encoding="utf-8")
    children = [int(word) for word in done.stdout.split()]
    return [one for child in children for one in (child, *list_below(child))]


class HubTeam:
    """A team with a remote that its machines clone."""

    def __init__(self, team: Team, folder: Path) -> None:
        self.team = team
        self.folder = folder
        seed = folder / "seed"
        seed.mkdir()
        open_bench(seed)
        self.remote = folder / "app.git"
        git(folder, "clone", "-q", "--bare", str(seed / "project"), str(self.remote))
        shutil.rmtree(seed)

    def machine(self, member: str, name: str) -> HubMachine:
        """A machine of a member that joined, with a clone of the remote."""
        place = self.folder / name
        place.mkdir()
        git(place, "clone", "-q", str(self.remote), "project")
        found = HubMachine(place / "project", place, member)
        given = self.team.invite(member)
        membership.join(Home(str(found.home)), Notices(), *given)
        return found

    @contextmanager
    def connect_as(self, machine: HubMachine) -> Iterator[psycopg.Connection[Any]]:
        """A connection with nothing but what PostgreSQL knows of a member."""
        state = json.loads((machine.home / "hub.json").read_text("utf-8"))
        password = (machine.home / "hub" / "password").read_text("utf-8").strip()
        with psycopg.connect(state["dsn"], password=password, autocommit=True) as connection:
            yield connection

    def cut_connections(self) -> None:
        """End what machines asked the hub for, and wait until none of it is left: a dead one asks no more."""
        with self.team.server.connect(self.team.database, "postgres") as connection:
            members = "FROM pg_stat_activity WHERE usename LIKE 'mi\\_%' AND datname = current_database()"
            connection.execute(f"SELECT pg_terminate_backend(pid) {members}")
            assert wait_until(lambda: connection.execute(f"SELECT count(*) {members}").fetchone() == (0,), 20)

    def take_claims_away(self) -> None:
        """Do what the hub's sweep does with claims of workers that were silent for a minute."""
        with self.team.server.connect(self.team.database, "postgres") as connection:
            connection.execute("SELECT mi_hub.release_job(job, '', 0, true) FROM mi_hub.job WHERE state = 'running'")

    def records(self, run_id: str) -> list[str]:
        """The kinds of records that the hub has of a run."""
        with self.team.server.connect(self.team.database, "postgres") as connection:
            query = "SELECT body::json ->> 'kind' FROM mi_hub.run_record WHERE run = %s ORDER BY seq"
            return [str(row[0]) for row in connection.execute(query, (run_id,)).fetchall()]

    def wait_for(self, run_id: str, kind: str, count: int = 1) -> None:
        """Wait until the hub has so many records of a kind."""
        assert wait_until(lambda: self.records(run_id).count(kind) >= count, 60), self.records(run_id)

    def read(self, run_id: str, name: str) -> str:
        """What a file holds in the commit of a run, on the remote."""
        return git(self.remote, "show", f"refs/mi/{run_id}/commit:{name}")

    def die_in_second_batch(self, machine: HubMachine, *first: dict[str, Any]) -> str:
        """Queue a task, have a machine do a first batch of it, and die in its second; return the run."""
        there = machine.folder / "there"
        stays = run(f"touch {there}; sleep 300")
        machine.agent([*first, say("The first part is there.")], [write("half.txt", "half\n"), stays])
        run_id = machine.queue("fix the failing test")
        worker = machine.start_mi("worker", "--hub", "--jobs", "1")
        assert wait_until(there.exists, 60)
        self.wait_for(run_id, "hands_input", 2)
        machine.kill(worker)
        self.cut_connections()
        self.take_claims_away()
        return run_id
