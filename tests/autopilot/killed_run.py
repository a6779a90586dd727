"""A run that kills itself: `killed_run.py WHEN [mi run arguments]` is SIGKILLed right after a record.

WHEN is the record's number, or its kind: then the first of that kind.
"""

import os
import signal
import sys
from functools import partial

from mi.app.home_context import HomeContext
from mi.app.run import build_run
from mi.autopilot.run_parts import Reporter
from mi.autopilot.start import drive_run
from mi.cli import run as door
from mi.evidence.records.base import Record
from mi.kernel.home import Home, find_default_root


class Killer(Reporter):
    """Ends the process the hard way when so many records were stored, or one of a kind."""

    def __init__(self, when: str) -> None:
        self._when = when
        self._stored = 0

    def recorded(self, record: Record) -> None:
        self._stored += 1
        if self._when in (str(self._stored), record.__struct_config__.tag):
            os.kill(os.getpid(), signal.SIGKILL)


def main(when: str, argv: list[str]) -> int:
    args = door.build_parser("run").parse_args(argv)
    context = HomeContext(Home(find_default_root()))
    built = build_run(context, door._read_options(args), partial(door._Door, context, args))
    return drive_run(*built._replace(parts=built.parts._replace(reporter=Killer(when)))).exit


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
