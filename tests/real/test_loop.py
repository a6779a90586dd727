"""The whole `mi run` on the real Codex and the real Claude Code."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import pytest

from mi.testing import Request, ask, edit, fail, hang, patch, read, run, say
from mi.testing.replies import Part, Reply
from mi.testing.server import ScriptedServer
from tests.conftest import MI
from tests.mind.answers import asked, model
from tests.real.loops import Open, claude_bench, codex_bench, went_on
from tests.terminals import Terminal
from tests.waiting import wait_until

DELETE = "*** Begin Patch\n*** Delete File: test_calc.py\n*** End Patch"
CHECK = run("python3 -m unittest -q")
COLOUR = "Which colour should the report have?"


class Agent(NamedTuple):
    """A real agent, and what its model must say for the same deeds."""

    name: str
    program: str
    bench: Open
    mend: list[Part]
    delete: Part
    question: list[Part]
    traces: bool  # whether it may append to a file unasked

    @property
    def mended(self) -> list[Part]:
        return [*self.mend, CHECK, say("Fixed add; the tests pass. Done.")]

    def trace(self, batch: str) -> list[Part]:
        return [run(f"echo {batch} >> traces.log")] if self.traces else []


@pytest.fixture(params=["codex", "claude"])
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    program = request.getfixturevalue(request.param)
    mend = edit("calc.py", "    return a", "    return a + b")
    with ExitStack() as opened:
        if request.param == "codex":
            bench = codex_bench(program, tmp_path, opened)
            yield Agent("codex", program, bench, [mend], patch(DELETE), [say(COLOUR)], True)
        else:
            bench = claude_bench(program, tmp_path, opened)
            question: list[Part] = [ask(COLOUR, ("Red", "Green")), say("I need to know the colour first.")]
            yield Agent("claude", program, bench, [read("calc.py"), mend], run("rm test_calc.py"), question, False)


def told(server: ScriptedServer, number: int, text: str) -> bool:
    """Whether the model heard a text from the person's side with that request."""
    return any(text in said for said in server.requests[number].user_texts)


@pytest.mark.req("v1.scope.batch-unit", "v1.prov.codex-live", "v1.plan.artifacts-per-batch")
def test_honest_work_is_done(agent: Agent) -> None:
    one, server = agent.bench(agent.mended)
    ran = one.run("fix", "the", "failing", "test")
    ran.ended("done")
    assert ran.end["marks"] == {"ran": True, "claimed": True, "verified": True, "proved": None}
    assert len(ran.inputs) == 1
    assert server.left == 0
    assert any(line.startswith("[hands] $ ") for line in ran.stdout.splitlines())
    assert (one.home / ran.of("batch_end")[0]["hands_transcript_ref"]).exists()
    assert ran.end["spent"]["input_tokens"] > 0


def test_a_claim_is_checked_before_it_is_believed(agent: Agent) -> None:
    claim = [*agent.mend, say("Done, add is fixed.")]
    one, server = agent.bench([*claim, CHECK, say("It passes.")])
    ran = one.run()
    ran.ended("done")
    assert "Run `" in ran.inputs[1]
    assert told(server, len(claim), ran.inputs[1])
    assert told(server, len(claim), "fix the failing test")  # in the same thread


def test_a_claim_without_any_check_is_blocked(agent: Agent) -> None:
    untrue = [run('echo "OK, 2 passed"'), say("All tests pass. Done.")]
    one, _ = agent.bench([*agent.mend, say("Done."), *untrue], tools=("Bash(echo:*)",))
    ran = one.run()
    ran.ended("blocked")
    assert ran.end["marks"]["verified"] is False


@pytest.fixture
def refusing(claude: str, tmp_path: Path) -> Iterator[Open]:
    """Claude Code, whose permissions and hooks refuse commands and say so."""
    with ExitStack() as opened:
        yield claude_bench(claude, tmp_path, opened)


CHANGE = [read("calc.py"), edit("calc.py", "    return a", "    return a + b")]
MENDED = [*CHANGE, CHECK, say("Fixed add; the tests pass. Done.")]


def test_a_check_that_was_refused_is_no_check(refusing: Open) -> None:
    """Claude Code's own permissions stop a command that nobody allowed; its words about it prove nothing."""
    refused = run("env X=1 sh -c 'python3 -m unittest -q'")
    one, _ = refusing([*CHANGE, refused, say("All tests pass. Done."), say("They do. Done.")])
    ran = one.run()
    ran.ended("blocked")
    assert ran.end["marks"]["verified"] is False


