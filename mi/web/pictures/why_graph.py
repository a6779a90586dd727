"""The graph of a reason in columns: what is explained at the left, what it rests on step by step to the right.

In a narrow window it goes downwards: each box stands below, and farther in than, the one that rests on it.

A reason is layered by itself, so columns and the mean height of the neighbours before give a picture without a library.
"""

from collections.abc import Callable

from mi.app.why import WhyGraph, WhyLink, WhyNode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.safe_text import make_safe, shorten_gist
from mi.kernel.text import fit_one_line, width, wrap

_WIDE, _GAP, _BETWEEN, _EDGE = 226, 58, 16, 4
_LINE, _PADDING, _INSET = 18, 10, 12
_INDENT = 24  # of a step, where the graph goes downwards
_SIZE = 13  # of the letters
# How wide letters are in a wide typeface, by their size; all others are like small ones.
_WIDTHS = dict.fromkeys(" .,:;'|!ijlI", 0.36) | dict.fromkeys('frt()[]{}-/\\"', 0.46) | dict.fromkeys("mwMW@%", 1.0)
_SMALL, _CAPITAL, _FULL = 0.64, 0.78, 1.0
_COLUMNS, _LINES = 30, 3  # of text in a box
_TITLE = 300  # columns of what a box says in full
_WEAK = "in_view"  # says less than any other role
Say = Callable[..., str]


class GraphLine(NamedTuple):
    """A line of text in a box, and how far down; `squeeze` is the width that it is fitted into, 0 where it fits."""

    down: int
    text: str
    squeeze: int


class GraphBox(NamedTuple):
    """A node as it is drawn."""

    node: WhyNode
    x: int
    y: int
    height: int
    heading: str
    lines: "list[GraphLine]"
    title: str


class GraphCurve(NamedTuple):
    """A link as it is drawn, with its words."""

    path: str
    title: str
    is_weak: bool  # it was only in view


class GraphPicture(NamedTuple):
    """All that is drawn, and how large it is."""

    width: int
    height: int
    box_width: int
    boxes: list[GraphBox]
    curves: list[GraphCurve]
    left_out: int


def draw(graph: WhyGraph, say_role: Say, word: Say) -> GraphPicture:
    """Return where everything stands; `say_role` and `word` say roles and kinds."""
    roles: dict[str, str] = {}
    for link in graph.links:
        if roles.get(link.end, _WEAK) == _WEAK:
            roles[link.end] = link.role
    made = [_make_box(one, say_role(roles[one.id]) if one.id in roles else "", word) for one in graph.nodes]
    columns: dict[int, list[GraphBox]] = {}
    for box in made:
        columns.setdefault(box.node.column, []).append(box)
    height = max(_measure(boxes) for boxes in columns.values())
    placed: dict[str, GraphBox] = {}
    for column in sorted(columns):
        for box in _stack(_sort(columns[column], graph.links, placed), column, height):
            placed[box.node.id] = box
    curves = [_bend(link, placed, say_role) for link in graph.links]
    across = (max(columns) + 1) * (_WIDE + _GAP) - _GAP
    return GraphPicture(across + 2 * _EDGE, height + 2 * _EDGE, _WIDE, list(placed.values()), curves, graph.left_out)


