"""Texts that a pattern is slowest with, derived from the pattern itself."""

import re
from collections.abc import Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from tests.growth.steps import character

_ONE = {sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY}
_REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}
_USUAL = "a \n0.-\t_/\"'`中(A#"
_LONG = 20  # a repeat that goes on for longer is worth a pump
_MOST = 14  # pumps of one pattern


def texts(pattern: "re.Pattern[Any]") -> Iterator[tuple[str, str, str]]:
    """Yield a beginning, what is repeated, and an end."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = _parser.parse(source, pattern.flags)
    whole = sample(tree, pattern.flags)
    pumps = dict.fromkeys(_pumps(tree, pattern.flags, ""))
    chosen = list(pumps)[:_MOST]
    chosen += [("", near) for near in (whole, whole[:-1], whole[: len(whole) // 2]) if near]
    for before, pump in dict.fromkeys(chosen):
        yield before, pump, "\x00"
        if before:
            yield "", pump, "\x00"


def sample(nodes: Any, flags: int, least: int = 1) -> str:
    """Return a text that the nodes match, places and looks aside."""
    return "".join(_sample(node, flags, least) for node in nodes)


def _sample(node: tuple[Any, Any], flags: int, least: int) -> str:
    kind, value = node
    if kind in _ONE:
        return next(iter(_fitting(node, flags)), "")
    if kind in _REPEATS:
        times: int = max(value[0], least if value[1] >= least else 0)
        return sample(value[2], flags, least) * times
    if kind is sre.SUBPATTERN:
        return sample(value[3], flags, least)
    if kind is sre.BRANCH:
        return sample(value[1][0], flags, least)
    return sample(value, flags, least) if kind is sre.ATOMIC_GROUP else ""


def _fitting(node: tuple[Any, Any], flags: int) -> list[str]:
    """Return some characters that fit a node: its own, then usual ones."""
    kind, value = node
    if kind is sre.LITERAL:
        return [chr(value)]
    own = [chr(one[1]) for one in value if one[0] is sre.LITERAL] if kind is sre.IN else []
    own += [chr(one[1][0]) for one in value if one[0] is sre.RANGE] if kind is sre.IN else []
    fits = character(node, flags)
    return list(dict.fromkeys(one for one in [*own, *_USUAL] if fits(one)))


def _pumps(nodes: Any, flags: int, before: str) -> Iterator[tuple[str, str]]:
    for node in nodes:
        kind, value = node
        if kind in _REPEATS and value[1] >= _LONG:
            yield from ((before, one) for one in _bodies(list(value[2]), flags))
            yield from _pumps(value[2], flags, before)
        elif kind in _REPEATS:
            yield from _pumps(value[2], flags, before)
        elif kind is sre.SUBPATTERN:
            yield from _pumps(value[3], (flags | value[1]) & ~value[2], before)
        elif kind is sre.BRANCH:
            for way in value[1]:
                yield from _pumps(way, flags, before)
        elif kind is sre.ATOMIC_GROUP:
            yield from _pumps(value, flags, before)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _pumps(value[1], flags, before)
        before += _sample(node, flags, 1)


def _bodies(body: list[Any], flags: int) -> Iterator[str]:
    if len(body) == 1 and body[0][0] in _ONE:
        fitting = _fitting(body[0], flags)
        yield from fitting[:6]
        if len(fitting) > 1:
            yield fitting[0] + fitting[1]
    else:
        for way in body[0][1][1] if len(body) == 1 and body[0][0] is sre.BRANCH else [body]:
            yield sample(way, flags)
            yield sample(way, flags, 2)
