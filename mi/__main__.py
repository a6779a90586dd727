"""Entry point of the `mi` command; answers `--version` before anything else is imported."""

import gc
import os
import sys

from mi import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # as type checkers understand it: typing costs a fifth of a start
    from typing import Any


def main() -> int:
    """Run the command line and return its exit code."""
    gc.set_threshold(50_000)  # starting makes many objects and no garbage: looking for it took a tenth of a command
    _open_closed_streams()
    try:
        if sys.argv[1:] in (["--version"], ["-V"], ["version"]) and _print_version():
            return 0
        _import_libraries()
        from mi.compiled import load_compiled

        load_compiled()
        from mi.cli.main import run

        return _leave(run(sys.argv[1:]))
    except KeyboardInterrupt:  # so early that the door could not say it
        return 130


def _import_libraries() -> None:
    """Import libraries without what they load and MI does not use, which costs more than Python's own start.

    msgspec prefers typing_extensions to typing: on this Python both give it the same. uuid, which it loads, asks
    platform for the system's name; textwrap is for its schemas; argparse looks for translations of its messages.
    """
    lacking: dict[str, dict[str, Any] | None] = {"typing_extensions": None, "textwrap": {}}
    lacking["gettext"] = {
        "gettext": lambda text: text,
        "ngettext": lambda one, more, count: one if count == 1 else more,
    }
    if hasattr(os, "uname"):
        lacking["platform"] = {"system": lambda: os.uname().sysname}
    put = {name: content for name, content in lacking.items() if name not in sys.modules}
    for name, content in put.items():  # None: not to be found, as Python documents it
        sys.modules[name] = None if content is None else _Later(name, content)  # type: ignore[assignment]
    try:
        import argparse  # noqa: F401

        import msgspec  # noqa: F401
    finally:
        for name in put:
            sys.modules.pop(name)


class _Later(type(sys)):  # type: ignore[misc]  # the type of modules
    """A module of which only some functions are there; asked for another, it is loaded."""

    def __init__(self, name: str, content: "dict[str, Any]") -> None:
        super().__init__(name)
        self.__dict__.update(content)

    def __getattr__(self, name: str) -> "Any":
        if name.startswith("__"):  # Python itself asks
            raise AttributeError(name)
        from importlib import import_module

        return getattr(import_module(self.__name__), name)


def _open_closed_streams() -> None:
    """Open closed streams: the next file opened would take their place and be printed into."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _leave(code: int) -> int:
    """End the process at once: to take the interpreter apart costs as much as to start it."""
    import atexit

    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        return code  # Python waits for those that still work
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # nobody reads it any more; the door has said so where there was somebody to tell
            pass
    os._exit(code)


def _print_version() -> bool:
    try:
        sys.stdout.write(f"mi {__version__}\n")
        sys.stdout.flush()
        return True
    except OSError:  # the door meets it again and says it
        return False


if __name__ == "__main__":
    sys.exit(main())
