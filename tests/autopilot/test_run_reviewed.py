"""What a run needs before it is done is what `mi gate diff` says of the same tree, whatever the run changed."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mi.autopilot.batch_facts import _size
from mi.autopilot.steps.governance import find_needed
from mi.project.change import change_here
from mi.project.worktree import SnapshotNet, WorktreeWatch
from tests.autopilot.workbench import MEND, TEST, Json, Ran, Workbench, run, write
from tests.autopilot.workbench import say as says
from tests.conftest import git

DONE = [MEND, TEST, says("Fixed and tested. Done.")]
TASK = ("fix", "the", "failing", "test")
MIGRATION = [write("db/migrations/001.sql", "select 1;\n"), write("app/a.txt", "x\n"), write("web/b.txt", "x\n")]
HARMLESS = [write(f"part{number}.txt", "text\n") for number in range(7)]
# What makes a change risky, large, or neither.
PATHS = (
    "notes.txt", "docs/guide.md", "app/auth/session.py", "app/view.py", "db/migrations/002.sql", "requirements.txt",
    "package-lock.json", "src/crypto/tls.py", "web/deep/er/page.js", "a b/ü.txt", "dist/out.js", "data.bin",
)  # fmt: skip
TEXTS = ("x = 1\n", "import requests\n", "def shown():\n    pass\n", "DROP TABLE t;\n", "line\n" * 160, "", "\x00\x01")
KNOWN = ("kept.py", "lib/auth.py", "lib/many.txt")


def rules(bench: Workbench, preflight: str, **more: Any) -> None:
    bench.configure(governance={"preflight": preflight, **more})


def gate(bench: Workbench) -> tuple[int, Json]:
    told = bench.mi("gate", "diff", "--json")
    return told.code, json.loads(told.stdout)


def asked(ran: Ran) -> str:
    (question,) = ran.of("question")
    return str(question["text"])


# the same verdict


def make_repository(root: Path) -> None:
    (root / "lib").mkdir(parents=True)
    (root / "kept.py").write_text("def kept():\n    return 1\n", "utf-8")
    (root / "lib" / "auth.py").write_text("def login():\n    return 1\n", "utf-8")
    (root / "lib" / "many.txt").write_text("".join(f"line {n}\n" for n in range(40)), "utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "first")


ACTS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from((*PATHS, *KNOWN)), st.sampled_from(TEXTS)),
    st.tuples(st.just("lines"), st.just("lib/many.txt"), st.lists(st.integers(0, 39), max_size=9)),
    st.tuples(st.just("delete"), st.sampled_from(KNOWN), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(KNOWN), st.sampled_from(("moved.py", "app/auth/moved.py"))),
    st.tuples(st.just("mode"), st.sampled_from(KNOWN), st.just("")),
)


def do(root: Path, act: str, path: str, how: Any) -> None:
    place = root / path
    if act == "write":
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(how.encode())
    elif not place.exists():
        return
    elif act == "lines":
        lines = place.read_text("utf-8").splitlines()
        place.write_text("".join(f"{line}{' changed' * (n in how)}\n" for n, line in enumerate(lines)), "utf-8")
    elif act == "delete":
        place.unlink()
    elif act == "rename":
        (root / how).parent.mkdir(parents=True, exist_ok=True)
        os.replace(place, root / how)
    else:
        place.chmod(0o755)


@pytest.mark.req("one.runs.same-verdict")
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(batches=st.lists(st.lists(ACTS, max_size=7), min_size=1, max_size=3))
def test_a_runs_verdict_is_that_of_gate_diff_after_every_batch(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[tuple[str, str, Any]]]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    root = folder / "project"
    make_repository(root)
    with WorktreeWatch(str(root), net=SnapshotNet("run_x", str(folder / "home"))) as watch:
        for acts in batches:
            for act in acts:
                do(root, *act)
            size = _size(watch.step().total, str(root))
            here = change_here(str(root))
            assert (size.units, *find_needed(size)) == (here.counted.units, here.raw, here.review)


def generate_work(seed: int) -> list[list[Json]]:
    """Return what an agent does in one or two batches, the second of which mends and checks."""
    chance = random.Random(seed)
    acts = [write(path, chance.choice(TEXTS[:5])) for path in chance.sample(PATHS, chance.randint(0, 6))]
    first = chance.randint(0, len(acts)) if chance.random() < 0.5 else 0
    return [*([[*acts[:first], says("I have begun.")]] if first else []), [*acts[first:], *DONE]]


@pytest.mark.req("one.runs.same-verdict", "one.runs.team-waits", "one.runs.light-waits")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("preflight", ["irreversible", "advise"])
def test_a_run_ends_done_only_where_gate_diff_wants_nobody(bench: Workbench, preflight: str, seed: int) -> None:
    bench.agent(*generate_work(seed))
    rules(bench, preflight)
    ran = bench.run(*TASK)
    code, told = gate(bench)
    waits = code != 0 and (preflight == "advise" or told["raw"] >= 4)
    ran.ended("blocked" if waits else "done")
    if waits:
        assert f"{told['change_units']} unit" in asked(ran)
        assert f"risk {told['raw']};" in asked(ran)
    else:
        assert ran.of("question") == []


@pytest.mark.req("one.runs.same-verdict")
def test_what_the_agent_committed_counts_as_well(bench: Workbench) -> None:
    before = git(bench.project, "rev-parse", "HEAD").strip()
    commit = run("git add -A && git -c user.name=A -c user.email=a@example.org commit -qm work")
    bench.agent([*HARMLESS, commit, *DONE])
    rules(bench, "advise")
    ran = bench.run(*TASK)
    ran.ended("blocked")
    told = json.loads(bench.mi("gate", "diff", before, "--json").stdout)
    assert f"{told['change_units']} units at risk {told['raw']};" in asked(ran)


@pytest.mark.req("one.runs.same-verdict")
def test_a_file_too_large_for_a_diff_counts_for_both(bench: Workbench) -> None:
    bench.agent([*HARMLESS[:4], run("head -c 10000001 /dev/zero > large.bin"), *DONE])
    rules(bench, "advise")
    ran = bench.run(*TASK)
    ran.ended("blocked")
    assert gate(bench)[1]["change_units"] == 6
    assert "6 units at risk 0;" in asked(ran)


@pytest.mark.req("one.runs.team-waits", "one.runs.light-said")
@pytest.mark.parametrize(("profile", "status"), [("light", "done"), ("team", "blocked"), ("strict", "blocked")])
def test_the_profile_says_who_waits(bench: Workbench, profile: str, status: str) -> None:
    bench.agent([*HARMLESS, *DONE])
    bench.configure(profile=profile, governance={})
    ran = bench.run("fix", "the", "add", "function", "in", "calc.py")
    ran.ended(status)
    assert gate(bench)[0] == 3
    assert len(ran.of("hands_input")) == 1


# light


@pytest.mark.req("one.runs.light-waits", "one.runs.way-back")
def test_light_puts_risk_four_to_the_person_at_the_end_and_names_the_way_back(bench: Workbench) -> None:
    head = git(bench.project, "rev-parse", "HEAD")
    began = [*MIGRATION, write("b1.txt", "x\n"), says("I have begun.")]
    bench.agent(began, DONE)
    rules(bench, "irreversible")
    ran = bench.run(*TASK)
    ran.ended("blocked")
    assert ran.end["marks"]["verified"] is True
    assert len(ran.of("batch_end")) == 2  # the work was finished before anybody was asked
    run_id = ran.end["run_id"]
    assert f"mi restore {run_id} " in asked(ran)
    assert f"refs/mi/{run_id}/b0" in asked(ran)
    assert (git(bench.project, "rev-parse", "HEAD"), len(bench.inbox())) == (head, 1)
    assert bench.mi("restore", run_id, "--yes").code == 0
    assert git(bench.project, "status", "--porcelain") == ""


@pytest.mark.req("one.runs.light-waits")
@pytest.mark.parametrize(("answer", "status"), [("yes", "done"), ("no", "blocked")])
def test_the_persons_word_at_the_end_decides(bench: Workbench, answer: str, status: str) -> None:
    bench.agent([*MIGRATION, *DONE])
    rules(bench, "irreversible")
    (question,) = bench.run(*TASK).of("question")
    bench.mi("answer", question["id"], answer)
    again = bench.run("--resume")
    again.ended(status)
    assert len(again.of("question")) == 1
    (seen,) = [one for one in again.of("verification") if one["gate"] == "review"]
    assert seen["user_action"] == ("confirmed" if answer == "yes" else "rejected")


@pytest.mark.req("one.runs.light-waits")
def test_a_task_of_the_list_stays_open_until_the_yes(bench: Workbench) -> None:
    (bench.project / "tinyTasks.md").write_text("# Tasks\n\n- [ ] fix the failing test\n", "utf-8")
    bench.agent([*MIGRATION, *DONE])
    rules(bench, "irreversible")
    ran = bench.run("--task")
    ran.ended("blocked")
    assert "- [x]" not in (bench.project / "tinyTasks.md").read_text("utf-8")


@pytest.mark.req("one.runs.light-said")
def test_light_says_what_is_due_below_risk_four_and_asks_nothing(bench: Workbench) -> None:
    bench.agent([*HARMLESS, *DONE])
    rules(bench, "irreversible")
    ran = bench.run(*TASK)
    ran.ended("done")
    (seen,) = [one for one in ran.of("verification") if one["gate"] == "review"]
    assert "8 change units at risk 0: a review is due" in seen["verdict"]
    assert seen["verdict"] in ran.stdout


# team and strict


@pytest.mark.req("one.runs.team-waits")
@pytest.mark.parametrize("preflight", ["advise", "enforce"])
def test_team_and_strict_do_not_end_done_without_a_reviewer_or_a_yes(bench: Workbench, preflight: str) -> None:
    bench.agent([*HARMLESS, *DONE])
    rules(bench, preflight)
    ran = bench.run("fix", "the", "add", "function", "in", "calc.py")
    ran.ended("blocked")
    bench.mi("answer", ran.of("question")[0]["id"], "yes")
    bench.run("--resume").ended("done")


@pytest.mark.req("one.runs.team-waits")
def test_small_batches_that_are_large_together_are_asked_about(bench: Workbench) -> None:
    bench.agent([*HARMLESS[:3], says("I have begun.")], [*HARMLESS[3:], *DONE])
    rules(bench, "advise")
    ran = bench.run(*TASK)
    ran.ended("blocked")
    assert "8 units at risk 0;" in asked(ran)


@pytest.mark.req("one.runs.team-waits")
def test_an_answer_that_is_no_yes_does_not_let_the_same_change_pass(bench: Workbench) -> None:
    bench.agent([*HARMLESS, *DONE], [TEST, says("Nothing to change. Done.")])
    rules(bench, "advise")
    ran = bench.run(*TASK)
    bench.mi("answer", ran.of("question")[0]["id"], "keep the names short")
    again = bench.run("--resume")
    again.ended("blocked")
    assert "keep the names short" in again.inputs[-1]
    assert len(again.of("question")) == 2
    bench.mi("answer", again.of("question")[1]["id"], "yes")
    bench.run("--resume").ended("done")


@pytest.mark.req("one.runs.team-waits")
def test_a_yes_to_one_change_is_no_yes_to_another(bench: Workbench) -> None:
    bench.agent([*HARMLESS, says("I have begun.")], [write("more.txt", "more\n"), *DONE])
    rules(bench, "advise")
    first = bench.run(*TASK)
    assert "7 units at risk 0;" in asked(first)
    bench.mi("answer", first.of("question")[0]["id"], "yes")
    again = bench.run("--resume")
    again.ended("blocked")
    assert "9 units at risk 0;" in again.of("question")[1]["text"]


@pytest.mark.req("one.runs.same-verdict", "one.runs.light-waits")
def test_a_yes_does_not_cover_what_was_changed_while_it_waited(bench: Workbench) -> None:
    bench.agent([*MIGRATION, *DONE], [TEST, says("Tested again. Done.")])
    rules(bench, "irreversible")
    (question,) = bench.run(*TASK).of("question")
    (bench.project / "app" / "auth.py").write_text("x = 1\n", "utf-8")
    bench.mi("answer", question["id"], "yes")
    again = bench.run("--resume")
    again.ended("blocked")
    assert len(again.of("batch_end")) == 2  # the checks ran again on the tree as it is
    assert "5 units at risk 4;" in again.of("question")[1]["text"]
    bench.mi("answer", again.of("question")[1]["id"], "yes")
    bench.run("--resume").ended("done")


def test_work_that_was_broken_while_a_run_waited_is_not_done(bench: Workbench) -> None:
    bench.agent([*MIGRATION, *DONE], [TEST, says("Done.")])
    rules(bench, "irreversible")
    (question,) = bench.run(*TASK).of("question")
    (bench.project / "calc.py").write_text("def add(a, b):\n    return 7\n", "utf-8")
    bench.mi("answer", question["id"], "yes")
    bench.run("--resume").ended("blocked")
