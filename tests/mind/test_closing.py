"""The rows of done: which one does not hold, what the agent is told about it once, and what the person reads then."""

import pytest

from mi.evidence.records.run import Marks
from mi.mind.closing import ROWS, AskAgent, CannotClose, MayClose, ask_for_check, judge_closing
from mi.mind.views import BatchView, Case, CitableText, ProjectView, SeenCommand

VERIFIED = Marks(ran=True, verified=True)
CHECKED = ProjectView(check_commands=["make test"], has_tests=True)
AGREED = CitableText(id="cl_agreed", text="I look at the page myself")
COMMAND = CitableText(id="cl_command", text="`./smoke.sh`")
FAILED = SeenCommand(command="make test", exit_code=1, is_check=True, after_last_change=True, kind="test")
ASK_TEST = AskAgent(ask_for_check("make test"))


def case(project: ProjectView = CHECKED, asked: int = 0, task: str = "fix it", **batch: object) -> Case:
    seen = BatchView(task=task, **{"changed_files": ["a.py"], **batch})  # type: ignore[arg-type]
    return Case(batch=seen, project=project, checks_requested=asked)


def without_tests(strategy: CitableText) -> ProjectView:
    return ProjectView(testless_strategy=strategy)


@pytest.mark.parametrize(
    ("given", "open_row", "outcome"),
    [
        (case(ended=False, marks=VERIFIED), "ran", CannotClose),
        (case(changed_judges=["test_a.py: skipped"], marks=VERIFIED), "unbent", AskAgent),
        (case(changed_judges=["test_a.py: skipped"], asked=1), "unbent", CannotClose),
        (case(), "verified", ASK_TEST),
        (case(asked=1), "verified", CannotClose),
        (case(shows_commands=False), "verified", CannotClose),  # a check that it ran would not be seen
        (case(ProjectView()), "verified", CannotClose),
        (case(without_tests(AGREED)), "verified", CannotClose),  # nobody has asked it to show anything yet
        (case(without_tests(AGREED), asked=1, commands=[FAILED]), "verified", CannotClose),
        (case(without_tests(COMMAND), asked=1), "verified", CannotClose),  # the command itself must be seen
        (case(changed_files=[], task="why does it fail?"), "verified", ASK_TEST),  # nothing was answered
        (case(changed_files=["t.py", "a.py"], removed_as_asked=["t.py"]), "verified", ASK_TEST),
        (case(marks=VERIFIED), "", MayClose),
        (case(changed_files=["t.py"], removed_as_asked=["t.py"]), "", MayClose),
        (case(changed_files=[], task="why does it fail?", last_message="A typo."), "", MayClose),
        (case(without_tests(AGREED), asked=1), "", MayClose),
        (case(without_tests(COMMAND), asked=1, shows_commands=False), "", MayClose),
    ],
)
def test_a_run_closes_only_when_every_row_holds(given: Case, open_row: str, outcome: object) -> None:
    assert next((row.name for row in ROWS if not row.holds(given)), "") == open_row
    judged = judge_closing(given)
    assert judged == outcome or type(judged) is outcome


def test_what_the_person_agreed_to_is_cited() -> None:
    assert judge_closing(case(without_tests(AGREED), asked=1)).cited_id == AGREED.id  # type: ignore[union-attr]
