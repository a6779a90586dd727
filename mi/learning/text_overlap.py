"""The junk gate: whose words a lesson is, what it repeats or contradicts. Pure; text against text."""

import re
from functools import lru_cache

from mi.knowledge.search.words import STOP_WORDS, tokens
from mi.learning.segments import Segment
from mi.mind.language import content_words

ALIKE = 0.8  # of all words of two texts: so much in common says the same
_OPPOSED = 0.6  # the same thing the other way round has other words beside those that turn it
_ECHO = 0.5  # of a text's word sequences: so many in the agent's words make it a repetition of them
_RUN = 3  # words in a sequence
CARRIED = 0.66  # of a text's telling words: so many must be the person's for it to be their word
RESERVED = ("mi:", "values:", "segment:")  # tags that only MI sets
_LONGEST = 300  # characters of a rule; more is a report
_CHINESE_MARKS = dict.fromkeys(map(ord, "，。！？；：、…“”‘’（）《》"))
# Words that turn a sentence round; two texts that differ in them say different things.
_TURNS = re.compile(
    r"\b(?:no|not|never|don'?t|doesn'?t|without|only|unless|except|avoid|stop|instead|before|after|always|must"
    r"|allow(?:ed)?|forbid(?:den)?)\b|n't\b|不|别|勿|禁|没|无|必须|总是|只|先|除非|允许"
)
# What rides along with a rule: a second clause may order anything.
_JOINS = re.compile(
    r"[,;:，；：]|[.!?]\s+\S|[。！？]\S|\b(?:and|then|but|also|plus|while|afterwards|otherwise)\b"
    r"|(?<!合)并|然后|同时|接着|但|否则"
)
# A rule that loosens lets something go that was held back, or leads outside.
_LOOSENS = re.compile(
    r"\bwithout\b|\bno need\b|\bneeds? no\b|\bnot? (?:need|required?|necessary)\b"
    r"|\b(?:don'?t|do not|never|not|no|stop) (?:\w+ ){0,2}(?:ask|confirm|check|verif|review|test|prompt|approv)\w*"
    r"|\bask (?:nobody|no[ -]?one)\b"
    r"|\b(?:allow|permit|skip|disable|ignore|bypass|trust|approved?|may|freely|override|force)\w*\b|https?://|\w@\w|--\w"
    r"|不用|无需|不必|不需要|不要(?:问|确认|检查|测试)|别问|可以直接|直接|跳过|忽略|允许|绕过|关闭|信任"
)
# Nobody is harmed by a rule to ask first, nor by one that forbids what cannot be undone: also in an agent's words.
_HOLDS_BACK = re.compile(
    r"\b(?:ask|confirm|check with)\b.*\b(?:before|first|prior to)\b|\b(?:before|prior to)\b.*\b(?:ask|confirm)\b"
    r"|\b(?:never|do not|don'?t|avoid)(?: run| use| do)?(?: git| npm| docker| kubectl| pip)?"
    r" (?:push|publish|delet|remov|install|deploy|upload|overwrit|rm|drop|force)\w*\b"
    r"|先(?:问|确认|征求)|(?:不要|不得|禁止|别)(?:再)?(?:推送|发布|删除|安装|部署|上传|覆盖|强制)"
)
# … nor by one to run the project's checks first, whatever they are.
_CHECKS_FIRST = re.compile(
    r"^(?:always )?run (?:[\w-]+ ){0,3}(?:tests?|checks?|linters?|suite)(?: (?:of|in|for|on)(?: [\w-]+){1,4})?"
    r" (?:first|before [\w -]+|after [\w -]+)[.!]?$"
    r"|^\w{0,12}前(?:都|要|应|必须|务必)*先?(?:运行|跑|执行)(?:全部|所有|单元|完整|一遍|的)*(?:测试|检查)[。！]?$"
)
# Hosts, addresses, paths, options and commands: a rule that names one is the person's only when they named it.
_NAMES = re.compile(
    r"`([^`]+)`|(\w+://\S+|[\w.+-]+@[\w-]+|(?:[\w-]+\.)+[\w-]{2,}|[~.\w-]*/[\w./~-]+|(?<!\S)--?\w[\w-]*)"
)
_RETOLD = 3  # telling words; fewer in common are chance
# What may be said about a check that was seen to pass: that it is one, and that it passed.
_ABOUT_A_CHECK = re.compile(
    r"\b(?:the|this|its?|an?|all|of|in|for|by|with|via|and|is|are|was|were|can|be|here|project|repository|repo|code"
    r"|module|package|library|unit|tests?|suite|checks?|builds?|lint(?:er)?|types?|command|run|runs|ran|running"
    r"|executed?|pass(?:es|ed|ing)?|succeed(?:s|ed)?|successful(?:ly)?|green|works?|exits?|status|zero|0|us(?:es?|ed|ing))\b"
    r"|项目|仓库|代码|测试|单元|全部|所有|检查|构建|命令|运行|执行|使用|通过|成功|可以|退出码|[这本该此的用跑是由来为都了已]",
    re.IGNORECASE,
)


