"""Whether a test only gained: more cases in the list it goes through, or assertions after all it had."""

import re
from difflib import SequenceMatcher

_TOKEN = re.compile(r"(?<!\\)(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|\w+|\S")
_MARKED = re.compile(
    r"@ ?\w*(?:parametrize|TestCase|Csv|Value|ParameterizedTest)|\# \[ (?:case|test_case)"
    r"|\[ (?:InlineData|TestCase|DataRow)"
)
_WORK = 4_000_000  # pairs of tokens that are compared at most
_ASSERTION = re.compile(
    r"(?:await )?(?:assert\w*|self ?\. ?assert\w+|expect|require|should|verify|XCTAssert\w*|EXPECT_\w+|ASSERT_\w+)\b"
)


def adds_only(before: str, after: str, around: str) -> bool:
    """Return whether what came into an item leaves all that was there as it was; `around`: the whole file's items."""
    was, now = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(now) <= len(was) or len(now) > 20_000:
        return False
    return _adds_assertions(was, now) or _adds_cases(was, now, around)


def _adds_cases(was: list[str], now: list[str], around: str) -> bool:
    head = next((at for at, pair in enumerate(zip(was, now, strict=False)) if pair[0] != pair[1]), len(was))
    tail = next((at for at in range(len(was) - head) if was[-1 - at] != now[-1 - at]), len(was) - head)
    middle = was[head : len(was) - tail], now[head : len(now) - tail]
    if len(middle[0]) * len(middle[1]) > _WORK:
        return False
    moves = SequenceMatcher(None, *middle, autojunk=False).get_opcodes()
    inserted = [(head + start, head + end) for kind, _, _, start, end in moves if kind != "equal"]
    if any(kind not in ("equal", "insert") for kind, *_ in moves):
        return False
    return all(_is_case(now, *_aligned(now, start, end), around) for start, end in inserted)


def _aligned(now: list[str], start: int, end: int) -> tuple[int, int]:
    """Return the same insertion begun where a case begins: a comparison may set it off by some tokens."""
    while start and now[start - 1] == now[end - 1] and not _balanced(now[start:end]):
        start, end = start - 1, end - 1
    while end < len(now) and now[start] == now[end] and now[start] != "," and not _balanced(now[start:end]):
        start, end = start + 1, end + 1
    return start, end


def _balanced(tokens: list[str]) -> bool:
    depth = 0
    for token in tokens:
        depth += (token in "([{") - (token in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _is_case(now: list[str], start: int, end: int, around: str) -> bool:
    """Return whether the tokens are whole entries of a list that is gone through, or a mark that adds one case."""
    piece = now[start:end]
    if not _balanced(piece) or not piece:
        return False
    if _MARKED.match(" ".join(piece)):
        return True
    if "," not in (piece[0], piece[-1]) and (end >= len(now) or now[end] not in ",}])"):
        return False
    opener = _opener(now, start)
    return opener > 0 and _is_gone_through(now, opener, around)


def _opener(now: list[str], at: int) -> int:
    depth = 0
    for place in range(at - 1, -1, -1):
        if now[place] in ")]}":
            depth += 1
        elif now[place] in "([{":
            if not depth:
                return place
            depth -= 1
    return -1


def _is_gone_through(now: list[str], opener: int, around: str) -> bool:
    """Return whether the list that begins here is what a loop, or a runner, goes through case by case."""
    head = now[max(0, opener - 40) : opener]
    if head[-1:] in (["in"], ["of"], ["range"]) or now[opener - 2 : opener] == ["each", "("]:
        return True
    if head[-1:] == ["each"] or (now[opener] == "(" and head[-1:] in (["each"], ["cases"])):
        return False
    outer = _opener(now, opener)
    if outer > 0 and re.search(r"(?:parametrize|Source|each|DataProvider|TestCases?)$", now[outer - 1]):
        return True
    name = _bound_name(now, opener)
    through = rf"\b(?:in|of|range) {name}\b|\beach ?\( ?{name}\b|\b{name} ?\. ?(?:forEach|each|iter|into_iter|map)\b"
    return bool(name) and bool(re.search(rf"{through}|parametrize\([^\n]*\b{name}\b", f"{' '.join(now)}\n{around}"))


def _bound_name(now: list[str], opener: int) -> str:
    """Return the name that a list is bound to: `cases = [`, `tests := []struct{…}{`, `let cases = vec![`."""
    for place in range(opener - 1, max(0, opener - 400), -1):
        if now[place] == "=" and now[place - 1] not in "=!<>":
            at = place - 1
            at -= 1 if now[at] == ":" else 0
            return now[at] if re.fullmatch(r"[A-Za-z_]\w*", now[at]) else ""
        if now[place] in (";", "=="):
            return ""
    return ""


def _adds_assertions(was: list[str], now: list[str]) -> bool:
    """Return whether nothing but assertions came, behind all that was there."""
    tail = 0
    while tail < 3 and was[-1 - tail : len(was) - tail] and was[-1 - tail] in "})" and was[-1 - tail] == now[-1 - tail]:
        tail += 1
    return any(_is_only_asserted(was, now, closing) for closing in range(tail + 1))


def _is_only_asserted(was: list[str], now: list[str], closing: int) -> bool:
    kept = len(was) - closing
    piece = now[kept : len(now) - closing]
    if now[:kept] != was[:kept] or was[kept:] != now[len(now) - closing :]:
        return False
    came = [part.strip() for part in " ".join(piece).split(" ; " if ";" in piece else "\n") if part.strip(" ;")]
    asserts = bool(came) and all(_ASSERTION.match(part.lstrip("; ")) for part in came)
    return asserts and _balanced(piece) and not set(piece) & _LEAVES


_LEAVES = frozenset({"yield", "await", "return"})  # may end a test before it began
