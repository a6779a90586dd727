"""tinyTasks.md as text: its tasks found, and changed so that everything else stays byte for byte."""

import re
from collections.abc import Sequence

from mi.kernel.named_tuple import NamedTuple
from mi.tasks import TINY_TASKS

FILE = TINY_TASKS
# What ends a line (blanks, closing hashes) is cut by hand: a pattern that gives it back step by step is quadratic.
_GOAL = r"^\ufeff?#[ \t]+Tasks[ \t]*[—–-](.*)$"
_SECTION = r"^\ufeff?(#{1,6})[ \t](.*)$"
_ITEM = r"^(\ufeff?[ \t]*)([-*])([ \t]+)\[([ xX])\](?:[ \t](.*)|\r?)$"
_DETAIL = r"(?i)^[ \t]*(?:[-*][ \t]+)?(?:(context|acceptance|owner):)?(.*)$"
_FENCE = r"^\ufeff?[ \t]*(?:[-*][ \t]+)?(`{3,}|~{3,})([^`]*)$"


class TaskLine(NamedTuple):
    """A task or subtask as it stands in the file; `end` is the line after everything that belongs to it."""

    line: int
    indent: int
    level: int  # 1: task, 2: subtask
    parent: int | None  # its place in the list of items
    checked: bool
    title: str
    section: str
    end: int


class TaskDocument(NamedTuple):
    """The lines of the file without their newlines, and the tasks among them in order."""

    lines: tuple[str, ...]
    goal: str
    items: tuple[TaskLine, ...]
    subtasks: dict[int, list[int]]  # of each item that has some: their places in the list

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def children(self, place: int) -> list[int]:
        """Return the subtasks of an item."""
        return self.subtasks.get(place, [])

    def is_leaf(self, place: int) -> bool:
        """Return whether an item is worked on itself, not through subtasks."""
        return not self.children(place)

    def is_done(self, place: int) -> bool:
        """Return a leaf by its mark; a task with subtasks when they all are, whatever its own mark says."""
        children = self.children(place)
        return all(self.items[at].checked for at in children) if children else self.items[place].checked

    def pointer(self) -> int | None:
        """Return the first unchecked leaf."""
        open_leaves = (at for at, one in enumerate(self.items) if self.is_leaf(at) and not one.checked)
        return next(open_leaves, None)


def parse(text: str) -> TaskDocument:
    """Return the tasks of a file; what is no task is prose, and fenced code is never looked into."""
    lines = tuple(text.split("\n"))
    items = _with_ends(lines, _items(lines))
    subtasks: dict[int, list[int]] = {}
    for at, one in enumerate(items):
        if one.parent is not None:
            subtasks.setdefault(one.parent, []).append(at)
    return TaskDocument(lines, _goal(lines), items, subtasks)


def _goal(lines: tuple[str, ...]) -> str:
    found = (match for number in skip_fences(lines) if (match := re.match(_GOAL, lines[number])))
    match = next(found, None)
    return _text(match[1]) if match else ""


def _text(rest: str) -> str:
    """Return what a line says, without the blanks around it and its carriage return."""
    return rest.removesuffix("\r").strip(" \t")


def _heading(match: re.Match[str]) -> str:
    """Return the text of a heading without the hashes that may close it."""
    return _text(match[2]).rstrip("#").rstrip(" \t")


def find_details(document: TaskDocument, place: int) -> dict[str, str]:
    """Return what stands below an item beside its subtasks: `context`, and `acceptance` and `owner` where named."""
    one, children = document.items[place], document.children(place)
    ends = {document.items[at].line: document.items[at].end for at in children}
    found: dict[str, list[str]] = {}
    number, key = one.line + 1, "context"
    while number < one.end:
        if number in ends:
            number, key = ends[number], "context"
            continue
        match = re.match(_DETAIL, document.lines[number].removesuffix("\r"))
        number += 1
        if match is None or not match[2].strip():
            continue
        key = match[1].lower() if match[1] else key
        found.setdefault(key, []).append(match[2].strip())
    return {name: "\n".join(lines) for name, lines in found.items()}


