"""Entry point of the `mi` command; answers `--version` before anything else is imported."""

import os
import sys

from mi import __version__


def main() -> int:
    """Run the command line and return its exit code."""
    _open_closed_streams()
    try:
        if sys.argv[1:] in (["--version"], ["-V"], ["version"]) and _print_version():
            return 0
        from mi.cli.door import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:  # so early that the door could not say it
        return 130


def _open_closed_streams() -> None:
    """Started with a closed stream, the next file opened would take its place and be printed into."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _print_version() -> bool:
    try:
        sys.stdout.write(f"mi {__version__}\n")
        sys.stdout.flush()
        return True
    except OSError:  # the door meets it again and says it
        return False


if __name__ == "__main__":
    sys.exit(main())