def draw_downwards(graph: WhyGraph, across: GraphPicture) -> GraphPicture:
    """Return the same boxes one below the other, each joined to the first that rests on it."""
    boxes = {box.node.id: box for box in across.boxes}
    placed: dict[str, GraphBox] = {}
    curves: list[GraphCurve] = []
    y = _EDGE
    waiting: list[tuple[str, GraphCurve | None]] = [(one.id, None) for one in reversed(graph.nodes)]
    titles = {(link.start, link.end): curve for link, curve in zip(graph.links, across.curves, strict=True)}
    while waiting:
        name, curve = waiting.pop()
        if name in placed:
            continue
        box = placed[name] = boxes[name]._replace(x=_EDGE + boxes[name].node.column * _INDENT, y=y)
        y += box.height + _BETWEEN
        if curve is not None:
            curves.append(curve._replace(path=f"{curve.path}V{box.y + box.height // 2}H{box.x}"))
        foot = f"M{box.x + _INDENT // 2} {box.y + box.height}"
        ends = [
            link.end for link in graph.links if link.start == name and boxes[link.end].node.column > box.node.column
        ]
        waiting += [(end, titles[name, end]._replace(path=foot)) for end in reversed(ends)]
    wide = max(box.x for box in placed.values()) + _WIDE + _EDGE
    return GraphPicture(wide, y - _BETWEEN + _EDGE, _WIDE, list(placed.values()), curves, graph.left_out)


def _make_box(node: WhyNode, role: str, word: Say) -> GraphBox:
    safe = make_safe(node.text)
    lines = wrap(fit_one_line(safe, _COLUMNS * _LINES), _COLUMNS)[:_LINES]
    status = "" if node.status in ("", "active") else word(node.status)
    heading = " · ".join(part for part in (role, word(node.kind) if node.kind else "", status) if part)
    title = f"{heading}: {fit_one_line(safe, _TITLE)} ({node.id})"
    height = 2 * _PADDING + _LINE * (1 + len(lines))
    drawn = [_make_line(_PADDING + _LINE * (number + 2) - 5, line) for number, line in enumerate(lines)]
    return GraphBox(node, 0, 0, height, shorten_gist(heading, _COLUMNS), drawn, title)


def _make_line(down: int, words: str) -> GraphLine:
    """Return a line that stays within its box, though nobody knows here how wide the browser's letters are."""
    line, most = shorten_gist(words, _COLUMNS), _WIDE - 2 * _INSET
    return GraphLine(down, line, most if sum(map(_measure_letter, line)) * _SIZE > most else 0)


def _measure_letter(char: str) -> float:
    usual = _CAPITAL if char.isupper() else _FULL if width(char) > 1 else _SMALL
    return _WIDTHS.get(char, usual)


def _measure(boxes: list[GraphBox]) -> int:
    return sum(box.height for box in boxes) + _BETWEEN * (len(boxes) - 1)


def _sort(boxes: list[GraphBox], links: list[WhyLink], placed: dict[str, GraphBox]) -> list[GraphBox]:
    """Return a column's boxes by the mean height of what leads to them, so that few lines cross."""

    def find_mean(box: GraphBox) -> float:
        near = [placed[link.start] for link in links if link.end == box.node.id and link.start in placed]
        return sum(one.y + one.height / 2 for one in near) / len(near) if near else 0.0

    return sorted(boxes, key=find_mean)


def _stack(boxes: list[GraphBox], column: int, height: int) -> list[GraphBox]:
    """Return a column's boxes one below the other, in the middle of the picture's height."""
    y, stacked = _EDGE + (height - _measure(boxes)) // 2, []
    for box in boxes:
        stacked.append(box._replace(x=_EDGE + column * (_WIDE + _GAP), y=y))
        y += box.height + _BETWEEN
    return stacked


def _bend(link: WhyLink, placed: dict[str, GraphBox], say_role: Say) -> GraphCurve:
    """Return the curve from the right side of one box to the left side of the other, or beside them in one column."""
    start, end = placed[link.start], placed[link.end]
    x1, y1, y2 = start.x + _WIDE, start.y + start.height // 2, end.y + end.height // 2
    if end.x > start.x:
        x2, bend = end.x, (end.x - x1) // 2
        path = f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    else:
        x2, out = end.x + _WIDE, max(x1, end.x + _WIDE) + _GAP // 2
        path = f"M{x1} {y1}C{out} {y1} {out} {y2} {x2} {y2}"
    return GraphCurve(path, f"{link.start} · {say_role(link.role)} · {link.end}", link.role == _WEAK)
