"""Running something to see whether a fact holds: only what the person allowed, without a shell, for a bounded time."""

import os
import sys

from mi.kernel.config.types import ContractEvidence
from mi.kernel.errors import MiError, UsageError
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start

TIMEOUT_S = 20.0
_SEARCH_S = 5.0
_MANY_IN_ONE = ("busybox", "coreutils", "toybox")  # sh and true may be links to the same program
# In a process of its own: a hostile expression may take for ever, and only a process can be ended from outside.
_SEARCH = """
import re, sys
pattern, path, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
try:
    expression = re.compile(pattern)
except re.error:
    sys.exit(3)
with open(path, "rb") as file:
    for number, line in enumerate(file.read(limit).decode("utf-8", "replace").split("\\n"), 1):
        if expression.search(line.rstrip("\\r")):
            print(number)
            sys.exit(0)
sys.exit(1)
"""


class ProgramResult(NamedTuple):
    """How a command ended; `exit_code` is None when it was stopped for taking too long or could not be started."""

    exit_code: int | None
    why: str = ""


def run_allowed(command: str, root: str, allowed: ContractEvidence, timeout_s: float = TIMEOUT_S) -> ProgramResult:
    """Run a command in the project; MiError when commands are not allowed, or not this one."""
    import shlex

    if not allowed.allow_command:
        raise MiError("command-evidence-off", value=redact_start(command, 80))
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise UsageError("bad-command", value=redact_start(command, 80), reason=str(error)) from None
    program = locate(argv[0], root) if argv else None
    if program is None:
        raise UsageError("bad-command", value=redact_start(command, 80), reason=NestedText("reason.no-program"))
    known = {_identity(found) for one in allowed.commands if (found := locate(one, root))}
    if _identity(program) not in known:
        raise MiError("command-not-allowed", value=redact_start(command, 80), program=program)
    return _run([program, *argv[1:]], root, timeout_s)


def _identity(program: str) -> tuple[str, str]:
    """Return the program that really runs; of one that is many, as its name says, also the name."""
    real = os.path.realpath(program)
    return real, os.path.basename(program) if os.path.basename(real) in _MANY_IN_ONE else ""


def locate(name: str, root: str) -> str | None:
    """Return the program that a name means; a relative path is one of the project's."""
    from shutil import which

    if os.sep not in name:
        return which(name)
    path = os.path.join(root, os.path.expanduser(name))
    return path if os.access(path, os.X_OK) and os.path.isfile(path) else None


def _run(argv: list[str], root: str, timeout_s: float) -> ProgramResult:
    import signal
    import subprocess

    silent = subprocess.DEVNULL
    try:
        process = subprocess.Popen(argv, cwd=root, stdin=silent, stdout=silent, stderr=silent, start_new_session=True)
    except OSError as error:
        return ProgramResult(None, error.strerror or str(error))
    try:
        code = process.wait(timeout_s)
        return ProgramResult(code, "" if code == 0 else "failed")
    except subprocess.TimeoutExpired:
        return ProgramResult(None, "timeout")
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # with whatever it left behind
        except ProcessLookupError:
            pass
        process.wait()


class Sought(NamedTuple):
    """The number of the first line that an expression hits, 0 for none; and why there is none."""

    line: int
    why: str = ""


def search_expression(pattern: str, path: str) -> Sought:
    """Seek an expression in a file, for a bounded time."""
    import subprocess

    argv = [sys.executable, "-I", "-S", "-c", _SEARCH, pattern, path, str(32 << 20)]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=_SEARCH_S, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return Sought(0, "timeout")
    except (OSError, ValueError):
        return Sought(0, "no-match")
    return Sought(int(done.stdout)) if done.returncode == 0 else Sought(0, "no-match")
