"""How much a test says: whether a changed one still asks for the same value, not only for something about it."""

import ast
import re
import textwrap
from collections.abc import Iterator

from mi.kernel.named_tuple import NamedTuple

ASSERTION = re.compile(r"\b(?:assert\w*|expect|should|require|t\.(?:Error|Fatal)f?|verify)\b|XCTAssert|EXPECT_|ASSERT_")
_LEAVES = re.compile(r"\b(?:return|try|if|except|catch|exit|_exit|pass|yield|or|unless|suppress)\b|\|\|")
_EQUAL = (
    r"(?<!not\.)\b(?:toBe|to(?:Strict)?Equal|toMatchObject|toThrow\w*|to\w*Snapshot|toHaveBeen\w*With|toBeCloseTo"
    r"|(?:deep|strict|deepStrict)?[eE]quals?|EqualValues|DeepEqual|assert_eq|assert(?:Array)?Equals|assertSame|AreEqual"
    r"|throws|rejects|assertThrows|should_panic|EXPECT_EQ|ASSERT_EQ|XCTAssertEqual|shouldBe|is_err|Diff)\b"
)
_OTHER = re.compile(rf"{_EQUAL}|(?<![!=])===?(?!=)")
_GO = re.compile(rf"{_EQUAL}|!=(?! *nil\b)|== *nil\b")
_COARSE = frozenset("len type bool any isinstance callable hasattr".split())
_TOLERANCE = frozenset("abs rel delta places abs_tol rel_tol atol rtol".split())
_BY_NAME = re.compile(
    r"assert(?!Not)\w*(?:Equals?|Raises\w*|Warns\w*|Is|IsNone|With|array_equal|allclose)|raises|warns|fail"
)


class _Claim(NamedTuple):
    """An assertion: what it is about, whether it asks for one value of it, and how far off that may be."""

    subject: str
    is_exact: bool
    tolerance: str = ""


def keeps_strength(before: str, after: str) -> bool:
    """Return whether a change leaves as many assertions, and no new way around them."""
    fewer = len(ASSERTION.findall(after)) < len(ASSERTION.findall(before))
    return not fewer and len(_LEAVES.findall(after)) <= len(_LEAVES.findall(before))


def asks_for_less(before: str, after: str, language: str) -> bool:
    """Return whether what was asked to be equal may be something else now: larger, not none, true, or nearly so."""
    if language not in ("py", "pyi"):
        return _counts_less(before, after, _GO if language == "go" else _OTHER)
    was, now = _claims(before), _claims(after)
    if was is None or now is None:
        return _counts_less(before, after, _OTHER)
    exact, vague = ({one.subject for one in now if one.is_exact is kind} for kind in (True, False))
    if any(one.is_exact and one.subject in vague - exact for one in was):
        return True
    return {one.tolerance for one in now} - {one.tolerance for one in was} - {""} != set() or (
        _count(now, True) < _count(was, True) and _count(now, False) > _count(was, False)
    )


def _count(claims: list[_Claim], is_exact: bool) -> int:
    return sum(one.is_exact is is_exact for one in claims)


def _counts_less(before: str, after: str, equal: re.Pattern[str]) -> bool:
    was, now = (len(equal.findall(text)) for text in (before, after))
    return now < was and len(ASSERTION.findall(after)) - now > len(ASSERTION.findall(before)) - was


def _claims(text: str) -> list[_Claim] | None:
    """Return what a test in Python asserts; None for what cannot be read."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return [claim for node in ast.walk(tree) for claim in _claims_of(node)]


def _claims_of(node: ast.AST) -> Iterator[_Claim]:
    match node:
        case ast.Assert(test=test):
            yield from _of_value(test)
        case ast.Call(func=ast.Attribute(attr="assertTrue"), args=[value, *_]):
            yield from _of_value(value)
        case ast.Call(func=ast.Attribute(attr=name), args=args) if name.startswith(
            ("assert", "raises", "warns", "fail")
        ):
            subject = ast.unparse(args[0]) if args else name
            yield _Claim(subject, bool(_BY_NAME.fullmatch(name)) and not _is_coarse(args), _tolerance(node, 2))


def _of_value(value: ast.expr) -> Iterator[_Claim]:
    match value:
        case ast.BoolOp(op=ast.And(), values=parts):
            for part in parts:
                yield from _of_value(part)
        case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp(elt=part) | ast.ListComp(elt=part)]):
            yield from _of_value(part)
        case ast.Compare(left=left, ops=ops, comparators=others):
            exact = all(isinstance(op, ast.Eq | ast.Is) for op in ops) and not _is_coarse([left, *others])
            tolerance = "".join(_tolerance(one, 1) for one in ast.walk(value) if isinstance(one, ast.Call))
            yield _Claim(ast.unparse(left), exact, tolerance)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            yield _Claim(ast.unparse(inner), False)
        case ast.Call(func=ast.Name(id="isclose") | ast.Attribute(attr="isclose"), args=[first, *_]):
            yield _Claim(ast.unparse(first), True, _tolerance(value, 2))
        case _:
            yield _Claim(ast.unparse(value), False)


def _is_coarse(sides: list[ast.expr]) -> bool:
    """Return whether only the size or kind of a value is compared, or a value with itself."""
    called = {side.func.id for side in sides if isinstance(side, ast.Call) and isinstance(side.func, ast.Name)}
    return bool(called & _COARSE) or (len(sides) > 1 and ast.dump(sides[0]) == ast.dump(sides[1]))


def _tolerance(call: ast.Call, exact: int) -> str:
    """Return how far off a value may be, as a call says it; `exact`: how many of its arguments say nothing of that."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if not re.search(r"(?i)approx|almost|close", name):
        return ""
    said = [f"{one.arg}={ast.unparse(one.value)}" for one in call.keywords if one.arg in _TOLERANCE]
    return ", ".join([*map(ast.unparse, call.args[exact:]), *said])
