"""How the rules read what an agent wrote: questions, claims of being done, words that matter; English and Chinese."""

import re
from functools import cache

from mi.kernel.text import sentences
from mi.knowledge.search.words import STOP_WORDS, tokens

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
# What stands before the verb of a request, and where one request ends and the next begins.
_POLITE = (
    r"^(?:(?:please|kindly|hey|hi|hello|okay|ok|so|now|then|also|and|but|first|next|finally|just|quickly|if so|if not"
    r"|if (?:needed|necessary|possible)|(?:can|could|would|will) (?:you|we|someone)|(?:should|shall) we|let's|let us"
    r"|help me(?: to)?|i(?:'d| would) like(?: you)? to|i (?:want|need)(?: you)? to)\b\W*"
    r"|请你?|帮我|帮忙|麻烦你?|能不能|能否|可不可以|可以|可否|你能|能|我想要?|我要|然后|并且?|再|顺便|同时|先|最后)+"
)
_CLAUSE = r"[.!;,?？。！；，\n]|\band\b|\bthen\b|\bbut\b|然后|并且|并|再"
_INQUIRY = (
    r"^(?:what|why|how|where|when|who|which|explain|describe|summari[sz]e|list|show|tell|review|analy[sz]e|compare|count"
    r"|investigate|inspect|assess|evaluate|estimate|report|find (?:out|where|which|all|every|any)|look (?:at|into|for)"
    r"|check (?:if|whether|what|why|how)|give me|walk me through|is|are|was|were|does|did|has|have"
    r"|do (?:i|we|you|they|these|those|any|all)|(?:can|could|should|would|will) (?:i|it|this|that|the|they|there))\b"
    r"|^(?:什么|为什么|为何|怎么|如何|哪|解释|说明|总结|列出|分析|介绍|看看|看一下|查看|告诉我|对比|比较|评估|检查|调查|统计)"
)
# A clause that begins with one of these wants something changed.
_CHANGE = (
    r"^(?:fix|add|implement|write|create|make|remove|delete|drop|refactor|update|change|rename|move|build|improve"
    r"|replace|convert|migrate|upgrade|install|set ?up|configure|generate|extend|support|handle|correct|repair|resolve"
    r"|solve|clean|format|optimi[sz]e|port|revert|apply|edit|modify|document|translate|bump|enable|disable|introduce"
    r"|extract|split|merge|commit|push|deploy|publish|do (?:the|it|this|that|so)|turn|switch|adjust|finish|complete"
    r"|rewrite|simplify|speed|reduce|increase|allow|ensure|get rid)\b"
    r"|^(?:修复|修正|修改|修|添加|增加|加上|加|实现|编写|写|创建|新建|建|删除|删|移除|去掉|重构|更新|改|替换|换|升级|优化|生成"
    r"|重命名|迁移|安装|配置|设置|提交|推送|发布|部署|解决|完成|补充|整理|翻译)|^把"
)
_ASK_ME = (
    r"\b(?:ask|check with|consult|confirm with|tell) me\b|\bmy (?:approval|permission|ok)\b|问我|我同意|我确认|经我"
)
_LASTING = (
    r"\b(?:always|never|from now on|in (?:the )?future|every time|whenever|prefer|by default|as a rule|going forward"
    r"|any ?more|don't ever|each time)\b|以后|今后|总是|永远|每次|一律|从现在起|默认|再也不|不要再|别再|务必|优先"
)
_FENCE = r"```.*?(?:```|\Z)"
# Words of a question or a value that say nothing about what it is about, beside those that no search looks for.
_EMPTY = """after all also ask before being done doing each either else every first get give go having just keep
    let like make may might more most must need never no now off once one only other out over own please prefer
    rather run say same see shall such tell those too under until up use used using very want way well whether
    while without yes always"""
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


def says_lasting(text: str) -> bool:
    """Whether a text says how things should be from now on, not only this once."""
    return bool(_pattern(_LASTING).search(_prose(text)))


def lasting_sentences(text: str) -> list[str]:
    """The sentences of a text, outside its code, that say how things should be from now on."""
    return [one for one in sentences(_prose(text)) if _pattern(_LASTING).search(one)]


def is_inquiry(task: str) -> bool:
    """Whether a task asks for an answer rather than for a change: `can you fix it?` asks for a change."""
    parts = re.split(_CLAUSE, _prose(task), flags=re.IGNORECASE)
    clauses = [re.sub(_POLITE, "", part.strip(), flags=re.IGNORECASE).strip() for part in parts]
    if any(_pattern(_CHANGE).search(clause) for clause in clauses):
        return False
    asks = bool(re.search(r"[?？]|[吗呢]\s*[。.]?\s*$", task))
    return asks or any(_pattern(_INQUIRY).search(clause) for clause in clauses[:1])


def content_words(text: str) -> set[str]:
    """The words that carry meaning: English ones without endings, Chinese ones as pairs of characters."""
    found = [word for word in tokens(text, asked=True) if word not in _empty_words() and word not in _STOP_ZH]
    return {_SUFFIX.sub("", word) if len(word) > 4 and word.isascii() else word for word in found}


@cache
def _empty_words() -> frozenset[str]:
    return STOP_WORDS | frozenset(_EMPTY.split())
