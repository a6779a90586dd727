"""Try the parsers of outside text with many bad inputs: `make fuzz`, or `python -m fuzz --each 200`.

What is tried comes from `tests/growth/fuzzing.py`, which the tests use, too, with fewer inputs. A failure is printed
by hypothesis with the smallest input that shows it, and ends the program with exit code 1.
"""

import argparse

from tests.growth.fuzzing import TARGETS, Tried, fuzz


def main() -> None:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--each", type=int, default=5000, help="inputs for each parser")
    given = parser.parse_args()
    for name in TARGETS:
        tried = Tried()
        fuzz(name, given.each, tried)
        print(f"{name:<13} {tried.count:>7} inputs, {tried.bytes:>10} bytes, most steps {tried.most}, 0 failures")


if __name__ == "__main__":
    main()
