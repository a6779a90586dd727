"""The same small shop in several languages, each with what an agent may do to it."""

from mi.testing.judge_bench.kits.go import GO
from mi.testing.judge_bench.kits.kit import Kit
from mi.testing.judge_bench.kits.make import MAKE
from mi.testing.judge_bench.kits.node import NODE
from mi.testing.judge_bench.kits.python import PYTEST, UNITTEST
from mi.testing.judge_bench.kits.rust import RUST

KITS: tuple[Kit, ...] = (UNITTEST, PYTEST, NODE, GO, RUST, MAKE)

__all__ = ["GO", "KITS", "MAKE", "NODE", "PYTEST", "RUST", "UNITTEST", "Kit"]
