"""A team in tests: a hub in a database of its own, and homes that joined it."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg

from mi.hub import membership, schema
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.hub.postgres import PASSWORD, Postgres
from tests.starting import run_mi

ORIGIN = "https://git.example/team/app.git"
Done = subprocess.CompletedProcess[str]


@contextmanager
def as_owner() -> Iterator[None]:
    """Have the password of the hub's owner in the environment."""
    os.environ["PGPASSWORD"] = PASSWORD
    try:
        yield
    finally:
        del os.environ["PGPASSWORD"]


@contextmanager
def know_steps(count: int) -> Iterator[None]:
    """Be, in this process, a mi that knows only the first steps of the schema."""
    steps = schema.list_migrations()[:count]
    with patch.object(schema, "list_migrations", lambda: steps):
        yield


class TeamHome:
    """A home of a member, and a clone of the team's repository."""

    def __init__(self, folder: Path, name: str) -> None:
        self.root, self.clone = folder / name / "home", folder / name / "app"
        self.name = name
        self.clone.mkdir(parents=True)
        for words in (["init", "-q"], ["remote", "add", "origin", ORIGIN]):
            subprocess.run(["git", "-C", str(self.clone), *words], check=True)

    def mi(self, *words: str, code: int = 0, **env: str) -> Done:
        """A command of this home's person."""
        done = run_mi([*words], "", os.environ | {"MI_HOME": str(self.root)} | env, self.clone, 60)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def json(self, *words: str, **env: str) -> Any:
        return json.loads(self.mi(*words, "--json", **env).stdout)

    def state(self) -> dict[str, str]:
        found: dict[str, str] = json.loads((self.root / "hub.json").read_text("utf-8"))
        return found

    def find(self, words: str) -> list[str]:
        """What a recall tells."""
        return [one["summary"] for one in self.json("memory", "query", words)["results"]]


class Team:
    """A hub and its members; made without the command, which the tests of membership call."""

    def __init__(self, server: Postgres, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.database = server.make_database()
        self.dsn = server.dsn(self.database)
        self.owner = TeamHome(folder, "owner")
        with as_owner():
            membership.make_hub(Home(str(self.owner.root)), Notices(), self.dsn)

    def invite(self, member: str) -> membership.Invitation:
        with as_owner():
            return membership.invite(Home(str(self.owner.root)), Notices(), member)

    def join(self, member: str, name: str = "") -> TeamHome:
        """A home of a member that joined."""
        given, home = self.invite(member), TeamHome(self.folder, name or member)
        membership.join(Home(str(home.root)), Notices(), *given)
        return home

    def remove(self, member: str) -> None:
        with as_owner():
            membership.remove(Home(str(self.owner.root)), Notices(), member)

    @contextmanager
    def connect_as(self, home: TeamHome) -> Iterator[psycopg.Connection[Any]]:
        """A connection with nothing but what PostgreSQL knows of a member."""
        password = (home.root / "hub" / "password").read_text("utf-8").strip()
        with psycopg.connect(home.state()["dsn"], password=password, autocommit=True) as connection:
            yield connection

    def read_everything(self) -> str:
        """All that the database holds, as its owner sees it."""
        with self.server.connect(self.database, "postgres") as connection:
            query = "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema LIKE 'mi_%'"
            tables = connection.execute(query).fetchall()
            rows = [connection.execute(f'SELECT * FROM "{one}"."{table}"').fetchall() for one, table in tables]
        assert tables
        return repr(rows)
