"""The tests that a task asks for: whether any came, and whether one of them says something about the code."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator

from mi.kernel.language import compiled, each_language, patterns
from mi.project.checks.judge_blocks import inline_items
from mi.project.checks.judge_comparison import code_items, text_of
from mi.project.checks.judge_items import JudgeItem
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.checks.judge_python import example_items, is_always_true
from mi.project.checks.judge_tokens import SCRIPTED
from mi.project.checks.judge_unrun import (
    asks_its_stand_in,
    claims_something,
    find_unrun,
    is_built_elsewhere,
    is_left_behind,
    is_never_awaited,
    without_idle,
)
from mi.project.trees import Tree

_ASSERTS = re.compile(
    r"assert|expect|should|require|verify|check|raises|fail|\bt ?\. ?(?:Error|Fatal)|panic|unwrap|throw|\bmust\b"
    r"|\bexit\b|Output:|\[ |-eq\b|snapshot|approve",
    re.IGNORECASE,
)
_NO_CLAIM = re.compile(r"\bconsole ?\. ?assert\b|\bassert(?: ?\. ?ok)? ?\( ?(?:async )?\( ?\) ?=>")  # these never fail
_SAYS_NOTHING = "the new tests say nothing about the code"
_IS_SKIPPED = "a new test is skipped"
# A test that is left out wherever it runs; a skip under a condition is none of these.
_SKIPPED = re.compile(
    r"(?:# \[ [^]]*\] )*# \[ ignore\b|(?:test|it|describe) \. (?:skip|todo)\b|x(?:it|test|describe)\b"
    r"|(?:test|it|describe) \( [^{}]*, \{ (?:[^{}]*, )?(?:skip|todo) : (?!false\b)"
    r"|func \w+ \( \w+ \* testing \. T \) \{ \w+ \. Skip(?:Now|f)?\b|(?:@[^\n]*\n)*@(?:pytest\.mark|unittest)\.skip\b"
)
_NAME = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]*")
_STRING = re.compile(r"(?<!\\)(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)")
_DECLARED = re.compile(r"\b(?:func|fn|fun|function|def|void|Task|class|mod|describe|test|it) (\w+)")
# What a test can say without a word about the code; so can names of one or two letters.
_OWN_WORDS = frozenset(
    """test describe specify func fun function def void public private static async await const let var val mut
    return else for while new true false null undefined nil None assert assert_eq assert_ne equal strictEqual
    deepEqual deepStrictEqual notEqual notStrictEqual expect toBe toEqual toBeTruthy toBeFalsy toStrictEqual not
    testing Error Errorf Fatal Fatalf Fail FailNow Log Logf require Equal True False NoError Assert Assertions
    assertTrue assertFalse assertEquals assertSame AreEqual IsTrue done self super use throws try catch Test
    Fact pub cfg allow int i32 i64 bool string String end begin override""".split()
)


def find_missing_tests(task: str, base: Tree, final: Tree) -> tuple[str, str]:
    """Return the words by which a task asks for tests, and what is missing; '' twice when it has what it asks for."""
    wish = _asks_for_tests(task)
    if not wish:
        return "", ""
    changed = [path for path in final.changed_since(base) if final.read(path) is not None]
    came = [found for path in changed for found in _gained(path, base, final)]
    may_skip = compiled(f"{patterns().take_away}|{patterns().unused_on_purpose}").search(task) is not None
    if _IS_SKIPPED in came and not may_skip:
        return wish, _IS_SKIPPED
    if "" in came or _IS_SKIPPED in came:
        return "", ""
    return wish, min(came, default="no test was added")


def _asks_for_tests(task: str) -> str:
    """Return the words of a task that ask for new tests; '' when it asks for none or wants them left alone."""
    if compiled(patterns().tests_stay).search(task):
        return ""
    for language in each_language():
        for found in compiled(language.wants_tests).finditer(task) if language.wants_tests else ():
            if not compiled(rf"(?:{language.negation}|{language.take_away})[^.;]{{0,40}}$").search(
                task[: found.start()]
            ):
                return found[0].strip()
    return ""


def _gained(path: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield for each test that a file gained what is wrong with it; '' when it says something about the code."""
    kind, before, after = judge_kind(path), text_of(base.read(path)), text_of(final.read(path))
    if kind in ("code", "inline"):
        known = {item.name: item.text for item in _tests(path, before)}
        new = [item for item in _tests(path, after) if known.get(item.name) != item.text]
        asserts = bool(_ASSERTS.search(after if not before else "\n".join(item.text for item in new)))
        unrun = find_unrun(path, final) if path.endswith(".py") and new else frozenset()
        if new and not before and is_built_elsewhere(path, after):
            yield "the new tests are built only on another system"
            return
        for item in new:
            says = asserts and _says_something(item, extension(path)) and not is_never_awaited(item.name, after, path)
            wrong = "the new tests are not run" if item.name in unrun else "" if says else _SAYS_NOTHING
            yield _IS_SKIPPED if _SKIPPED.match(item.text) and not _was_there(item, base) else wrong
        if kind == "code" and not new and before != after:
            yield ""  # what the tests use grew: cases, helpers, scenarios in another form
    elif (kind in ("data", "recipe") and before != after) or (
        path.endswith(".py") and len(example_items(after)) > len(example_items(before))
    ):
        yield ""


