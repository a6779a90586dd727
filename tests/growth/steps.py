"""Regular expressions matched step by step, so that the work of a search is a number and not a time.

Python's `re` cannot be asked how much it did, its signal check does not see a run of characters that one instruction
counts, and processors in a virtual machine often count no instructions. So this walks the tree that `re` itself
parses, in the order in which `re` tries: one step for each character or position that is looked at.
`test_steps.py` holds it against `re`, which must find the same spans.
"""

import re
from collections.abc import Callable, Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

Step = Callable[[int], int]  # from a position: where the match ends, or -1
_ONE_CHARACTER = {sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY}
_REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}


class TooManyStepsError(Exception):
    pass


class SteppedPattern:
    """One pattern over one text; `steps` is what was looked at so far."""

    def __init__(self, pattern: "re.Pattern[Any]", text: str, most: int | None = None) -> None:
        self.flags = pattern.flags
        source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
        self._state = _parser.parse(source, pattern.flags)
        self._groups: dict[int, tuple[int, int]] = {}
        self._stacks: list[list[Any]] = []  # of what goes on, left as they are where the steps end
        self._compare: dict[str, Callable[[int], bool]] = {}
        self._sure_end = -1  # for fullmatch
        self.tree = list(self._state)
        self._whole = self._sequence(self.tree, self.flags, self._accept)
        self._first = first_characters(self.tree, self.flags)
        self.read(text, most)

    def read(self, text: str, most: int | None = None) -> None:
        """Take another text, with no step counted."""
        self.text, self.size, self.steps = text, len(text), 0
        self.most = most if most is not None else 1 << 60
        self._sure_end = -1
        for stack in self._stacks:
            stack.clear()

    def _accept(self, at: int) -> int:
        return at if self._sure_end < 0 or at == self._sure_end else -1

    def spans(self, how: str) -> list[tuple[int, int]]:
        """Return what `re` finds: by finditer for `search`, else the one match."""
        if how == "search":
            return list(self._found())
        self._sure_end = self.size if how == "fullmatch" else -1
        end = self._whole(0)
        return [(0, end)] if end >= 0 else []

    def _found(self) -> Iterator[tuple[int, int]]:
        at, must_move = 0, False
        while at <= self.size:
            found = self._search(at, must_move)
            if found is None:
                return
            yield found
            must_move = found[0] == found[1]
            at = found[1]

    def _search(self, at: int, must_move: bool) -> tuple[int, int] | None:
        first, text = self._first, self.text
        for start in range(at, self.size + 1):
            self._count()
            if first is not None and (start == self.size or not first(text[start])):
                continue
            self._groups.clear()
            self._forbidden = start if must_move and start == at else -1
            end = self._whole(start) if self._forbidden < 0 else self._moved(start)
            if end >= 0:
                return start, end
        return None

    def _moved(self, start: int) -> int:
        """Match at the end of an empty match: only what is not empty again."""
        accept = self._accept
        self._accept = lambda at: at if at != start else -1  # type: ignore[method-assign]
        try:
            return self._sequence(self.tree, self.flags, self._accept)(start)
        finally:
            self._accept = accept  # type: ignore[method-assign]

    def _count(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > self.most:
            raise TooManyStepsError

    def _sequence(self, nodes: Any, flags: int, then: Step) -> Step:
        for node in reversed(list(nodes)):
            then = self._node(node, flags, then)
        return then

    def _node(self, node: tuple[Any, Any], flags: int, then: Step) -> Step:
        kind, value = node
        if kind in _ONE_CHARACTER:
            return self._one(node, flags, then)
        if kind in _REPEATS:
            low, high, body = value
            body = list(body)
            if len(body) == 1 and body[0][0] in _ONE_CHARACTER:
                return self._run(kind, low, high, character(body[0], flags), then)
            return self._loop(kind, low, high, body, flags, then)
        if kind is sre.SUBPATTERN:
            return self._group(value, flags, then)
        if kind is sre.BRANCH:
            return self._branch(value[1], flags, then)
        if kind is sre.AT:
            return self._at(value, flags, then)
        if kind in (sre.ASSERT, sre.ASSERT_NOT):
            return self._look(kind is sre.ASSERT, value, flags, then)
        if kind is sre.ATOMIC_GROUP:
            return self._atomic(value, flags, then)
        if kind is sre.GROUPREF:
            return self._same_again(value, flags, then)
        if kind is sre.GROUPREF_EXISTS:
            number, yes, no = value
            has = self._sequence(yes, flags, then)
            has_not = self._sequence(no, flags, then) if no else then
            return lambda at: has(at) if number in self._groups else has_not(at)
        assert kind is sre.FAILURE, f"no step for {kind}"
        return lambda at: -1

    def _one(self, node: tuple[Any, Any], flags: int, then: Step) -> Step:
        fits = character(node, flags)

        def step(at: int) -> int:
            self._count()
            return then(at + 1) if at < self.size and fits(self.text[at]) else -1

        return step

    def _run(self, kind: Any, low: int, high: int, fits: Callable[[str], bool], then: Step) -> Step:
        def greedy(at: int) -> int:
            text, size = self.text, self.size
            last = min(size, at + high) if high != sre.MAXREPEAT else size
            end = at
            while end < last and fits(text[end]):
                end += 1
            self._count(end - at + 1)
            if kind is sre.POSSESSIVE_REPEAT:
                return then(end) if end - at >= low else -1
            while end - at >= low:
                self._count()
                if (found := then(end)) >= 0:
                    return found
                end -= 1
            return -1

        def lazy(at: int) -> int:
            text, size = self.text, self.size
            end, last = at, (min(size, at + high) if high != sre.MAXREPEAT else size)
            while True:
                self._count()
                if end - at >= low and (found := then(end)) >= 0:
                    return found
                if end >= last or not fits(text[end]):
                    return -1
                end += 1

        return lazy if kind is sre.MIN_REPEAT else greedy

    def _loop(self, kind: Any, low: int, high: int, body: Any, flags: int, then: Step) -> Step:
        if kind is sre.POSSESSIVE_REPEAT:
            return self._possessive(low, high, body, flags, then)
        rounds: list[tuple[int, int]] = []  # how often so far, and where this round began
        self._stacks.append(rounds)

        def after(at: int) -> int:
            state = rounds.pop()
            found = again(at, *state)
            rounds.append(state)
            return found

        inner = self._sequence(body, flags, after)

        def once_more(at: int, count: int, began: int) -> int:
            if count >= high or (count >= low and at == began):
                return -1
            rounds.append((count + 1, at))
            found = inner(at)
            rounds.pop()
            return found

        def again(at: int, count: int, began: int) -> int:
            self._count()
            if count < low:
                return once_more(at, count, began)
            if kind is sre.MIN_REPEAT:
                found = then(at)
                return found if found >= 0 else once_more(at, count, began)
            found = once_more(at, count, began)
            return found if found >= 0 else then(at)

        return lambda at: again(at, 0, -1)

    def _possessive(self, low: int, high: int, body: Any, flags: int, then: Step) -> Step:
        inner = self._sequence(body, flags, lambda at: at)

        def step(at: int) -> int:
            count = 0
            while count < high:
                self._count()
                end = inner(at)
                if end < 0 or (end == at and count >= low):
                    break
                at, count = end, count + 1
            return then(at) if count >= low else -1

        return step

    def _group(self, value: Any, flags: int, then: Step) -> Step:
        number, added, removed, body = value
        inner_flags = (flags | added) & ~removed
        if number is None:
            return self._sequence(body, inner_flags, then)
        begins: list[int] = []
        self._stacks.append(begins)

        def close(at: int) -> int:
            former, begin = self._groups.get(number), begins.pop()
            self._groups[number] = (begin, at)
            found = then(at)
            begins.append(begin)
            if found < 0:
                if former is None:
                    self._groups.pop(number, None)
                else:
                    self._groups[number] = former
            return found

        inner = self._sequence(body, inner_flags, close)

        def step(at: int) -> int:
            begins.append(at)
            found = inner(at)
            begins.pop()
            return found

        return step

    def _branch(self, ways: Any, flags: int, then: Step) -> Step:
        tried = [(first_characters(list(way), flags), self._sequence(way, flags, then)) for way in ways]
        by_first: dict[str, list[Step]] = {}  # the ways that may begin with a character; "": at the end

        def step(at: int) -> int:
            self._count()
            here = self.text[at : at + 1]
            if here not in by_first:
                by_first[here] = [way for first, way in tried if first is None or (here and first(here))]
            for way in by_first[here]:
                self._count()
                if (found := way(at)) >= 0:
                    return found
            return -1

        return step

    def _at(self, place: Any, flags: int, then: Step) -> Step:
        here = re.compile(_written_place(place, flags), flags & (re.ASCII | re.MULTILINE))

        def step(at: int) -> int:
            text, size = self.text, self.size
            self._count()
            near = text[max(0, at - 1) : at + 2]
            if place in (sre.AT_BEGINNING_STRING, sre.AT_END_STRING):
                fits = at == (0 if place is sre.AT_BEGINNING_STRING else size)
            elif place is sre.AT_BEGINNING:
                fits = at == 0 or bool(flags & re.MULTILINE and text[at - 1] == "\n")
            elif place is sre.AT_END:
                fits = at == size or (text[at] == "\n" and (at == size - 1 or bool(flags & re.MULTILINE)))
            else:
                fits = here.match(near, min(1, at)) is not None
            return then(at) if fits else -1

        return step

    def _look(self, wanted: bool, value: Any, flags: int, then: Step) -> Step:
        direction, body = value
        inner = self._sequence(body, flags, lambda at: at)
        back = body.getwidth()[0] if direction < 0 else 0

        def step(at: int) -> int:
            self._count()
            fits = at >= back and inner(at - back) >= 0
            return then(at) if fits == wanted else -1

        return step

    def _atomic(self, body: Any, flags: int, then: Step) -> Step:
        inner = self._sequence(body, flags, lambda at: at)

        def step(at: int) -> int:
            end = inner(at)
            return then(end) if end >= 0 else -1

        return step

    def _same_again(self, number: int, flags: int, then: Step) -> Step:
        def step(at: int) -> int:
            if number not in self._groups:
                return -1
            begin, end = self._groups[number]
            said, here = self.text[begin:end], self.text[at : at + end - begin]
            self._count(len(said) + 1)
            same = said.lower() == here.lower() if flags & re.IGNORECASE else said == here
            return then(at + len(said)) if same else -1

        return step


def _written_place(place: Any, flags: int) -> str:
    return {sre.AT_BOUNDARY: r"\b", sre.AT_NON_BOUNDARY: r"\B"}.get(place, "")


def character(node: tuple[Any, Any], flags: int) -> Callable[[str], bool]:
    """Return whether one character fits a node, asked of `re` itself once for each character."""
    if node[0] is sre.LITERAL and not flags & re.IGNORECASE:
        return chr(node[1]).__eq__
    state = _parser.State()
    state.flags = flags & (re.IGNORECASE | re.DOTALL | re.ASCII | re.UNICODE)
    state.str = ""
    compiled = re._compiler.compile(_parser.SubPattern(state, [node]), state.flags)  # type: ignore[attr-defined]
    known: dict[str, bool] = {}

    def fits(one: str) -> bool:
        if one not in known:
            known[one] = compiled.match(one) is not None
        return known[one]

    return fits


def first_characters(nodes: list[Any], flags: int) -> Callable[[str], bool] | None:
    """Return whether a match may begin with a character, as `re` looks before it begins; None: with any."""
    for kind, value in nodes:
        if kind in _ONE_CHARACTER:
            return character((kind, value), flags)
        if kind is sre.SUBPATTERN:
            return first_characters(list(value[3]), (flags | value[1]) & ~value[2])
        if kind in _REPEATS and value[0] > 0:
            return first_characters(list(value[2]), flags)
        if kind is sre.BRANCH:
            return _first_of_any([first_characters(list(way), flags) for way in value[1]])
        if kind is not sre.AT:
            return None
    return None


def _first_of_any(ways: list[Callable[[str], bool] | None]) -> Callable[[str], bool] | None:
    return None if None in ways else lambda one: any(way(one) for way in ways if way)
