"""`mi hub`: making a hub, inviting, joining, removing, leaving, as people do it."""

import os

import pytest

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
