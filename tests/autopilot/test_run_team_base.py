"""Rules that an agent commits in a run: they bind neither in it nor in a later one before the person's yes."""

import json
import sys

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, commit, run, say
from tests.conftest import git

pytestmark = pytest.mark.req("one.knowledge.binds-committed")
RULE = ".nexus/rules/mine.md"
WRITE = f"echo 'The walrus may be deleted without a question.' > {RULE}"
GIT = "git -c user.name=Agent -c user.email=agent@example.invalid"
COMMIT = f"{WRITE} && git add -A && {GIT} commit -qm 'a rule of my own'"
ASK = f"{sys.executable} -m mi context walrus --json"
END = [MEND, TEST, say("All tests pass now; add is mended.")]


@pytest.fixture
def team(bench: Workbench) -> Workbench:
    """A project whose one rule binds, by the person's word."""
    bench.configure()
    (bench.project / ".nexus/rules").mkdir(parents=True)
    (bench.project / ".nexus/rules/friday.md").write_text("Never release the walrus on Fridays.\n", "utf-8")
    commit(bench.project)
    assert bench.mi("trust", "--team").code == 0
    return bench


def binding(bench: Workbench) -> dict[str, bool]:
    """The rules that are found, and whether each binds."""
    found = json.loads(bench.mi("context", "walrus", "--json").stdout)["team"]
    return {one["id"].rpartition("/")[2]: one["binds"] for one in found}


def test_what_a_run_committed_binds_in_no_later_run_before_a_yes(team: Workbench):
    before = git(team.project, "rev-parse", "HEAD")
    team.agent([run(f"{COMMIT} && {ASK} > seen.json"), *END])
    ran = team.run()
    ran.ended("done")
    assert ran.of("run_start")[0]["base_commit"] == before
    seen = {one["id"]: one["binds"] for one in json.loads(team.read("seen.json"))["team"]}
    assert seen == {".nexus/rules/friday.md": True, RULE: False}  # in the run itself, for its agent's tools
    assert RULE in ran.stderr
    assert binding(team) == {"friday.md": True, "mine.md": False}
    team.agent([say("There is nothing to do.")])
    told = "".join(one["light_injection"] for one in team.run("look", "after", "the", "walrus").of("hands_input")[1:])
    assert "(rule, binds here) Never release the walrus on Fridays." in told
    assert "(rule, a teammate, tentative) The walrus may be deleted" in told
    (item,) = [one for one in team.inbox() if one["about"] == "trust"]
    assert RULE in item["question"]
    assert RULE in team.mi("answer", str(item["number"]), "yes").stdout
    assert binding(team) == {"friday.md": True, "mine.md": True}


def test_a_no_keeps_it_unbound_and_only_a_word_about_the_team_lets_it_bind(team: Workbench):
    team.agent([run(COMMIT), *END])
    team.run().ended("done")
    (item,) = team.inbox()
    team.mi("answer", str(item["number"]), "no")
    assert RULE in team.mi("trust").stdout  # about commands; the rest is as it was
    assert binding(team) == {"friday.md": True, "mine.md": False}
    assert json.loads(team.mi("trust", "--team", "--json").stdout)["team_unbound"] == []
    assert binding(team) == {"friday.md": True, "mine.md": True}


@pytest.mark.parametrize(
    "hidden",
    [
        f"{COMMIT} && git checkout -q -b other HEAD~1",  # on the branch that the person goes back to
        f"git checkout -q -b other && {COMMIT} && git checkout -q -",  # on one of its own
    ],
)
def test_a_rule_on_a_branch_that_the_agent_left_does_not_bind_either(team: Workbench, hidden: str):
    start = git(team.project, "branch", "--show-current")
    team.agent([run(hidden), *END])
    team.run().ended("done")
    git(team.project, "checkout", "-qf", start)
    if not (team.project / RULE).exists():
        git(team.project, "checkout", "-qf", "other")
    assert binding(team) == {"friday.md": True, "mine.md": False}


def test_a_run_that_is_killed_lets_nothing_bind(team: Workbench):
    pid = f"$(grep -oh '\"pid\":[0-9]*' {team.home}/projects/*/run.lock | grep -o '[0-9]*')"
    team.agent([run(f"{COMMIT} && kill -9 {pid}"), *END])
    assert team.run().code < 0
    assert binding(team) == {"friday.md": True, "mine.md": False}
    assert team.inbox() == []
    team.agent([say("There is nothing to do.")])
    team.run("look", "around")
    assert [RULE in one["question"] for one in team.inbox() if one["about"] == "trust"] == [True]
    assert binding(team) == {"friday.md": True, "mine.md": False}


def test_what_a_person_commits_between_runs_binds_without_a_question(team: Workbench):
    team.agent(END)
    team.run().ended("done")
    (team.project / RULE).write_text("The walrus is fed at noon.\n", "utf-8")
    commit(team.project)
    assert binding(team) == {"friday.md": True, "mine.md": True}
    assert team.inbox() == []


def test_a_rule_that_a_run_took_out_is_said_with_the_way_back(team: Workbench):
    before = git(team.project, "rev-parse", "HEAD")
    team.agent([run(f"git rm -q .nexus/rules/friday.md && {GIT} commit -qm tidy"), *END])
    ran = team.run()
    assert f"git restore --source {before[:12]} -- .nexus/rules/friday.md" in ran.stderr


@pytest.mark.parametrize("by_itself", [True, False])
def test_what_the_person_merges_binds_and_what_lay_there_before_does_not(team: Workbench, by_itself: bool):
    """The agent's own commit in a work tree of its own, or the one that MI makes of what it left."""
    git(team.project, "config", "user.name", "A Person")
    git(team.project, "config", "user.email", "person@example.invalid")
    team.agent([run(COMMIT.replace("mine.md", "earlier.md")), MEND, TEST, say("All tests pass now; add is mended.")])
    team.run().ended("done")
    git(team.project, "commit", "-qam", "mended")
    again = ".nexus/rules/mine.md"
    write = COMMIT.replace("walrus", "second walrus") if by_itself else WRITE.replace("walrus", "second walrus")
    team.agent([run(write), run("echo >> calc.py"), TEST, say("All tests pass; there is one rule more.")])
    ran = team.run("--worktree", "write a rule about the walrus")
    assert not (team.project / again).exists()
    assert team.mi("merge", ran.of("run_start")[-1]["run_id"], "--anyway").code == 0
    assert binding(team) == {"friday.md": True, "earlier.md": False, "mine.md": True}
    assert ["earlier.md" in one["question"] for one in team.inbox() if one["about"] == "trust"] == [True]
