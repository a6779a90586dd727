"""Entry point of the `mi` command; answers `--version` before anything else is imported."""

import sys

from mi import __version__


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"], ["version"]):
        sys.stdout.write(f"mi {__version__}\n")
        return 0
    from mi.cli.door import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
