"""`mi race`: who is proposed first and why, and what the person's choice does."""

import json
from itertools import islice, permutations
from pathlib import Path

import pytest

from mi.evidence.records.run import Marks, RunUsage
from mi.fleet.race import RaceEntry, list_race_grounds, rank_entries
from tests.autopilot.workbench import MEND, TEST, Json, Workbench, open_bench, say
from tests.conftest import git

DONE = [MEND, TEST, say("Fixed and tested. Done.")]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def enter(name: str, state: str = "done", *, lines: int | None = 10, unbent: bool = True, **marks: bool) -> RaceEntry:
    held = Marks(ran=True, claimed=True, **{"verified": True, **marks})
    return RaceEntry(
        run_id=name, agent="codex", state=state, marks=held, spent=RunUsage(), unbent=unbent, files=1, lines=lines
    )


@pytest.mark.req("fleet.race.ranking")
def test_verified_goes_before_proved_before_unbent_before_small() -> None:
    """Each one is better than all that follow it, by the first thing in which they differ."""
    order = [
        enter("small", proved=True, lines=5),
        enter("large", proved=True, lines=50),
        enter("unknown-size", proved=True, lines=None),
        enter("bent", proved=True, unbent=False, lines=1),
        enter("no-proof", lines=1),
        enter("not-proved", proved=False, lines=1),
        enter("unverified", verified=False, lines=1),
        enter("blocked", "blocked", lines=1),
        enter("unclaimed", "failed", verified=False, lines=1),
    ]
    for shuffled in islice(permutations(order), 0, None, 4999):
        assert [entry.run_id for entry in rank_entries(shuffled)] == [entry.run_id for entry in order]


@pytest.mark.req("fleet.race.ranking")
def test_the_grounds_say_what_holds_and_no_more() -> None:
    small, large = enter("a", proved=True, lines=5), enter("b", lines=50)
    assert list_race_grounds(small, [large]) == ["verified", "proved", "unbent", "smallest"]
    assert list_race_grounds(large, [small]) == ["verified", "unbent"]
    broken = enter("c", "failed", lines=1)
    assert "smallest" in list_race_grounds(small, [large, broken])  # what is not done is no measure


SPRAWL = r"""#!/bin/sh
sed -i 's/    return a$/    return a + b/' calc.py
printf 'one\ntwo\nthree\n' > notes.txt
echo "Done: it is fixed."
"""


def open_race(bench: Workbench, *words: str) -> Json:
    """A race between an agent that does what is asked and one that leaves more behind."""
    program = bench.folder / "sprawl.sh"
    program.write_text(SPRAWL, "utf-8")
    program.chmod(0o755)
    bench.agent(DONE)
    bench.configure(hands=bench.config["hands"] | {"cli": {"exec": [str(program)], "events": "none"}})
    bench.mi("trust")
    bench.mi("settings", "set", "--prove", "yes")
    done = bench.mi("race", "fix the failing test", *words, "--json")
    assert done.code == 0, done.stderr
    told: Json = json.loads(done.stdout)
    return told


def show(bench: Workbench, *words: str) -> Json:
    done = bench.mi("race", *words, "--json")
    assert done.code == 0, done.stderr
    told: Json = json.loads(done.stdout)
    return told


@pytest.mark.req("fleet.race.queued", "fleet.race.ranking", "fleet.race.pick")
def test_a_race_is_run_ranked_and_picked(bench: Workbench) -> None:
    begun = open_race(bench, "--agents", "cli,replay", "-n", "3")
    assert [racer["agent"] for racer in begun["runs"]] == ["cli", "replay", "cli"]
    (record,) = [one for one in bench.records() if one["kind"] == "race"]
    assert [racer["run_id"] for racer in record["racers"]] == [racer["run_id"] for racer in begun["runs"]]
    assert {run["state"] for run in show(bench)["runs"]} == {"queued"}
    assert "still going on" in bench.mi("race").stdout
    worked = bench.mi("worker", "--drain")
    assert worked.code == 0, worked.stderr
    standing = show(bench, begun["race_id"])
    first, *others = standing["runs"]
    assert (first["agent"], first["state"], first["lines"]) == ("replay", "done", 2)
    assert [(run["agent"], run["lines"]) for run in others] == [("cli", 5), ("cli", 5)]
    assert bench.mi("diff", first["run_id"], "--stat").code == 0
    assert (standing["proposed"], standing["picked"]) == (first["run_id"], None)
    assert standing["grounds"] == ["verified", "proved", "unbent", "smallest"]
    assert (
        f"proposed: {first['run_id']} (verified, proved, no judge bent, the smallest difference)"
        in bench.mi("race").stdout
    )
    assert "return a + b" not in bench.read("calc.py")
    picked = bench.mi("race", "pick", first["run_id"])
    assert picked.code == 0, picked.stderr
    assert "return a + b" in bench.read("calc.py")
    assert not (bench.project / "notes.txt").exists()
    assert show(bench)["picked"] == first["run_id"]
    branches = git(bench.project, "branch", "--list", "mi/*", "--format=%(refname:short)").split()
    assert {run["branch"] for run in others} <= {*branches}
    again = bench.mi("race", "pick", others[0]["run_id"])
    assert (again.code, f"mi merge {others[0]['run_id']}" in again.stderr) == (1, True)


