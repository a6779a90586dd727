"""Real small and read-only disks: root passes every permission bit, so only a mount can refuse a write.

They are mounted for the test process and its children alone, so that nothing stays mounted when it is killed.
"""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.starting import end_standby

_CLONE_NEWNS = 0x00020000  # os.unshare knows it by name from Python 3.12 on


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A disk of the given size mounted at a folder."""
    _own_mounts()
    folder.mkdir(exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "-l", str(folder))  # lazily: a derived view may still hold its files open


@contextmanager
def read_only_disk(folder: Path) -> Iterator[Path]:
    """What is in a folder, on a disk that cannot be written until the end."""
    _own_mounts()
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


@cache
def _own_mounts() -> None:
    """Take this process out of the system's list of mounts; what it mounts from now on is its own."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS) != 0:
        pytest.fail(f"unshare: {os.strerror(ctypes.get_errno())} (these tests need root to mount real disks)")
    _run("mount", "--make-rprivate", "/")
    end_standby()


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)}: {done.stderr.strip()} (these tests need root to mount real disks)")
