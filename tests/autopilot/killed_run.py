"""A run that kills itself: `killed_run.py COUNT [mi run arguments]` is SIGKILLed right after its COUNT-th record."""

import os
import signal
import sys

from mi.app import App
from mi.autopilot.resume import latest_run_id, resume
from mi.autopilot.session import Reporter
from mi.autopilot.start import go_on, start
from mi.cli import run as door
from mi.cli.output import Output
from mi.evidence.records.base import Record
from mi.kernel.home import Home, default_root


class Killer(Reporter):
    """Ends the process the hard way when so many records were stored."""

    def __init__(self, count: int) -> None:
        self._left = count

    def recorded(self, record: Record) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def main(count: int, argv: list[str]) -> int:
    args = door.parser("run").parse_args(argv)
    app = App(Home(default_root()))
    app.use_project()
    log, out = app.project_home.evidence, Output("en")
    if args.resume is None:
        session = door._session(app, args, out, "", resuming=False)
        return start(session._replace(reporter=Killer(count)), " ".join(args.task)).exit
    run_id = latest_run_id(log, app.notices)
    resumed = resume(log, run_id, app.notices)
    session = door._session(app, args, out, run_id, resuming=True)
    return go_on(session._replace(reporter=Killer(count)), resumed).exit


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
