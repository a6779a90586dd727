"""A run that kills itself: `killed_run.py WHEN [mi run arguments]` is SIGKILLed right after a record.

WHEN is the record's number, or its kind: then the first of that kind.
"""

import os
import signal
import sys

from mi.app import App
from mi.autopilot.resume import latest_run_id, resume
from mi.autopilot.run_parts import Reporter
from mi.autopilot.start import go_on, start
from mi.cli import run as door
from mi.cli.output import Output
from mi.evidence.records.base import Record
from mi.kernel.home import Home, default_root


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
    args = door.parser("run").parse_args(argv)
    app = App(Home(default_root()))
    app.use_project()
    log, out = app.project_home.evidence, Output("en")
    if args.resume is None:
        session = door._session(app, args, out, "", resuming=False)
        return start(session._replace(reporter=Killer(when)), " ".join(args.task)).exit
    run_id = latest_run_id(log, app.notices)
    resumed = resume(log, run_id, app.notices)
    session = door._session(app, args, out, run_id, resuming=True)
    return go_on(session._replace(reporter=Killer(when)), resumed).exit


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
