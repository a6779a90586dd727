"""Languages are data: no module speaks one by itself, and two files make a new one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.contract.plan_detection import count_steps
from mi.governance.signals import find_signals
from mi.kernel import consent, language, messages
from mi.kernel.language import LANGUAGES, Patterns, compiled, patterns
from mi.mind.language import is_inquiry, left_open

ROOT = Path(__file__).resolve().parent.parent.parent
HOMES = ("mi/kernel/language/", "mi/kernel/messages/")
CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
# A text that is written the same in every language, or is no person's.
CHINESE_ALLOWED = {
    "mi/governance/command_tables.py": "names of servers and folders in commands",
    **{
        f"mi/testing/judge_bench/scenarios/{name}.py": "tasks and messages in Chinese, which a judge must read"
        for name in ("changes", "maintainers", "parking", "ways", "words")
    },
    "mi/persona/session_log.py": "the first line of a session log, fixed by its format",
}
WORDS_ALLOWED = {"mi/kernel/secret_rules.py": "what stands in examples and templates in place of a secret"}
# What any English sentence is made of, and no list of programs, options or fields is.
_SMALL_WORDS = frozenset(
    "a an the this that these those i we you he she it they me my your our is are was were be been not never without"
    " and but or of in on at for with to from what why how where when who which please should could would".split()
)


def modules() -> Iterator[tuple[str, str]]:
    """Return path and source of each module outside of the languages."""
    for path in sorted((ROOT / "mi").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(HOMES):
            yield name, path.read_text("utf-8")


def test_chinese_stands_only_in_its_own_files():
    found = {path for path, source in modules() if CHINESE.search(source)}
    assert found == CHINESE_ALLOWED.keys()


def test_lists_of_english_words_stand_only_in_their_own_file():
    found = {path: lists for path, source in modules() if (lists := list(word_lists(source)))}
    assert found.keys() == WORDS_ALLOWED.keys(), found


def word_lists(source: str) -> Iterator[str]:
    """The alternations, and the collections and strings that are split, that hold three small words of English."""
    for node in ast.walk(ast.parse(source)):
        texts: list[str] = []
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts = re.findall(r"[a-z']+(?=[|)])", node.value) if "|" in node.value else []
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            texts = [one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            text = node.func.value.value if isinstance(node.func.value, ast.Constant) else ""
            texts = text.split() if isinstance(text, str) else []
        if len(_SMALL_WORDS.intersection(texts)) > 2:
            yield f"line {node.lineno}: {' '.join(texts)[:80]}"


def test_no_module_asks_for_a_language_by_its_code():
    compared = re.compile(
        rf"""[=!]=\s*["'](?:{"|".join(LANGUAGES)})["']|["'](?:{"|".join(LANGUAGES)})["']\s+(?:if|in)\b"""
    )
    assert [path for path, source in modules() if compared.search(source)] == []
    assert not compared.search((ROOT / "mi/kernel/messages/__init__.py").read_text("utf-8"))


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_gives_only_what_is_asked_for_in_the_form_it_is_asked_for(code):
    given = given_by(code)
    assert {name for name in given if type(given[name]) is not type(getattr(Patterns, name, None))} == set()


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_expression_of_a_language_can_be_compiled(code):
    for value in given_by(code).values():
        for one in value.values() if isinstance(value, dict) else [value]:
            if isinstance(one, str):
                compiled(one)


def given_by(code: str) -> dict[str, object]:
    """What a language says, in its own file or in the one beside it."""
    classes = [one for one in type(patterns_of(code)).__mro__ if issubclass(one, Patterns) and one is not Patterns]
    return {name: value for one in classes for name, value in vars(one).items() if not name.startswith("_")}


def patterns_of(code: str) -> Patterns:
    found: Patterns = __import__(f"mi.kernel.language.{code}", fromlist=["PATTERNS"]).PATTERNS
    return found


