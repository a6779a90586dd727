"""Names of memory files: a topic of two to four words, a category before it, and nothing that grows old."""

import re

from mi.kernel.errors import UsageError

CATEGORIES = ("empirical", "external", "pattern")
PATTERN = r"^[a-z0-9][a-z0-9-]*\.md$"
_FEWEST, _MOST = 2, 4
_DATE = re.compile(r"(?:^|-)(?:(?:19|20)\d\d(?:-?(?:0?[1-9]|1[0-2])(?:-?\d{1,2})?)?|\d{6,8}|(?:20\d\d)?q[1-4])(?=-|$)")
_VERSION = re.compile(r"(?:^|-)(?:v\d+[a-z0-9]*|\d+(?:-\d+)+)(?=-|$)")


def check(name: str, categories: tuple[str, ...] = CATEGORIES) -> str:
    """A file name that is a memory's; UsageError says what is wrong with any other."""
    fault = fault_of(name, categories)
    if fault:
        raise UsageError("memory-name-" + fault, name=name)
    return name


def fault_of(name: str, categories: tuple[str, ...] = CATEGORIES) -> str:
    """What is wrong with a name, as the end of its message key; empty when nothing is."""
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
    """The category that a name's prefix says; empty without one."""
    return next((one for one in categories if name.startswith(one + "-")), "")


def topic_of(name: str, categories: tuple[str, ...] = CATEGORIES) -> str:
    """A name without its category and ending."""
    category = category_of(name, categories)
    return name.removesuffix(".md").removeprefix(category + "-" if category else "")


def proposed(topic: str, category: str) -> str:
    """A file name for a topic in free words."""
    words = re.findall(r"[a-z0-9]+", topic.lower())
    return "-".join([*([category] if category else []), *words[:_MOST]]) + ".md"
