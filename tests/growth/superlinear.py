"""Whether a pattern takes more than its share of steps with a longer text."""

from tests.growth import hostile
from tests.growth.collected import UsedPattern
from tests.growth.steps import SteppedPattern, TooManyStepsError

_QUICK = (40, 160)  # sizes that clear most texts
_SURE = (500, 2000)
_MUCH = 1_000_000  # steps for a text of 500 characters
_GROWTH = 6  # times as many steps for four times the text
_CONSTANT = 1000


def worst(used: UsedPattern) -> tuple[str, str, str] | None:
    """Return a beginning, what is repeated and an end that the pattern is superlinear with."""
    stepped = SteppedPattern(used.pattern, "")
    for shape in hostile.texts(used.pattern):
        if _grows(stepped, used.how, shape, *_QUICK) and _grows(stepped, used.how, shape, *_SURE):
            return shape
    return None


def _grows(stepped: SteppedPattern, how: str, shape: tuple[str, str, str], small: int, large: int) -> bool:
    steps = _steps(stepped, how, shape, small, _MUCH)
    allowed = _GROWTH * steps + _CONSTANT
    return steps > _MUCH or _steps(stepped, how, shape, large, allowed) > allowed


def _steps(stepped: SteppedPattern, how: str, shape: tuple[str, str, str], size: int, most: int) -> int:
    before, pump, end = shape
    stepped.read(before + pump * (size // len(pump) + 1) + end, most)
    try:
        stepped.spans(how)
    except TooManyStepsError:
        pass
    return stepped.steps
