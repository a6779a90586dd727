"""Logs that tests write into behind MI's back, as another version or a broken disk would."""

from pathlib import Path

from mi.kernel.seal import SUFFIX


def unseal(log: Path | str) -> None:
    """Leave a log as a version without seals wrote it: whatever stands in it counts."""
    Path(f"{log}{SUFFIX}").unlink(missing_ok=True)
