"""Before anything is scored: is it clear what is wanted, and by what one would see that it is done."""

import re
from typing import Literal, NamedTuple

from mi.governance.impact import Clarity
from mi.governance.words import said
from mi.kernel.messages import text

Gate = Literal["clear", "vague", "blocked"]
_VAGUE = (
    *("somehow", "or something", "and so on", "something like", "etc", "maybe", "whatever", "more or less"),
    *("差不多", "大概", "之类", "等等", "看着办", "随便", "什么的"),
)
# Words that name neither an object nor an outcome.
_EMPTY_EN = frozenset(
    """a about again all an and any anything as asap at be begin better bit can change check clean clear continue could
    deal do does doing done everything finish fix for get go good great handle help here i improve in it its just
    keep let like look make makes me more my nice nicer now of off ok okay on one optimise optimize our out please
    proceed properly quick quickly rework right run same should so solve some something start stuff take that the
    them then these thing things this those to try tweak up update urgent urgently us want we with work works would
    you your""".split()
)
_EMPTY_ZH = re.compile(
    r"继续|优化|处理|完成|解决|改进|改善|修复|修改|修|改|弄|搞定|搞|做|开始|看看|看|帮我|帮忙|麻烦|请|一下|一点|这个|那个|这些|那些|东西|问题"
    r"|它们|它|这|那|所有|全部|更好|好|点|更|快速|快|赶紧|尽快|马上|再|就|下|吧|了|的|把|给|我|你|来|去|得|地|直接|然后|和|跟|让|变"
)


class SpecGate(NamedTuple):
    """Whether a task may be scored and begun; `asks`: what is missing, as codes of questions."""

    gate: Gate
    asks: tuple[str, ...] = ()

    def questions(self, language: str = "en") -> list[str]:
        return [text("spec.ask-" + ask, language) for ask in self.asks]

    def says(self, language: str = "en") -> str:
        """What to say to the person when it is blocked."""
        return text("spec.blocked", language, questions=" ".join(self.questions(language)))


def spec_gate(clarity: Clarity, has_criteria: bool = True) -> SpecGate:
    """Blocked when the task is unclear or nothing says when it is done."""
    asks = ("object", "outcome") if clarity == "unclear" else ()
    if not has_criteria or clarity == "unclear":
        return SpecGate("blocked", (*asks, "criteria"))
    return SpecGate(clarity)


def clarity_of(task: str) -> Clarity:
    """Unclear only when the task names neither an object nor an outcome; vague when it says so itself."""
    rest = _EMPTY_ZH.sub(" ", task.lower())
    words = re.findall(r"[^\W_]+(?:['’]\w+)?", rest)
    if all(word in _EMPTY_EN or (len(word) == 1 and word.isascii()) for word in words):
        return "unclear"
    return "vague" if said(task, _VAGUE) else "clear"
