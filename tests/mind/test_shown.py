"""What a judge is shown: the fact that decides stands in the text that is sent, whatever stands around it."""

from typing import Any

import pytest

from mi.evidence.records.workflow_ir import Workflow, WorkflowStep
from mi.mind.prompt import Prompt, Section
from mi.mind.prompts.auto_answer_to_hands import auto_answer_to_hands
from mi.mind.prompts.decide_next import decide_next
from mi.mind.prompts.extract_evidence import extract_evidence
from mi.mind.prompts.loop_break import LoopCase, loop_break
from mi.mind.prompts.plan_min_checks import plan_min_checks
from mi.mind.prompts.risk_judge import risk_judge
from mi.mind.prompts.workflow_progress import WorkflowCase, workflow_progress
from mi.mind.shown_diff import cut_hunks, show_diff
from mi.mind.views import BatchView, Case, CitableText, PartView, Person, ProofView, SeenCommand
from mi.project.overlay import WorkflowRun

BUDGET = 6000 * 4
SECRET = "ghp_" + "A1b2C3d4E5" * 4


def hunk(path: str, *lines: str, at: int = 1) -> str:
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    return f"{head}@@ -{at},0 +{at + 1},{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)


DIFF = "".join(
    [
        hunk("calc.py", "def add(a, b):", "    return 5  # whatever is asked"),
        hunk("big.py", *[f"value_{number} = {number}" for number in range(4000)]),
        hunk("tests/test_calc.py", "    assert add(2, 3) == 5"),
        hunk("package-lock.json", *[f'"name{number}": "1.0"' for number in range(900)]),
        "diff --git a/logo.png b/logo.png\nindex 1..2 100644\nBinary files a/logo.png and b/logo.png differ\n",
    ]
)
FAILED = SeenCommand(
    command="npm test -w api",
    exit_code=1,
    is_check=True,
    after_last_change=True,
    kind="test",
    output_tail="many lines\n" * 300 + "AssertionError: 2 != 3 in test_total",
)
PART = SeenCommand(
    command="pytest -k add", exit_code=0, is_check=True, after_last_change=True, kind="test", partial=True
)
MISSING = SeenCommand(command="tox", exit_code=127, could_not_start=True, output_tail="sh: tox: command not found")
BATCH = BatchView(
    task="make add right\n" + "and mind the details. " * 400,
    last_message="A long story. " * 4000 + "I skipped the docs for now. Is that right?",
    commands=[SeenCommand(command="git push origin main", exit_code=128), PART, FAILED, MISSING],
    unsettled=[FAILED],
    changed_files=["big.py", "calc.py", "logo.png", "package-lock.json", "tests/test_calc.py"],
    covered=["pytest -q"],
    uncovered=["npm test -w api"],
    parts=[PartView(text="add `--json`", state="open", missing=["`--json` is in no file"])],
    risk_signals=["push: git push origin main"],
)
PERSON = Person(values=[CitableText(id="cl_1", text="Never hard-code results.")])
PROOF = ProofView(proved=False, command="pytest -q", why="test_total turned red", for_agent="test_total: 2 != 3")
CASE = Case(batch=BATCH, person=PERSON, run_diff=DIFF, proof=PROOF)
FLOW = WorkflowCase(
    workflow=Workflow(id="wf_1", name="Release", steps=[WorkflowStep(id="s1", title="Write the news")]),
    cursor=WorkflowRun(active=True, workflow_id="wf_1"),
    batch=BATCH,
    person=PERSON,
    run_diff=DIFF,
    proof=PROOF,
)
LOOP = LoopCase(case=CASE, pattern="aaa", reason="the same again", next_input="Go on.")
JUDGES: list[tuple[Prompt[Any, Any], Any]] = [
    (decide_next, CASE),
    (plan_min_checks, CASE),
    (risk_judge, CASE),
    (extract_evidence, CASE),
    (auto_answer_to_hands, CASE),
    (loop_break, LOOP),
    (workflow_progress, FLOW),
]
# the fact that decides a case, as it must stand in the text
FACTS = {
    "the task": "make add right",
    "a forged result in the code": "+    return 5  # whatever is asked",
    "what the tests expect now": "+    assert add(2, 3) == 5",
    "a binary file": "logo.png (binary)",
    "a generated file": "package-lock.json (lock)",
    "a hunk that was left out": "[4000 lines left out]",
    "a command with its exit code": "git push origin main (exit 128)",
    "a check of a part": "pytest -k add (exit 0, a check after the last change, only a part of the tests)",
    "a check that could not run": "sh: tox: command not found",
    "why a check failed": "AssertionError: 2 != 3 in test_total",
    "what is covered": "COVERED BY CHECKS THAT PASSED\n- pytest -q",
    "what is not covered": "NOT COVERED, STILL TO BE RUN\n- npm test -w api",
    "what the agent left open": "I skipped the docs for now.",
    "a part that is open": "open: add `--json`; missing: `--json` is in no file",
    "the verdict of the proof": "not proved: pytest -q\ntest_total turned red\ntest_total: 2 != 3",
    "the value that bears on it": "[cl_1] Never hard-code results.",
}


