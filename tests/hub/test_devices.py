"""One person, two devices: what is known on one is known on the other, and to nobody else."""

import json

import pytest

from tests.hub.team import Team, TeamHome


def join_device(team: Team, name: str) -> TeamHome:
    home = team.join("ana", name)
    (home.root / "config.json").write_text(json.dumps({"hub": {"devices": "on"}}), "utf-8")
    home.mi("remember", f"The {name} is slow.")  # makes the project known
    return home


def sync(*homes: TeamHome) -> None:
    for home in (*homes, *homes):
        home.mi("sync")


@pytest.mark.req("hub.devices")
def test_what_is_known_on_one_device_is_the_persons_own_knowledge_on_the_other(team: Team) -> None:
    desk, laptop, bo = join_device(team, "desk"), join_device(team, "laptop"), team.join("bo")
    told = desk.json("remember", "The zephyr service is mine alone.")["id"]
    desk.mi("values", "set", "--text", "Never use quokka libraries.")
    sync(desk, laptop, bo)
    assert laptop.find("zephyr") == ["The zephyr service is mine alone."]
    shown = laptop.json("node" if told.startswith("nd_") else "claim", "show", told)
    assert shown["origin"] == "user"
    assert shown["device"] == desk.state()["home_id"]
    assert "quokka" in laptop.mi("values", "show").stdout
    assert bo.find("zephyr quokka") == []
    with team.connect_as(bo) as connection:
        assert connection.execute("SELECT count(*) FROM mi_hub.record").fetchone() == (0,)
    laptop.mi("node" if told.startswith("nd_") else "claim", "retract", told)  # and taken back on either
    sync(laptop, desk)
    assert not any("zephyr" in one for one in desk.find("zephyr"))


@pytest.mark.req("hub.devices")
def test_what_two_devices_learned_alike_is_there_once_and_nothing_goes_round(team: Team) -> None:
    desk, laptop = join_device(team, "desk"), join_device(team, "laptop")
    for home in (desk, laptop):
        home.mi("values", "set", "--text", "Keep the zephyr changes small.")
        home.mi("remember", "The quokka service has two owners.", "--team")
    sync(desk, laptop)
    for home in (desk, laptop):
        assert [one for one in home.find("quokka owners") if "quokka" in one] == ["The quokka service has two owners."]
        assert home.mi("values", "show").stdout.count("zephyr") == 1
        assert home.json("sync")["records"] == home.json("sync")["pulled"] == 0


@pytest.mark.req("hub.devices")
def test_without_the_setting_nothing_travels_and_with_it_all_that_was_known_before_does(team: Team) -> None:
    desk, laptop = team.join("ana", "desk"), join_device(team, "laptop")
    desk.mi("remember", "The zephyr service is mine alone.")
    sync(desk, laptop)
    assert laptop.find("zephyr") == []
    assert "zephyr" not in team.read_everything()
    (desk.root / "config.json").write_text(json.dumps({"hub": {"devices": "on"}}), "utf-8")
    sync(desk, laptop)
    assert laptop.find("zephyr") == ["The zephyr service is mine alone."]