def plain_tokens(text: str) -> list[str]:
    """The tokens of a text; a Chinese comma between two characters does not part them."""
    return tokens(text if text.isascii() else text.translate(_CHINESE_MARKS))


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(one for one in plain_tokens(text) if one not in STOP_WORDS)


def _names(text: str) -> list[str]:
    return [(command or other).rstrip(".,;:!?") for command, other in _NAMES.findall(text)]


def _turns(text: str) -> set[str]:
    return {one.replace("'", "") for one in _TURNS.findall(text.lower())}


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same in nearly the same words: numbers and turning words must agree."""
    mine, theirs = _words(one), _words(other)
    if not mine or not theirs or _turns(one) != _turns(other) or _numbers(mine) != _numbers(theirs):
        return False
    return len(mine & theirs) / len(mine | theirs) >= ALIKE


def opposes(one: str, other: str) -> bool:
    """Whether two texts speak of the same in opposite ways: the same words but for those that turn them round."""
    mine, theirs = content_words(one), content_words(other)
    if not mine or not theirs or _turns(one) == _turns(other):
        return False
    return len(mine & theirs) / len(mine | theirs) >= _OPPOSED


def share(text: str, of: str) -> float:
    """How much of a text's telling words another text holds."""
    wanted = content_words(text)
    return len(wanted & content_words(of)) / len(wanted) if wanted else 0.0


def supported_by_user_text(text: str, said: str) -> bool:
    """Whether a text is carried by what the person said: most of its words, and every one that turns it round or is
    the name of something outside."""
    named = all(one in said.lower() for one in _names(text.lower()))
    return named and share(text, said) >= CARRIED and _turns(text) <= _turns(said)


def echoes(text: str, segment: Segment) -> bool:
    """Whether a text repeats what came out of the Hands word for word, and not what the person said."""
    if supported_by_user_text(text, said_by_person(segment)):
        return False
    runs, theirs = _runs(text), _runs(segment.agent_said())
    return bool(runs) and len(runs & theirs) / len(runs) >= _ECHO


def retells(text: str, segment: Segment) -> bool:
    """Whether a rule is put together from the agent's words, and holds nothing back for it."""
    if supported_by_user_text(text, said_by_person(segment)) or _HOLDS_BACK.search(text.lower()):
        return False
    return len(content_words(text)) >= _RETOLD and share(text, segment.agent_said()) >= CARRIED


def wished_by_agent(text: str, segment: Segment) -> bool:
    """Whether a step is told in the agent's words and not in the person's; a word or two in common are chance."""
    return len(tokens(text)) > _RUN and (echoes(text, segment) or retells(text, segment))


def names_only(text: str, command: str) -> bool:
    """Whether a text says of a check no more than that it is one and passes."""
    rest = text.replace(f"`{command}`", " ")
    return rest != text and not any(char.isalnum() for char in _ABOUT_A_CHECK.sub(" ", rest))


def said_by_person(segment: Segment) -> str:
    """The person's words of a stretch, together."""
    return "\n".join(one.text for one in segment.person_said())


def tightens(text: str) -> bool:
    """Whether a rule asks or checks first or forbids what cannot be undone, in one clause, and lets nothing go."""
    lowered = text.strip().lower()
    holds = _HOLDS_BACK.search(lowered) or _CHECKS_FIRST.search(lowered)
    return bool(holds) and not _JOINS.search(lowered) and not _LOOSENS.search(lowered)


def _runs(text: str) -> set[tuple[str, ...]]:
    """The sequences of words in a text; of a shorter text, all of it."""
    words = tokens(text)
    size = min(_RUN, len(words))
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)} if size else set()


def is_rule(text: str) -> bool:
    """Whether a text can be a lesson at all: something is said, in a sentence or two."""
    return bool(text.strip()) and len(text) <= _LONGEST and "\n" not in text.strip()


def own_tags(tags: list[str]) -> list[str]:
    """The tags a model may set: none that MI gives a meaning to."""
    return [tag for tag in dict.fromkeys(tags) if tag and len(tag) <= 60 and not tag.startswith(RESERVED)][:6]


def _numbers(words: frozenset[str]) -> set[str]:
    return {word for word in words if any(char.isdigit() for char in word)}