def test_a_command_that_the_hook_refused_is_no_risky_act(refusing: Open) -> None:
    """It was never executed: nobody has to answer for it, and the run goes on."""
    tried = [run("git push --force origin main"), run("sudo ls")]
    one, _ = refusing([*tried, *MENDED], tools=("Bash(git:*)", "Bash(sudo:*)"))
    assert one.mi("hook", "install", "claude-code").code == 0
    ran = one.run()
    ran.ended("done")
    assert [record["code"] for record in ran.of("violation")] == ["PERMISSION_DENIED"]
    assert ran.of("risk_event") == []
    assert not any("push" in action["detail"] for record in ran.of("evidence") for action in record["actions"])


def test_a_command_that_says_it_was_refused_is_a_risky_act(refusing: Open) -> None:
    """What a command prints is no witness."""
    said = "echo 'force-push-main on git push --force origin main: denied'"
    one, _ = refusing([run(f"git push --force origin main; {said}; exit 1"), *MENDED], tools=("Bash",))
    ran = one.run()
    ran.ended("blocked")
    assert ran.of("risk_event")[-1]["risk"]["category"] == "push"


def test_a_question_waits_and_its_answer_goes_into_the_same_thread(agent: Agent) -> None:
    one, server = agent.bench([*agent.question, *agent.mended])
    one.run().ended("blocked")
    (item,) = one.inbox()
    assert "Which colour" in item["question"]
    assert one.mi("answer", item["id"], "Green, please.").code == 0
    ran = one.run("--resume")
    ran.ended("done")
    assert told(server, len(agent.question), "Green, please.")
    assert len({record["thread_id"] for record in ran.of("batch_end")}) == 1


def test_a_question_covered_by_the_values_is_answered(agent: Agent) -> None:
    one, server = agent.bench([say("Should I use the unittest framework or pytest for the tests?"), *agent.mended])
    one.values("Use the unittest framework for tests, not pytest.")
    ran = one.run()
    ran.ended("done")
    assert ran.of("auto_answer")[0]["auto_answer"]["cited_ids"]
    assert told(server, 1, "unittest framework for tests")


def test_a_deleted_test_is_never_done(agent: Agent) -> None:
    script = [agent.delete, CHECK, say("All green. Done."), CHECK, say("Still green. Done.")]
    one, _ = agent.bench(script, tools=("Bash(rm:*)",))
    ran = one.run()
    ran.ended("blocked")
    assert "judges the work" in ran.end["reason"]


@pytest.mark.req("mi.resume.killed-anywhere", "mi.resume.no-batch-twice")
@pytest.mark.parametrize("count", [3, 6, 8], ids=["after a batch", "while judging", "after the next input"])
def test_a_killed_run_goes_on(agent: Agent, count: int) -> None:
    """Batch 0 ends with record 3; its judgement and the next input follow. A batch run twice overruns the script."""
    first = [*agent.trace("b0"), CHECK, say("It fails; looking.")]
    one, server = agent.bench([*first, *agent.mend, *agent.trace("b1"), CHECK, say("Fixed. Done.")])
    before = one.killed(count, "fix", "the", "failing", "test")
    assert len(before) == count
    ran = one.run("--resume")
    went_on(before, ran, one.read("traces.log") if agent.traces else "")
    assert server.left == 0
    assert len({record["thread_id"] for record in ran.of("batch_end") if record["thread_id"]}) == 1


def _kept_its_thread(env: dict[str, str]) -> bool:
    """Whether the agent has written down the conversation that a later one would go on with."""
    if "CODEX_HOME" in env:
        return any(Path(env["CODEX_HOME"], "sessions").rglob("*.jsonl"))
    kept = Path(env["CLAUDE_CONFIG_DIR"], "projects").rglob("*.jsonl")
    return any("fix the failing test" in path.read_text("utf-8") for path in kept)


@pytest.mark.req("mi.resume.cut-in-thread", "mi.resume.cut-recorded")
def test_a_run_killed_in_the_middle_of_a_batch_goes_on_in_its_thread(agent: Agent) -> None:
    one, server = agent.bench([hang(), *agent.mended])
    process = one.start("fix", "the", "failing", "test")
    server.wait_for_requests(1)
    assert wait_until(lambda: _kept_its_thread(one.env), 30)  # the vendor's program writes it beside the request
    process.kill()
    process.communicate()
    ran = one.run("--resume")
    ran.ended("done")
    assert [end["outcome"] for end in ran.of("batch_end")] == ["cut", "ended"]
    assert told(server, 1, "fix the failing test")
    assert ran.of("hands_resume_failed") == []
    assert ran.of("hands_input")[1]["thread_id"] == ran.of("batch_end")[1]["thread_id"] != ""


