import os
import subprocess
import sys

import pytest

from mi.kernel import files


def test_reading_what_is_not_there_gives_none(tmp_path):
    assert files.read_bytes(str(tmp_path / "none")) is None
    (tmp_path / "file").write_bytes(b"")
    assert files.read_bytes(str(tmp_path / "file/below")) is None
    assert files.read_bytes(str(tmp_path / "file")) == b""


@pytest.mark.req("mi.fail.modes-0600")
def test_a_file_is_written_whole_for_the_owner_alone(tmp_path):
    path = tmp_path / "home/state.json"
    old = os.umask(0)
    try:
        files.write_atomic(str(path), b"one")
        files.write_atomic(str(path), b"two")
    finally:
        os.umask(old)
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir(path.parent) == ["state.json"]


@pytest.mark.req("v1.state.atomic-replace")
def test_readers_see_the_old_content_or_the_new_and_a_kill_leaves_one_of_them(tmp_path):
    path = tmp_path / "state.json"
    contents = [letter * 300_000 for letter in (b"a", b"b")]
    path.write_bytes(contents[0])
    code = f"""
from mi.kernel.files import write_atomic
print("ready", flush=True)
while True:
    write_atomic({str(path)!r}, b"b" * 300_000)
    write_atomic({str(path)!r}, b"a" * 300_000)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        seen = set()
        for _ in range(100_000):
            seen.add(path.read_bytes())
            if len(seen) > 1:
                break
        writer.kill()
    assert seen == set(contents)
    assert path.read_bytes() in contents


def test_a_failed_write_names_the_file_and_leaves_nothing_behind(tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/inside").write_bytes(b"")
    with pytest.raises(OSError, match="taken") as caught:
        files.write_atomic(str(tmp_path / "taken"), b"content")
    assert caught.value.filename == str(tmp_path / "taken")
    assert os.listdir(tmp_path / "taken") == ["inside"]
    assert sorted(os.listdir(tmp_path)) == ["taken", "user", "work"]


def test_write_all_goes_on_after_a_short_write():
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        files.write_all(writing, b"x" * 1_000_000)
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:
        assert file.read() == b"x" * 1_000_000
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.req("v1.storage.ts-placeholder")
def test_stamped_paths_are_safe_names_and_never_one_that_exists(tmp_path):
    made = []
    for _ in range(50):
        path = files.make_stamped_path(str(tmp_path / "overlay.json.corrupt."))
        with open(path, "xb"):
            made.append(path)
    assert len(set(made)) == 50
    assert not set(os.path.basename(made[0])) & set('<>:"|?*')
    assert files.make_stamped_path(str(tmp_path / "config.json."), ".bak").endswith("Z.bak")
