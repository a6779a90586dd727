"""中文。"""

from mi.kernel.language import CJK
from mi.kernel.language.zh_agents import ChineseAgents
from mi.kernel.language.zh_answers import ChineseAnswers
from mi.kernel.language.zh_asked import ChineseAsked
from mi.kernel.language.zh_rules import NUMERALS, ChineseRules
from mi.kernel.language.zh_secrets import ChineseSecrets
from mi.kernel.language.zh_tasks import ChineseTasks
from mi.kernel.language.zh_will import ChineseWill

_ENDS = "。！？"
_CLOSES = "”’」』）)"


class Chinese(ChineseAgents, ChineseAsked, ChineseAnswers, ChineseTasks, ChineseRules, ChineseWill, ChineseSecrets):
    """What MI knows of Chinese; no blank parts its words, so they are looked for anywhere in a text."""

    script = f"[{CJK}]"
    sentence_break = rf"(?<=[{_ENDS}])(?![{_ENDS}{_CLOSES}])|(?<=[{_ENDS}][{_CLOSES}])"
    quotation = r"「[^」\n]{0,400}」|『[^』\n]{0,400}』|《[^》\n]{0,400}》"
    full_stops = ("。", "！")
    question_marks = ("？",)
    commas = ("，",)
    semicolons = ("；",)
    colons = ("：",)
    list_marks = ("、", "．")
    opening_brackets = ("（",)
    closing_brackets = ("）",)
    closing_quotes = ("」", "』")
    numerals = NUMERALS
    empty_words = tuple(
        """什么 是否 可以 需要 我们 你们 他们 这个 那个 一个 还是 或者 如果 因为 所以 但是 不要 应该 请问 怎么 如何 使用
        进行 以及""".split()
    )


PATTERNS = Chinese()
