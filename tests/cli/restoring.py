"""Files kept as a run keeps them, and put back as the command does: shared by the tests of `mi restore`."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from mi.app.home_context import HomeContext
from mi.app.restore import find_difference, restore
from mi.app.snapshots import choose_snapshots, find_scope
from mi.kernel.home import Home
from mi.project.restore_plan import Difference

RUN = "run_20261117T100000_aaaaaaaa"
SECRET = "password = 'hunter2-" + "correct-horse-battery'\n"
Keep = Callable[..., None]


class Back:
    """Puts files back as the command does after a yes."""

    def __init__(self, home: Home, root: Path, ref: str = RUN, paths: Sequence[str] = ()) -> None:
        self.context = HomeContext(home, str(root))
        self.chosen = choose_snapshots(self.context, ref)
        self.within = find_scope(self.context, self.chosen.top, paths)
        self.shown: Difference = find_difference(self.context, self.chosen, self.within)
        self.kept = ""

    def put(self, tell: Callable[[], None] = lambda: None) -> "Back":
        def told(name: str) -> None:
            self.kept = name
            tell()

        self.done = restore(self.context, self.chosen, self.within, self.shown, told)
        return self

    @property
    def left(self) -> dict[str, str]:
        return {one.path: one.why for one in (*self.shown.left, *(self.done.left if self.kept else ()))}


def read(root: Path) -> dict[str, str]:
    """Every file and link below a folder but git's own, with its content."""
    found = {}
    for place in sorted(root.rglob("*")):
        if ".git" in place.relative_to(root).parts[:1]:
            continue
        if place.is_symlink():
            found[str(place.relative_to(root))] = f"-> {os.readlink(place)}"
        elif place.is_file():
            found[str(place.relative_to(root))] = place.read_bytes().decode("utf-8", "replace")
    return found


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content.encode())
