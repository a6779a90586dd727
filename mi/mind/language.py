"""How the rules read what an agent wrote: questions, claims of being done, words that matter; English and Chinese."""

import re
from functools import cache
from itertools import pairwise

from mi.kernel.text import has_cjk, sentences

_DONE = (
    r"\b(?:done|completed?|finished|fixed|implemented|resolved|all (?:tests|checks) pass(?:ed|ing)?|works? now)\b"
    r"|完成了?|搞定|修复(?:好)?了|已修复|已实现|已解决|通过了"
)
_NOT_DONE = (
    r"\b(?:not|never|isn't|aren't|wasn't|yet to|cannot|can't|couldn't|unable|failed to|before|until|once|when|if|after"
    r"|will|going to|to be|remaining|still)\b|n't\b|未|没有?|尚|不能|无法|之前|如果|一旦|将要|准备|即将"
)
_REQUEST = r"^(?:please (?:confirm|choose|tell|let me know|advise|clarify)|let me know|confirm)\b"
_QUESTION_ZH = r"请问|请确认|请选择|请告诉|是否|要不要|该不该|哪个|哪种|怎么办|可以吗|好吗|行吗|对吗|需要我"
_INQUIRY = (
    r"^(?:what|why|how|where|when|who|which|explain|describe|summari[sz]e|list|show|tell|review|analy[sz]e|find out"
    r"|is|are|does|do|can|could|should)\b"
    r"|^(?:什么|为什么|为何|怎么|如何|哪|解释|说明|总结|列出|分析|介绍|请问|看看)|[?？]\s*$|吗\s*$"
)
_ASK_ME = (
    r"\b(?:ask|check with|consult|confirm with|tell) me\b|\bmy (?:approval|permission|ok)\b|问我|我同意|我确认|经我"
)
_FENCE = r"```.*?(?:```|\Z)"
_WORD = r"[a-z][a-z0-9_+#.-]*[a-z0-9+#]|[a-z]|\d+"
_CJK_RUN = r"[\u4e00-\u9fff]+"
_STOP = frozenset(
    """a about after all also am an and any are as ask at be been before being but by can could did do does doing done
    each either else every first for from get give go had has have having how i if in into is it its just keep let like
    make may me might more most must my need never no not now of off on once one only or other our out over own please
    prefer rather run say same see shall should so some such tell than that the their them then there these they this
    those to too under until up us use used using very want was way we well were what when where whether which while
    who why will with without would yes you your always""".split()
)
_STOP_ZH = frozenset(
    """什么 是否 可以 需要 我们 你们 他们 这个 那个 一个 还是 或者 如果 因为 所以 但是 不要 应该 请问 怎么 如何 使用
    进行 以及""".split()
)
_SUFFIX = re.compile(r"(?:ing|ed|es|s|ly)$")


@cache
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE | re.MULTILINE)


def _prose(message: str) -> str:
    """The message without its code blocks: code neither claims nor asks."""
    return re.sub(_FENCE, " ", message, flags=re.DOTALL)


def says_done(message: str) -> bool:
    """Whether an agent claims in plain words that the work is done."""
    for sentence in sentences(_prose(message)):
        if sentence.endswith(("?", "？")):
            continue
        if _pattern(_DONE).search(sentence) and not _pattern(_NOT_DONE).search(sentence):
            return True
    return False


def questions_in(message: str) -> list[str]:
    """The questions an agent asks at the end of its message; a question it answers itself further on is none."""
    asked: list[str] = []
    for sentence in sentences(_prose(message)):
        bare = sentence.strip("*_ ")
        if bare.endswith(("?", "？")) or _pattern(_QUESTION_ZH).search(bare) or _pattern(_REQUEST).search(bare):
            asked.append(bare)
        elif asked and len(bare) > 60:
            asked.clear()  # a longer statement after it: the agent went on by itself
    return asked


def wants_to_be_asked(value: str) -> bool:
    """Whether a value says that the person wants to decide this themselves."""
    return bool(_pattern(_ASK_ME).search(value))


def is_inquiry(task: str) -> bool:
    """Whether a task asks for an answer rather than for a change."""
    return bool(_pattern(_INQUIRY).search(task.strip()))


def content_words(text: str) -> set[str]:
    """The words that carry meaning: English ones without endings, Chinese ones as pairs of characters."""
    lowered = text.lower()
    words = {
        _SUFFIX.sub("", word) if len(word) > 4 else word for word in re.findall(_WORD, lowered) if word not in _STOP
    }
    if has_cjk(text):
        for run in re.findall(_CJK_RUN, text):
            words |= {pair for pair in map("".join, pairwise(run)) if pair not in _STOP_ZH}
    return words
