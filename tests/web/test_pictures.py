"""The pictures of the page in README and guides: taken here from a scripted run, and held against what it shows now.

`make screenshots` writes them. A picture differs from machine to machine by its fonts, so `page.json` keeps what each
one shows in words (but for the menu, which grows with the views), its size and its digest: no picture can be changed,
and no view, without the other.
"""

import hashlib
import json
import os
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page

from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.web.browser import open_page

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "docs" / "pictures"
KNOWN = PICTURES / "page.json"
MOST_BYTES = 150_000

# What is said in the run, in the language of the picture: the question, the tasks, the values and the agent's end.
SAID = {
    "en": (
        "The report can be printed in two ways. Which one do you want?\n"
        "A) one page per month\nB) one page per customer",
        "Print the report of last month",
        "Fix the failing test of add",
        "Keep changes small. Run the tests before you say done.",
        "I mended add in calc.py, and its tests pass. Done.",
    ),
    "zh": (
        "报表有两种打印方式。您要哪一种？\nA) 每月一页\nB) 每位客户一页",
        "打印上个月的报表",
        "修好 add 失败的测试",
        "改动要小。说完成之前先运行测试。",
        "calc.py 里的 add 修好了，测试通过。完成。",
    ),
}
Make = Callable[..., Any]
# What differs from run to run is put to one moment before a picture is taken.
STEADY = r"""() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const known = [[/run_\d{8}T\d{6}Z_\w{8}/g, "run_20261118T093000Z_k3f9q2mx"],
    [/\d{4}-\d\d-\d\d \d\d:\d\d/g, "2026-11-18 09:30"],
    [/\b(\d+\.)?\d+ s\b/g, "42 s"], [/\b[0-9a-f]{7,64}\b/g, "c0ffee1"], [/\b(ev|cl|qu|sg)_[\w-]{12,}/g, "$1_k3f9q2mx"]];
  for (let one = texts.nextNode(); one; one = texts.nextNode())
    for (const [what, shown] of known) one.nodeValue = one.nodeValue.replace(what, shown);
}"""


class Picture(NamedTuple):
    """One picture: which view, how wide and high, and light or dark."""

    name: str
    address: str
    width: int
    height: int
    dark: bool = False
    language: str = "en"

    @property
    def path(self) -> Path:
        return PICTURES / f"{self.name}.png"


TAKEN = (
    Picture("page-needs-you", "/", 1280, 640),
    Picture("page-phone", "/", 375, 760, dark=True),
    Picture("page-runs", "/runs", 1280, 640),
    Picture("page-needs-you.zh", "/", 1280, 640, language="zh"),
)


def make_bench(folder: Path, language: str) -> Workbench:
    """A run that waits for an answer, and one that is done."""
    bench, (question, report, mending, values, done) = open_bench(folder), SAID[language]
    bench.env["MI_LANG"] = language
    bench.mi("settings", "set", "--prove", "no")
    bench.agent([say(question)])
    bench.values(values)
    bench.run(report).ended("blocked")
    bench.agent([MEND, TEST, say(done)])
    bench.run(mending).ended("done")
    return bench


def take(page: Page, picture: Picture) -> dict[str, object]:
    """Show a picture's view, and return what can be read in it."""
    page.set_viewport_size({"width": picture.width, "height": picture.height})
    page.evaluate(STEADY)
    return {"size": [picture.width, picture.height], "text": page.inner_text("main").split("\n")}


def read_size(path: Path) -> list[int]:
    return list(struct.unpack(">II", path.read_bytes()[16:24]))


@pytest.mark.req("page.pictures")
@pytest.mark.parametrize("language", SAID)
def test_the_pictures_show_what_the_page_shows(tmp_path: Path, serve: Make, open_window: Make, language: str) -> None:
    served = serve(env=make_bench(tmp_path, language).env)
    first = open_page(open_window(), served.link)
    place, cookies = "/".join(first.url.split("/")[:4]), first.context.cookies(first.url)
    found: dict[str, dict[str, object]] = {}
    for picture in (one for one in TAKEN if one.language == language):
        window = open_window(width=picture.width, dark=picture.dark)
        window.add_cookies(cookies)
        page = window.new_page()
        page.goto(place + picture.address)
        page.wait_for_selector("main h1")
        found[picture.name] = take(page, picture)
        if "WRITE_PICTURES" in os.environ:
            assert has_letters(language), "a font for it is missing: apt-get install fonts-noto-cjk"
            page.screenshot(path=picture.path)
        digest = hashlib.sha256(picture.path.read_bytes()).hexdigest() if picture.path.exists() else ""
        found[picture.name]["sha256"] = digest
    known = json.loads(KNOWN.read_text("utf-8"))
    if "WRITE_PICTURES" in os.environ:
        known |= found
        KNOWN.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert found == {name: known.get(name) for name in found}, "run `make screenshots`"


def has_letters(language: str) -> bool:
    """Whether this machine can draw a language, as far as it tells its fonts."""
    return bool(subprocess.run(["fc-list", f":lang={language}"], check=True, capture_output=True).stdout)


@pytest.mark.req("page.pictures")
@pytest.mark.parametrize("picture", TAKEN, ids=lambda one: one.name)
def test_each_picture_is_small_of_its_size_and_shown_somewhere(picture: Picture) -> None:
    assert read_size(picture.path) == [picture.width, picture.height]
    assert picture.path.stat().st_size <= MOST_BYTES
    pages = [ROOT / "README.md", ROOT / "README.zh-CN.md", *(ROOT / "docs/guides").glob("*.md")]
    assert any(f"pictures/{picture.path.name})" in page.read_text("utf-8") for page in pages)