@pytest.mark.req("judge.retry.same-thread")
def test_a_vendor_that_is_overloaded_for_a_while_ends_no_run(agent: Agent) -> None:
    one, server = agent.bench(
        [*agent.mend, fail(529, "Overloaded", kind="overloaded_error"), *agent.mended[len(agent.mend) :]]
    )
    one.configure(runtime={"retry": {"wait_s": [0]}})
    ran = one.run()
    ran.ended("done")
    (retry,) = ran.of("hands_retry")
    assert "529" in retry["error"] or "verloaded" in retry["error"]
    assert server.left == 0
    assert ran.inputs[1].startswith("You were interrupted")
    assert len({record["thread_id"] for record in ran.of("batch_end")}) == 1


@pytest.mark.req("person.limit.real")
def test_a_limit_pauses_the_run_and_the_answer_goes_on_in_the_thread(agent: Agent) -> None:
    claim = [*agent.mend, say("Done, add is fixed.")]
    one, server = agent.bench([*claim, CHECK, say("It passes.")])
    one.run("--max-batches", "1", "fix the failing test").ended("blocked")
    (item,) = one.inbox()
    assert (item["about"], item["limit"]) == ("limit", {"name": "batches", "value": 1})
    assert " tokens" in item["question"]  # what it spent so far, by the agent's own figures
    assert one.mi("answer", "1", "1 more").code == 0
    ran = one.run("--resume")
    ran.ended("done")
    assert told(server, len(claim), "fix the failing test")
    assert len({record["thread_id"] for record in ran.of("batch_end")}) == 1


@pytest.mark.req("person.limit.real")
def test_tokens_that_the_agent_itself_counts_reach_the_limit(agent: Agent) -> None:
    one, _ = agent.bench([*agent.mend, say("Done, add is fixed.")])
    ran = one.run("--max-tokens", "1", "fix the failing test")
    ran.ended("blocked")
    assert ran.of("limit")[0]["limit"] == "1 token"
    assert len(ran.of("hands_input")) == 1
    assert ran.end["spent"]["input_tokens"] > 1
    assert one.inbox()[0]["limit"] == {"name": "tokens", "value": 1}


@pytest.mark.req("person.attach.real")
def test_whoever_watches_sees_the_agent_and_answers_it(agent: Agent) -> None:
    one, _ = agent.bench([*agent.question, *agent.mended])
    one.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    with ExitStack() as opened:
        working = opened.enter_context(closing(Terminal([str(MI), "run", "fix it"], one.project, **one.env)))
        working.read_until("\n> ")
        watching = opened.enter_context(closing(Terminal([str(MI), "attach"], one.project, **one.env)))
        watching.read_until("\n> ")
        assert COLOUR in watching.shown
        watching.type("green\n")
        working.finish()
        shown = watching.finish()
    assert "python3 -m unittest -q" in shown
    assert "Fixed add; the tests pass." in shown
    assert [record["answer"] for record in one.records() if record["kind"] == "user_input"] in (["green"], ["Green"])


@pytest.mark.req("judge.codex.no-git")
def test_a_folder_without_git_is_worked_in_and_seen(agent: Agent) -> None:
    one, _ = agent.bench(agent.mended)
    shutil.rmtree(one.project / ".git")
    ran = one.run()
    ran.ended("done")
    assert ran.of("batch_end")[0]["seen"]["changed_files"] == ["calc.py"]


@pytest.mark.req("mi.mind.codex-schema", "mi.mind.claude-schema", "v1.prov.context-isolation", "v1.prov.mind-default")
def test_an_agent_judges_itself(agent: Agent) -> None:
    script = iter(agent.mended)

    def answer(request: Request) -> Reply:
        return model(structured=True)(request) if request.schema else next(script)

    one, server = agent.bench(answer, {"provider": "auto", f"{agent.name}_schema": {"path": agent.program}})
    ran = one.run()
    ran.ended("done")
    assert ran.of("run_start")[0]["mind"] == f"{agent.name}_schema"
    judged = {"extract_evidence", "decide_next", "checkpoint_decide", "mine_claims"}
    assert {asked(request) for request in server.requests if request.schema} == judged
    assert ran.end["spent"]["calls"] + ran.of("run_learned")[0]["spent"]["calls"] == len(judged)
    if agent.name == "codex":  # whoever judges does not see the thread that worked
        threads = {bool(request.schema): request.headers.get("thread-id") for request in server.requests}
        assert threads[True] != threads[False]
