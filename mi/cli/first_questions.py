"""The questions of a bare `mi init` at a terminal: what you value, who judges, whether done is proved."""

import sys

from mi.agents.registry import VENDORS
from mi.app.home_context import HomeContext
from mi.cli.output import Output, flush
from mi.cli.prompts import ask_person, is_yes
from mi.kernel.errors import UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.programs import find_on_path


class FirstAnswers(NamedTuple):
    """What somebody said when they began."""

    values: str
    judge: str  # '': as it is
    proves: bool | None  # None: not said


def ask_first(context: HomeContext, out: Output) -> FirstAnswers:
    """Ask the three questions; UsageError where no values are said."""
    out.say("init.ask-values")
    flush()
    lines = []
    while (line := sys.stdin.readline()).strip():
        lines.append(line.strip())
    if not lines:
        raise UsageError("values-source", flag="--values")
    judges = ["rules", *(vendor.mind for vendor in VENDORS if find_on_path(vendor.name))]
    judge = ""
    if len(judges) > 1:
        said = ask_person(context, out.text("init.ask-judge", known=", ".join(judges))) or ""
        judge = next((one for one in judges if said and one.startswith(said.lower())), "")
    proof = ask_person(context, out.text("init.ask-proof"))
    return FirstAnswers("\n".join(lines), judge, is_yes(proof) if proof else None)
