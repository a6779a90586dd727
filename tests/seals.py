"""Logs that tests write into behind MI's back, as another version or a broken disk would."""

from pathlib import Path

from mi.kernel.marker import NAME
from mi.kernel.seal import SUFFIX


def unseal(log: Path | str) -> None:
    """Leave a log and its home as a version without seals wrote them: whatever stands in it counts."""
    Path(f"{log}{SUFFIX}").unlink(missing_ok=True)
    for marker in (folder / NAME for folder in Path(log).parents):
        if marker.is_file():
            lines = marker.read_bytes().splitlines(keepends=True)
            marker.write_bytes(b"".join(line for line in lines if b'"seal' not in line))
            for left in (marker.parent / "global" / "written.jsonl", *marker.parent.rglob(f"*{SUFFIX}")):
                left.unlink(missing_ok=True)
            return
