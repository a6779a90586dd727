"""`mi hub`: making a hub, inviting, joining, removing, leaving, as people do it."""

import os

import pytest

from mi.hub import membership
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.hub.postgres import PASSWORD, Postgres
from tests.hub.team import Team, TeamHome


@pytest.mark.req("hub.commands")
def test_a_hub_is_made_and_joined_by_its_commands(postgres: Postgres, tmp_path) -> None:
    dsn = postgres.dsn(postgres.make_database())
    owner, ana = TeamHome(tmp_path, "owner"), TeamHome(tmp_path, "ana")
    assert "is ready (" in owner.mi("hub", "init", dsn, PGPASSWORD=PASSWORD).stdout
    assert "is up to date" in owner.mi("hub", "init", dsn, PGPASSWORD=PASSWORD).stdout
    given = owner.json("hub", "invite", "ana", PGPASSWORD=PASSWORD)
    assert "takes part as ana" in ana.mi("hub", "join", given["dsn"], MI_HUB_SECRET=given["secret"]).stdout
    status = ana.json("hub", "status")
    assert (status["member"], status["tls"], status["to_push"], status["to_pull"]) == ("ana", True, 0, 0)
    assert [one["name"] for one in status["members"]] == ["ana"]
    assert "ana at 127.0.0.1:" in ana.mi("hub").stdout


@pytest.mark.req("hub.commands")
def test_without_a_hub_every_command_says_how_to_get_one(tmp_path) -> None:
    home = TeamHome(tmp_path, "alone")
    for words in (["hub"], ["hub", "status"], ["sync"], ["sync", "--dry-run"], ["hub", "leave", "--yes"]):
        assert "takes part in no hub (mi hub join DSN" in home.mi(*words, code=1).stderr
    assert "give its DSN" in home.mi("hub", "invite", "ana", code=2).stderr
    assert os.listdir(tmp_path / "alone") == ["app"]  # no file was made


@pytest.mark.req("hub.commands")
def test_who_leaves_keeps_what_came_and_shares_no_more(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    ana.mi("remember", "The zephyr service has two owners.", "--team")
    ana.mi("sync")
    bo.mi("sync")
    assert "needs your yes" in bo.mi("hub", "leave", code=3).stderr
    bo.mi("hub", "leave", "--yes")
    assert not (bo.root / "hub.json").exists()
    assert not (bo.root / "hub" / "password").exists()
    assert len(bo.find("zephyr owners")) == 1
    assert "no hub" in bo.mi("sync", code=1).stderr


@pytest.mark.req("hub.join-once")
def test_who_is_stopped_after_the_hubs_yes_joins_by_the_same_command(team: Team, monkeypatch) -> None:
    given, ana = team.invite("ana"), TeamHome(team.folder, "ana")

    def stop(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(membership, "read_hub_id", stop)
    with pytest.raises(KeyboardInterrupt):
        membership.join(Home(str(ana.root)), Notices(), *given)
    assert "takes part in no hub" in ana.mi("sync", code=1).stderr
    ana.mi("hub", "join", given.dsn, MI_HUB_SECRET=given.secret)
    status = ana.json("hub", "status")
    assert [(one["name"], one["homes"]) for one in status["members"]] == [("ana", 1)]
    ana.mi("sync")


@pytest.mark.req("hub.join-once")
def test_who_is_stopped_before_the_hubs_yes_joins_by_the_same_command(team: Team, monkeypatch) -> None:
    given, ana = team.invite("ana"), TeamHome(team.folder, "ana")

    def stop(*_: object, **fields: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(membership, "change_hub", stop)
    with pytest.raises(KeyboardInterrupt):
        membership.join(Home(str(ana.root)), Notices(), *given)
    ana.mi("hub", "join", given.dsn, MI_HUB_SECRET=given.secret)
    ana.mi("sync")


@pytest.mark.req("hub.migrations")
def test_a_hub_of_another_mi_gets_one_line_with_what_to_update(team: Team) -> None:
    ana = team.join("ana")
    with team.server.connect(team.database, "postgres") as connection:
        connection.execute("INSERT INTO mi_hub.migration (number, name, digest) VALUES (9999, '9999_later.sql', 'x')")
        for words in (["sync"], ["hub", "status"], ["runs", "--hub"]):
            said = ana.mi(*words, code=1).stderr
            assert said.count("\n") == 1
            assert "tables of a newer mi (step 9999" in said
            assert "update this mi" in said
        connection.execute("DELETE FROM mi_hub.migration WHERE number > 1")
    assert "its owner calls mi hub init DSN again" in ana.mi("sync", code=1).stderr
