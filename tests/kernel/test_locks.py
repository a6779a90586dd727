import errno
import fcntl
import os
import subprocess
import sys

import pytest

from mi.kernel import locks
from mi.kernel.errors import StorageError

HOLD = """
import fcntl, os, sys
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def hold(path) -> subprocess.Popen[bytes]:
    """A process that holds the lock of a path until it ends."""
    owner = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"held\n"
    return owner


def test_a_lock_that_is_held_is_waited_for_a_bounded_time(tmp_path):
    with hold(tmp_path) as owner:
        fd = os.open(tmp_path, os.O_RDONLY)
        with pytest.raises(StorageError) as caught:
            locks.acquire(fd, str(tmp_path), patience_s=0.05)
        os.close(fd)
        owner.kill()
    assert caught.value.code == "locked"
    assert str(tmp_path) in caught.value.line()


def test_a_killed_owner_leaves_no_lock_behind(tmp_path):
    with hold(tmp_path) as owner:
        owner.kill()
    with locks.lock_folder(str(tmp_path)):
        pass


def test_a_lock_is_taken_as_soon_as_its_owner_lets_go(tmp_path):
    with hold(tmp_path) as owner:
        assert owner.stdin is not None
        owner.stdin.close()  # it ends now
        with locks.lock_folder(str(tmp_path)):
            assert is_held(tmp_path)
    assert not is_held(tmp_path)


def test_an_error_inside_frees_the_lock(tmp_path):
    with pytest.raises(RuntimeError), locks.lock_folder(str(tmp_path)):
        raise RuntimeError
    assert not is_held(tmp_path)


def is_held(path) -> bool:
    fd = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


@pytest.mark.req("safe.locks.named")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL])
@pytest.mark.parametrize(
    ("argv", "code"), [(["values", "add", "Keep it small."], 1), (["status"], 0), (["init", "--values", "Small."], 1)]
)
def test_a_file_system_without_locks_is_named_in_one_line(home, repository, number, argv, code):
    """What writes says which file cannot be locked; what only reads needs no lock."""
    program = f"""
import fcntl, os, sys
def refuse(fd, how): raise OSError({number}, os.strerror({number}))
fcntl.flock = refuse
from mi.cli.main import run
sys.exit(run({argv}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False, cwd=repository("app")
    )
    assert done.returncode == code, done.stderr
    if code:
        assert done.stderr.count("\n") == 1
        assert f"mi: {home.root}" in done.stderr
        assert os.strerror(number) in done.stderr
