"""What a person sees on a terminal of 80 columns: helps and texts folded between words; and errors that lead on."""

import json
import os
import subprocess
import threading
from contextlib import closing
from pathlib import Path

import pytest

from mi.cli.search_results import cut_passage
from mi.evidence.records.questions import Question
from mi.kernel.text import width
from mi.testing import Request
from tests.cli.conftest import Stage
from tests.conftest import MI
from tests.learning.models import answering, compiled, settings
from tests.terminals import Terminal

COLUMNS = 80
LONG = "Should the total of the basket include the tax of the country it is sent to, or leave it to the invoice? " * 2


def on_terminal(*args: str, **env: str) -> list[str]:
    """The lines of a command whose output is a terminal."""
    with closing(Terminal([str(MI), *args], Path.cwd(), COLUMNS, **env)) as terminal:
        return terminal.finish().splitlines()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("args", ["run", "show", "tail", "context", "gate", "uninstall"])
def test_a_help_fits_the_terminal(args: str, language: str):
    lines = on_terminal(args, "--help", MI_LANG=language)
    assert [line for line in lines if width(line) > COLUMNS] == []


def test_a_help_has_each_command_on_one_line(mi):
    for group in ("claim", "mcp", "hook", "persona", "config"):
        shown = mi(group, "--help").stdout.partition("  command\n")[2].partition("\n\n")[0]
        assert all(len(line.split()) > 1 and line.startswith("    ") for line in shown.splitlines()), shown


def test_long_texts_go_on_below_themselves(stage: Stage):
    stage.append(Question(id="qu_1", text=LONG))
    for args in (["tail"], ["show", "qu_1"], ["search", "invoice"]):
        lines = on_terminal(*args)
        assert [line for line in lines if width(line) > COLUMNS] == []
        folded = [line for line in lines if "invoice" in line or "country" in line]
        assert all(line.startswith(" " * 20) for line in folded[1:])
        assert " ".join(" ".join(lines).split()).count("the tax of the country it is sent to") >= 1


def test_a_search_shows_where_the_words_stand(mi, stage: Stage):
    stage.append(
        Question(id="qu_1", text="Nothing of interest. " * 30 + "The invoice names the tax. " + "And so on. " * 30)
    )
    shown = mi("search", "tax", "invoice").stdout
    assert "…" in shown
    assert "The invoice names the tax." in shown


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        pytest.param("short and whole", ["whole"], "short and whole", id="all of it"),
        pytest.param("a " * 60 + "needle " + "b " * 60, ["Needle"], "needle", id="in the middle"),
        pytest.param("一" * 60 + "验证" + "二" * 60, ["验证"], "验证", id="Chinese"),
        pytest.param(
            "tax " + "a " * 90 + "tax of the invoice", ["invoice", "tax"], "tax of the invoice", id="together"
        ),
        pytest.param("nothing " * 30, ["elsewhere"], "nothing nothing", id="a neighbour"),
        pytest.param("İ" * 100 + "needle", ["needle"], "İİİ", id="longer in lower case"),
    ],
)
def test_the_passage_in_which_most_of_the_words_stand(text: str, words: list[str], shown: str):
    found = cut_passage(text, words, 40)
    assert shown in found
    assert width(found) <= 40


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["claim"], "list, show, retract"),
        (["memory", "index"], "status, rebuild"),
        (["redo"], "nothing is undone in this project"),
        (["redo", "run_1"], "run_1 was not undone"),
        (["attach"], "no run in progress here"),
        (["card", "list"], "mi persona init"),
    ],
)
def test_an_error_says_how_to_go_on(mi, stage: Stage, args: list[str], said: str):
    done = mi(*args)
    assert done.returncode != 0
    assert said in done.stderr
    assert " -" not in done.stderr.replace(" --", "")  # no dash in place of a word


def test_unknown_operations_are_listed_once(mi, stage: Stage):
    known = mi("gate", "permission", "bash", "xyzzy", "x").stderr.partition("there are: ")[2].strip().split(", ")
    assert len(known) == len(set(known)) > 10


def test_a_configuration_that_is_not_there_is_not_praised(mi, home):
    assert mi("config", "validate").stdout == f"{home.config}: no file, the defaults hold.\n"


def test_a_card_is_shown_by_what_its_line_in_the_list_names(mi, repository, tmp_path: Path):
    root = repository()
    mi("persona", "init", "--project", cwd=root)
    add = ["--title", "Migrations go alone", "--text", "Never with code.", "--evidence", "two outages"]
    mi("proposal", "add", "--type", "heuristic", *add, cwd=root)
    verdict = ["--verdict", "accept", "--by", "human", "--reason", "seen twice"]
    mi("proposal", "review", "migrations-go-alone", *verdict, cwd=root)
    assert "(migrations-go-alone)" in mi("card", "list", cwd=root).stdout
    shown = mi("card", "show", "migrations-go-alone", cwd=root)
    assert shown.returncode == 0, shown.stderr
    assert "H-001" in shown.stdout


def test_whoever_waits_for_a_model_is_told_so(home):
    told = threading.Event()

    def slowly(request: Request) -> dict[str, object]:
        assert told.wait(30)
        return compiled("Keep changes small.")

    with answering(compile_values=slowly) as server:
        os.makedirs(home.root)
        Path(home.config).write_text(json.dumps(settings(server)), "utf-8")
        command = [str(MI), "init", "--values", "Keep changes small.", "--no-values-claims"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
            assert process.stderr is not None
            assert process.stderr.readline() == "mi: openai_compatible is asked; 2 s so far\n"
            told.set()
            assert process.wait(60) == 0


def test_a_review_without_reviewers_says_how_to_name_one(mi, repository):
    done = mi("gate", "review", cwd=repository())
    assert done.returncode == 3
    assert "governance.reviewers" in done.stdout


@pytest.mark.parametrize("language", ["en", "zh"])
def test_figures_stand_below_each_other(recorded: Stage, language: str):
    lines = on_terminal("cost", MI_LANG=language)
    assert [line for line in lines if width(line) > COLUMNS] == []
    figures = [line for line in lines if not line.startswith("  ")][:3]  # head, run, total
    assert len({width(line) for line in figures}) == 1, figures


def test_lists_are_folded(mi, stage: Stage):
    mi("init", "--values", LONG)
    for args in (["claim", "list"], ["values", "show"], ["context", "tax"], ["doctor"]):
        lines = on_terminal(*args)
        assert [line for line in lines if width(line) > COLUMNS and " " in line[COLUMNS:]] == []
