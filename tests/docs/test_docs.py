"""The documentation is true: generated parts are fresh, links lead somewhere, both READMEs say the same."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from mi.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_generated_parts_are_fresh():
    done = subprocess.run([sys.executable, ROOT / "docs/reference.py", "--check"], capture_output=True, check=False)
    assert done.returncode == 0, f"run `make docs`: {done.stdout.decode()}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.req("v1.docs.readmes-aligned")
def test_both_readmes_have_the_same_structure():
    def structure(name: str) -> tuple[list[str], list[str], list[str]]:
        text = (ROOT / name).read_text("utf-8")
        spans = re.findall(r"`((?:mi|make|pip|pipx)(?: [^`]*)?)`", text)
        lines = [line for block in re.findall(r"(?ms)^```bash\n(.*?)^```", text) for line in block.splitlines()]
        commands = [re.sub(r'"[^"]*"', '"…"', command) for command in [*spans, *lines]]  # people speak as they do
        headings = [line.split()[0] for line in text.splitlines() if line.startswith("#")]
        return headings, commands, re.findall(r"```(\w*)", text)

    english, chinese = structure("README.md"), structure("README.zh-CN.md")
    assert english[0] == chinese[0]
    assert english[1] == chinese[1]
    assert english[2] == chinese[2]


PAGE_OF = {
    "app": "cli.md",
    "web": "page.md",
    "testing": "../guides/testing.md",
}


@pytest.mark.req("mi.docs.spec-pages", "v1.docs.spec-updated")
def test_every_room_has_its_page():
    """A change of behaviour has a place to be written down: one page per room, some shared by small rooms."""
    rooms = [path.name for path in (ROOT / "mi").iterdir() if path.is_dir() and path.name != "__pycache__"]
    pages = {room: ROOT / "docs/spec" / PAGE_OF.get(room, f"{room}.md") for room in rooms}
    assert [room for room, page in pages.items() if not page.exists()] == []
    listed = (ROOT / "docs/spec/README.md").read_text("utf-8")
    assert [page.name for page in pages.values() if f"({page.name})" not in listed and ".." not in str(page)] == []


def test_every_command_is_documented():
    page = (ROOT / "docs/spec/cli.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"`{name}" not in page] == []


def test_every_makefile_target_of_the_readme_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    wanted = set(re.findall(r"make ([a-z]+)", (ROOT / "README.md").read_text("utf-8")))
    assert {target for target in wanted if f"\n{target}:" not in makefile} == set()


def test_every_bench_is_in_the_table_of_figures():
    """But for recall, whose data nobody may hand on; what it says of itself in Chinese is part of it."""
    listed = set(runpy.run_path(str(ROOT / "bench/all.py"))["BENCHES"])
    assert {path.stem for path in (ROOT / "bench").glob("*.py")} - {
        "all",
        "recall",
        "chinese_talk",
        "__init__",
    } == listed


SPEAKS_OUT = {
    "mi/kernel/notify_channels.py",  # notifications that were set up
    "mi/mind/providers/http.py",  # the model that was chosen to judge
    "mi/review/deploying.py",  # the health address of a deployment
}


@pytest.mark.req("everyday.phones-nobody")
def test_nothing_phones_home():
    """What opens a connection over HTTP is known: none of it looks for updates or counts anything."""
    opens = re.compile(r"^\s*(?:import|from) (?:http\.client|urllib\.request|smtplib|ftplib|requests|httpx)\b", re.M)
    found = {str(path.relative_to(ROOT)) for path in (ROOT / "mi").rglob("*.py") if opens.search(path.read_text())}
    assert found == SPEAKS_OUT
