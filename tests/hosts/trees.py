"""A folder as it is, byte for byte: names, contents, modes, where links lead."""

import os
import stat
from pathlib import Path


def tree(root: Path) -> dict[str, tuple[int, bytes | str | None]]:
    """Everything below a folder."""
    found: dict[str, tuple[int, bytes | str | None]] = {}
    for folder, names, files in os.walk(root):
        for name in [*names, *files]:
            path = Path(folder, name)
            mode = stat.S_IMODE(path.lstat().st_mode)
            if path.is_symlink():
                found[str(path.relative_to(root))] = (mode, os.readlink(path))
            else:
                found[str(path.relative_to(root))] = (mode, path.read_bytes() if path.is_file() else None)
    return found
