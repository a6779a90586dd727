"""R2: whether a text or a declared plan sequences more than one actionable step. Pure, and never by single words."""

import re
from collections.abc import Sequence

from mi.tasks.tinytasks import outside_fences

_MAX_CHARS, _MAX_LINE = 40_000, 2000  # a plan that begins later than this is not what a text is about
_BOX = re.compile(r"^[ \t]*+(?:(?:[-*+]|\d{1,3}[.)、])[ \t]*+)?\[[ xX]\][ \t]++\S", re.MULTILINE)
_NUMBERED = re.compile(
    r"^[ \t]*(?:(\d{1,3})[.)][ \t]+|(\d{1,3})、[ \t]*|[(（](\d{1,3})[)）][ \t]*)(\S.*)$", re.MULTILINE
)
_MARKED = re.compile(r"^[ \t]*(?:([①-⑳])[ \t]*|[(（]?([a-h])[)）][ \t]+)\S")
_INLINE = re.compile(r"[(（](\d)[)）][ \t]*\S")  # (1) … (2) … within a sentence
_CHINESE_NUMBERED = re.compile(
    r"^[ \t]*(?:第([一二三四五六七八九十]+)步|([一二三四五六七八九十]+)、)\s*[:：,，]?\s*(\S.*)$", re.MULTILINE
)
_STEP = re.compile(r"\bstep[ \t]+(\d{1,3}|one|two|three|four|five)\b[ \t]*[:.—–-]?[ \t]*\S", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+(\S.*)$")
# A heading or opening sentence that says that a list of steps follows.
_ANNOUNCED = re.compile(
    r"\b(?:plan|steps|approach|to-?do|tasks|checklist|next steps|here is what (?:i|we)(?:'ll| will) do"
    r"|(?:i|we)(?:'ll| will| am going to| are going to)(?: now)?(?: do)?(?: the following)?)\b"
    r"[^.!?\n]{0,60}[:：]?[ \t*_#]*$"
    r"|(?:计划|步骤|方案|待办|任务清单|任务列表|接下来(?:我|我们)?(?:会|将|要))[^。！？\n]{0,30}[:：]?[ \t*_#]*$",
    re.IGNORECASE,
)
_I_WILL = r"(?:i|we)(?:'ll| will|'m going to| am going to| are going to| need to| plan to| have to| must| should)"
# first … then / next / after that / finally: both halves must be there, each with something to do.
_FIRST = re.compile(
    r"(?<!the )(?<!an )(?<!a )(?<!my )(?<!its )"
    r"\b(?:first(?:ly)?(?: of all)?|to (?:start|begin)(?: with)?|start(?:ing)? by)\b,?[ \t]+"
    rf"(?:{_I_WILL}\s+|let(?:'s| me)\s+)?(?!(?:about|as|at|because|for|from|in|of|on|with)\b)[a-z][\w`./'-]*[ \t]+\S",
    re.IGNORECASE,
)
# `I will … then …` without a first: what follows must be done by the same one.
_INTENT = re.compile(rf"\b(?:{_I_WILL}|let(?:'s| me))\b", re.IGNORECASE)
_THEN_DO = re.compile(
    rf"(?:\b(?:and |, ?|; ?)then|\b(?:after (?:that|this|which)|afterwards|finally))\b,?[ \t]+"
    rf"(?:{_I_WILL}\s+[a-z]|let(?:'s| me)\s+[a-z]|(?!(?:i|we|you|he|she|it|they|that|this|these|there|the|an?|all"
    rf"|everything|everyone|is|are|be|was|were|will|would|can|could|should|must|may|have|has|had|again|done|no|not)\b)"
    rf"[a-z`][\w`./'-]*[ \t]+\S)",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\b(?:either|options?|whether|alternatives?)\b|\bor\b[ \t]*[(（]2", re.IGNORECASE)
_THEN = re.compile(
    rf"\b(?:(?:and |, ?|; ?)?then|next|after (?:that|this|which)|afterwards|finally|last(?:ly)?|second(?:ly)?)\b"
    rf",?[ \t]+(?:{_I_WILL}\s+|let(?:'s| me)\s+)?[a-z`][\w`./'-]*",
    re.IGNORECASE,
)
_CHINESE_FIRST = re.compile(r"(?:首先|第一步|先)[^。！？\n]{2,}")
_CHINESE_THEN = re.compile(r"(?:然后|接着|之后|随后|再|最后|其次|第二步|下一步)[^。！？，、；,;\n]{2,}")
# What is told or asked, not sequenced: what was done, what things are, quotations of others.
_PAST = re.compile(
    r"\b(?:i|we|it|he|she|they|you)\s+(?:first|then|already|have|had|did|was|were)\b(?![^.]{0,20}\b(?:to|will)\b)",
    re.IGNORECASE,
)
_CHINESE_PAST = re.compile(r"[了过](?:[，。；,;]|$)|先[^，。；,;\s]{1,3}[了过]")
_REPORT = re.compile(r"\b(?:done|completed|finished|summary|changed|results?)\b|已|完成了", re.IGNORECASE)


def steps_in(text: str) -> int:
    """How many actionable steps a text sequences; 0 or 1 means that it needs no task list."""
    prose = _prose(text)
    return max(
        _listed(prose),
        len(_BOX.findall(prose)),
        len({one.lower() for one in _STEP.findall(prose)}),
        _sequenced(prose),
    )


def _prose(text: str) -> str:
    """What the text says itself, without fenced code."""
    lines = tuple(text[:_MAX_CHARS].splitlines())
    return "\n".join(lines[number][:_MAX_LINE] for number in outside_fences(lines))


def steps_of(title: str, subtasks: Sequence[str]) -> int:
    """How many steps a declared task has: its subtasks, else what its title sequences."""
    return max(len([one for one in subtasks if one.strip()]), steps_in(title), 1)


def _listed(prose: str) -> int:
    """Ordered items that count up from one, or bullets below words that announce steps."""
    return max(_ordered(prose), _announced(prose))


def _ordered(prose: str) -> int:
    best = 0
    run = 0
    for line in prose.splitlines():
        number = _number(line)
        if number is None:
            continue
        run = run + 1 if number == run + 1 else int(number == 1)
        best = max(best, run)
    return best


def _number(line: str) -> int | None:
    if match := _NUMBERED.match(line):
        return int(match[1] or match[2] or match[3])
    if match := _CHINESE_NUMBERED.match(line):
        return _chinese_number(match[1] or match[2])
    if match := _MARKED.match(line):
        return ord(match[1]) - ord("①") + 1 if match[1] else ord(match[2]) - ord("a") + 1
    return None


def _chinese_number(word: str) -> int:
    digits = "一二三四五六七八九"
    if "十" not in word:
        return digits.find(word) + 1
    tens, _, ones = word.partition("十")
    return (digits.find(tens) + 1 if tens else 1) * 10 + (digits.find(ones) + 1 if ones else 0)


def _announced(prose: str) -> int:
    count, announced, best = 0, False, 0
    for line in prose.splitlines():
        if not line.strip():
            continue
        if _BULLET.match(line):
            count += announced
        else:
            announced, count = _ANNOUNCED.search(line.rstrip()) is not None and not _REPORT.search(line), 0
        best = max(best, count)
    return best


def _sequenced(prose: str) -> int:
    """`First … then …`: at least the beginning and one that follows, in one paragraph, about what is to be done."""
    best = 0
    for paragraph in re.split(r"\n[ \t]*\n", prose):
        if _PAST.search(paragraph) is None:
            best = max(best, _begun(paragraph), _intended(paragraph))
        chinese = _CHINESE_PAST.search(paragraph) is None and _CHINESE_FIRST.search(paragraph)
        if chinese:
            follow = _CHINESE_THEN.findall(paragraph, chinese.start() + 2)
            best = max(best, 1 + len(follow)) if follow else best
    return best


def _begun(paragraph: str) -> int:
    """`First …`, and how many that follow."""
    first = _FIRST.search(paragraph)
    return 1 + len(_THEN.findall(paragraph, first.end())) if first else 0


def _intended(paragraph: str) -> int:
    """`I will …`, and how many that follow; or what is numbered within the sentence, unless it is a choice."""
    meant = _INTENT.search(paragraph)
    if meant is None:
        return 0
    numbers = [int(one) for one in _INLINE.findall(paragraph, meant.end())]
    counted = len(numbers) if numbers == list(range(1, len(numbers) + 1)) and not _CHOICE.search(paragraph) else 0
    return max(1 + len(_THEN_DO.findall(paragraph, meant.end())), counted)
