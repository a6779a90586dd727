"""What a member says for the team is found by the others, with their name; nothing else leaves."""

import pytest

from tests.hub.team import Team

SHARED = "Releases of the zephyr service go out on Tuesdays."


@pytest.mark.req("hub.team-words", "hub.provenance")
def test_a_word_for_the_team_is_found_by_another_member_with_its_author(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    ana.mi("remember", SHARED, "--kind", "rule", "--team")
    assert ana.json("sync")["records"] == 1
    assert bo.find("when do zephyr releases go out") == []
    assert bo.json("sync")["pulled"] == 1
    (found,) = bo.find("when do zephyr releases go out")
    assert found.startswith("ana said, on 20")
    assert found.endswith(SHARED)
    assert "ana: " + SHARED in bo.mi("search", "zephyr releases").stdout
    assert f"ana said, on {found[13:23]}: {SHARED[:40]}" in bo.mi("context", "zephyr releases").stdout


@pytest.mark.req("hub.private-stays")
def test_nothing_private_is_in_the_database(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    ana.mi("remember", "My own quokka note.")
    ana.mi("remember", "My wombat rule.", "--kind", "rule")
    ana.mi("remember", SHARED, "--team")
    ana.mi("sync")
    bo.mi("sync")
    held = team.read_everything()
    assert "zephyr" in held
    assert "quokka" not in held
    assert "wombat" not in held
    assert bo.find("quokka wombat") == []
