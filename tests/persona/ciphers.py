"""A PATH with one of the programs that encrypt and no other, so that a test knows which one did it."""

import shutil
from pathlib import Path

PROGRAMS = {"age": ("age", "age-keygen"), "openssl": ("openssl",)}


def make_path(folder: Path, *names: str) -> str:
    """Return a folder in which only these are found: the programs of a cipher, or one by its own name."""
    folder.mkdir()
    for name in [program for one in names for program in PROGRAMS.get(one, (one,))]:
        found = shutil.which(name)
        assert found, f"{name} is missing, and this test needs it: apt-get install age openssl"
        (folder / name).symlink_to(found)
    return str(folder)
