"""Tasks in a file of a person's own: a list, or paragraphs."""

import re

_ITEM = re.compile(r"(?P<indent> {0,3})(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[(?P<box>[ xX])\][ \t]+)?(?P<text>.*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r" {0,3}(?:[-*_=][ \t]*){3,}$")
_FENCE = re.compile(r"\s*(?:```|~~~)")


def read_tasks(text: str) -> list[str]:
    """Return the tasks of a text: each item of its list, with what is indented below it; without a list each paragraph.

    Headings, rules and ticked items are none, nor what lies in a code block; an empty item is '' so that it can be told
    of. A NUL, which no agent can be given, becomes a replacement mark.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\0", "\ufffd").split("\n")
    return _read_items(lines) if any(map(_begins_item, lines)) else _read_paragraphs(lines)


def _begins_item(line: str) -> bool:
    return _ITEM.fullmatch(line) is not None and _RULE.fullmatch(line) is None


def _read_items(lines: list[str]) -> list[str]:
    tasks: list[list[str]] = []
    below = ticked = fenced = False  # whether what is indented still belongs to the item, and whether that is done
    for line in lines:
        found = _ITEM.fullmatch(line) if _begins_item(line) and not fenced else None
        fenced ^= _FENCE.match(line) is not None
        if found and (not below or len(found["indent"]) < 2):
            below, ticked = True, (found["box"] or "").lower() == "x"
            if not ticked:
                tasks.append([found["text"].strip()])
        elif line.strip() and not line[:1].isspace():
            below = False
        elif below and not ticked:
            tasks[-1].append(line.rstrip())
    return [_join(task) for task in tasks]


def _join(task: list[str]) -> str:
    first, *more = task
    indents = [len(line) - len(line.lstrip()) for line in more if line.strip()]
    cut = min(indents, default=0)
    return "\n".join([first, *(line[cut:] for line in more)]).strip()


def _read_paragraphs(lines: list[str]) -> list[str]:
    tasks: list[list[str]] = [[]]
    fenced = False
    for line in lines:
        fenced ^= _FENCE.match(line) is not None
        if not fenced and (not line.strip() or _HEADING.match(line) or _RULE.fullmatch(line)):
            tasks.append([])
        else:
            tasks[-1].append(line.rstrip())
    return [task for task in ("\n".join(lines).strip() for lines in tasks) if task]
