"""Two clones, two people, real git: history and cards merge with the driver, and are mended where it was not there."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from mi.app.merge_driver import install_merge_driver, list_attributes, remove_merge_driver, wants_driver
from mi.kernel.conflicts import Sides, read_sides, unite_lines
from mi.nexus.history_merge import unite_histories
from mi.persona.make import make
from mi.persona.place import PersonaView
from tests.conftest import MI, Mi, git


class Clone:
    """One person's clone, with a home of their own."""

    def __init__(self, root: Path, name: str, mi: Mi) -> None:
        self.root, self.name, self._mi = root, name, mi
        self.home = root.parent / f"home-{name}"

    def git(self, *args: str, fails: bool = False) -> str:
        who = ["-c", f"user.name={self.name}", "-c", f"user.email={self.name}@example.org"]
        env = os.environ | {"PATH": f"{MI.parent}:{os.environ['PATH']}", "MI_HOME": str(self.home)}
        done = subprocess.run(["git", *who, *args], cwd=self.root, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    def mi(self, *args: str) -> str:
        done = self._mi("--home", str(self.home), "-C", str(self.root), *args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def close_cycle(self, topic: str) -> None:
        self.mi("plan", "start", topic, "--issue", "which way", "--research", "looked")
        self.mi("nexus", "task", "close")

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def topics(self) -> list[str]:
        found = json.loads(self.mi("nexus", "history", "--json"))
        return [one["topic"] for one in found["cycles"]]

    def propose_and_accept(self, title: str) -> None:
        evidence = ["--evidence", "ev_1"]
        self.mi("proposal", "add", "--type", "heuristic", "--title", title, "--text", f"{title} holds.", *evidence)
        name = json.loads(self.mi("proposal", "list", "--json"))[0]["name"]
        self.mi("proposal", "review", name, "--verdict", "accept", "--by", "human", "--reason", "seen")

    def ids(self) -> dict[str, str]:
        return {one["title"]: one["id"] for one in json.loads(self.mi("card", "list", "--json"))}

    def damage(self, *args: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads(self.mi("repair", *args, "--json"))["damage"]
        return [one for one in found if str(one["path"]).startswith(str(self.root))]


@pytest.fixture(scope="module")
def beginning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a persona and a first cycle, and two clones of it."""
    folder = tmp_path_factory.mktemp("team")
    root = folder / "ada"
    history = {"cycles": [{"completed_at": "2026-01-01T00:00:00.000Z", "plan": {"topic": "the beginning"}}]}
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", "origin.git"], cwd=folder, check=True)
    subprocess.run(["git", "clone", "-q", "./origin.git", "ada"], cwd=folder, check=True, capture_output=True)
    make(PersonaView(str(root / "persona"), "mi"))
    (root / ".nexus").mkdir()
    (root / ".nexus/history.json").write_text(json.dumps(history, indent=2), "utf-8")
    (root / ".nexus/.gitignore").write_text("state/\n", "utf-8")
    git(root, "checkout", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "begin")
    git(root, "push", "-q", "-u", "origin", "main")
    git(root, "remote", "set-url", "origin", "../origin.git")
    (root / "persona/indexes/card-index.yaml").unlink()
    shutil.copytree(root, folder / "bob", symlinks=True)
    return folder


@pytest.fixture
def clones(tmp_path: Path, beginning: Path, mi: Mi) -> tuple[Clone, Clone]:
    """The clones of ada and bob."""
    shutil.copytree(beginning, tmp_path / "team")
    return Clone(tmp_path / "team/ada", "ada", mi), Clone(tmp_path / "team/bob", "bob", mi)


def meet(ada: Clone, bob: Clone, *, conflict: bool = False) -> None:
    """Let ada push and bob merge it."""
    for one in (ada, bob):
        one.commit(f"work of {one.name}")
    ada.git("push", "-q", "origin", "main")
    bob.git("fetch", "-q")
    bob.git("merge", "--no-edit", "origin/main", fails=conflict)


def set_driver(one: Clone) -> None:
    """Do to a clone what `mi setup --profile team` does to it."""
    install_merge_driver(str(one.root))
    for block in list_attributes(str(one.root)):
        (one.root / block.path).write_text(block.text + "\n", "utf-8")


@pytest.mark.req("one.teams.driver")
def test_with_the_driver_two_cycles_merge_by_themselves(clones):
    ada, bob = clones
    for one in clones:
        set_driver(one)
        set_driver(one)  # again, nothing changes
        one.close_cycle(f"the work of {one.name}")
    meet(ada, bob)
    assert bob.topics() == ["the beginning", "the work of ada", "the work of bob"]
    assert bob.git("status", "--porcelain") == ""
    bob.git("push", "-q", "origin", "main")
    ada.git("pull", "-q", "--ff-only")
    assert ada.topics() == bob.topics()


@pytest.mark.req("one.teams.driver", "one.teams.install")
def test_the_driver_is_named_by_the_repository_and_made_by_each_clone(clones):
    ada, bob = clones
    set_driver(ada)
    ada.commit("attributes")
    ada.git("push", "-q", "origin", "main")
    bob.git("pull", "-q")
    assert wants_driver(str(bob.root))
    assert [one["kind"] for one in bob.damage()] == ["no-merge-driver"]
    install_merge_driver(str(bob.root))
    assert not wants_driver(str(bob.root))
    assert bob.git("check-attr", "merge", "persona/cards/heuristics/h-001-x.md").endswith(": mi\n")
    remove_merge_driver(str(bob.root))
    assert "merge" not in (bob.root / ".git/config").read_text("utf-8").replace("refs/heads", "").split("[branch")[0]


@pytest.mark.req("one.teams.repair-history", "one.teams.reads-markers")
def test_without_the_driver_a_history_with_markers_is_read_and_mended(clones):
    ada, bob = clones
    for one in clones:
        one.close_cycle(f"the work of {one.name}")
    meet(ada, bob, conflict=True)
    history = bob.root / ".nexus/history.json"
    assert "<<<<<<<" in history.read_text("utf-8")
    wanted = ["the beginning", "the work of ada", "the work of bob"]
    assert bob.topics() == wanted
    assert [one["kind"] for one in bob.damage()] == ["merged-history"]
    assert "<<<<<<<" in history.read_text("utf-8")
    bob.damage("--apply")
    assert [one["plan"]["topic"] for one in json.loads(history.read_text("utf-8"))["cycles"]] == wanted
    assert bob.damage() == []
    assert "Nothing to mend" not in bob.mi("nexus", "history")


@pytest.mark.req("one.teams.reads-markers")
def test_a_cycle_is_closed_over_markers_and_loses_nobody(clones):
    ada, bob = clones
    for one in clones:
        one.close_cycle(f"the work of {one.name}")
    meet(ada, bob, conflict=True)
    bob.close_cycle("after all")
    assert bob.topics() == ["the beginning", "the work of ada", "the work of bob", "after all"]
    assert "<<<<<<<" not in (bob.root / ".nexus/history.json").read_text("utf-8")


@pytest.mark.req("one.teams.card-ids")
def test_the_later_of_two_cards_of_one_id_is_renumbered_and_its_references_follow(clones):
    ada, bob = clones
    ada.propose_and_accept("Small steps")
    bob.propose_and_accept("Short names")
    cards = "persona/cards/heuristics"
    for one in clones:
        note = one.root / ".nexus/memory" / f"{one.name}-notes.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(f"# Notes\n\nWe go by H-001, says {one.name}.\nNot H-0010.\n", "utf-8")
    bob_card = bob.root / cards / "h-001-short-names.md"
    bob_card.write_text(bob_card.read_text("utf-8").replace("created: '20", "created: '30"), "utf-8")
    meet(ada, bob)
    (found,) = bob.damage()
    assert (found["kind"], found["id"], found["new_id"], found["count"]) == ("equal-card-ids", "H-001", "H-002", 1)
    assert bob.mi("card", "list").count("H-001") == 2
    bob.damage("--apply")
    assert bob.ids() == {"Small steps": "H-001", "Short names": "H-002"}
    assert not bob_card.exists()
    memory = bob.root / ".nexus/memory"
    assert "go by H-002, says bob.\nNot H-0010." in (memory / "bob-notes.md").read_text("utf-8")
    assert "go by H-001, says ada." in (memory / "ada-notes.md").read_text("utf-8")
    assert bob.damage() == []


@pytest.mark.req("one.teams.card-ids")
def test_both_people_renumber_the_same_card_on_one_day(clones):
    ada, bob = clones
    ada.propose_and_accept("Small steps")
    bob.propose_and_accept("Short names")
    meet(ada, bob)
    bob.git("push", "-q", "origin", "main")
    ada.git("pull", "-q")
    for one in clones:
        one.damage("--apply")
    assert ada.ids() == bob.ids()
    assert sorted(ada.ids().values()) == ["H-001", "H-002"]


def change_card(clone: Clone, former: str, new: str) -> None:
    path = clone.root / "persona/cards/heuristics/h-001-small-steps.md"
    text = path.read_text("utf-8")
    assert former in text
    path.write_text(text.replace(former, new), "utf-8")


def share_card(ada: Clone, bob: Clone) -> None:
    ada.propose_and_accept("Small steps")
    ada.commit("card")
    ada.git("push", "-q", "origin", "main")
    bob.git("pull", "-q")


def change_both(ada: Clone, bob: Clone) -> None:
    change_card(ada, "Small steps holds.", "Small steps holds, also for tests.")
    change_card(ada, "salience: 5", "salience: 8")
    change_card(bob, "Small steps holds.", "Small steps holds, but not for renames.")
    change_card(bob, "title: Small steps", "title: Small steps\naliases:\n- baby steps")


@pytest.mark.req("one.teams.driver")
def test_with_the_driver_a_card_keeps_what_both_changed(clones):
    ada, bob = clones
    share_card(ada, bob)
    for one in clones:
        set_driver(one)
    change_both(ada, bob)
    meet(ada, bob)
    check_both(bob)


@pytest.mark.req("one.teams.repair-cards", "one.teams.reads-markers")
def test_without_the_driver_a_card_with_markers_is_read_and_mended(clones):
    ada, bob = clones
    share_card(ada, bob)
    change_both(ada, bob)
    meet(ada, bob, conflict=True)
    path = bob.root / "persona/cards/heuristics/h-001-small-steps.md"
    assert "<<<<<<<" in path.read_text("utf-8")
    check_both(bob)
    assert [one["kind"] for one in bob.damage("--apply")] == ["merged-card"]
    assert "<<<<<<<" not in path.read_text("utf-8")
    check_both(bob)


def check_both(bob: Clone) -> None:
    for word in ("also for tests", "not for renames"):
        assert "h-001-small-steps.md" in bob.mi("search", word)
    card = json.loads(bob.mi("card", "show", "H-001", "--json"))
    assert (card["salience"], card["aliases"]) == (8, ["baby steps"])
    assert "also for tests" in card["body"]
    assert "not for renames" in card["body"]
    assert card["body"].count("## Evidence") == 1


@pytest.mark.req("one.teams.repair-cards", "one.teams.reads-markers", "one.teams.card-ids")
@pytest.mark.parametrize("driver", [True, False])
def test_two_cards_in_one_file_are_both_read_and_get_files_of_their_own(clones, driver):
    ada, bob = clones
    for one, title in ((ada, "Small steps"), (bob, "Short names")):
        if driver:
            set_driver(one)
        one.propose_and_accept(title)
        (card,) = (one.root / "persona/cards/heuristics").iterdir()
        card.rename(card.parent / "h-001.md")
    meet(ada, bob, conflict=True)
    assert bob.mi("card", "list").count("H-001") == 2
    bob.damage("--apply")
    assert sorted(bob.ids()) == ["Short names", "Small steps"]
    assert sorted(bob.ids().values()) == ["H-001", "H-002"]
    assert bob.damage() == []


@pytest.mark.req("one.teams.repair-cards")
def test_a_file_of_two_cards_is_not_overwritten_by_one_of_them(clones, mi):
    ada, bob = clones
    for one, title in ((ada, "Small steps"), (bob, "Short names")):
        one.propose_and_accept(title)
        (card,) = (one.root / "persona/cards/heuristics").iterdir()
        card.rename(card.parent / "h-001.md")
    meet(ada, bob, conflict=True)
    done = mi("--home", str(bob.home), "-C", str(bob.root), "card", "archive", "H-001")
    assert done.returncode == 1
    assert "mi repair --apply" in done.stderr


@pytest.mark.req("one.teams.handoff-ids")
@pytest.mark.parametrize("mended", ["repair", "accept"])
def test_two_handoffs_of_one_id_are_both_kept(clones, mended):
    ada, bob = clones
    for one in clones:
        words = ["--task", f"Mend the {one.name} parser in parse.py", "--context", "it fails", "--criterion", "green"]
        one.mi("handoff", "new", "--to", "human", *words)
    meet(ada, bob, conflict=True)
    assert bob.mi("handoff", "show").count("-001  sent") == 2
    assert "parser" in bob.mi("status")
    if mended == "repair":
        assert [one["kind"] for one in bob.damage("--apply")] == ["merged-handoff"]
    else:
        (found,) = {one["id"] for one in json.loads(bob.mi("handoff", "show", "--json"))}
        bob.mi("handoff", "accept", found, "--member", "human")
    found = {one["id"][-3:]: one["task"] for one in json.loads(bob.mi("handoff", "show", "--json"))}
    assert found == {"001": "Mend the ada parser in parse.py", "002": "Mend the bob parser in parse.py"}
    assert bob.damage() == []


@pytest.mark.req("one.teams.index")
def test_the_index_is_derived_and_no_clone_tracks_it(clones):
    ada, bob = clones
    assert "card-index" not in ada.git("ls-files")
    share_card(ada, bob)
    assert not (bob.root / "persona/indexes/card-index.yaml").exists()
    assert json.loads(bob.mi("persona", "boot", "--json"))["index"]["total_active"] == 1
    index = yaml.safe_load((bob.root / "persona/indexes/card-index.yaml").read_text("utf-8"))
    assert index["total_active"] == 1
    assert "card-index" not in bob.git("status", "--porcelain", "-uall")


@pytest.mark.req("one.teams.index")
def test_a_tracked_index_is_said_and_taken_out(clones):
    ada, _ = clones
    (ada.root / "persona/.gitignore").write_text(".*/private/\n", "utf-8")
    ada.mi("card", "index")
    ada.commit("as it was")
    assert "card-index.yaml" in ada.git("ls-files")
    assert [one["kind"] for one in ada.damage()] == ["tracked-index"]
    assert "mi doctor --fix" in ada._mi("--home", str(ada.home), "-C", str(ada.root), "doctor").stdout
    ada.damage("--apply")
    assert "card-index.yaml" not in ada.git("ls-files")
    assert (ada.root / "persona/indexes/card-index.yaml").exists()
    assert (ada.root / "persona/.gitignore").read_text("utf-8") == ".*/private/\nindexes/card-index.yaml\n"
    assert ada.damage() == []


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("a\n", None),
        ("<<<<<<< ours\na\n", None),
        ("x\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\ny\n", Sides("x\na\ny\n", "x\nb\ny\n")),
        ("<<<<<<<\na\n||||||| base\nc\n=======\nb\n>>>>>>>\n", Sides("a\n", "b\n")),
        ("<<<<<<< o\r\na\r\n=======\r\nb\r\n>>>>>>> t\r\n", Sides("a\r\n", "b\r\n")),
        (
            "A title\n=======\n<<<<<<< o\na\n=======\nb\n>>>>>>> t\n",
            Sides("A title\n=======\na\n", "A title\n=======\nb\n"),
        ),
        ("<<<<<<<< longer\na\n", None),
    ],
)
def test_both_sides_of_a_text_are_read(text, sides):
    assert read_sides(text) == sides


def test_lines_of_both_sides_stay():
    assert unite_lines("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n") == "a\nB\nc\nd\n"
    assert unite_lines("", "head\none\nend\n", "head\ntwo\nend\n") == "head\none\ntwo\nend\n"
    assert unite_lines("a\n", "a\n", "b\n") == "b\n"


@pytest.mark.req("one.teams.repair-history")
def test_cycles_are_told_apart_by_their_moment_and_their_content():
    one, same, other = ({"completed_at": "1", "branch": name} for name in ("a", "a", "b"))
    ours = {"cycles": [one, {"completed_at": "3"}, "odd"], "note": "ours"}
    theirs = {"cycles": [same, other, {"completed_at": "2"}], "note": "theirs", "more": 1}
    assert unite_histories(ours, theirs) == {
        "cycles": [one, other, {"completed_at": "2"}, "odd", {"completed_at": "3"}],
        "note": "ours",
        "more": 1,
    }
    swapped = unite_histories(theirs, ours)
    assert [one for one in swapped["cycles"] if one != "odd"] == [one, other, *({"completed_at": n} for n in "23")]


def write_both(ada: Clone, bob: Clone, name: str, ours: str, theirs: str) -> Path:
    """Let both write one file in their own way, and bob merge it; returns bob's."""
    for one, text in ((ada, ours), (bob, theirs)):
        path = one.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    meet(ada, bob, conflict=True)
    assert "<<<<<<<" in (bob.root / name).read_text("utf-8")
    return bob.root / name


PROPOSAL = """---
type: proposal
proposed_card_type: heuristic
title: {title}
merge_key: small-steps
proposed_by: mi
date: "2026-01-02"
status: {status}
salience: 5
{more}---

Take small steps.
{body}"""
NAME = "persona/proposals/2026-01/proposal-heuristic-small-steps.md"
DECIDED = 'reviewed_by: {by}\nreviewed_date: "2026-01-03"\nverdict: {verdict}\n'


def proposal(title: str = "Small steps", status: str = "pending", more: str = "", body: str = "") -> str:
    return PROPOSAL.format(title=title, status=status, more=more, body=body)


@pytest.mark.req("one.teams.repair-proposals", "one.teams.reads-markers")
def test_a_proposal_that_one_decided_and_the_other_extended_is_read_and_mended(clones):
    ada, bob = clones
    decided = proposal(status="rejected", more=DECIDED.format(by="ada", verdict="reject"), body="It was tried.\n")
    path = write_both(ada, bob, NAME, decided, proposal(body="See the log.\n"))
    for _ in range(2):
        (one,) = json.loads(bob.mi("proposal", "list", "--status", "all", "--json"))
        assert one["status"] == "rejected"
        bob.damage("--apply")
    assert path.read_text("utf-8").count("Take small steps.") == 1
    assert ["It was tried." in path.read_text("utf-8"), "See the log." in path.read_text("utf-8")] == [True, True]
    assert "<<<<<<<" not in path.read_text("utf-8")
    assert bob.damage() == []


@pytest.mark.req("one.teams.repair-proposals")
def test_two_proposals_in_one_file_get_a_file_each(clones):
    ada, bob = clones
    write_both(ada, bob, NAME, proposal("Small steps"), proposal("Small Steps!"))
    assert [one["kind"] for one in bob.damage("--apply")] == ["merged-proposal"]
    found = json.loads(bob.mi("proposal", "list", "--json"))
    assert sorted(one["title"] for one in found) == ["Small Steps!", "Small steps"]


@pytest.mark.req("one.teams.repair-proposals", "one.teams.repair-says")
def test_what_only_a_person_can_decide_is_said_and_left(clones):
    ada, bob = clones
    sides = [
        proposal(status=status, more=DECIDED.format(by=by, verdict=verdict))
        for by, status, verdict in (("ada", "accepted", "accept"), ("bob", "rejected", "reject"))
    ]
    path = write_both(ada, bob, NAME, *sides)
    before = path.read_bytes()
    (one,) = bob.damage("--apply")
    assert (one["kind"], one["by_hand"], one["verdicts"]) == ("two-verdicts", True, "ada: accept, bob: reject")
    assert path.read_bytes() == before


@pytest.mark.req("one.teams.repair-says", "one.teams.reads-markers")
@pytest.mark.parametrize("name", ["persona/core/principles.md", ".nexus/rules/release.md"])
def test_words_that_two_people_wrote_are_said_with_their_place(clones, name):
    ada, bob = clones
    path = write_both(ada, bob, name, "# Ours\n\nNever on Fridays.\n", "# Ours\n\nOnly on Mondays.\n")
    before = path.read_bytes()
    (one,) = bob.damage("--apply")
    assert (one["kind"], one["by_hand"], one["line"]) == ("merged-text", True, 3)
    assert path.read_bytes() == before
    said = [one["text"] for one in json.loads(bob.mi("doctor", "--json"))["findings"]]
    assert any(str(path) in text and "line 3" in text for text in said)
    assert "Fridays" in bob.mi("search", "Fridays")
