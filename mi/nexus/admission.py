"""What may become a memory: only what neither the code nor the web gives again, and what has no better place."""

import re
from typing import Literal

from mi.kernel.language import compiled, patterns

Reason = Literal["code", "links", "architecture", "rule"]
_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \w[\w.]* import |function |const |let |var |return\b|if ?\(|for ?\(|#include"
    r"|public |private |package |fn |impl |[}\])]+[;,]?$|[\w.\[\]\"']+ ?[+-]?= ?\S|\$ \w+|<\/?\w+)"
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_LINK = re.compile(r"https?://\S+")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_MOSTLY = 0.6


def objection(text: str, name: str = "") -> Reason | None:
    """Why a text should not become a memory; None when nothing speaks against it."""
    lines = [line for line in text.splitlines() if line.strip()]
    if _code_share(lines) > _MOSTLY:
        return "code"
    if _LINK.search(text) and len(re.findall(r"\w+", _LINK.sub(" ", text))) < 4 * len(_LINK.findall(text)):
        return "links"
    headings = " ".join(_HEADING.findall(text)) + " " + name.replace("-", " ")
    if compiled(patterns().architecture).search(headings):
        return "architecture"
    rule = compiled(rf"^\W*(?:{patterns().rule})")
    said = [line for line in lines if not line.lstrip().startswith("#")]
    if said and sum(bool(rule.match(line)) for line in said) / len(said) > _MOSTLY:
        return "rule"
    return None


def _code_share(lines: list[str]) -> float:
    """The share of lines that are code: fenced, or written like it."""
    code, fenced = 0, False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            code += 1
        elif fenced or _CODE_LINE.match(line):
            code += 1
    return code / len(lines) if lines else 0.0
