"""The process that tells the person: `python -m mi.app.notify_delivery HOME PROJECT EVENT SECONDS [--asked]`."""

import sys

from mi.app.home_context import HomeContext
from mi.app.notify import deliver
from mi.kernel.errors import MiError
from mi.kernel.home import Home


def main(argv: list[str]) -> int:
    """Tell of one event; what goes wrong is recorded where it can be, and there is nobody to print it to."""
    home, project, event_id, seconds, *flags = argv
    try:
        return 1 if deliver(HomeContext(Home(home), project), event_id, float(seconds), bool(flags)) else 0
    except (MiError, OSError):
        return 1  # the home is gone or broken: whoever uses it next is told so


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
