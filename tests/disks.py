"""Real small and read-only disks: root passes every permission bit, so only a mount can refuse a write."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A disk of the given size mounted at a folder."""
    folder.mkdir(exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "-l", str(folder))  # lazily: a derived view may still hold its files open


@contextmanager
def read_only_disk(folder: Path) -> Iterator[Path]:
    """What is in a folder, on a disk that cannot be written until the end."""
    _run("mount", "--bind", str(folder), str(folder))
    try:
        _run("mount", "-o", "remount,ro,bind", str(folder))
        yield folder
    finally:
        _run("umount", "-l", str(folder))  # lazily: a derived view may still hold its files open


def fill(disk: Path, leave: int = 0) -> None:
    """Take all space of a disk but `leave` bytes."""
    (disk / "reserve").write_bytes(b"x" * leave)
    with (disk / "ballast").open("wb", buffering=0) as file:
        for block in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * block)
            except OSError:
                continue
    (disk / "reserve").unlink()


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)}: {done.stderr.strip()} (these tests need root to mount real disks)")