def test_every_pattern_is_used():
    used = {name for path, source in modules() for name in re.findall(r"\.(\w+)", source)}
    used |= set(re.findall(r"(?:self|patterns\(\w*\))\.(\w+)", (ROOT / "mi/kernel/language/__init__.py").read_text()))
    used |= set(re.findall(r"\.(\w+)", (ROOT / "mi/kernel/messages/__init__.py").read_text()))
    assert {name for name in vars(Patterns) if not name.startswith("_")} - used - {"clause_marks"} == set()


GREEK = {
    "language": r"""
from mi.kernel.language import Patterns

class Greek(Patterns):
    script = r"[\u0370-\u03ff]"
    full_stops = (".", "!")
    question_marks = ("\u037e",)
    yes = ("ναι",)
    refusal = "όχι"
    unfinished = "λείπει"
    none_of = "δεν"
    inquiry = "γιατί"
    first = r"πρώτα\s+\w+"
    then = r"μετά\s+\w+"
    urgency = ("επείγον",)
    triggers = {"T9": ("ανάπτυξη σε παραγωγή",)}

PATTERNS = Greek()
""",
    "messages": r"""
TEXT = {"error.usage": "{message} (δες {hint})", "speed.marker": "[γρήγορα]"}
HELP = {"print JSON": "τύπωσε JSON"}
WORDS = {"project": "έργο"}
""",
}


@pytest.fixture
def greek(tmp_path, monkeypatch):
    """A third language, made of two files and its name in the registry."""
    for room, source in GREEK.items():
        (tmp_path / room).mkdir()
        (tmp_path / room / "el.py").write_text(source, "utf-8")
    monkeypatch.setattr(language, "LANGUAGES", (*LANGUAGES, "el"))
    monkeypatch.setattr(language, "__path__", [*language.__path__, str(tmp_path / "language")])
    monkeypatch.setattr(messages, "__path__", [*messages.__path__, str(tmp_path / "messages")])
    monkeypatch.delenv("MI_LANG", raising=False)
    patterns.cache_clear()
    yield
    patterns.cache_clear()


@pytest.mark.usefixtures("greek")
def test_a_third_language_needs_two_files():
    assert messages.choose_language("auto", "Καλημέρα") == "el"
    assert messages.choose_language("el") == "el"
    assert messages.choose_language("auto", "你好") == "zh"
    assert messages.text("error.usage", "el", message="x", hint="y") == "x (δες y)"
    assert messages.text("error.no-batch", "el", path="p") == messages.text("error.no-batch", "en", path="p")
    assert messages.help_text("Print JSON.", "el") == "τύπωσε JSON."
    assert messages.word("project", "el") == "έργο"
    assert messages.word("global", "el") == "global"


@pytest.mark.usefixtures("greek")
def test_a_third_language_is_understood_beside_the_others():
    assert [consent.agrees(said) for said in ("Ναι.", "yes", "好的", "ίσως")] == [True, True, True, False]
    assert consent.begins_with_yes("ναι, κάνε το")
    assert [consent.refuses(said) for said in ("όχι τώρα", "不要", "no", "ναι")] == [True, True, True, False]
    said = ("Τελείωσα.", "Λείπει ένα τεστ.", "Δεν λείπει τίποτα.", "Τελείωσα\u037e")
    assert [bool(left_open(one)) for one in said] == [False, True, False, True]
    assert [is_inquiry(said) for said in ("γιατί αποτυγχάνει", "why does it fail", "fix it")] == [True, True, False]
    assert count_steps("Πρώτα διάβασε, μετά γράψε") == 2
    assert {"T6", "T9"} <= {*find_signals("επείγον: ανάπτυξη σε παραγωγή").triggers}


def test_a_language_that_was_taken_out_again_is_not_understood():
    assert not consent.agrees("ναι")
    assert messages.choose_language("auto", "Καλημέρα") == "en"
