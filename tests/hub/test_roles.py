"""What each role may do, asked of PostgreSQL itself: our own client is no part of it."""

from typing import Any

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from mi.hub import membership
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.hub.postgres import PASSWORD
from tests.hub.team import Team, TeamHome, as_owner

TABLES = ("hub", "member", "seat", "home", "log", "record", "migration", "question", "answer")
OUT_OF_REACH = (
    "SELECT nextval('mi_hub.job_seq')",
    "SELECT * FROM mi_procrastinate.procrastinate_jobs",
    "SELECT mi_procrastinate.procrastinate_retry_job_v2(1, NULL, NULL, NULL, NULL)",
    "SELECT token FROM mi_hub.job",
    "SELECT mi_hub.release_job(NULL, '', 0, true)",
    "SELECT mi_hub.wake_job('ana', 'run_1', '{waiting}')",
    "SELECT mi_hub.tell_of_question('ana')",
    "SELECT mi_hub.take_turn()",
    "CREATE SCHEMA mine",
    "CREATE EXTENSION pgcrypto",
    "COPY mi_hub.record TO PROGRAM 'cat'",
    "ALTER ROLE CURRENT_USER VALID UNTIL 'infinity'",
    "ALTER ROLE CURRENT_USER CONNECTION LIMIT 1000",
    "ALTER ROLE owner PASSWORD 'x'",
    "GRANT owner TO CURRENT_USER",
    "COMMENT ON TABLE mi_hub.record IS 'x'",
)
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


@pytest.mark.req("hub.roles")
def test_what_a_member_puts_beside_the_servers_own_functions_is_never_called_as_the_owner(team: Team) -> None:
    """In PostgreSQL 14, and in databases that were brought up from it, everybody may put functions into `public`."""
    ana, bo = team.join("ana"), team.join("bo")
    with team.server.connect(team.database, "postgres") as connection:
        connection.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    with team.connect_as(bo) as connection:
        (role,) = connection.execute("SELECT session_user").fetchone() or ("",)
        trap = f"BEGIN EXECUTE 'GRANT owner TO {role}'; RETURN so_far; END"
        head = "public.trap(so_far bigint, one boolean) RETURNS bigint"
        connection.execute(f"CREATE FUNCTION {head} LANGUAGE plpgsql AS $${trap}$$")
        connection.execute("CREATE AGGREGATE public.count(boolean) (SFUNC = public.trap, STYPE = bigint)")
        team.invite("carl")
        with as_owner():
            membership.make_hub(Home(str(team.owner.root)), Notices(), team.dsn)
        with team.connect_as(ana) as of_ana:
            team.remove("ana")
            of_ana.close()
        assert connection.execute("SELECT pg_has_role('owner', 'MEMBER')").fetchone() == (False,)
    assert "does not let this home in" in ana.mi("sync", code=3).stderr


@pytest.mark.req("hub.roles")
def test_temporary_tables_and_settings_of_a_member_change_nothing_of_what_our_functions_see(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    with team.connect_as(ana) as connection:
        push(connection, ana, "mine", '{"text":"private of ana"}')
    with team.connect_as(bo) as connection:
        connection.execute(
            "CREATE TEMP TABLE seat AS SELECT session_user::name AS role, 'ana' AS member, now() AS joined"
        )
        connection.execute("CREATE TEMP TABLE member AS SELECT 'ana' AS name, NULL::timestamptz AS removed")
        connection.execute("CREATE TEMP TABLE home AS SELECT %s AS id, 'bo' AS member", (ana.state()["home_id"],))
        connection.execute("SET search_path = pg_temp, mi_hub")
        assert connection.execute("SELECT mi_hub.me()").fetchone() == ("bo",)
        with pytest.raises(InsufficientPrivilege, match="is no home of"):
            push(connection, ana, "team", '{"text":"ana never said this"}')
        leak = "CREATE FUNCTION pg_temp.leak(one text) RETURNS boolean COST 0.0001 LANGUAGE plpgsql AS"
        connection.execute(f"{leak} 'BEGIN RAISE EXCEPTION ''%'', one; END'")
        assert connection.execute("SELECT * FROM mi_hub.record WHERE pg_temp.leak(body)").fetchall() == []
        assert connection.execute("SELECT * FROM pg_stats WHERE schemaname LIKE 'mi%%'", ()).fetchall() == []
        connection.execute("SET row_security = off")
        with pytest.raises(InsufficientPrivilege, match="row-level security"):
            connection.execute("SELECT * FROM mi_hub.record")
        for statement in OUT_OF_REACH:
            with pytest.raises(InsufficientPrivilege):
                connection.execute(statement)


@pytest.mark.req("hub.roles")
def test_a_member_sees_of_others_only_the_logs_in_which_something_is_shared(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    (ana.root / "config.json").write_text('{"hub": {"devices": "on"}}', "utf-8")
    ana.mi("remember", "My own quokka note.")
    ana.mi("sync")
    with team.connect_as(bo) as connection:
        assert connection.execute("SELECT * FROM mi_hub.log").fetchall() == []
        ana.mi("remember", "The zephyr service is ours.", "--team")
        ana.mi("sync")
        logs = [path for (path,) in connection.execute("SELECT path FROM mi_hub.log").fetchall()]
    assert [path.rpartition("/")[2] for path in logs] == ["nodes.jsonl"]


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
