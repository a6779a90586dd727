"""Entry point of the `mi` command; answers `--version` before anything else is imported."""

import gc
import os
import sys

from mi import __version__


def main() -> int:
    """Run the command line and return its exit code."""
    gc.set_threshold(50_000)  # starting makes many objects and no garbage: looking for it took a tenth of a command
    _open_closed_streams()
    try:
        if sys.argv[1:] in (["--version"], ["-V"], ["version"]) and _print_version():
            return 0
        _import_msgspec()
        from mi.cli.main import run

        return _leave(run(sys.argv[1:]))
    except KeyboardInterrupt:  # so early that the door could not say it
        return 130


def _import_msgspec() -> None:
    """Import msgspec without typing_extensions, which it prefers to typing: on this Python both give it the same.

    typing_extensions and the modules it loads cost two thirds of Python's own start.
    """
    if "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # not to be found, as Python documents it
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]


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
