"""What a whole run takes for a proof: a check of the changed package and language, over all its tests, on this tree."""

import pytest

from tests.autopilot.workbench import CHECK, MEND, RIGHT, TEST, Workbench, commit, edit, run, say
from tests.autopilot.workbench import write as put

NARROWED = f"{CHECK} -k add_negative"


@pytest.mark.req("judge.scope.partial")
def test_a_part_of_the_tests_verifies_nothing_and_the_whole_is_asked_for(bench: Workbench) -> None:
    bench.agent([MEND, run(NARROWED), say("Fixed, the tests pass.")], [TEST, say("All pass.")])
    ran = bench.run()
    ran.ended("done")
    first, second = (one["seen"] for one in ran.of("batch_end"))
    assert first["commands"][0]["partial"] is True
    assert (first["uncovered"], first["covered"], first["marks"]["verified"]) == (["python -m unittest"], [], False)
    assert (second["uncovered"], second["marks"]["verified"]) == ([], True)
    assert "`python -m unittest`" in ran.inputs[1]


@pytest.mark.req("judge.scope.related")
def test_the_nearest_tests_are_enough_for_whoever_wants_it_so(bench: Workbench) -> None:
    (bench.project / "test_other.py").write_text((bench.project / "test_calc.py").read_text("utf-8"), "utf-8")
    commit(bench.project)
    nearest = [MEND, run("python3 -m unittest -q test_calc"), say("Fixed, its tests pass.")]
    bench.agent(nearest, [say("Done.")])
    bench.run().ended("blocked")
    bench.project.joinpath("calc.py").write_text("def add(a, b):\n    return a\n", "utf-8")
    bench.config["runtime"]["verification"] = {"scope": "related"}
    bench.agent(nearest)
    bench.run().ended("done")


def split_in_two(bench: Workbench) -> None:
    """Give the project two packages, each with the code and its tests."""
    for name in ("one", "two"):
        (bench.project / name).mkdir()
        for file in ("calc.py", "test_calc.py"):
            (bench.project / name / file).write_text((bench.project / file).read_text("utf-8"), "utf-8")
        (bench.project / name / "Makefile").write_text(f"test:\n\t{CHECK}\n", "utf-8")
    commit(bench.project)


MEND_BOTH = [edit(f"{name}/calc.py", "    return a", RIGHT) for name in ("one", "two")]


@pytest.mark.req("judge.scope.covers", "judge.scope.each-package")
def test_a_change_in_two_packages_needs_the_check_of_each(bench: Workbench) -> None:
    split_in_two(bench)
    second = [run("cd two && make test"), say("It passes.")]
    bench.agent([*MEND_BOTH, run("make -C one test"), say("Fixed both.")], second)
    ran = bench.run("fix add in one and two")
    ran.ended("done")
    assert ran.of("batch_end")[0]["seen"]["uncovered"] == ["cd two && make test"]
    assert "`cd two && make test`" in ran.inputs[1]


@pytest.mark.req("judge.tree.undone")
def test_a_change_in_a_later_batch_voids_a_check_also_when_it_was_undone(bench: Workbench) -> None:
    split_in_two(bench)
    undone = run("cp one/calc.py kept && rm one/calc.py && mv kept one/calc.py")
    second = [undone, run("cd two && make test"), say("It passes.")]
    bench.agent([*MEND_BOTH, run("make -C one test"), say("Fixed both.")], second, [say("It passed. Done.")])
    ran = bench.run("fix add in one and two")
    ran.ended("blocked")
    assert ran.of("batch_end")[1]["seen"]["uncovered"] == ["cd one && make test"]


@pytest.mark.req("judge.strength.tests-first")
def test_where_there_are_tests_a_lint_or_a_build_verifies_nothing(bench: Workbench) -> None:
    (bench.project / "Makefile").write_text("lint:\n\ttrue\nbuild:\n\ttrue\n", "utf-8")
    commit(bench.project)
    bench.agent([MEND, run("make lint"), run("make build"), say("Lint and build pass. Done.")], [say("Done.")])
    ran = bench.run()
    ran.ended("blocked")
    assert "`python -m unittest`" in ran.inputs[1]


