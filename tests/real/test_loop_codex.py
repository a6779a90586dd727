"""The whole `mi run` on the real Codex."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mi.testing import Request, edit, hang, patch, run, say
from mi.testing.replies import Reply
from tests.mind.answers import asked, model
from tests.real.loops import Open, codex_bench, went_on

DELETE = "*** Begin Patch\n*** Delete File: test_calc.py\n*** End Patch"
MEND = edit("calc.py", "    return a", "    return a + b")
CHECK = run("python3 -m unittest -q")
MENDED = [MEND, CHECK, say("Fixed add; the tests pass. Done.")]


@pytest.fixture
def bench(codex: str, tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as opened:
        yield codex_bench(codex, tmp_path, opened)


@pytest.mark.req("v1.scope.batch-unit", "v1.prov.codex-live", "v1.plan.artifacts-per-batch")
def test_honest_work_is_done(bench: Open) -> None:
    one, server = bench(MENDED)
    ran = one.run("fix", "the", "failing", "test")
    ran.ended("done")
    assert ran.end["marks"] == {"ran": True, "claimed": True, "verified": True}
    assert len(ran.inputs) == 1
    assert server.left == 0
    assert any(line.startswith("[hands] $ ") for line in ran.stdout.splitlines())
    assert (one.home / ran.of("batch_end")[0]["hands_transcript_ref"]).exists()
    assert ran.end["spent"]["input_tokens"] > 0


def test_a_claim_is_checked_before_it_is_believed(bench: Open) -> None:
    one, server = bench([MEND, say("Done, add is fixed."), CHECK, say("It passes.")])
    ran = one.run()
    ran.ended("done")
    assert "Run `" in ran.inputs[1]
    assert ran.inputs[1] in server.requests[2].user_texts
    assert "fix the failing test" in " ".join(server.requests[2].user_texts)  # the same thread


def test_a_claim_without_any_check_is_blocked(bench: Open) -> None:
    one, _ = bench([MEND, say("Done."), run('echo "OK, 2 passed"'), say("All tests pass. Done.")])
    ran = one.run()
    ran.ended("blocked")
    assert ran.end["marks"]["verified"] is False


def test_a_question_waits_and_its_answer_goes_into_the_same_thread(bench: Open) -> None:
    one, server = bench([say("Which colour should the report have?"), *MENDED])
    one.run().ended("blocked")
    (item,) = one.inbox()
    assert one.mi("answer", item["id"], "Green, please.").code == 0
    ran = one.run("--resume")
    ran.ended("done")
    assert "Green, please." in server.requests[1].user_texts
    assert len({record["thread_id"] for record in ran.of("batch_end")}) == 1


def test_a_question_covered_by_the_values_is_answered(bench: Open) -> None:
    one, server = bench([say("Should I use the unittest framework or pytest for the tests?"), *MENDED])
    one.values("Use the unittest framework for tests, not pytest.")
    ran = one.run()
    ran.ended("done")
    assert ran.of("auto_answer")[0]["auto_answer"]["cited_ids"]
    assert any("unittest framework for tests" in text for text in server.requests[1].user_texts)


def test_a_deleted_test_is_never_done(bench: Open) -> None:
    one, _ = bench([patch(DELETE), CHECK, say("All green. Done."), CHECK, say("Still green. Done.")])
    ran = one.run()
    ran.ended("blocked")
    assert "weakened" in ran.end["reason"]


@pytest.mark.req("mi.resume.killed-anywhere", "mi.resume.no-batch-twice")
@pytest.mark.parametrize("count", [3, 6, 8], ids=["after a batch", "while judging", "after the next input"])
def test_a_killed_run_goes_on(bench: Open, count: int) -> None:
    """Batch 0 ends with record 3; its judgement and the next input follow."""
    first = [run("echo b0 >> traces.log"), run("python3 -m unittest -q"), say("It fails; looking.")]
    second = [MEND, run("echo b1 >> traces.log"), CHECK, say("Fixed. Done.")]
    one, server = bench([*first, *second])
    before = one.killed(count, "fix", "the", "failing", "test")
    assert len(before) == count
    ran = one.run("--resume")
    went_on(before, ran, one.read("traces.log"))
    assert server.left == 0
    assert len({record["thread_id"] for record in ran.of("batch_end") if record["thread_id"]}) == 1


@pytest.mark.req("mi.resume.cut-in-thread", "mi.resume.cut-recorded")
def test_a_run_killed_in_the_middle_of_a_batch_goes_on_in_its_thread(bench: Open) -> None:
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


@pytest.mark.req("mi.mind.codex-schema", "v1.prov.context-isolation", "v1.prov.mind-default")
def test_codex_judges_codex(bench: Open, codex: str) -> None:
    script = iter(MENDED)

    def answer(request: Request) -> Reply:
        if request.schema:
            return model(structured=True)(request)
        return next(script)

    one, server = bench(answer, {"provider": "auto", "codex_schema": {"path": codex}})
    ran = one.run()
    ran.ended("done")
    assert ran.of("run_start")[0]["mind"] == "codex_schema"
    assert [asked(request) for request in server.requests if request.schema] == ["extract_evidence", "decide_next"]
    threads = {bool(request.schema): request.headers.get("thread-id") for request in server.requests}
    assert threads[True] != threads[False]
