"""What a run may take at most, as flags: of a run at once, and of one that is queued."""

from functools import partial

from mi.cli.arguments import Parser
from mi.kernel.errors import UsageError


def add_limits(parser: Parser) -> None:
    """Add the flags for batches, minutes, tokens and cost of a run."""
    parser.add_argument(
        "--max-batches",
        type=partial(_limit, "--max-batches", int),
        metavar="N",
        help="batches the agent may take (default 8)",
    )
    parser.add_argument(
        "--max-minutes", type=partial(_limit, "--max-minutes", float), metavar="N", help="minutes the run may take"
    )
    parser.add_argument(
        "--max-tokens", type=partial(_limit, "--max-tokens", int), metavar="N", help="tokens the run may use"
    )
    parser.add_argument(
        "--max-cost", type=partial(_limit, "--max-cost", float), metavar="USD", help="what the run may cost"
    )


def _limit(flag: str, kind: type[int] | type[float], value: str) -> float:
    """Return a limit that lets something happen; no limit at all is said by leaving the option out."""
    try:
        number = kind(value)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):  # also not a NaN
        raise UsageError("bad-limit" if kind is float else "bad-whole-limit", flag=flag, value=value)
    return number
