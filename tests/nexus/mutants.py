"""Breaks each clause of the tool contract and of the events in turn, and demands that a fixture notices.

Run with `make mutants`. Each mutant is one edit of the source, named after the clause it breaks; the edited module is
imported in this process, the fixtures run, and one of them must fail. All of them must pass on the source as it is, and
a mutant that cannot even be imported proves nothing: both stop the run.
"""

import importlib
import importlib.abc
import importlib.util
import os
import shutil
import sys
import tempfile
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import yaml

from tests.nexus.contract import Case, cases, check, in_process

ROOT = Path(__file__).resolve().parents[2]


class Mutant(NamedTuple):
    """A clause, and an edit that breaks it."""

    clause: str
    module: str
    old: str
    new: str


def mutants() -> list[Mutant]:
    """The table."""
    rows = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text("utf-8"))
    return [Mutant(row["clause"], "mi.nexus." + row["module"], row["old"], row["new"]) for row in rows]


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module its broken source."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.path = ROOT / (mutant.module.replace(".", "/") + ".py")

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        return (
            importlib.util.spec_from_loader(name, self, origin=str(self.path)) if name == self.mutant.module else None
        )

    def exec_module(self, module: ModuleType) -> None:
        source = self.path.read_text("utf-8")
        if source.count(self.mutant.old) != 1:
            raise SystemExit(
                f"{self.mutant.clause}: {self.mutant.old!r} is {source.count(self.mutant.old)} times in {self.path}"
            )
        module.__file__ = str(self.path)
        exec(compile(source.replace(self.mutant.old, self.mutant.new), self.path, "exec"), module.__dict__)


def killed_by(mutant: Mutant, found: list[Case], folder: Path) -> str:
    """The first fixture that notices; empty when none does."""
    finder = _Mutated(mutant)
    sys.meta_path.insert(0, finder)
    try:
        _forget()
        try:
            importlib.import_module(mutant.module)
        except Exception as error:
            raise SystemExit(f"{mutant.clause}: {mutant.module} cannot be imported: {error!r}") from error
        return first_failing(found, folder)
    finally:
        sys.meta_path.remove(finder)
        _forget()


def first_failing(found: list[Case], folder: Path) -> str:
    """The name of the first fixture that fails; empty when none does."""
    for case in found:
        root = folder / "repo"
        root.mkdir()
        try:
            check(case, root, in_process)
        except SystemExit:
            raise
        except Exception:  # noqa: BLE001 - any failure is what is wanted
            return case.name
        finally:
            shutil.rmtree(root)
    return ""


def _forget() -> None:
    for name in [name for name in sys.modules if name == "mi.nexus" or name.startswith("mi.nexus.")]:
        del sys.modules[name]


def ordered(found: list[Case], mutant: Mutant) -> list[Case]:
    """The fixtures that are likely to notice first: those of the tool or event the clause is about."""
    word = mutant.module.rpartition(".")[2]
    near = {"plan": "plan", "tasks": "task", "history": "history context artifact"} | dict.fromkeys(
        "memory memory_rules memory_gc access".split(), "memory"
    )
    return sorted(
        found,
        key=lambda case: not any(case.file.startswith(one) for one in near.get(word, "events plan_start task").split()),
    )


def main() -> int:
    os.fsync = lambda fd: None  # type: ignore[assignment]
    found, broken = list(cases()), mutants()
    folder = Path(tempfile.mkdtemp(prefix="mutants-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    survivors = []
    try:
        if failing := first_failing(found, folder):
            raise SystemExit(f"{failing}: fails on the source as it is, so nothing can be proved")
        for mutant in broken:
            if not killed_by(mutant, ordered(found, mutant), folder):
                survivors.append(mutant)
                print(f"survived: {mutant.clause} ({mutant.module})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(broken) - len(survivors)} of {len(broken)} broken clauses were noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