@pytest.mark.req("fleet.race.ranking")
def test_nobody_who_is_not_done_is_proposed(bench: Workbench) -> None:
    bench.agent([say("Should the result be red or green?")])
    bench.mi("race", "fix it", "--agents", "replay", "-n", "2")
    bench.mi("worker", "--drain")
    standing = show(bench)
    assert (standing["proposed"], standing["grounds"]) == (None, [])
    assert {run["state"] for run in standing["runs"]} == {"waiting"}
    assert "none is done" in bench.mi("race").stdout
    refused = bench.mi("race", "pick", standing["runs"][0]["run_id"])
    assert (refused.code, refused.stdout) == (3, "")


@pytest.mark.req("fleet.race.ranking")
def test_a_run_that_was_answered_goes_on_before_anybody_is_proposed(bench: Workbench) -> None:
    bench.agent([say("Should the result be red or green?")], DONE)
    bench.mi("race", "fix it", "--agents", "replay", "-n", "2")
    bench.mi("worker", "--drain")
    assert {run["state"] for run in show(bench)["runs"]} == {"waiting"}
    bench.mi("answer", "1", "green")  # the same question of both
    assert {run["state"] for run in show(bench)["runs"]} == {"queued"}
    assert "still going on" in bench.mi("race").stdout
    bench.mi("worker", "--drain")
    standing = show(bench)
    assert [run["state"] for run in standing["runs"]] == ["done", "done"]
    assert standing["proposed"] == standing["runs"][0]["run_id"]


@pytest.mark.req("fleet.race.bad-words")
def test_bad_words_queue_nothing(bench: Workbench, tmp_path: Path) -> None:
    bench.agent(DONE)
    cases = {
        ("race",): (1, "no race in"),
        ("race", "race_none"): (1, "race_none"),
        ("race", "pick", "run_none"): (1, "run_none"),
        ("race", " "): (2, "needs a value"),
        ("race", "fix it", "--agents", "codex,nobody"): (2, "nobody"),
        ("race", "fix it", "--agents", "replay,codex"): (1, "codex"),
        ("race", "fix it", "--agents", "codex,,claude"): (2, "codex, claude"),
        ("race", "fix it", "-n", "1"): (2, "-n 1"),
        ("race", "fix it", "-n", "17"): (2, "-n 17"),
        ("race", "fix it", "--agents", "codex,claude,cli", "-n", "2"): (2, "-n 2"),
        ("race", "fix it", "-n", "two"): (2, "two"),
        ("race", "--agents", "codex"): (2, "mi race"),
    }
    for words, (code, said) in cases.items():
        done = bench.mi(*words)
        assert (done.code, done.stdout) == (code, ""), (words, done.stderr)
        assert said in done.stderr.splitlines()[0], done.stderr
    bench.project = tmp_path / "empty"
    bench.project.mkdir()
    assert bench.mi("race", "fix it").code == 2
    git(bench.project, "init", "-q")
    assert bench.mi("race", "fix it").code == 2
    assert [one["kind"] for one in bench.records() if one["kind"] == "race"] == []
    assert not (bench.home / "queue.sqlite").exists()


@pytest.mark.req("fleet.race.queued")
def test_a_secret_in_the_task_reaches_no_log(bench: Workbench) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    bench.agent(DONE)
    done = bench.mi("race", f"log in with {token}", "--agents", "replay")
    assert "a secret was taken out of the task" in done.stdout
    assert not [path for path in bench.home.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
