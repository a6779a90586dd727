"""Every block of commands in the documentation runs as it stands, page by page, in a home of its own."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_help import ALL
from tests.conftest import MI

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "README.zh-CN.md", *(ROOT / "docs").rglob("*.md")])
LIMIT_S = 120
# Proved where they belong: the build in tests/test_packaging.py, installing in tests/test_installing.py, the demo in
# its own tests, and what needs an agent with the real ones, in tests/real/test_guides.py; whom nobody reaches here in
# tests/autopilot/test_notify.py.
ELSEWHERE = (
    *("make ", "pip install", "npm install", "mi run fix the failing test", "mi run --file", "case $? in"),
    "mi notify test",
)


def blocks(page: Path) -> list[str]:
    return re.findall(r"(?ms)^```bash\n(.*?)^```", page.read_text("utf-8"))


WITH_BLOCKS = [page for page in PAGES if blocks(page)]


@pytest.mark.req("fleet.guides")
@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run_in_order(page: Path, tmp_path: Path):
    env = os.environ | {"PATH": f"{MI.parent}:{os.environ['PATH']}", "MI_HOME": str(tmp_path / "mi-home")}
    for block in blocks(page):
        lines = [line for line in block.splitlines() if not line.startswith(ELSEWHERE)]
        done = subprocess.run(
            ["bash", "-euc", "\n".join(lines)],
            cwd=tmp_path,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr


def test_every_block_is_run_somewhere():
    """A block of another kind would be text that nobody tries; what is generated is held against the code instead."""
    kinds = {
        kind
        for page in PAGES
        if "reference" not in page.parts
        for kind in re.findall(r"(?m)^```(\w+)", page.read_text("utf-8"))
    }
    assert kinds <= {"bash", "python", "mermaid"}  # python: tests/testing/test_guide.py


def test_every_command_that_a_page_names_exists():
    """Also those that need what is not here: their words and flags are the program's."""
    for parser in ALL.values():
        parser.format_help()  # adds the arguments that are added late
    wrong = []
    for page in [*ROOT.glob("README*.md"), *(ROOT / "docs/guides").glob("*.md")]:
        text = page.read_text("utf-8")
        lines = [line for block in re.findall(r"(?ms)^```\w*\n(.*?)^```", text) for line in block.splitlines()]
        named = re.findall(r"`mi ([a-z][^`\n]*)`", text) + [line[3:] for line in lines if re.match(r"mi [a-z]", line)]
        wrong += [f"{page.name}: mi {one}" for one in named if not is_command(one)]
    assert wrong == []


def is_command(said: str) -> bool:
    """Whether words begin with those of a command and have no other flags than it has."""
    said = re.split(r" [|#] ", re.sub(r'"[^"]*"|\'[^\']*\'', "WORDS", said))[0]
    words = said.split()
    known = next((ALL[name] for n in (3, 2, 1) if (name := " ".join(words[:n])) in ALL), None)
    if known is None:
        return False
    flags = {flag for action in known._actions for flag in action.option_strings}
    return set(re.findall(r"(?<!\S)--[a-z-]+", said)) <= flags | {"--home"}


def test_both_tutorials_have_the_same_blocks():
    english, chinese = (blocks(ROOT / f"docs/guides/{name}.md") for name in ("tutorial", "tutorial.zh"))
    assert [re.sub(r'--values "[^"]*"', "", one) for one in english] == [
        re.sub(r'--values "[^"]*"', "", one) for one in chinese
    ]


def test_every_guide_is_linked():
    linked = (ROOT / "README.md").read_text("utf-8") + (ROOT / "docs/guides/tutorial.md").read_text("utf-8")
    assert [page.name for page in (ROOT / "docs/guides").glob("*.md") if page.name not in linked] == []
