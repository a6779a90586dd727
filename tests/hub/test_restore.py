"""A hub is dumped and put back into a new server: homes go on where they were."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.hub.postgres import PASSWORD, Postgres
from tests.hub.team import Team, TeamHome
from tests.hub.test_faults import make_claim, write


def call(server: Postgres, program: str, *words: str, given: str = "") -> str:
    """A program of PostgreSQL, as an administrator calls it."""
    env = os.environ | {"PGPASSWORD": PASSWORD, "PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "postgres"}
    done = subprocess.run(
        [str(server.programs / program), *words],
        input=given,
        env=env,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def move(home: TeamHome, old: Postgres, new: Postgres) -> None:
    """The same name leads to the new server now."""
    state = home.state()
    dsn = state["dsn"].replace(f"port={old.port}", f"port={new.port}").replace(str(old.folder), str(new.folder))
    (home.root / "hub.json").write_text(json.dumps(state | {"dsn": dsn}), "utf-8")


@pytest.mark.req("hub.restore")
def test_a_hub_of_an_earlier_day_gets_what_it_lacks_from_the_homes(team: Team, tmp_path: Path) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    write(ana, *map(make_claim, range(3)))
    for home in (ana, bo):
        home.mi("sync")
    roles = call(team.server, "pg_dumpall", "--roles-only")
    database = call(team.server, "pg_dump", team.database)
    write(ana, *map(make_claim, range(3, 5)))  # after the dump
    for home in (ana, bo):
        home.mi("sync")
    new = Postgres()
    try:
        call(new, "psql", "-q", "-d", "postgres", given=roles)
        call(new, "createdb", team.database, "-O", "owner", "-T", "template0")
        call(new, "psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", team.database, given=database)
        for home in (ana, bo):
            move(home, team.server, new)
        write(ana, make_claim(5))
        assert ana.json("sync")["records"] == 3  # what the dump lacks, and what is new
        assert bo.json("sync")["pulled"] == 1
        (pulled,) = (bo.root / "hub" / "homes").glob("*/global/claims.jsonl")
        ids = [json.loads(line)["claim_id"] for line in pulled.read_text("utf-8").splitlines()]
        assert ids == [f"cl_{number:023d}" for number in range(6)]
        assert bo.json("hub", "status")["tls"]
    finally:
        new.remove()