def skip_fences(lines: tuple[str, ...]) -> list[int]:
    """Return the numbers of the lines that are not fenced code."""
    outside: list[int] = []
    fence = ""
    for number, line in enumerate(lines):
        match = re.match(_FENCE, line.rstrip("\r"))
        if not fence and match is None:
            outside.append(number)
        elif not fence and match is not None:
            fence = match[1]
        elif match is not None and match[1].startswith(fence) and not match[2].strip():
            fence = ""
    return outside


def _items(lines: tuple[str, ...]) -> list[TaskLine]:
    items: list[TaskLine] = []
    section, top, child_indent = "", -1, -1  # `top`: the task that further indented items belong to
    for number in skip_fences(lines):
        if heading := re.match(_SECTION, lines[number]):
            section, top = (_heading(heading) if len(heading[1]) > 1 else ""), -1
            continue
        match = re.match(_ITEM, lines[number])
        if match is None:
            continue
        indent = _columns(match[1])
        is_top = top < 0 or indent < items[top].indent + 2
        if not is_top and child_indent >= 0 and indent > child_indent + 1:
            continue  # a third level is a detail of its subtask
        items.append(
            TaskLine(
                *(number, indent, 1 if is_top else 2, None if is_top else top),
                *(match[4] != " ", _text(match[5] or ""), section, number + 1),
            )
        )
        if is_top:
            top, child_indent = len(items) - 1, -1
        elif child_indent < 0:
            child_indent = indent
    return items


def _columns(indent: str) -> int:
    return len(indent.lstrip("\ufeff").expandtabs(4))


def _with_ends(lines: tuple[str, ...], items: list[TaskLine]) -> tuple[TaskLine, ...]:
    """Return each item with its end; a task goes on to the end of its last subtask, whatever prose stands between."""
    ends = [_end(lines, one, limit) for one, limit in zip(items, _limits(items, len(lines)), strict=True)]
    for at, one in enumerate(items):
        if one.parent is not None:
            ends[one.parent] = max(ends[one.parent], ends[at])
    return tuple(one._replace(end=end) for one, end in zip(items, ends, strict=True))


def _limits(items: list[TaskLine], last: int) -> list[int]:
    """Before which line each item must end: where the next one of its level, or of a higher one, begins."""
    limits: list[int] = []
    next_item = next_task = last
    for one in reversed(items):
        limits.append(next_task if one.level == 1 else next_item)
        next_item, next_task = one.line, one.line if one.level == 1 else next_task
    return limits[::-1]


def _end(lines: tuple[str, ...], one: TaskLine, limit: int) -> int:
    """Return the line after the last one that is indented below an item; blank lines count only between such lines."""
    end = one.line + 1
    for number in range(one.line + 1, limit):
        line = lines[number].rstrip("\r")
        if not line.strip():
            continue
        if _columns(line[: len(line) - len(line.lstrip())]) <= one.indent:
            break
        end = number + 1
    return end


def tick(document: TaskDocument, place: int) -> str:
    """Return the text with one leaf ticked, and its task too when that was the last open subtask."""
    lines = list(document.lines)
    parent = document.items[place].parent
    ticked = [place]
    if parent is not None and all(at == place or document.items[at].checked for at in document.children(parent)):
        ticked.append(parent)
    for at in ticked:
        _mark(lines, document.items[at].line, "x")
    return "\n".join(lines)


def untick(document: TaskDocument, place: int) -> str:
    """Return the text with one leaf open, and its task, too."""
    lines = list(document.lines)
    for at in (place, document.items[place].parent):
        if at is not None:
            _mark(lines, document.items[at].line, " ")
    return "\n".join(lines)


def _mark(lines: list[str], number: int, mark: str) -> None:
    match = re.match(_ITEM, lines[number])
    if match is not None and (match[4] == " ") != (mark == " "):
        lines[number] = lines[number][: match.start(4)] + mark + lines[number][match.end(4) :]


def move_up(document: TaskDocument, place: int) -> str:
    """Return the text with an item before the one above it in its section or task; the first one stays."""
    one, lines = document.items[place], document.lines
    above = [two for two in document.items[:place] if (two.parent, two.section) == (one.parent, one.section)]
    if not above:
        return document.text
    two = above[-1]
    moved = (*lines[one.line : one.end], *lines[two.end : one.line], *lines[two.line : two.end])
    return "\n".join((*lines[: two.line], *moved, *lines[one.end :]))


