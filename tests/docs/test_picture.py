"""The picture of a finished run is what `mi demo` shows now, in both READMEs, and needs nothing from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SHOWN = {"README.md": "docs/pictures/run.svg", "README.zh-CN.md": "docs/pictures/run.zh.svg"}


def test_it_is_what_the_demo_shows():
    command = [sys.executable, ROOT / "docs/picture.py", "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=120)
    assert done.returncode == 0, f"run `make docs`: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", SHOWN)
def test_each_readme_begins_with_it(page: str):
    beginning = (ROOT / page).read_text("utf-8").partition("\n## ")[0]
    assert re.findall(r"!\[.+\]\((\S+)\)", beginning) == [SHOWN[page]]


@pytest.mark.parametrize("picture", SHOWN.values())
def test_it_is_whole_by_itself_and_shows_the_three_marks(picture: str):
    source = (ROOT / picture).read_text("utf-8")
    drawing = ElementTree.fromstring(source)
    texts = ["".join(one.itertext()) for one in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("✓") == 3
    assert "✗" not in texts
    assert re.findall(r"https?://[^\"]+", source) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(?:image|script|style|foreignObject|use)\b|@import|url\(", source)
    assert not re.search(r"run_\d|/tmp/|/home/|\d+:\d\d", source)
