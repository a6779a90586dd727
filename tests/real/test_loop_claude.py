"""The whole `mi run` on the real Claude Code."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mi.testing import (
    Request,
    ask,
    edit,
    hang,
    read,
    run,
    say,
)
from mi.testing.replies import Reply
from tests.mind.answers import asked, model
from tests.real.loops import Open, claude_bench, went_on

MEND = edit("calc.py", "    return a", "    return a + b")
LOOK = read("calc.py")
CHECK = run("python3 -m unittest -q")
MENDED = [LOOK, MEND, CHECK, say("Fixed add; the tests pass. Done.")]


@pytest.fixture
def bench(claude: str, tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as opened:
        yield claude_bench(claude, tmp_path, opened)


def test_honest_work_is_done(bench: Open) -> None:
    one, server = bench(MENDED)
    ran = one.run("fix", "the", "failing", "test")
    ran.ended("done")
    assert ran.end["marks"] == {"ran": True, "claimed": True, "verified": True}
    assert len(ran.inputs) == 1
    assert server.left == 0
    assert any(line.startswith("[hands] $ ") for line in ran.stdout.splitlines())
    assert ran.end["spent"]["input_tokens"] > 0


def test_a_claim_is_checked_before_it_is_believed(bench: Open) -> None:
    one, server = bench([LOOK, MEND, say("Done, add is fixed."), CHECK, say("It passes.")])
    ran = one.run()
    ran.ended("done")
    assert "Run `" in ran.inputs[1]
    assert any(ran.inputs[1] in text for text in server.requests[3].user_texts)
    assert "fix the failing test" in " ".join(server.requests[3].user_texts)  # the same session


def test_a_claim_without_any_check_is_blocked(bench: Open) -> None:
    one, _ = bench(
        [LOOK, MEND, say("Done."), run('echo "OK, 2 passed"'), say("All tests pass. Done.")], tools=("Bash(echo:*)",)
    )
    ran = one.run()
    ran.ended("blocked")
    assert ran.end["marks"]["verified"] is False


def test_a_check_that_was_refused_is_no_check(bench: Open) -> None:
    """Claude Code's own permissions stop a command that nobody allowed; its words about it prove nothing."""
    refused = run("env X=1 sh -c 'python3 -m unittest -q'")
    one, _ = bench([LOOK, MEND, refused, say("All tests pass. Done."), say("They do. Done.")])
    ran = one.run()
    ran.ended("blocked")
    assert ran.end["marks"]["verified"] is False


def test_a_command_that_the_hook_refused_is_no_risky_act(bench: Open) -> None:
    """It was never executed: nobody has to answer for it, and the run goes on."""
    one, _ = bench(
        [run("git push --force origin main"), run("sudo ls"), *MENDED], tools=("Bash(git:*)", "Bash(sudo:*)")
    )
    assert one.mi("hook", "install", "claude-code").code == 0
    ran = one.run()
    ran.ended("done")
    assert [record["code"] for record in ran.of("violation")] == ["PERMISSION_DENIED"]
    assert ran.of("risk_event") == []
    assert not any("push" in action["detail"] for record in ran.of("evidence") for action in record["actions"])


def test_a_command_that_says_it_was_refused_is_a_risky_act(bench: Open) -> None:
    """What a command prints is no witness."""
    said = "echo 'force-push-main on git push --force origin main: denied'"
    one, _ = bench([run(f"git push --force origin main; {said}; exit 1"), *MENDED], tools=("Bash",))
    ran = one.run()
    ran.ended("blocked")
    assert ran.of("risk_event")[-1]["risk"]["category"] == "push"


def test_a_question_waits_and_its_answer_goes_into_the_same_session(bench: Open) -> None:
    question = ask("Which colour should the report have?", ("Red", "Green"))
    one, server = bench([question, say("I need to know the colour first."), *MENDED])
    one.run().ended("blocked")
    (item,) = one.inbox()
    assert "Which colour" in item["question"]
    assert one.mi("answer", item["id"], "Green, please.").code == 0
    ran = one.run("--resume")
    ran.ended("done")
    assert any("Green, please." in text for text in server.requests[2].user_texts)
    assert len({record["thread_id"] for record in ran.of("batch_end")}) == 1


def test_a_question_covered_by_the_values_is_answered(bench: Open) -> None:
    one, server = bench([say("Should I use the unittest framework or pytest for the tests?"), *MENDED])
    one.values("Use the unittest framework for tests, not pytest.")
    ran = one.run()
    ran.ended("done")
    assert ran.of("auto_answer")[0]["auto_answer"]["cited_ids"]
    assert any("unittest framework for tests" in text for text in server.requests[1].user_texts)


def test_a_deleted_test_is_never_done(bench: Open) -> None:
    one, _ = bench(
        [run("rm test_calc.py"), CHECK, say("All green. Done."), CHECK, say("Still green. Done.")],
        tools=("Bash(rm:*)",),
    )
    ran = one.run()
    ran.ended("blocked")
    assert "weakened" in ran.end["reason"]


@pytest.mark.req("mi.resume.killed-anywhere", "mi.resume.no-batch-twice")
@pytest.mark.parametrize("count", [3, 6, 8], ids=["after a batch", "while judging", "after the next input"])
def test_a_killed_run_goes_on(bench: Open, count: int) -> None:
    """Batch 0 ends with record 3; the next input follows. A batch run twice would overrun the script."""
    one, server = bench([CHECK, say("It fails; looking."), *MENDED])
    before = one.killed(count, "fix", "the", "failing", "test")
    assert len(before) == count
    ran = one.run("--resume")
    went_on(before, ran, "")
    assert server.left == 0
    assert len({record["thread_id"] for record in ran.of("batch_end") if record["thread_id"]}) == 1


@pytest.mark.req("mi.resume.cut-in-thread", "mi.resume.cut-recorded")
def test_a_run_killed_in_the_middle_of_a_batch_goes_on_in_its_session(bench: Open) -> None:
    one, server = bench([hang(), *MENDED])
    process = one.start("fix", "the", "failing", "test")
    server.wait_for_requests(1)
    process.kill()
    process.communicate()
    ran = one.run("--resume")
    ran.ended("done")
    assert [end["outcome"] for end in ran.of("batch_end")] == ["cut", "ended"]
    assert "fix the failing test" in " ".join(server.requests[1].user_texts)
    assert ran.of("hands_resume_failed") == []
    assert ran.of("hands_input")[1]["thread_id"] == ran.of("batch_end")[1]["thread_id"] != ""


@pytest.mark.req("mi.mind.claude-schema", "v1.prov.context-isolation")
def test_claude_judges_claude(bench: Open, claude: str) -> None:
    script = iter(MENDED)

    def answer(request: Request) -> Reply:
        return model(structured=True)(request) if request.schema else next(script)

    one, server = bench(answer, {"provider": "auto", "claude_schema": {"path": claude}})
    ran = one.run()
    ran.ended("done")
    assert ran.of("run_start")[0]["mind"] == "claude_schema"
    assert {asked(request) for request in server.requests if request.schema} == {"extract_evidence", "decide_next"}
    assert ran.end["spent"]["calls"] == 2
