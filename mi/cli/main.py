"""The door of the command line: global flags, the command's module, errors as one line and an exit code."""

import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mi.cli.arguments import USAGE_HINT, Parser, speak_help
from mi.cli.commands import COMMANDS
from mi.cli.output import flush, fold_lines, measure_terminal, silence_stdout
from mi.kernel.errors import MiError, StorageError, UsageError, from_os_error
from mi.kernel.home import Home, find_default_root
from mi.kernel.messages import choose_language
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notice
from mi.kernel.safe_text import make_safe

if TYPE_CHECKING:  # not needed to print the help
    from mi.app.home_context import HomeContext

INTERRUPTED = 130


class GlobalFlags(NamedTuple):
    """What stands before the command."""

    home: str | None
    cd: str | None
    here: bool
    rest: list[str]


class _CommandLine:
    """The flags before the command, and the home and project they mean."""

    context: "HomeContext | None" = None
    _flags: GlobalFlags | None = None

    def take(self, flags: GlobalFlags) -> None:
        """Open the home and the project, unless these flags did already."""
        from mi.app.home_context import HomeContext

        if flags != self._flags:
            self._flags, self.context = flags, None
            self.context = HomeContext(Home(flags.home or find_default_root()), flags.cd, flags.here)

    @property
    def language(self) -> str:
        return self.context.quiet_language if self.context else choose_language("")


def run(argv: list[str]) -> int:
    """Run one command line; every failure ends here, as one line on standard error."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal without the character is no defect
    line = _CommandLine()
    speak_help(lambda: line.language)
    try:
        work, args = _parse(argv, line)
        code = work(line.context, args)
        if line.context is not None:
            line.context.keep_record(line.context.notices)
            _say_notices(line.context)
            if not getattr(args, "json", True) and not hasattr(args, "names_project"):
                _say_project(line.context)
        flush()
        return code
    except MiError as error:
        return _fail(line, error)
    except KeyboardInterrupt:
        _fail(line, MiError("interrupted"))
        return INTERRUPTED
    except BrokenPipeError:
        return _closed_pipe()
    except OSError as error:
        return _fail(line, from_os_error(error))
    except Exception as error:
        if os.environ.get("MI_TRACEBACK"):
            raise
        return _fail(line, MiError("internal", what=f"{type(error).__name__}: {error}"))


def _parse(argv: list[str], line: _CommandLine) -> tuple[Callable[..., int], Any]:
    """Return the function of a command and its arguments; the line knows home and project from then on."""
    flags = split_global_flags(argv)
    line.take(flags)
    if flags.rest and (flags.rest[0] not in COMMANDS or flags.rest[0] == "why"):
        from mi.cli.shorthand import spell_out

        flags = spell_out(flags)
        line.take(flags)
    name, *words = flags.rest or ["status"]
    if name in ("-h", "--help", "help"):
        from mi.cli.overview import print_overview

        return print_overview, words
    args = build_parser(name).parse_args(words)
    line.take(flags._replace(home=getattr(args, "home", None) or flags.home, cd=getattr(args, "cd", None) or flags.cd))
    if line.context is not None:
        if COMMANDS[name].checks_home:
            line.context.home.check()
        if hasattr(args, "person_only"):
            from mi.cli.prompts import refuse_agents

            refuse_agents(line.context, args, argv)
    return args.run, args


def build_parser(name: str) -> Parser:
    """Return the parser of a command; UsageError when there is no such command."""
    if name in COMMANDS:
        built: Parser = import_module("mi.cli." + COMMANDS[name].module).build_parser(name)
        return built
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    raise UsageError("unknown-command", name=name, near=f"mi {close[0]}" if close else USAGE_HINT)


def split_global_flags(argv: list[str]) -> GlobalFlags:
    """Return the flags before the command; anything else begins the rest."""
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
            if not value:
                raise UsageError("flag-needs-value", flag=flag)
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


def _say_notices(context: "HomeContext", failed: object = None) -> None:
    """Print what was noticed on the way; nothing of a file that failed, which is said anyway."""
    if os.environ.get("MI_STATE_WARNINGS_STDERR") not in ("0", "1"):
        flush()
        for notice in _once(context.notices):
            if notice.path != failed:
                _complain(notice.line(context.quiet_language))


def _say_project(context: "HomeContext") -> None:
    """Say which project a command was about, where it is another folder than the current one."""
    if "choice" in vars(context) and context.is_elsewhere:
        from mi.kernel.messages import NestedText, text

        flush()
        how = NestedText("how." + context.choice.how)
        _complain(text("project.elsewhere", context.quiet_language, root=context.choice.root, how=how))


def _once(notices: Iterable[Notice]) -> Iterable[Notice]:
    """Return each remark once: whoever looked closer at a file said more about it."""
    said: dict[tuple[object, ...], Notice] = {}
    for notice in notices:
        count = notice.details.get("count", 0)
        same = (notice.key, notice.path, *(str(notice.details[name]) for name in notice.details if name != "count"))
        if same not in said or count > said[same].details.get("count", 0):  # type: ignore[operator]
            said[same] = notice
    kept = {notice.path for notice in said.values() if notice.key == "state-quarantined"}
    return [notice for notice in said.values() if notice.key != "state-broken" or notice.path not in kept]


def _fail(line: _CommandLine, error: MiError) -> int:
    """Say what went wrong, after what was noticed on the way: it may be the reason."""
    try:
        if line.context is not None:
            _say_notices(line.context, error.details.get("path"))
            line.context.keep_record(line.context.notices)
        flush()
    except (OSError, StorageError):  # the disk that failed may fail again, or the output is what failed
        silence_stdout()
    _complain(error.line(line.language))
    return error.exit_code


def _complain(line: str) -> None:
    """Write one line to standard error, as safe to look at as all output."""
    said = f"mi: {' '.join(make_safe(line).splitlines())}"
    sys.stderr.write(fold_lines(said, measure_terminal(2)) + "\n")


def _closed_pipe() -> int:
    """End quietly: the reader has seen enough (`mi tail | head -1`)."""
    silence_stdout()
    return 0
