"""The catalogue: both languages say the same, the code uses what is there, and what is there is used."""

import ast
import re
import string
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

from mi.agents import protocol
from mi.evidence.records.mind import DecideNext
from mi.evidence.records.table import MODULES
from mi.kernel import errors, messages
from mi.kernel.language import LANGUAGES
from mi.knowledge.search.backend import THOUGHTS
from mi.knowledge.thoughts import kinds, store_state

ROOT = Path(__file__).resolve().parent.parent.parent
CATALOGUE = ROOT / "mi" / "kernel" / "messages"
Trees = dict[str, ast.Module]
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.MiError)}


ENGLISH = {key: text for table in messages.tables("en", "TEXT") for key, text in table.items()}
CHINESE = {key: text for table in messages.tables("zh", "TEXT") for key, text in table.items()}


@pytest.fixture(scope="module")
def trees() -> Trees:
    """The code by its path; gone with these tests, as it takes much memory."""
    sources = [path for path in sorted((ROOT / "mi").rglob("*.py")) if CATALOGUE not in path.parents]
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text("utf-8")) for path in sources}


def placeholders(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


@pytest.mark.req("gov.intro.catalogue-languages")
def test_both_languages_have_the_same_keys():
    assert [list(table) for table in messages.tables("en", "TEXT")] == [
        list(table) for table in messages.tables("zh", "TEXT")
    ]


@pytest.mark.req("gov.intro.catalogue-languages")
def test_both_languages_fill_in_the_same_details():
    english, chinese = ({key: placeholders(text) for key, text in table.items()} for table in (ENGLISH, CHINESE))
    assert english == chinese


def test_english_texts_are_english():
    assert [key for key, text in ENGLISH.items() if re.search("[\u4e00-\u9fff]", text)] == []


def test_chinese_texts_are_chinese():
    same = {key for key in ENGLISH if ENGLISH[key] == CHINESE[key]}
    wordless = {key for key in same if not re.search(r"[a-z]{3}", re.sub(r"\{\w+\}|@\w+|\$\w+", "", ENGLISH[key]))}
    assert same == wordless


def test_chinese_texts_address_the_person_and_name_the_agent_in_one_way():
    every = [
        said for name in ("TEXT", "HELP", "WORDS") for table in messages.tables("zh", name) for said in table.values()
    ]
    assert [said for said in every if re.search("\u60a8|\u667a\u80fd\u4f53", said)] == []


def test_every_word_that_records_hold_and_people_read_has_its_chinese():
    listed = (kinds.ClaimType, kinds.NodeType, kinds.EdgeType, kinds.Scope, store_state.Status, protocol.Outcome)
    of_thoughts = {word for one in listed for word in get_args(one)}
    decided = {word for name in ("status", "next_action") for word in get_args(DecideNext.__annotations__[name])}
    words = {*MODULES, *THOUGHTS, *of_thoughts, *decided} - {"active"}
    assert {one for one in words if messages.word(one, "zh") == one} == set()
    assert {messages.word(one, "en") for one in words} == words


@pytest.mark.parametrize("name", ["TEXT", "HELP", "WORDS"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_key_is_written_once(language, name):
    """A second one would silently win over the first."""
    keys = [key for path in sorted((CATALOGUE / language).glob("*.py")) for key in written_keys(path, name)]
    assert sorted(keys) == sorted(set(keys))


def written_keys(path: Path, name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if isinstance(value, ast.Dict) and any(getattr(target, "id", "") == name for target in targets):
            yield from (ast.literal_eval(key) for key in value.keys if key is not None)


def test_every_module_of_the_catalogue_is_read():
    for language in LANGUAGES:
        found = {path.stem for path in (CATALOGUE / language).glob("*.py")} - {"__init__"}
        read = import_module(f"mi.kernel.messages.{language}").TABLES
        assert found == {module for modules in read.values() for module in modules}


class Use:
    """A place in the code where a text is asked for; `details` is None when they cannot be read off the code."""

    def __init__(self, key: str, details: set[str] | None, place: str) -> None:
        self.key, self.details, self.place = key, details, place


def uses(trees: Trees) -> Iterator[Use]:
    """Errors that are raised and notices that are added, with the details given to them."""
    for path, tree in trees.items():
        named = _assigned_texts(tree)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            target = ast.unparse(node.func)
            place = f"{path}:{node.lineno}"
            details = {one.arg for one in node.keywords if one.arg} if all(one.arg for one in node.keywords) else None
            if name in ERRORS:
                yield from (Use(f"error.{key}", details, place) for key in _texts(node.args[0], named))
            elif name == "add" and "notices" in target:
                found = None if details is None else details | {"path"}
                yield from (Use(f"notice.{key}", found, place) for key in _texts(node.args[0], named))


def _assigned_texts(tree: ast.Module) -> dict[str, set[str]]:
    """The texts that may be in each variable."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, set()).update(_constants(node.value))
    return found


def _constants(node: ast.AST) -> set[str]:
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def _texts(node: ast.expr, named: dict[str, set[str]]) -> set[str]:
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.Name(id=name):
            return {text for text in named.get(name, set()) if re.fullmatch(r"[a-z][a-z-]+", text)}
        case ast.IfExp():
            return _texts(node.body, named) | _texts(node.orelse, named)
    return set()


def test_every_error_and_notice_in_the_code_has_its_text(trees: Trees):
    found = list(uses(trees))
    assert len(found) > 30
    assert [f"{use.place} {use.key}" for use in found if use.key not in ENGLISH] == []


def test_every_error_and_notice_gets_the_details_its_text_names(trees: Trees):
    missing = [
        f"{use.place} {use.key}: {placeholders(ENGLISH[use.key]) - use.details}"
        for use in uses(trees)
        if use.details is not None and use.key in ENGLISH and placeholders(ENGLISH[use.key]) - use.details
    ]
    assert missing == []


# Details of an error or notice that are words for the person, not the names of fields, flags and files.
SAYING = ("reason", "what", "why", "detail", "message", "problem")
# What is printed there is no word of ours to a person: a scripted agent speaks, or a small program in another process.
NOT_OURS = ("mi/testing/", "mi/agents/adapters/replay_agent.py")


def literal_texts(node: ast.expr) -> Iterator[str]:
    """The words that stand in an expression itself, not in what it calls or looks up."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            for part in parts:
                yield from literal_texts(part.value if isinstance(part, ast.FormattedValue) else part)
        case ast.BinOp(left=left, right=right):
            yield from (*literal_texts(left), *literal_texts(right))
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*literal_texts(body), *literal_texts(orelse))
        case ast.BoolOp(values=values):
            yield from (text for value in values for text in literal_texts(value))


def is_wording(text: str) -> bool:
    return bool(re.search(r"[A-Za-z]{3,}", text))


@pytest.mark.req("gov.intro.catalogue")
def test_nothing_is_printed_that_is_not_in_the_catalogue(trees: Trees):
    """Whoever prints gives a text of the catalogue, stored text, or signs."""
    found, calls = [], 0
    for path, tree in trees.items():
        for node in ast.walk(tree):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            prints = re.fullmatch(r"(?:\w+\.)*_?out(?:put)?\.line|print|sys\.std(?:out|err)\.write", name)
            if prints and not path.startswith(NOT_OURS) and isinstance(node, ast.Call):
                calls += 1
                texts = [text for argument in node.args for text in literal_texts(argument)]
                found += [f"{path}:{node.lineno} {text!r}" for text in texts if is_wording(text)]
    assert calls > 50
    assert found == []


@pytest.mark.req("gov.intro.catalogue")
def test_no_error_or_notice_is_given_words_of_its_own(trees: Trees):
    """A reason inside an error is a text of the catalogue, too (`NestedText`), or came from outside."""
    found = []
    for path, tree in trees.items():
        named = _assigned_literals(tree)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ERRORS or (name == "add" and "notices" in ast.unparse(node.func)):
                said = [one for one in node.keywords if one.arg in SAYING]
                values = [value for one in said for value in named.get(ast.unparse(one.value), [one.value])]
                texts = [text for value in values for text in literal_texts(value)]
                found += [f"{path}:{node.lineno} {text!r}" for text in texts if is_wording(text)]
    assert found == []


def _assigned_literals(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """What is assigned to each variable of a module."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


@pytest.mark.req("gov.intro.catalogue")
def test_every_reason_in_the_code_has_its_text(trees: Trees):
    used = [
        key
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "NestedText" and node.args
        for key in _texts(node.args[0], {})
    ]
    assert len(used) > 15
    assert [key for key in used if key not in ENGLISH] == []


def test_a_reason_is_said_in_the_language_of_its_error():
    error = errors.MiError("host-not-json", path="x", reason=messages.NestedText("reason.no-list-at", at="a.b"))
    assert "a.b is no list" in error.line("en")
    assert "a.b 不是列表" in error.line("zh")
    assert str(error.details["reason"]) == "a.b is no list"


def test_the_causes_of_failed_file_operations_have_their_text():
    assert {f"error.{code}" for code in errors._REASONS.values()} <= set(ENGLISH)


def test_every_key_is_used(trees: Trees):
    """By its whole name, or put together from texts and field names of the code, such as `run.` and `done`."""
    words = set()
    for tree in trees.values():
        words |= _constants(tree)
        fields = (node.target for node in ast.walk(tree) if isinstance(node, ast.AnnAssign))
        words |= {field.id for field in fields if isinstance(field, ast.Name)}
    for template in (ROOT / "mi/web/templates").glob("*.html"):
        words |= set(re.findall(r'say\("([^"]+)"', template.read_text("utf-8")))
    words |= {word.replace("_", "-").replace(" ", "-").lower() for word in words}
    beginnings = {f"{kind.replace('_', '-')}-" for kind in MODULES}  # a word of a record of that kind
    beginnings |= {
        word for word in words if re.fullmatch(r"[a-z-]+[.-]", word) or re.fullmatch(r"[a-z]+\.[a-z-]*-", word)
    }

    def used(rest: str) -> bool:
        return rest in words or any(rest.startswith(one) and used(rest.removeprefix(one)) for one in beginnings)

    assert [key for key in ENGLISH if not used(key)] == []


def test_a_text_is_filled_in_and_braces_in_a_value_stay():
    assert messages.text("error.os-error", path="/{x}", reason="{y}") == "/{x}: {y}"
    assert messages.text("error.os-error", "zh", path="/{x}", reason="{y}") == "/{x}：{y}"


def test_an_unknown_key_is_a_mistake_of_ours():
    with pytest.raises(KeyError):
        messages.text("error.no-such-thing")


@pytest.mark.req("gov.lang.config")
def test_the_setting_goes_first(monkeypatch):
    monkeypatch.setenv("MI_LANG", "zh")
    assert messages.choose_language("en", "价值") == "en"
    monkeypatch.setenv("MI_LANG", "en")
    assert messages.choose_language("zh", "values") == "zh"


@pytest.mark.req("gov.lang.env")
def test_then_the_environment(monkeypatch):
    monkeypatch.setenv("MI_LANG", "zh")
    assert messages.choose_language("auto", "values") == "zh"
    assert messages.choose_language("", "values") == "zh"
    monkeypatch.setenv("MI_LANG", "fr")
    assert messages.choose_language("", "values") == "en"


@pytest.mark.req("mi.config.language-auto")
@pytest.mark.parametrize(
    ("message", "language"), [("改动要小", "zh"), ("mixed 中文", "zh"), ("Größe", "en"), ("", "en")]
)
def test_then_the_message_itself(message, language):
    assert messages.choose_language("auto", message) == language


@pytest.mark.parametrize(
    ("key", "count", "told"),
    [
        ("run.dirty", 1, "1 file was changed before this run; it is told apart and left alone"),
        ("run.dirty", 2, "2 files were changed before this run; they are told apart and left alone"),
        ("run.dirty", 0, "0 files were changed before this run; they are told apart and left alone"),
        ("run.close-later", 1, "The task is completed: mi nexus task close archives it."),
        ("run.close-later", 11, "All 11 tasks are completed: mi nexus task close archives them."),
    ],
)
def test_a_number_chooses_the_words_around_it(key: str, count: int, told: str) -> None:
    assert messages.text(key, count=count) == told


@pytest.mark.parametrize(("amount", "told"), [("1", "1 batch"), ("1.5", "1.5 batches"), ("21", "21 batches")])
def test_so_does_a_number_that_is_written(amount: str, told: str) -> None:
    assert messages.text("limit.batches", amount=amount) == told