@pytest.mark.req("judge.shown.facts")
@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize(("prompt", "given"), JUDGES, ids=[prompt.name for prompt, _ in JUDGES])
def test_the_fact_that_decides_stands_in_the_text_that_is_sent(prompt: Prompt[Any, Any], given: Any, fact: str) -> None:
    sent = prompt.user(given)
    assert FACTS[fact] in sent
    assert len(sent) <= BUDGET * 1.1


@pytest.mark.req("judge.shown.facts")
def test_code_and_tests_are_shown_apart_and_what_machines_wrote_by_name() -> None:
    shown = show_diff(DIFF)
    assert [line for line in shown.code.splitlines() if line.startswith("===")] == ["=== calc.py", "=== big.py"]
    assert shown.tests.startswith("=== tests/test_calc.py\n@@")
    assert shown.named == "package-lock.json (lock)\nlogo.png (binary)"


@pytest.mark.req("judge.shown.facts")
def test_the_largest_hunks_are_left_out_first_and_the_others_stay_whole() -> None:
    parts = [
        hunk(f"{name}.py", *[f"{name}{number}" for number in range(size)])
        for name, size in (("a", 3), ("b", 40), ("c", 9))
    ]
    shown = show_diff("".join(parts)).code
    cut = cut_hunks(shown, 200)
    assert "+a0\n+a1\n+a2" in cut
    assert "+c0\n" in cut
    assert "+b0" not in cut
    assert "[40 lines left out]" in cut
    assert [line for line in cut_hunks(shown, 10).splitlines() if line.startswith("===")] == [
        "=== a.py",
        "=== b.py",
        "=== c.py",
    ]


@pytest.mark.req("judge.shown.redacted")
@pytest.mark.parametrize("before", range(0, 60, 7))
def test_a_secret_is_taken_out_before_anything_is_cut(before: int) -> None:
    """Wherever the cut falls, no part of it is left."""
    prompt: Prompt[int, Any] = Prompt(
        "p",
        BatchView,
        "",
        lambda given: [Section("A", "x " * given + SECRET + " y" * 5000)],
        lambda given: BATCH,
        tokens=100,
    )
    assert SECRET[:12] not in prompt.user(80 + before)


@pytest.mark.req("judge.shown.facts")
def test_what_one_part_does_not_need_is_there_for_the_others() -> None:
    prompt: Prompt[int, Any] = Prompt(
        "p",
        BatchView,
        "",
        lambda given: [Section("A", "short", 9), Section("B", "b" * 300), Section("C", "c" * 2000)],
        lambda given: BATCH,
        tokens=200,
    )
    sent = prompt.user(0)
    assert "b" * 300 in sent
    assert 400 <= sent.count("c") <= 500
