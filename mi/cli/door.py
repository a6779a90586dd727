"""The door of the command line: global flags, the command's module, errors as one line and an exit code."""

import os
import sys
from importlib import import_module
from typing import NamedTuple

from mi.cli.arguments import USAGE_HINT
from mi.kernel.errors import MiError, UsageError, from_os_error
from mi.kernel.home import Home, default_root
from mi.kernel.messages import choose_language, text

# First word → module of mi.cli. The order is that of the overview.
COMMANDS = {
    "demo": "demo",
    "run": "run",
    "attach": "attach",
    "stop": "attach",
    "inbox": "inbox",
    "answer": "inbox",
    "init": "values",
    "values": "values",
    "settings": "settings",
    "status": "status",
    "show": "show",
    "tail": "tail",
    "why": "why",
    "claim": "claim",
    "node": "node",
    "edge": "edge",
    "context": "context",
    "undo": "undo",
    "redo": "undo",
    "search": "search",
    "memory": "memory",
    "project": "project",
    "config": "config",
    "gc": "gc",
    "doctor": "doctor",
    "version": "version",
}
INTERRUPTED = 130


class GlobalFlags(NamedTuple):
    """What stands before the command."""

    home: str | None
    cd: str | None
    here: bool
    rest: list[str]


def run(argv: list[str]) -> int:
    """Run one command line; every failure ends here, as one line on standard error."""
    language = choose_language("")
    try:
        code = _dispatch(argv)
        sys.stdout.flush()
        return code
    except MiError as error:
        return _fail(error.line(language), error.exit_code)
    except KeyboardInterrupt:
        return _fail(text("error.interrupted", language), INTERRUPTED)
    except BrokenPipeError:
        return _closed_pipe()
    except OSError as error:
        failure = from_os_error(error)
        return _fail(failure.line(language), failure.exit_code)
    except Exception as error:
        if os.environ.get("MI_TRACEBACK"):
            raise
        return _fail(text("error.internal", language, what=f"{type(error).__name__}: {error}"), 1)


def _dispatch(argv: list[str]) -> int:
    flags = split_global_flags(argv)
    rest = flags.rest
    if rest and rest[0] in ("-h", "--help", "help"):
        from mi.cli.overview import print_overview

        return print_overview(rest[1:])
    name = rest[0] if rest else "status"
    if name not in COMMANDS:
        raise UsageError("unknown-command", name=name, near=_nearest(name))
    module = import_module("mi.cli." + COMMANDS[name])
    args = module.parser(name).parse_args(rest[1:])
    from mi.app import App

    home = getattr(args, "home", None) or flags.home or default_root()
    cd = getattr(args, "cd", None) or flags.cd
    app = App(Home(home), cd, flags.here)
    code: int = args.run(app, args)
    _close(app)
    return code


def split_global_flags(argv: list[str]) -> GlobalFlags:
    """The flags before the command; anything else begins the rest."""
    values: dict[str, str] = {}
    here = False
    rest = list(argv)
    while rest and rest[0].startswith("-"):
        flag, equals, value = rest[0].partition("=")
        if flag == "--here":
            here = True
        elif flag in ("--home", "--cd", "-C"):
            if not equals:
                if len(rest) < 2:
                    raise UsageError("flag-needs-value", flag=flag)
                value = rest.pop(1)
            values["cd" if flag == "-C" else flag[2:]] = value
        elif flag in ("-h", "--help"):
            break
        elif flag in ("-V", "--version"):
            rest[0] = "version"
            break
        else:
            raise UsageError("unknown-flag", flag=flag, hint=USAGE_HINT)
        rest.pop(0)
    return GlobalFlags(values.get("home"), values.get("cd"), here, rest)


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    return f"mi {close[0]}" if close else "mi --help"


def _close(app) -> None:  # type: ignore[no-untyped-def]
    """After the answer: say what was noticed, and keep a record of state that had to be set aside."""
    notices = list(app.notices)
    if any(notice.key == "state-quarantined" for notice in notices):
        from mi.evidence.records.run import StateCorrupt

        writer = app.evidence_writer(app.home.evidence)
        for notice in notices:
            if notice.key == "state-quarantined":
                writer.append(StateCorrupt(path=notice.path, **notice.details))
    if notices and os.environ.get("MI_STATE_WARNINGS_STDERR") not in ("0", "1"):
        sys.stdout.flush()
        for notice in notices:
            sys.stderr.write(f"mi: {notice.line(app.language)}\n")


def _fail(line: str, code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        _silence_stdout()
    sys.stderr.write(f"mi: {line}\n")
    return code


def _closed_pipe() -> int:
    """The reader has seen enough (`mi tail | head -1`): end quietly, as the reader wished."""
    _silence_stdout()
    return 0


def _silence_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
