"""The rows of done: which one does not hold, what the agent is told about it once, and what the person reads then."""

import pytest
from msgspec.structs import replace

from mi.evidence.records.run import Marks
from mi.mind.closing import ROWS, AskAgent, AskPerson, CannotClose, MayClose, ask_for_check, judge_closing
from mi.mind.views import BatchView, Case, CitableText, JudgedPart, PartView, ProjectView, ProofView, SeenCommand

VERIFIED = Marks(ran=True, verified=True)
CHECKED = ProjectView(check_commands=["make test"], has_tests=True)
AGREED = CitableText(id="cl_agreed", text="I look at the page myself")
COMMAND = CitableText(id="cl_command", text="`./smoke.sh`")
FAILED = SeenCommand(command="make test", exit_code=1, is_check=True, after_last_change=True, kind="test")
RED_TWO = replace(FAILED, red=2)
DISAGREES = ProofView(proved=False, why="test_a broke", for_agent="test_a broke: mend it", open_count=1)


def ask(*commands: str) -> AskAgent:
    return AskAgent(ask_for_check(*commands), {"verified": 0})


ASK_TEST = ask("make test")


def case(project: ProjectView = CHECKED, asked: int = 0, task: str = "fix it", **given: object) -> Case:
    known = {key: given.pop(key) for key in ("told", "will_prove", "proof") if key in given}
    seen = BatchView(task=task, **{"changed_files": ["a.py"], "last_message": "Fixed.", **given})  # type: ignore[arg-type]
    return Case(batch=seen, project=project, checks_requested=asked, **known)  # type: ignore[arg-type]


def without_tests(strategy: CitableText) -> ProjectView:
    return ProjectView(testless_strategy=strategy)


NOTHING: dict[str, object] = {"changed_files": []}
BENT: dict[str, object] = {"changed_judges": ["test_a.py: test_x changed"]}
PART = PartView(text="add `x`", state="open", missing=["`x` was not added"])


@pytest.mark.req(
    "judge.rows.all-hold",
    "judge.rows.one-chance",
    "judge.rows.verified-without-claimed",
    "judge.rows.moved",
    "judge.rows.prose",
)
@pytest.mark.parametrize(
    ("given", "open_rows", "outcome"),
    [
        (case(ended=False, marks=VERIFIED), "ran", CannotClose),
        # claimed
        (case(marks=VERIFIED, last_message="The parser is not finished yet."), "claimed", AskAgent),
        (case(marks=VERIFIED, last_message=""), "claimed", AskAgent),
        (case(marks=VERIFIED, last_message="It is not finished yet.", told={"claimed": 1}), "claimed", CannotClose),
        # moved
        (case(**NOTHING, marks=VERIFIED), "moved", AskAgent),
        (case(task="Why is it slow? Change nothing.", marks=VERIFIED), "moved", AskAgent),
        (case(task="Why is it slow? Change nothing.", **NOTHING), "", MayClose),
        (case(task="Fix it; change nothing else.", marks=VERIFIED), "", MayClose),
        (case(**NOTHING, marks=VERIFIED, told={"moved": 1}), "moved", CannotClose),
        (case(changed_files=["tests/test_a.py", "NOTES.md"], marks=VERIFIED), "moved", AskAgent),
        (case(changed_files=["tests/test_a.py"], task="add tests for the parser", marks=VERIFIED), "", MayClose),
        (case(changed_files=["README.md"], task="correct the typo in the README"), "", MayClose),
        (case(**NOTHING, task="fix whatever fails", marks=VERIFIED), "", MayClose),
        (case(**NOTHING, task="if the tests are red, fix them", marks=VERIFIED), "", MayClose),
        (case(**NOTHING, task="commit the work", history_moved=True, marks=VERIFIED), "", MayClose),
        (case(**NOTHING, task="can you sort out the failing test?", marks=VERIFIED), "moved", AskAgent),
        # parts
        (case(parts=[PART], marks=VERIFIED), "parts", AskAgent),
        (case(parts=[PART], marks=VERIFIED, told={"parts": 1}), "parts", CannotClose),
        (case(parts=[PART], marks=VERIFIED, told={"parts": 2}), "parts", AskAgent),  # some of it came since
        # unbent
        (case(**BENT, marks=VERIFIED), "unbent", AskAgent),
        (case(**BENT, marks=VERIFIED, told={"unbent": 1}), "unbent", CannotClose),
        # verified
        (case(), "verified", ASK_TEST),
        (case(uncovered=["go test ./...", "npm test"]), "verified", ask("go test ./...", "npm test")),
        (case(asked=1), "verified", CannotClose),
        (case(shows_commands=False), "verified", CannotClose),  # a check that it ran would not be seen
        (case(ProjectView()), "verified", CannotClose),
        (case(without_tests(AGREED)), "verified", CannotClose),  # nobody has asked it to show anything yet
        (case(without_tests(AGREED), asked=1, commands=[FAILED]), "verified", AskAgent),
        (case(commands=[FAILED], told={"verified": 0}), "verified", CannotClose),
        (case(commands=[FAILED], told={"verified": 0}, changed_now=True), "verified", AskAgent),  # nothing was counted
        (case(commands=[RED_TWO], told={"verified": 3}), "verified", AskAgent),  # the red ones get fewer
        (case(commands=[RED_TWO], told={"verified": 2}, changed_now=True), "verified", CannotClose),
        (case(without_tests(COMMAND), asked=1), "verified", CannotClose),  # the command itself must be seen
        (case(changed_files=["t.py", "a.py"], removed_as_asked=["t.py"]), "verified", ASK_TEST),
        (case(marks=VERIFIED), "", MayClose),
        (case(changed_files=["t.py"], removed_as_asked=["t.py"]), "", MayClose),
        (case(**NOTHING, task="why does it fail?", last_message="A typo.", commands=[FAILED]), "", MayClose),
        (case(**NOTHING, task="why does it fail?", last_message=""), "claimed", AskAgent),
        (case(without_tests(AGREED), asked=1), "", MayClose),
        (case(without_tests(COMMAND), asked=1, shows_commands=False), "", MayClose),
        # several at once
        (case(**NOTHING, parts=[PART]), "moved parts verified", AskAgent),
        # proved
        (case(asked=1, will_prove=True), "verified", MayClose),  # MI's own run decides
        (case(**BENT, asked=1, will_prove=True), "unbent verified", AskAgent),  # but not about changed judges
        (case(will_prove=True), "verified", ASK_TEST),  # the agent is asked first
        (case(asked=1, proof=ProofView(proved=True)), "", MayClose),
        (case(commands=[FAILED], proof=ProofView(proved=True)), "", MayClose),  # red before, and not by this work
        (case(marks=VERIFIED, proof=DISAGREES), "verified proved", AskAgent),
        (
            case(marks=VERIFIED, proof=DISAGREES, told={"verified": 1, "proved": 1}, asked=1),
            "verified proved",
            CannotClose,
        ),
        (case(**BENT, marks=VERIFIED, proof=ProofView(proved=True)), "unbent", AskAgent),
        (case(**BENT, marks=VERIFIED, proof=ProofView(proved=False, accepted=True)), "", MayClose),
        (case(marks=VERIFIED, proof=ProofView(why="the tests need a service")), "", MayClose),
        (case(asked=1, proof=ProofView(why="the tests need a service")), "verified", CannotClose),
    ],
)
def test_a_run_closes_only_when_every_row_holds(given: Case, open_rows: str, outcome: object) -> None:
    assert " ".join(row.name for row in ROWS if not row.holds(given)) == open_rows
    judged = judge_closing(given)
    assert judged == outcome or type(judged) is outcome


