"""Marked lines in a text file: put in, replaced in place, taken out with exactly what came with them."""

import re

_MARKS = {"<!-- -->": ("<!-- ", " -->"), "#": ("# ", "")}


def find(text: str, name: str, comment: str) -> tuple[int, int] | None:
    """Return where the block stands, its marks included; None when it is not there."""
    begin, end = (re.escape(mark) for mark in _marks(name, comment))
    found = re.search(rf"^{begin}[ \t]*\r?\n(?:.*\n)*?{end}[ \t]*(?:\r?\n|\Z)", text, re.MULTILINE)
    return found.span() if found else None


def put(text: str, name: str, comment: str, body: str) -> tuple[str, str]:
    """Return the text with the block, and what was set before it to keep it apart."""
    newline = "\r\n" if "\r\n" in text else "\n"
    begin, end = _marks(name, comment)
    block = "\n".join([begin, body.rstrip("\n"), end, ""]).replace("\n", newline)
    where = find(text, name, comment)
    if where:
        return text[: where[0]] + block + text[where[1] :], ""
    lead = ""
    if text:
        lead = newline if text.endswith(("\n", "\r")) else newline * 2
    return text + lead + block, lead


def drop(text: str, name: str, comment: str, lead: str) -> str:
    """Return the text without the block and without what was set before it."""
    where = find(text, name, comment)
    if where is None:
        return text
    before, after = text[: where[0]].removesuffix(lead), text[where[1] :]
    if before and after and not before.endswith(("\n", "\r")):
        before += lead[: len(lead) // 2]  # what was written behind the block stays on a line of its own
    return before + after


def _marks(name: str, comment: str) -> tuple[str, str]:
    opening, closing = _MARKS[comment]
    return f"{opening}mi:{name} begin{closing}", f"{opening}mi:{name} end{closing}"
