"""MI's own modules are loaded from what Python compiled of them, and never from anything older than their source."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mi

SHOWN = "print(mi.word.WORD, type(mi.word.__loader__).__module__, mi.word.__file__, mi.word.__spec__.cached)"


@pytest.fixture
def package(tmp_path) -> Path:
    folder = tmp_path / "mi"
    folder.mkdir()
    (folder / "__init__.py").touch()
    shutil.copy(Path(mi.__file__).with_name("compiled.py"), folder)
    (folder / "word.py").write_text("WORD = 'old'\n", "utf-8")
    return folder


def load(package: Path, *options: str, shown: str = SHOWN) -> list[str]:
    script = f"from mi.compiled import load_compiled\nload_compiled()\nimport mi.word\n{shown}"
    words = [sys.executable, *options, "-c", script]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(words, cwd=package.parent, env=env, capture_output=True, encoding="utf-8", check=True)
    return done.stdout.split()


def test_a_module_is_loaded_from_its_compiled_file_and_looks_as_ever(package):
    by_python, by_us = load(package), load(package)
    assert by_python[:2] == ["old", "_frozen_importlib_external"]  # the first time there is none yet
    assert by_us[:2] == ["old", "mi.compiled"]
    assert by_us[2:] == by_python[2:] == [str(package / "word.py"), by_us[3]]
    assert Path(by_us[3]).is_file()


def test_a_changed_source_is_what_runs(package):
    load(package)
    (package / "word.py").write_text("WORD = 'newer'\n", "utf-8")
    assert load(package)[0] == "newer"
    (package / "word.py").write_text("WORD = 'other'\n", "utf-8")  # as long as before
    os.utime(package / "word.py", (1, 1))
    assert load(package)[:2] == ["other", "_frozen_importlib_external"]
    assert load(package)[:2] == ["other", "mi.compiled"]


def test_a_package_that_was_moved_names_its_new_place(package, tmp_path):
    load(package)
    (tmp_path / "new").mkdir()
    moved = package.rename(tmp_path / "new" / "mi")
    assert load(moved, shown="print(mi.word.__loader__.get_code('mi.word').co_filename)") == [str(moved / "word.py")]


def test_python_itself_loads_where_it_was_told_otherwise(package):
    load(package, "-O")
    assert load(package, "-O")[1] == "_frozen_importlib_external"


def test_packages_hold_modules(package):
    (package / "word").mkdir()
    (package / "word.py").rename(package / "word" / "__init__.py")
    (package / "word" / "inner.py").write_text("WORD = 'inner'\n", "utf-8")
    shown = "import mi.word.inner\nprint(mi.word.inner.WORD, type(mi.word.__loader__).__module__, *mi.word.__path__)"
    load(package, shown=shown)
    assert load(package, shown=shown) == ["inner", "mi.compiled", str(package / "word")]
