"""What each role may do, asked of PostgreSQL itself: our own client is no part of it."""

from typing import Any

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from tests.hub.postgres import PASSWORD
from tests.hub.team import Team, TeamHome

TABLES = ("hub", "member", "seat", "home", "log", "record", "migration", "question", "answer")
PUSH = """SELECT * FROM mi_hub.push(%s, 'projects/x/thoughtdb/claims.jsonl', '', 0, 10, 'm',
    %s, 'claim', '', '2026-11-01', 'd', %s)"""


def push(connection: psycopg.Connection[Any], home: TeamHome, reach: str, body: str) -> None:
    connection.execute(PUSH, (home.state()["home_id"], reach, body))


@pytest.mark.req("hub.roles")
def test_a_member_reads_only_what_is_for_the_team_or_their_own(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    with team.connect_as(ana) as connection:
        push(connection, ana, "mine", '{"text":"private of ana"}')
        assert connection.execute("SELECT body FROM mi_hub.record").fetchall() == [('{"text":"private of ana"}',)]
    with team.connect_as(bo) as connection:
        assert connection.execute("SELECT body FROM mi_hub.record").fetchall() == []
        assert connection.execute("SELECT count(*) FROM mi_hub.seat").fetchone() == (1,)
        with pytest.raises(InsufficientPrivilege):
            connection.execute("SELECT * FROM mi_hub.record_2026_11")
        with pytest.raises(InsufficientPrivilege):
            connection.execute("SELECT * FROM mi_hub.record_other")
    other = team.join("ana", "anas-laptop")  # another device of the same member
    with team.connect_as(other) as connection:
        assert connection.execute("SELECT count(*) FROM mi_hub.record").fetchone() == (1,)


@pytest.mark.req("hub.roles")
def test_no_member_changes_a_table_by_hand(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    with team.connect_as(ana) as connection:
        push(connection, ana, "team", '{"text":"by ana"}')
    before = team.read_everything()
    with team.connect_as(bo) as connection:
        for table in TABLES:
            found = connection.execute(f"SELECT * FROM mi_hub.{table} LIMIT 0").description or ()
            copied = f"INSERT INTO mi_hub.{table} SELECT * FROM mi_hub.{table}"
            refused = [f"DELETE FROM mi_hub.{table}", f"TRUNCATE mi_hub.{table}", copied]
            refused += [f"UPDATE mi_hub.{table} SET {one.name} = {one.name}" for one in found if one.name != "offers"]
            for statement in refused:
                with pytest.raises(InsufficientPrivilege):
                    connection.execute(statement)
    assert team.read_everything() == before


@pytest.mark.req("hub.roles")
def test_no_member_writes_as_another(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    with team.connect_as(bo) as connection:
        with pytest.raises(InsufficientPrivilege, match="is no home of"):
            push(connection, ana, "team", '{"text":"ana never said this"}')
        with pytest.raises(InsufficientPrivilege):
            connection.execute("INSERT INTO mi_hub.home (id, member) VALUES ('home_12345678', 'ana')")
        connection.execute(
            "SELECT mi_hub.begin_again(%s, 'projects/x/thoughtdb/claims.jsonl')", (ana.state()["home_id"],)
        )
        with pytest.raises(InsufficientPrivilege):
            connection.execute("SET SESSION AUTHORIZATION postgres")
        with pytest.raises(InsufficientPrivilege):
            connection.execute(f"SET ROLE {ana.state()['dsn'].partition('user=')[2].split()[0]}")
        connection.execute("UPDATE mi_hub.member SET offers = true")  # of the rows that are one's own
    with team.server.connect(team.database, "postgres") as connection:
        offers = connection.execute("SELECT name, offers FROM mi_hub.member ORDER BY name").fetchall()
    assert offers == [("ana", False), ("bo", True)]
    assert "never said" not in team.read_everything()


@pytest.mark.req("hub.roles")
def test_only_the_owner_invites_and_removes(team: Team) -> None:
    ana = team.join("ana")
    with team.connect_as(ana) as connection:
        for call in ("invite('eve', 'SCRAM-SHA-256$x')", "remove('ana')", "make_month(now())"):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(f"SELECT mi_hub.{call}")
        with pytest.raises(InsufficientPrivilege, match="no open invitation"):
            connection.execute("SELECT mi_hub.join_hub('SCRAM-SHA-256$x')")
        with pytest.raises(InsufficientPrivilege):
            connection.execute("CREATE ROLE eve")
        with pytest.raises(InsufficientPrivilege):
            connection.execute("CREATE TABLE mi_hub.mine (x int)")


@pytest.mark.req("hub.roles", "hub.join-once")
def test_who_was_invited_and_has_not_joined_sees_nothing(team: Team) -> None:
    ana = team.join("ana")
    with team.connect_as(ana) as connection:
        push(connection, ana, "team", '{"text":"by ana"}')
    given = team.invite("bo")
    with psycopg.connect(given.dsn, password=given.secret, autocommit=True) as connection:
        for table in ("member", "home", "log", "record"):
            assert connection.execute(f"SELECT * FROM mi_hub.{table}").fetchall() == []


@pytest.mark.req("hub.join-once")
def test_the_secret_of_an_invitation_opens_a_seat_once(team: Team) -> None:
    given, bo = team.invite("bo"), TeamHome(team.folder, "bo")
    wrong = bo.mi("hub", "join", given.dsn, MI_HUB_SECRET="wrong", code=3)
    assert wrong.stderr.startswith("mi: the hub 127.0.0.1:")
    assert "does not let this home in" in wrong.stderr
    bo.mi("hub", "join", given.dsn, MI_HUB_SECRET=given.secret)
    eve = TeamHome(team.folder, "eve")
    assert "does not let this home in" in eve.mi("hub", "join", given.dsn, MI_HUB_SECRET=given.secret, code=3).stderr


@pytest.mark.req("hub.join-once")
def test_an_invitation_is_good_for_a_day(team: Team) -> None:
    given = team.invite("bo")
    role = given.dsn.partition("user=")[2].split()[0]
    query = "SELECT rolvaliduntil - now() BETWEEN '23 hours' AND '24 hours' FROM pg_authid WHERE rolname = %s"
    with team.server.connect(team.database, "postgres") as connection:
        assert connection.execute(query, (role,)).fetchone() == (True,)
        connection.execute(f"ALTER ROLE {role} VALID UNTIL '2020-01-01'")
    late = TeamHome(team.folder, "bo").mi("hub", "join", given.dsn, MI_HUB_SECRET=given.secret, code=3)
    assert "older than a day" in late.stderr


@pytest.mark.req("hub.join-once")
def test_no_password_is_kept_in_the_settings(team: Team) -> None:
    ana = team.join("ana")
    password = (ana.root / "hub" / "password").read_text("utf-8").strip()
    assert (ana.root / "hub" / "password").stat().st_mode & 0o777 == 0o600
    assert password not in (ana.root / "hub.json").read_text("utf-8")
    assert password not in team.read_everything()
    for words in (["init"], ["join"]):
        refused = ana.mi("hub", *words, f"{team.dsn} password={PASSWORD}", code=2)
        assert "it holds a password" in refused.stderr
        assert PASSWORD not in refused.stderr
