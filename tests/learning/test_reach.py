"""Undo with its reach: who cites a lesson is shown before it goes, and runs that went by it are marked after."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.mind import AutoAnswer, AutoAnswerOutput, DecideNext, ThoughtsUsed
from mi.evidence.records.run import RunStart
from mi.evidence.records.thoughts import AnsweredAlone, ClaimMining
from mi.kernel.home import Home
from tests.conftest import MI, Mi
from tests.terminals import Terminal

TEACHER, CITER, VIEWER = (f"run_20261117T10000{n}_{n}{'a' * 7}" for n in (1, 2, 3))


@pytest.fixture
def context(home: Home) -> HomeContext:
    context = HomeContext(home)
    context.use_project()
    return context


@pytest.fixture
def lesson(context: HomeContext) -> dict[str, str]:
    """A run that taught a claim, and everybody who cites it since."""
    own, log = build_thoughts(context).own, context.project_home.evidence
    teacher = EvidenceWriter(log, TEACHER, context.notices)
    teacher.append(RunStart(task="learn it"))
    mined = teacher.append(ClaimMining())
    claim = own.new_claim("Use pnpm here", ["t"], mined.event_id, "mind", claim_type="fact")
    own.add_claims([claim])
    later = own.new_claim("Install with pnpm install", ["t"], "ev_later_1", "user", claim_type="fact")
    own.add_claims([later])
    own.link("derived_from", later.claim_id, claim.claim_id, "ev_later_1", "user")
    citer = EvidenceWriter(log, CITER, context.notices)
    citer.append(RunStart(task="add a dependency"))
    said = AutoAnswerOutput(should_answer=True, hands_answer_input="With pnpm.", cited_ids=[claim.claim_id])
    answer = citer.append(AutoAnswer(auto_answer=said))
    viewer = EvidenceWriter(log, VIEWER, context.notices)
    viewer.append(RunStart(task="mend a test"))
    viewer.append(DecideNext(thought_db=ThoughtsUsed(query_claim_ids=[claim.claim_id])))
    return {"claim": claim.claim_id, "later": later.claim_id, "answer": answer.event_id}


def told(mi: Mi, *args: str) -> dict[str, Any]:
    done = mi(*args, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def retracted(context: HomeContext, claim: str) -> bool:
    found = build_thoughts(HomeContext(context.home)).read("effective").get(claim)
    return found is not None and found.status == "retracted"


@pytest.mark.req("person.undo.reach")
def test_who_cites_a_lesson_is_shown_before_it_goes(mi: Mi, context: HomeContext, lesson: dict[str, str]) -> None:
    shown = told(mi, "undo", TEACHER)
    assert [(one["kind"], one["id"], one["role"]) for one in shown["cited_by"]] == [
        ("claim", lesson["later"], "rests_on"),
        ("run", VIEWER, "in_view"),
        ("run", CITER, "cites"),
        ("answer", lesson["answer"], "cites"),
    ]
    assert shown["applied"] is False
    text = mi("undo", TEACHER).stdout
    for words in ("Install with pnpm install", "add a dependency", "mend a test", "With pnpm."):
        assert words in text
    assert not retracted(context, lesson["claim"])


@pytest.mark.req("person.undo.reach")
def test_workflows_that_name_it_are_shown(mi: Mi, context: HomeContext, lesson: dict[str, str]) -> None:
    made = mi("workflow", "create", "--name", "Install", "--step", f"as {lesson['claim']} says")
    assert made.returncode == 0, made.stderr
    found = told(mi, "undo", TEACHER)["cited_by"]
    assert [(one["kind"], one["text"]) for one in found if one["kind"] == "workflow"] == [("workflow", "Install")]


@pytest.mark.req("person.undo.marks")
def test_runs_that_went_by_it_are_marked_until_it_is_restored(mi: Mi, lesson: dict[str, str]) -> None:
    before = [told(mi, "show", run) for run in (CITER, VIEWER, TEACHER)]
    assert all("taken_back_since" not in one for one in before)
    undone = told(mi, "undo", TEACHER, "--apply")["event_ids"]
    marks = {run: told(mi, "show", run).get("taken_back_since") for run in (CITER, VIEWER)}
    assert marks == {
        CITER: [{"id": lesson["claim"], "role": "cites", "by": undone[0]}],
        VIEWER: [{"id": lesson["claim"], "role": "in_view", "by": undone[0]}],
    }
    assert "taken_back_since" in mi("show", CITER).stdout
    assert told(mi, "show", lesson["answer"])["taken_back_since"] == marks[CITER]
    assert "taken_back_since" not in told(mi, "show", undone[0])
    told(mi, "redo", "--apply")
    assert [told(mi, "show", run) for run in (CITER, VIEWER, TEACHER)] == before
    assert "taken_back_since" not in told(mi, "show", lesson["answer"])


@pytest.mark.req("person.undo.reach")
def test_a_lesson_for_all_projects_is_looked_for_in_all(
    mi: Mi, home: Home, context: HomeContext, tmp_path: Path
) -> None:
    mi("values", "set", "--text", "Use pnpm.")
    claim = next(one for one in told(mi, "undo", "last")["taught"] if one["kind"] == "claim")["id"]
    other = HomeContext(home, str(tmp_path / "user"))
    other.use_project()
    log = EvidenceWriter(other.project_home.evidence, CITER, other.notices)
    log.append(RunStart(task="elsewhere"))
    log.append(AutoAnswer(auto_answer=AutoAnswerOutput(should_answer=True, cited_ids=[claim])))
    store = build_thoughts(other).own
    resting = store.new_claim("Install with pnpm", ["t"], "ev_other_1", "user", claim_type="fact")
    store.add_claims([resting])
    store.link("derived_from", resting.claim_id, claim, "ev_other_1", "user")
    log.append(AnsweredAlone(answer="With pnpm, as ever.", cited_ids=[claim]))
    shown = told(mi, "undo", "last")
    texts = {(one["kind"], one["text"]) for one in shown["cited_by"]}
    assert {("claim", "Install with pnpm"), ("answer", "With pnpm, as ever.")} <= texts
    assert ("run", CITER, "elsewhere") in [(one["kind"], one["id"], one["text"]) for one in shown["cited_by"]]


@pytest.mark.req("person.undo.last")
def test_the_last_lesson_by_its_name(mi: Mi, context: HomeContext, lesson: dict[str, str]) -> None:
    assert told(mi, "undo", "last")["target"] == TEACHER
    mi("values", "set", "--text", "Keep it small.")
    values = told(mi, "undo", "last", "--apply")
    assert values["target"].startswith("cli_")
    assert told(mi, "undo", "last", "--apply")["target"] == TEACHER  # and not the undo itself
    assert retracted(context, lesson["claim"])
    done = mi("undo", "last")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "nothing to take back" in done.stderr
    assert told(mi, "redo", "last", "--apply")["target"] == TEACHER
    assert not retracted(context, lesson["claim"])


def at_terminal(answer: str, *args: str) -> str:
    with closing(Terminal([str(MI), *args], Path.cwd())) as terminal:
        terminal.type(f"{answer}\n")
        return terminal.finish()


@pytest.mark.req("person.undo.asks")
def test_a_person_at_the_terminal_is_asked(context: HomeContext, lesson: dict[str, str]) -> None:
    shown = at_terminal("n", "undo", TEACHER)
    assert not retracted(context, lesson["claim"])
    assert shown.index("add a dependency") < shown.index("Take back 1 change of")
    at_terminal("y", "undo", TEACHER)
    assert retracted(context, lesson["claim"])
    shown = at_terminal("no", "redo")
    assert retracted(context, lesson["claim"])
    assert "Restore 1 change of" in shown
    at_terminal("y", "redo")
    assert not retracted(context, lesson["claim"])


@pytest.mark.req("person.undo.asks")
@pytest.mark.parametrize(
    ("typed", "code", "line"),
    [("\x04", 0, "would be taken back"), ("\x03", 130, "mi: interrupted"), ("是的\n", 0, "is taken back")],
    ids=["end of input", "Ctrl-C", "yes"],
)
def test_whatever_is_typed_what_follows_begins_a_line(lesson: dict[str, str], typed: str, code: int, line: str) -> None:
    with closing(Terminal([str(MI), "undo", TEACHER], Path.cwd())) as terminal:
        terminal.read_until("[y/N] ")
        terminal.type(typed)
        shown = terminal.finish(code)
    (last,) = [one for one in shown.splitlines() if line in one]
    assert "[y/N]" not in last
    assert "^C" not in last


@pytest.mark.req("person.undo.asks")
def test_without_a_terminal_both_only_show(mi: Mi, context: HomeContext, lesson: dict[str, str]) -> None:
    told(mi, "undo", TEACHER, "--apply")
    shown = told(mi, "redo")
    assert (shown["applied"], shown["event_ids"]) == (False, [])
    assert f"mi redo {TEACHER} --apply" in mi("redo").stdout
    assert retracted(context, lesson["claim"])
