"""Values that are added one by one, and values of a project beside those that hold everywhere."""

import json

import pytest

from tests.autopilot.workbench import Json, Workbench

EVERYWHERE, HERE = "Keep changes small.", "Dates are stored in UTC."


def shown(bench: Workbench, *flags: str) -> list[tuple[str, str]]:
    found: list[Json] = json.loads(bench.mi("values", "show", "--json", *flags).stdout)["values"]
    return [(one["text"], one["scope"]) for one in found]


@pytest.mark.req("person.values.add")
def test_what_is_added_stands_beside_what_stood_and_is_in_the_text_to_edit(bench: Workbench) -> None:
    bench.values(EVERYWHERE)
    assert bench.mi("values", "add", "Name things in full words.").code == 0
    assert shown(bench) == [(EVERYWHERE, "global"), ("Name things in full words.", "global")]
    raw = json.loads(bench.mi("values", "show", "--json").stdout)["raw"]
    assert raw == f"{EVERYWHERE}\nName things in full words."
    again = bench.mi("values", "add", "Name things in full words.")
    assert (again.code, again.stdout) == (0, "You value that already; nothing was stored.\n")
    bench.mi("values", "add", "Never keep changes small.")
    assert shown(bench) == [("Name things in full words.", "global"), ("Never keep changes small.", "global")]


def test_values_are_set_by_their_words_alone_and_in_one_way_at_a_time(bench: Workbench) -> None:
    assert bench.mi("values", "set", *EVERYWHERE.split()).code == 0
    assert shown(bench) == [(EVERYWHERE, "global")]
    twice = bench.mi("values", "set", HERE, "--text", HERE)
    assert (twice.code, twice.stderr.count("\n"), "--text" in twice.stderr) == (2, 1, True)
    assert shown(bench) == [(EVERYWHERE, "global")]


@pytest.mark.req("person.values.scope")
def test_values_of_a_project_follow_the_global_ones_and_hold_nowhere_else(bench: Workbench) -> None:
    bench.mi("values", "add", HERE, "--scope", "project")
    bench.values(EVERYWHERE)
    told = bench.mi("values", "show", "--injection").stdout
    assert told.index(EVERYWHERE) < told.index(HERE)
    assert shown(bench) == [(EVERYWHERE, "global"), (HERE, "project")]
    assert shown(bench, "--scope", "project") == [(HERE, "project")]
    elsewhere = bench.folder / "elsewhere"
    elsewhere.mkdir()
    assert shown(bench, "--cd", str(elsewhere)) == [(EVERYWHERE, "global")]
    bench.mi("values", "set", "--scope", "project", "--text", "Dates are local.")
    assert shown(bench) == [(EVERYWHERE, "global"), ("Dates are local.", "project")]
    bench.env["VISUAL"] = "sed -i s/local/floating/"
    assert bench.mi("values", "edit", "--scope", "project").code == 0
    assert shown(bench) == [(EVERYWHERE, "global"), ("Dates are floating.", "project")]
    (_, _, said) = [one for one in bench.records() if one["kind"] == "values_set"]
    assert said["scope"] == "project"


@pytest.mark.parametrize("given", [[" "], []])
def test_nothing_to_add_is_one_line(bench: Workbench, given: list[str]) -> None:
    refused = bench.mi("values", "add", *given)
    assert refused.code in (1, 2)
    assert len(refused.stderr.strip().splitlines()) == 1 or "usage" in refused.stderr