def _was_there(item: JudgeItem, tree: Tree) -> bool:
    """Return whether a test stood in some file before, and only moved."""
    return any(
        item.shown in text_of(tree.read(path)) for path in tree.paths() if judge_kind(path) in ("code", "inline")
    )


def _tests(path: str, text: str) -> list[JudgeItem]:
    if judge_kind(path) == "inline":
        return [item for item in inline_items(text) if item.is_test]
    return [item for item in code_items(path, text) if item.is_test]


def _says_something(item: JudgeItem, language: str) -> bool:
    if language not in ("py", "pyi"):
        if language in SCRIPTED and not claims_something(item.text):
            return False
        claims = not _NO_CLAIM.search(item.text) or _ASSERTS.search(_NO_CLAIM.sub("", item.text))
        return _names_code(item.text) and bool(claims) and not is_left_behind(item.text)
    try:
        function = without_idle(ast.parse(item.text).body[0])
    except (SyntaxError, IndexError):
        return True
    return _reaches_code(function) and not _only_holds(function) and not asks_its_stand_in(function)


def _names_code(text: str) -> bool:
    """Return whether a test names anything but itself and the words of its runner."""
    plain = _STRING.sub(lambda found: "" if "$" not in found[0] else found[0], text)
    names = Counter(_NAME.findall(plain)) - Counter(_DECLARED.findall(plain))
    return any(name not in _OWN_WORDS and len(name) > 2 for name in names) or "$" in plain


def _reaches_code(function: ast.AST) -> bool:
    """Return whether a test uses a name that is neither its own nor the language's nor the runner's."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    bound |= {node.name for node in ast.walk(function) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    own = {"self", "cls", "unittest", "pytest", *bound, *dir(builtins)}
    if any(node.id not in own for node in names):
        return True
    attributes = [node for node in ast.walk(function) if isinstance(node, ast.Attribute)]
    mine = (node for node in attributes if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    return any(not re.match(r"assert|fail|skip|subTest|id$", node.attr) for node in mine)


def _only_holds(function: ast.AST) -> bool:
    """Return whether all that a test asserts holds whatever the code does."""
    claims = [list(_claims(node)) for node in ast.walk(function)]
    found = [claim for one in claims for claim in one]
    return bool(found) and all(found)


def _claims(node: ast.AST) -> Iterator[bool]:
    """Yield for an assertion whether it holds always."""
    match node:
        case ast.Assert(test=test):
            yield is_always_true(test)
        case ast.Call(func=ast.Attribute(attr="assertTrue"), args=[value, *_]):
            yield is_always_true(value)
        case ast.Call(func=ast.Attribute(attr="assertEqual" | "assertEquals" | "assertIs"), args=[first, second, *_]):
            yield ast.dump(first) == ast.dump(second)
        case ast.Call(func=ast.Attribute(attr=name)) if name.startswith(("assert", "fail", "raises", "warns")):
            yield False
