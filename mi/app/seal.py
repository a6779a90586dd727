"""What somebody else did to a home's own files: listed, looked for, accepted."""

from mi.app.home_context import HomeContext
from mi.evidence.home_changes import LogChange, accept_changes, find_unaccepted, forget_view, mark_changes
from mi.evidence.records.governed import SealAccepted
from mi.kernel.believed import accept_aside, find_aside
from mi.kernel.files import read_bytes
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact
from mi.kernel.text import decode, fit_one_line

_SHOWN = 20  # lines of one change
_WIDTH = 600


class HomeChange(NamedTuple):
    """One change: of a log, or of a state file that was set aside."""

    kind: str
    path: str
    lines: list[str]
    number: int = 1


def list_unaccepted(context: HomeContext) -> list[HomeChange]:
    """Return what waits for the person's word."""
    changes = [_of_log(context, one) for one in find_unaccepted(context.home)]
    return changes + [_of_state(context, aside) for aside in find_aside(context.home)]


def verify_logs(context: HomeContext) -> list[HomeChange]:
    """Compare every log with its seal, mark what is not MI's, and return all that waits.

    The views of thoughts are made anew: nothing tells whether somebody else wrote to them.
    """
    home = context.home
    for log in home.logs():
        forget_view(log)
        mark_changes(log, thorough=True)
    return list_unaccepted(context)


def accept_all(context: HomeContext) -> list[HomeChange]:
    """Let everything that waits count, and record that the person said so."""
    found = list_unaccepted(context)
    if found:
        context.open_global_log().append(SealAccepted(paths=[one.path for one in found]), sync=True)
        accept_changes(context.home)
        for aside in find_aside(context.home):
            accept_aside(aside)
    return found


def _of_log(context: HomeContext, change: LogChange) -> HomeChange:
    lines = change.read_lines()
    shown: list[str] = [fit_one_line(redact(decode(line)), _WIDTH) for line in lines[:_SHOWN]]
    return HomeChange(change.kind, context.home.relative(change.log), shown, max(1, len(lines)))


def _of_state(context: HomeContext, aside: str) -> HomeChange:
    content = decode(read_bytes(aside) or b"").splitlines()
    shown: list[str] = [fit_one_line(redact(line), _WIDTH) for line in content[:_SHOWN]]
    return HomeChange("state", context.home.relative(aside), shown)
