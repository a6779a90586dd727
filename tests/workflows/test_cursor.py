"""The cursor of a workflow: a table of answers and where they lead."""

import pytest

from mi.evidence.records.run import Marks
from mi.evidence.records.workflow_ir import WorkflowStep
from mi.evidence.records.workflows import WorkflowProgressOutput as Told
from mi.mind.language import claims_done
from mi.mind.prompts.workflow_progress import WorkflowCase, workflow_progress
from mi.mind.strict import json_schema
from mi.mind.views import BatchView, SeenCommand
from mi.workflows.cursor import advance, begin, close, pass_gate
from tests.workflows.made import CHECK, GATE, WORK, workflow

LAST = WorkflowStep(id="s4", title="Tell everybody", hands_input="Write the news.")
FLOW = workflow(steps=[WORK, CHECK, GATE, LAST])
START = begin(FLOW, "run_1", "t0")


@pytest.mark.req("v1.overlay.workflow-run")
def test_the_beginning() -> None:
    assert (START.version, START.active, START.workflow_id, START.workflow_name) == (
        "v1",
        True,
        "wf_release",
        "Release",
    )
    assert (START.completed_step_ids, START.next_step_id, START.close_reason) == ([], "s1", "")
    assert START.started_ts == START.updated_ts == "t0"
    assert begin(workflow(steps=[]), "run_1", "t0").next_step_id is None


def told(*done: str, next_step_id: str | None = None, **more: object) -> Told:
    return Told(should_update=True, completed_step_ids=list(done), next_step_id=next_step_id, confidence=0.7, **more)


@pytest.mark.req("v1.cursor.many-steps-per-batch", "mi.prompt.unknown-step-ids", "v1.prompt.wf-progress-out")
@pytest.mark.parametrize(
    ("answer", "completed", "following", "dropped"),
    [
        (told("s1"), ["s1"], "s2", []),
        (told("s2", "s1"), ["s1", "s2"], "s3", []),
        (told("s2"), ["s2"], "s1", []),
        (told("s1", next_step_id="s3"), ["s1"], "s3", []),
        (told("s1", "s2", "s3", "s4"), ["s1", "s2", "s4"], "s3", []),
        (told("s1", next_step_id="s4"), ["s1"], "s3", []),
        (told("s1", "s9", next_step_id="s8"), ["s1"], "s2", ["s9", "s8"]),
        (told(next_step_id="s1"), [], "s1", []),
        (told("s1", next_step_id="s1"), ["s1"], "s2", []),
        (Told(should_update=False, completed_step_ids=["s1"], next_step_id="s2"), [], "s1", []),
    ],
)
def test_an_answer_moves_it(answer: Told, completed: list[str], following: str, dropped: list[str]) -> None:
    new, unknown = advance(START, FLOW, answer, "t1")
    assert (new.completed_step_ids, new.next_step_id, unknown) == (completed, following, dropped)
    assert new.active
    assert all(f"no step {one}" in new.last_notes for one in dropped)
    assert new.last_confidence == answer.confidence


@pytest.mark.req("v1.rec.workflow-progress-close")
def test_closing() -> None:
    ending = told("s1", "s2", "s3", "s4", should_close=True, close_reason="all done")
    assert advance(START, FLOW, ending, "t1").cursor.active  # the gate is not the agent's to open
    opened = pass_gate(START, FLOW, GATE, "you may", "t1")
    assert (opened.completed_step_ids, opened.next_step_id, opened.opened) == (["s3"], "s1", ["you may"])
    closed = advance(opened, FLOW, ending, "t2").cursor
    assert (closed.active, closed.close_reason, closed.next_step_id) == (False, "all done", None)
    assert closed.opened == []
    unsaid = advance(opened, FLOW, told(should_close=True), "t2").cursor
    assert (unsaid.active, unsaid.close_reason) == (False, "closed by the judge")
    assert close(START, "left", "t3").close_reason == "left"


DONE = Marks(ran=True, claimed=True)
TESTED = SeenCommand(command="make test", exit_code=0, is_check=True, after_last_change=True)


def case(message: str, *commands: SeenCommand, completed: tuple[str, ...] = (), verified: bool = False) -> WorkflowCase:
    marks = Marks(claimed=claims_done("release", message), verified=verified)
    batch = BatchView(task="release", last_message=message, commands=list(commands), marks=marks)
    cursor = START if not completed else advance(START, FLOW, told(*completed), "t1").cursor
    return WorkflowCase(workflow=FLOW, cursor=cursor, batch=batch)


@pytest.mark.req("v1.prompt.wf-progress-no-ask")
@pytest.mark.parametrize(
    ("given", "completed", "following"),
    [
        (case("I am looking around."), [], "s1"),
        (case("Done: the changelog is written."), ["s1"], "s2"),
        (case("I did Update the changelog, now to the rest."), ["s1"], "s2"),
        (case("Done.", TESTED), ["s1", "s2"], "s3"),
        (case("Done.", SeenCommand(command="make test", exit_code=2)), ["s1"], "s2"),
        (case("Done.", SeenCommand(command="make tea", exit_code=0)), ["s1"], "s2"),
        (case("All done, pushed too.", TESTED, completed=("s1",)), ["s1", "s2"], "s3"),
    ],
)
def test_the_rules_believe_what_was_seen(given: WorkflowCase, completed: list[str], following: str) -> None:
    answer = workflow_progress.rules(given)
    assert (answer.completed_step_ids, answer.next_step_id) == (completed, following)
    assert not answer.should_close


def test_the_rules_close_when_all_is_complete() -> None:
    flow = workflow(
        steps=[
            WORK,
            WorkflowStep(id="c", kind="check", title="Check it"),
            WorkflowStep(id="g", kind="gate", policy="allow"),
        ]
    )
    given = WorkflowCase(
        workflow=flow,
        cursor=begin(flow, "r", "t"),
        batch=BatchView(task="x", last_message="Done.", marks=Marks(claimed=True, verified=True)),
    )
    answer = workflow_progress.rules(given)
    assert (answer.should_close, answer.close_reason, answer.next_step_id) == (True, "all steps are complete", None)


@pytest.mark.req("mi.prompt.workflow-progress", "v1.rec.workflow-progress-output")
def test_the_form_of_the_answer() -> None:
    schema = json_schema(Told)
    fields = "should_update completed_step_ids next_step_id should_close close_reason confidence notes"
    assert schema["required"] == fields.split()


@pytest.mark.req("v1.prompt.wf-progress-in")
def test_what_is_asked() -> None:
    text = workflow_progress.user(case("Done: the changelog.", TESTED, completed=("s1",)))
    for part in (
        "[x] s1 (hands)",
        "[ ] s3 (gate, ask): Push: Push the tag.",
        "next: s2",
        "make test (exit 0",
        "Done: the",
    ):
        assert part in text
    assert "Ask nobody" in workflow_progress.system()
