"""What a memory file may be called and may hold: a lasting topic, and what neither code nor web gives again."""

import re
from typing import Literal

from mi.kernel.errors import UsageError
from mi.kernel.language import compiled, patterns

CATEGORIES = ("empirical", "external", "pattern")
PATTERN = r"^[a-z0-9][a-z0-9-]*\.md$"
_FEWEST, _MOST = 2, 4
_DATE = re.compile(r"(?:^|-)(?:(?:19|20)\d\d(?:-?(?:0?[1-9]|1[0-2])(?:-?\d{1,2})?)?|\d{6,8}|(?:20\d\d)?q[1-4])(?=-|$)")
_VERSION = re.compile(r"(?:^|-)(?:v\d[a-z0-9]*|\d+(?:-\d+)+)(?=-|$)")
Reason = Literal["code", "links", "architecture", "rule"]
_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \w[\w.]* import |function |const |let |var |return\b|if ?\(|for ?\(|#include"
    r"|public |private |package |fn |impl |[}\])]+[;,]?$|[\w.\[\]\"']+ ?[+-]?= ?\S|\$ \w+|<\/?\w+)"
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_LINK = re.compile(r"https?://\S+")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_MOSTLY = 0.6


def check(name: str, categories: tuple[str, ...] = CATEGORIES) -> str:
    """Return a file name that is a memory's; UsageError says what is wrong with any other."""
    fault = fault_of(name, categories)
    if fault:
        raise UsageError("memory-name-" + fault, name=name)
    return name


def fault_of(name: str, categories: tuple[str, ...] = CATEGORIES) -> str:
    """Return what is wrong with a name, as the end of its message key; empty when nothing is."""
    if not re.fullmatch(PATTERN, name):
        return "form"
    topic = topic_of(name, categories)
    if _DATE.search(topic):
        return "date"
    if _VERSION.search(topic):
        return "version"
    words = [word for word in topic.split("-") if word]
    return "" if _FEWEST <= len(words) <= _MOST else "words"


def category_of(name: str, categories: tuple[str, ...] = CATEGORIES) -> str:
    """Return the category that a name's prefix says; empty without one."""
    return next((one for one in categories if name.startswith(one + "-")), "")


def topic_of(name: str, categories: tuple[str, ...] = CATEGORIES) -> str:
    """Return a name without its category and ending."""
    category = category_of(name, categories)
    return name.removesuffix(".md").removeprefix(category + "-" if category else "")


def proposed(topic: str, category: str) -> str:
    """Return a file name for a topic in free words."""
    words = re.findall(r"[a-z0-9]+", topic.lower())
    return "-".join([*([category] if category else []), *words[:_MOST]]) + ".md"


def objection(text: str, name: str = "") -> Reason | None:
    """Why a text should not become a memory; None when nothing speaks against it."""
    lines = [line for line in text.splitlines() if line.strip()]
    if _code_share(lines) > _MOSTLY:
        return "code"
    if _LINK.search(text) and len(re.findall(r"\w+", _LINK.sub(" ", text))) < 4 * len(_LINK.findall(text)):
        return "links"
    headings = " ".join(_HEADING.findall(text)) + " " + name.replace("-", " ")
    said = [line for line in lines if not line.lstrip().startswith("#")]
    tells = compiled(patterns().on_architecture)
    if compiled(patterns().architecture).search(headings) or any(map(tells.search, said)):
        return "architecture"
    rule = compiled(rf"^\W*(?:{patterns().rule})")
    if said and sum(bool(rule.match(line)) for line in said) / len(said) > _MOSTLY:
        return "rule"
    return None


def _code_share(lines: list[str]) -> float:
    """Return the share of lines that are code: fenced, or written like it."""
    code, fenced = 0, False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            code += 1
        elif fenced or _CODE_LINE.match(line):
            code += 1
    return code / len(lines) if lines else 0.0