def retitle(document: TaskDocument, place: int, title: str) -> str:
    """Return the text with another title for one item."""
    lines = list(document.lines)
    number = document.items[place].line
    match = re.match(_ITEM, lines[number])
    if match is not None:
        box = match.end(4) + 1
        ending = "\r" if lines[number].endswith("\r") else ""
        lines[number] = f"{lines[number][:box]} {title}{ending}"
    return "\n".join(lines)


def add_subtasks(document: TaskDocument, place: int, titles: Sequence[str]) -> str:
    """Return the text with further subtasks at the end of a task, which is open from then on."""
    lines = list(document.lines)
    one = document.items[place]
    children = document.children(place)
    end = document.items[children[-1]].end if children else one.end
    indent = " " * (document.items[children[0]].indent if children else one.indent + _child_step(document))
    bullet = _bullet(document)
    _insert(lines, end, [f"{indent}{bullet} [ ] {title}" for title in titles], _ending(document))
    _mark(lines, one.line, " ")
    return "\n".join(lines)


def add_task(
    document: TaskDocument, title: str, subtasks: Sequence[str], section: str = "", details: Sequence[str] = ()
) -> str:
    """Return the text with a further task: the last of its section, or of the file."""
    lines = list(document.lines)
    step, bullet = " " * _child_step(document), _bullet(document)
    added = [f"{bullet} [ ] {title}", *(f"{step}{bullet} {detail}" for detail in details)]
    added += [f"{step}{bullet} [ ] {subtask}" for subtask in subtasks]
    at = place_for(document, section)
    if at is None:
        if _has_text(lines):
            added = ["", *added] if not section else ["", f"## {section}", "", *added]
        elif section:
            added = [f"## {section}", "", *added]
        at = _after_last_text(lines)
    _insert(lines, at, added, _ending(document))
    return "\n".join(lines)


def remove_tasks(document: TaskDocument, places: Sequence[int]) -> str:
    """Return the text without some top-level tasks and everything that belongs to them."""
    gone = {number for at in places for number in range(document.items[at].line, document.items[at].end)}
    return "\n".join(line for number, line in enumerate(document.lines) if number not in gone)


def place_for(document: TaskDocument, section: str = "") -> int | None:
    """Return the line before which a new task goes; None: at the end of the file."""
    tops = [one for one in document.items if one.level == 1 and (not section or one.section == section)]
    if tops:
        return tops[-1].end
    if not section:
        return None
    headings = (number for number in skip_fences(document.lines) if _names(document.lines[number], section))
    at = next(headings, None)
    return None if at is None else at + 1


def create(goal: str, title: str, subtasks: Sequence[str], section: str = "", details: Sequence[str] = ()) -> str:
    """Return a new task file."""
    return add_task(parse(f"# Tasks — {goal}\n"), title, subtasks, section, details)


def _names(line: str, section: str) -> bool:
    match = re.match(_SECTION, line)
    return match is not None and len(match[1]) > 1 and _heading(match) == section


def _insert(lines: list[str], at: int, added: list[str], ending: str) -> None:
    """Put lines before line `at`; whatever stood there keeps its bytes."""
    lines[at:at] = [one + ending for one in added]
    if at and ending and not lines[at - 1].endswith("\r"):
        lines[at - 1] += ending  # it was the last line and had no newline yet
    if at + len(added) == len(lines):
        lines[-1] = lines[-1].removesuffix("\r") if not ending else lines[-1]
        lines.append("")


def _has_text(lines: list[str]) -> bool:
    return any(line.strip(" \t\r\ufeff") for line in lines)


def _after_last_text(lines: list[str]) -> int:
    """Return where the file ends, before the blank lines at its end."""
    at = len(lines)
    while at and not lines[at - 1].strip():
        at -= 1
    return at


def _ending(document: TaskDocument) -> str:
    return "\r" if any(line.endswith("\r") for line in document.lines) else ""


def _bullet(document: TaskDocument) -> str:
    match = re.match(_ITEM, document.lines[document.items[0].line]) if document.items else None
    return match[2] if match else "-"


def _child_step(document: TaskDocument) -> int:
    found = (one.indent - document.items[one.parent].indent for one in document.items if one.parent is not None)
    return next(found, 2)
