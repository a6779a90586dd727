"""`mi inbox`, `mi answer` and `mi inbox dismiss` as a person with several projects uses them."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from mi.evidence.records.questions import HookCall, Question, QuestionOption, WouldAnswer
from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.jsontext import encode
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.conftest import Mi

COLOURS = [QuestionOption(key="A", text="red"), QuestionOption(key="B", text="green")]
DONE = [MEND, TEST, say("Fixed and tested. Done.")]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def ask(home: Home, project: str, run: int, **fields: Any) -> str:
    """Store a question of a run of a project, asked on that day of the month; its id."""
    question_id, log = f"qu_{project}{run}", Path(home.project(project).evidence)
    when = {"run_id": f"run_2026010{run}T000000Z_aaaaaaaa", "ts": f"2026-01-0{run}T00:00:00.000Z"}
    made = Question(id=question_id, **({"project_root": f"/home/dev/{project}"} | when | fields))
    log.parent.mkdir(parents=True, exist_ok=True)
    jsonl.append(str(log), encode(made), sealed=True)
    return question_id


@pytest.mark.req("person.question.holds")
def test_a_question_of_a_run_holds_all_that_an_answer_needs(bench: Workbench) -> None:
    words = "I read the report.\nWhich colour should it have?\nA) red\nB) dark green"
    bench.agent([say(words)])
    ran = bench.run()
    ran.ended("blocked")
    (asked,) = ran.of("question")
    assert asked["project_root"] == str(bench.project)
    assert (asked["task"], asked["batch_id"], asked["run_id"]) == ("fix the failing test", "b0", ran.end["run_id"])
    assert asked["said"] == words
    assert asked["options"] == [{"key": "A", "text": "red"}, {"key": "B", "text": "dark green"}]
    assert asked["default"] == "the run waits"
    (item,) = bench.inbox()
    assert (item["project"], item["project_root"], item["task"]) == ("project", asked["project_root"], asked["task"])
    assert (item["said"], item["options"], item["waiting"]) == (words, asked["options"], "run")
    assert "asked because  no value or preference covers it" in bench.mi("inbox").stdout
    bench.mi("answer", "1", "B")
    assert bench.mi("autonomy").stdout.startswith("other: asked 1, MI had an answer 0, agreed 0")


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("Which colour should the report have, red or green?", [("A", "red"), ("B", "green")]),
        ("May I push the branch to the server?", [("yes", ""), ("no", "")]),
        ("What should the report be called?", []),
        ("请问报告用红色还是绿色？", [("A", "红色"), ("B", "绿色")]),
    ],
)
def test_options_are_read_from_what_the_agent_asks(
    bench: Workbench, words: str, options: list[tuple[str, str]]
) -> None:
    bench.agent([say(words)])
    (asked,) = bench.run().of("question")
    assert [(one["key"], one["text"]) for one in asked["options"]] == options


@pytest.mark.req("person.inbox.grouped")
def test_what_waits_is_shown_by_project_with_everything_for_one_glance(home: Home, mi: Mi) -> None:
    would = WouldAnswer(answer="green", cited_ids=["cl_7"], why_asked="the value is old")
    ask(home, "shop", 1, text="Which colour?", options=COLOURS, task="paint the report", said="I have two.\nWhich?")
    ask(home, "api", 2, text="Which port?", would=would, default="the run waits")
    call = HookCall(host="claude", session_id="s1", operation="shell", target="rm -r build")
    ask(home, "shop", 3, text="May it?", call=call, blocks=False, about="risk")
    shown = mi("inbox").stdout
    lines = shown.splitlines()
    assert [line for line in lines if line and not line.startswith(" ")] == [
        "shop  /home/dev/shop",
        "api  /home/dev/api",
    ]
    place = {text: shown.index(text) for text in ("May it?", "Which colour?", "Which port?")}
    assert place["May it?"] < place["Which colour?"] < place["Which port?"]
    for text in ("A  red", "B  green", "paint the report", "I have two. Which?", "mi answer 1 A | B"):
        assert text in shown[place["Which colour?"] : place["Which port?"]], text
    for text in ("green (the value is old; cl_7)", "run_20260102T000000Z_aaaaaaaa", "the run waits", "mi answer 2 "):
        assert text in shown[place["Which port?"] :], text
    assert "shell rm -r build (claude)" in shown


@pytest.mark.req("person.inbox.same-once")
def test_the_same_question_stands_there_once_and_one_answer_closes_it(home: Home, mi: Mi) -> None:
    for run in (1, 2, 3):
        ask(home, "shop", run, text="Which colour?", options=COLOURS)
    ask(home, "api", 4, text="Which colour?", options=COLOURS)
    items = json.loads(mi("inbox", "--json").stdout)
    assert [(item["project"], item["count"]) for item in items] == [("api", 1), ("shop", 3)]
    assert items[1]["ids"] == ["qu_shop3", "qu_shop2", "qu_shop1"]
    assert "(asked 3 times)" in mi("inbox").stdout
    assert mi("answer", str(items[1]["number"]), "B").returncode == 0
    assert [item["project"] for item in json.loads(mi("inbox", "--json").stdout)] == ["api"]
    given = [json.loads(line) for line in Path(home.project("shop").evidence).read_text("utf-8").splitlines()[3:]]
    assert {(one["question_id"], one["answer"]) for one in given} == {(f"qu_shop{run}", "green") for run in (1, 2, 3)}


@pytest.mark.req("person.inbox.same-once")
def test_a_permission_of_another_run_is_another_question(home: Home, mi: Mi) -> None:
    for run in (1, 2):
        ask(home, "shop", run, text="Push?", about="risk")
    assert mi("answer", "1", "yes").returncode == 0
    assert [item["id"] for item in json.loads(mi("inbox", "--json").stdout)] == ["qu_shop2"]


@pytest.mark.req("person.answer.number", "person.inbox.number-stays")
def test_an_answer_by_number_repeats_its_question_and_leaves_the_other_numbers(home: Home, mi: Mi) -> None:
    ask(home, "shop", 1, text="Which colour?", options=COLOURS)
    ask(home, "api", 2, text="Which port?")
    mi("inbox")
    said = mi("answer", "1", "b")
    assert said.returncode == 0, said.stderr
    assert "1 Which colour? → green" in said.stdout
    ask(home, "api", 3, text="Which host?")
    numbers = {item["question"]: item["number"] for item in json.loads(mi("inbox", "--json").stdout)}
    assert numbers == {"Which port?": 2, "Which host?": 3}


@pytest.mark.req("person.answer.number", "person.inbox.same-once")
def test_each_number_that_somebody_was_told_answers_the_same_question(bench: Workbench) -> None:
    bench.agent([say("Which colour should the report have, red or green?")])
    first, second = bench.run(), bench.run()
    assert "mi answer 1 A | B" in first.stdout
    assert "mi answer 2 A | B" in second.stdout
    (item,) = bench.inbox()
    assert (item["number"], item["count"]) == (1, 2)
    said = bench.mi("answer", "2", "A")
    assert said.code == 0, said.stderr
    for ran in (first, second):
        assert f"run --resume {ran.end['run_id']}\n" in said.stdout
    assert bench.inbox() == []
    for number in ("1", "2"):
        assert f"{number} was answered already" in bench.mi("answer", number, "B").stderr


def test_tasks_whose_proposal_was_closed_can_be_proposed_again(mi: Mi, repository) -> None:
    root, agent = repository(), {"CLAUDECODE": "1"}
    (root / "tinyTasks.md").write_text("- [x] a\n", "utf-8")
    mi("memory", "recent", cwd=root, env=agent)
    mi("contract", "mode", "GUARDED", cwd=root, env=agent)

    def propose() -> str:
        refused = json.loads(mi("task", "add", "more", "--json", cwd=root, env=agent).stdout)["error"]
        return str(refused["proposal"])

    first = propose()
    assert propose() == first
    assert mi("inbox", "dismiss", "1").returncode == 0
    again = propose()
    assert [item["id"] for item in json.loads(mi("inbox", "--json").stdout)] == [again] != [first]


@pytest.mark.req("person.answer.empty", "person.answer.gone")
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("1", ""), 2, "mi inbox dismiss 1"),
        (("1", "  "), 2, "empty"),
        (("7", "yes"), 1, "nothing waits under 7"),
        (("0", "yes"), 1, "nothing waits under 0"),
        (("qu_unknown", "yes"), 1, "nothing waits under qu_unknown"),
        (("2", "no"), 1, "2 was answered already"),
        (("qu_shop2", "no"), 1, "Which port? → 80"),
        (("3", "no"), 1, "3 was closed without an answer"),
        (("qu_shop3", "no"), 1, "Which host? (not mine)"),
        (("9" * 5000, "yes"), 1, "nothing waits"),
    ],
)
def test_an_answer_to_nothing_and_an_empty_one_get_one_line(
    home: Home, mi: Mi, words: tuple[str, str], code: int, told: str
) -> None:
    for run, text in enumerate(("Which colour?", "Which port?", "Which host?"), 1):
        ask(home, "shop", run, text=text)
    mi("inbox")
    mi("answer", "2", "80")
    mi("inbox", "dismiss", "3", "--why", "not mine")
    refused = mi("answer", *words)
    assert (refused.returncode, refused.stdout) == (code, "")
    assert told in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert [item["id"] for item in json.loads(mi("inbox", "--json").stdout)] == ["qu_shop1"]


@pytest.mark.req("person.inbox.dismiss")
def test_a_question_closed_without_an_answer_is_no_answer_to_its_run(bench: Workbench) -> None:
    bench.agent([say("Which colour should the report have, red or green?")], DONE)
    bench.run().ended("blocked")
    closed = bench.mi("inbox", "dismiss", "1", "--why", "asked the wrong person")
    assert closed.code == 0, closed.stderr
    (word,) = closed.of("user_input")
    assert (word["dismissed"], word["why"], word["answer"], word["by"]) == (
        True,
        "asked the wrong person",
        "",
        "terminal",
    )
    assert f"{bench.records()[0]['run_id']} goes no further" in closed.stdout
    assert closed.stdout.endswith("asks it anew\n")
    assert bench.inbox() == []
    again = bench.run("--resume")  # whoever goes on all the same is asked anew
    again.ended("blocked")
    assert len(again.of("hands_input")) == 1
    (item,) = bench.inbox()
    assert (item["id"], item["number"]) == (again.of("question")[-1]["id"], 2)
    assert bench.mi("answer", "2", "A").code == 0
    ran = bench.run("--resume")
    ran.ended("done")
    assert ran.inputs[-1] == "red"


def test_every_way_to_dismiss_says_what_it_did(home: Home, mi: Mi) -> None:
    ask(home, "shop", 1, text="Which colour?")
    assert "1 Which colour?" in mi("inbox", "dismiss", "1").stdout
    refused = mi("inbox", "dismiss", "1")
    assert (refused.returncode, "closed without an answer" in refused.stderr) == (1, True)
    assert mi("inbox", "dismiss", "5").returncode == 1


@pytest.mark.req("person.inbox.everything")
def test_a_task_handed_to_a_person_waits_until_they_take_it_on(mi: Mi, repository) -> None:
    root = repository("shop")
    mi("persona", "init", "--project", cwd=root)
    boot = root / "persona/core/boot.md"
    boot.write_text("| name | type |\n| --- | --- |\n| ada | human |\n| bot | ai |\n", "utf-8")
    words = ["--context", "see docs/auth.md", "--criterion", "the tests pass in CI"]
    for receiver in ("ada", "bot"):
        made = mi("handoff", "new", "--to", receiver, "--task", f"Check the login form of {receiver}", *words, cwd=root)
        assert made.returncode == 0, made.stderr
    (item,) = json.loads(mi("inbox", "--json").stdout)
    assert (item["kind"], item["project"], "login form of ada" in item["question"]) == ("handoff", "shop", True)
    assert "1 waits for you in shop" in mi("status").stdout
    refused = mi("answer", "1", "yes")
    assert (refused.returncode, item["answer_with"] in refused.stderr) == (1, True)
    assert mi(*shlex.split(item["answer_with"])[1:]).returncode == 0
    assert json.loads(mi("inbox", "--json").stdout) == []


@pytest.mark.parametrize(
    ("word", "code", "opens"),
    [
        ("once", 0, "once"),
        ("yes", 0, "once"),
        ("可以", 0, "once"),
        ("no", 0, ""),
        ("No, use trash instead.", 0, ""),
        ("Open a pull request instead.", 0, ""),
        ("always", 2, None),  # is not offered here
        ("Session", 2, None),
    ],
)
def test_a_permission_reaches_as_far_as_the_answer_says_and_no_further_than_offered(
    home: Home, mi: Mi, word: str, code: int, opens: str | None
) -> None:
    call = HookCall(host="claude-code", session_id="s1", operation="shell", target="rm -r build")
    options = [QuestionOption(key="once", text="yes, once"), QuestionOption(key="no", text="no")]
    ask(home, "shop", 1, text="May it?", call=call, blocks=False, about="risk", options=options)
    said = mi("answer", "1", word)
    assert said.returncode == code, said.stderr
    assert "--resume" not in said.stdout
    lines = [json.loads(line) for line in Path(home.project("shop").evidence).read_text("utf-8").splitlines()[1:]]
    if code:
        assert (lines, "once | no" in said.stderr) == ([], True)
    else:
        assert [line["opens"] for line in lines] == [opens]


def test_where_numbers_cannot_be_kept_the_inbox_goes_by_ids(home: Home, mi: Mi) -> None:
    ask(home, "shop", 1, text="Which colour?", options=COLOURS)
    Path(home.inbox_numbers).mkdir()  # nothing can be written there
    shown = mi("inbox")
    assert (shown.returncode, "mi answer qu_shop1" in shown.stdout) == (0, True), shown.stderr
    assert "Which colour?" in mi("status").stdout
    assert mi("answer", "qu_shop1", "B").returncode == 0


@pytest.mark.req("person.inbox.grouped")
@pytest.mark.parametrize(("language", "told"), [("en", "the call is refused"), ("zh", "该调用被拒绝")])
@pytest.mark.parametrize("stored", ["the call is refused", "该调用被拒绝"])
def test_what_happens_without_an_answer_is_said_in_the_persons_language(home, mi, language, told, stored) -> None:
    ask(home, "api", 1, text="May it push?", default=stored)
    ask(home, "api", 2, text="Which port?", default="a word of another version")
    shown = mi("inbox", env={"MI_LANG": language}).stdout
    assert f"  {told}\n" in shown
    assert "  a word of another version\n" in shown