@pytest.mark.req("judge.rows.one-message")
def test_all_that_is_open_goes_to_the_agent_in_one_message() -> None:
    told = judge_closing(case(**NOTHING, parts=[PART]))
    assert isinstance(told, AskAgent)
    assert told.rows == {"moved": 1, "parts": 1, "verified": 0}
    assert "Nothing in the work tree has changed" in told.request
    assert "`x` was not added" in told.request
    assert "Run `make test` now" in told.request


@pytest.mark.req("judge.parts.mind")
def test_what_a_mind_calls_open_or_done_without_evidence_is_open() -> None:
    good = case(marks=VERIFIED)
    done = JudgedPart(text="the parser", state="done", cited_ids=["ev_1"])
    assert isinstance(judge_closing(good, [done]), MayClose)
    for part in (
        JudgedPart(text="the docs", state="open", cited_ids=[]),
        JudgedPart(text="it", state="done", cited_ids=[]),
    ):
        told = judge_closing(good, [done, part])
        assert isinstance(told, AskAgent)
        assert part.text in told.request


@pytest.mark.req("judge.rows.person-gives")
def test_what_only_the_person_can_give_is_asked_for() -> None:
    stuck = case(
        marks=VERIFIED, last_message="I cannot finish: I need the API key of the service.", told={"claimed": 1}
    )
    assert judge_closing(stuck) == AskPerson("I cannot finish: I need the API key of the service.")


def test_blocked_names_every_row_and_the_last_command() -> None:
    seen = SeenCommand(command="ls", exit_code=0)
    blocked = judge_closing(case(parts=[PART], commands=[seen], asked=1, told={"parts": 1}))
    assert isinstance(blocked, CannotClose)
    assert blocked.rows == ["parts", "verified"]
    assert "`x` was not added" in blocked.reason
    assert "`ls` (exit 0)" in blocked.reason


def test_what_the_person_agreed_to_is_cited() -> None:
    assert judge_closing(case(without_tests(AGREED), asked=1)).cited_id == AGREED.id  # type: ignore[union-attr]