@pytest.mark.req("judge.strength.build")
def test_without_tests_the_build_counts(bench: Workbench) -> None:
    (bench.project / "test_calc.py").unlink()
    (bench.project / "Makefile").write_text("build:\n\tpython3 -m compileall -q calc.py\n", "utf-8")
    commit(bench.project)
    bench.agent([MEND, say("Fixed.")], [run("make build"), say("It builds.")])
    ran = bench.run("mend add in calc.py")
    ran.ended("done")
    assert "`make build`" in ran.inputs[1]
    assert bench.inbox() == []


UNDONE = {
    "a file taken away": [put("sitecustomize.py", "\n"), TEST, run("rm sitecustomize.py")],
    "a file of the same text": [TEST, run("cp calc.py kept.txt && rm calc.py && mv kept.txt calc.py")],
}


@pytest.mark.req("judge.tree.undone")
@pytest.mark.parametrize("way", UNDONE)
def test_a_change_after_the_check_voids_it_also_when_it_was_undone(bench: Workbench, way: str) -> None:
    (bench.project / "calc.py").write_text(f"def add(a, b):\n{RIGHT}\n", "utf-8")
    (bench.project / "notes.py").write_text("", "utf-8")
    commit(bench.project)
    bench.agent([put("notes.py", "x = 1\n"), *UNDONE[way], say("All tests pass. Done.")], [say("Done.")])
    ran = bench.run("write x = 1 into notes.py")
    ran.ended("blocked")
    assert ran.of("batch_end")[-1]["seen"]["uncovered"] == ["python -m unittest"]


@pytest.mark.req("judge.tree.undone")
def test_code_that_was_right_only_while_the_tests_ran_is_not_verified(bench: Workbench) -> None:
    (bench.project / "notes.py").write_text("", "utf-8")
    commit(bench.project)
    mended = run(f"printf 'def add(a, b):\\n{RIGHT}\\n' > calc.py && {CHECK}")
    steps = [put("notes.py", "x = 1\n"), mended, run("git checkout -q calc.py"), say("All tests pass. Done.")]
    bench.agent(steps, [say("Done.")])
    bench.run("write x = 1 into notes.py").ended("blocked")


def test_looking_at_the_work_after_the_check_changes_nothing(bench: Workbench) -> None:
    looks = [run("git status --short"), run("git diff | head -5"), run("cat calc.py"), run("ls -la && git log -1")]
    bench.agent([MEND, TEST, *looks, say("Fixed, all tests pass.")])
    bench.run().ended("done")


@pytest.mark.req("judge.order.could-not-start")
def test_a_runner_that_is_not_there_is_told_with_the_way_that_is_right(bench: Workbench) -> None:
    (bench.project / "Makefile").write_text(f"test:\n\t{CHECK}\n", "utf-8")
    (bench.project / "tox.ini").write_text("[testenv]\ncommands = python -m unittest\n", "utf-8")
    commit(bench.project)
    gone = run("no_such_folder/bin/tox")
    bench.agent([MEND, run("tox"), gone, say("Fixed.")], [run("make test"), say("It passes.")])
    bench.env = {"PATH": f"{bench.folder}/bin:/usr/bin:/bin"}
    ran = bench.run()
    ran.ended("done")
    assert ran.of("batch_end")[0]["seen"]["commands"][0]["could_not_start"] is True
    assert "`tox` could not run here (exit code 127)" in ran.inputs[1]
    assert "Run `make test` now" in ran.inputs[1]


@pytest.mark.req("judge.order.own")
def test_what_the_person_set_is_asked_for_and_no_other_check_takes_its_place(bench: Workbench) -> None:
    (bench.project / "verify.sh").write_text(f"set -e\n{CHECK}\n", "utf-8")
    commit(bench.project)
    bench.agent([MEND, TEST, say("Fixed, the tests pass.")], [run("sh verify.sh"), say("It passes.")])
    assert bench.mi("checks", "set", "sh verify.sh").code == 0
    ran = bench.run()
    ran.ended("done")
    assert "Run `sh verify.sh` now" in ran.inputs[1]


@pytest.mark.req("judge.order.broken-file")
def test_a_run_goes_on_beside_a_broken_file_of_checks(bench: Workbench) -> None:
    (bench.project / ".mi").mkdir()
    (bench.project / ".mi" / "checks.toml").write_text("[[check]\n", "utf-8")
    commit(bench.project)
    bench.agent([MEND, TEST, say("Fixed, the tests pass.")])
    ran = bench.run()
    ran.ended("done")
    assert ".mi/checks.toml cannot be read" in ran.stderr
