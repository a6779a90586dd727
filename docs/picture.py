"""Draws `docs/pictures/`: a finished run and its three marks, from what `mi demo` really prints.

Run with `make docs`; `--check` only compares. Run ids, times and costs are left out: they differ each time.
"""

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import NamedTuple

from mi.kernel.messages import text
from mi.kernel.text import shorten, width

FOLDER = Path(__file__).resolve().parent / "pictures"
FILES = {"en": FOLDER / "run.svg", "zh": FOLDER / "run.zh.svg"}
COLUMNS, LINE, CHAR = 86, 18, 7.25
WIDTH, LEFT, TOP = 960, 28, 74
TONES = {"mi": "#5eead4", "mi->hands": "#93c5fd", "hands": "#d1d5db"}
# What the person should see in the run: beside the first line that holds the words.
NOTES = {
    "en": {
        "Values:": "your values, told once",
        "exit 1": "the test fails",
        "MI's answer:": "answered in your own words",
        "[hands] Done:": "a lie: no test was run …",
        "not proved": "… MI runs the tests itself",
        "checks: proved": "proof, on the last change",
    },
    "zh": {
        "Values:": "你的价值观，只说一次",
        "exit 1": "测试失败",
        "MI 的回答": "用你自己的话回答",
        "[hands] 完成了": "谎话：没有运行测试……",
        "未证明": "……MI 亲自运行测试",
        "检查: 已证明": "对最后改动的证明",
    },
}
TITLES = {"en": "A finished run of mi demo, with its three marks", "zh": "mi demo 的一次完整运行，以及三个标记"}
MEANINGS = {
    "en": {"ran": "the agent ended its turn", "claimed": "it says that it is done", "verified": "a check proved it"},
    "zh": {"ran": "代理结束了这一轮", "claimed": "代理说已完成", "verified": "检查证明了"},
}


class Run(NamedTuple):
    """What a demo showed: its lines, how it ended, and the marks that held."""

    lines: list[str]
    end: str
    marks: dict[str, bool]


def demo(language: str) -> Run:
    """A real demo in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"HOME": folder, "MI_LANG": language}
        command = [sys.executable, "-m", "mi", "--home", os.path.join(folder, "mi"), "demo"]
        done = subprocess.run(command, env=env, check=True, capture_output=True, encoding="utf-8")
    shown = done.stdout.splitlines()
    ended = text("run.done", language)
    end = next(line for line in shown if line.startswith(ended))
    marks = {name: f"{text('mark.' + name, language)} ✓" in done.stdout for name in MEANINGS["en"]}
    first = shown[: shown.index(end)]  # the demo goes on with a second task
    return Run([line for line in map(_steady, first) if _tells(line)], end, marks)


def _steady(line: str) -> str:
    """A line without what differs from run to run."""
    return re.sub(r"run_\w+[:：] ?|(?: \(|（)\d+:\d\d[)）]", "", line)


def _tells(line: str) -> bool:
    """Whether a line says something: who speaks, and more than that nothing had to be done."""
    idle = r"refs/mi/|\] project  /|\] 项目     /|MI runs|MI 在|MI 对"  # a proof begins when it can
    return bool(re.match(r"\[[\w>-]+\] .*\S", line)) and not re.search(idle, line)


def drawn(run: Run, language: str) -> str:
    """The whole picture."""
    notes = dict(NOTES[language])
    body = []
    for number, line in enumerate(run.lines):
        y = TOP + number * LINE
        body.append(_line(shorten(line, COLUMNS), y))
        anchor = next((words for words in notes if words in line), None)
        if anchor:
            body.append(_note(notes.pop(anchor), y, line))
    if notes:
        raise SystemExit(f"the demo no longer shows {', '.join(notes)}")
    bottom = TOP + len(run.lines) * LINE + 16
    body += [_text(LEFT, bottom, run.end, "#f9fafb", weight="bold"), *_marks(run.marks, language, bottom + 22)]
    return _framed("\n".join(body), bottom + 104, TITLES[language])


def _line(line: str, y: int) -> str:
    who, _, said = line.partition("] ")
    tone = TONES.get(who[1:], "#9ca3af")
    color = "#f87171" if "exit 1" in said else "#4ade80" if "exit 0" in said else "#f3f4f6" if who == "[hands" else tone
    return _text(LEFT, y, f"{who}]", tone) + _text(LEFT + CHAR * (width(who) + 2), y, said, color)


def _note(said: str, y: int, line: str) -> str:
    start = LEFT + CHAR * min(width(line), COLUMNS) + 10
    rule = (
        f'<path d="M{start:g} {y - 4}H708" stroke="#4b5563" stroke-dasharray="2 4" fill="none"/>' if start < 700 else ""
    )
    return rule + _text(716, y, said, "#fbbf24", family="sans-serif", size=13)


def _marks(marks: dict[str, bool], language: str, y: int) -> list[str]:
    parts = []
    for number, (name, held) in enumerate(marks.items()):
        x, color = LEFT + number * 304, "#4ade80" if held else "#f87171"
        parts += [
            f'<rect x="{x}" y="{y}" width="288" height="56" rx="10" fill="#111827" stroke="{color}"/>',
            _text(x + 16, y + 37, "✓" if held else "✗", color, size=26, weight="bold"),
            _text(
                x + 52, y + 25, text(f"mark.{name}", language), "#f9fafb", family="sans-serif", size=16, weight="bold"
            ),
            _text(x + 52, y + 44, MEANINGS[language][name], "#9ca3af", family="sans-serif", size=13),
        ]
    return parts


def _text(
    x: float, y: float, said: str, color: str, *, family: str = "monospace", size: int = 12, weight: str = "normal"
) -> str:
    families = {"monospace": "ui-monospace, Menlo, Consolas, monospace", "sans-serif": "system-ui, sans-serif"}
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{color}" font-family="{families[family]}" font-size="{size}" '
        f'font-weight="{weight}" xml:space="preserve">{escape(said)}</text>'
    )


def _framed(body: str, height: int, title: str) -> str:
    dots = "".join(
        f'<circle cx="{30 + 20 * n}" cy="24" r="6" fill="{c}"/>'
        for n, c in enumerate(("#f87171", "#fbbf24", "#4ade80"))
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">
<title>{escape(title)}</title>
<rect width="{WIDTH}" height="{height}" rx="14" fill="#1f2937"/>
{dots}{_text(106, 28, "$ mi demo", "#9ca3af")}
{body}
</svg>
"""


def main() -> int:
    stale = []
    for language, path in FILES.items():
        wanted = drawn(demo(language), language)
        if not path.exists() or path.read_text("utf-8") != wanted:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.parent.mkdir(exist_ok=True)
                path.write_text(wanted, "utf-8")
    print("\n".join(stale) or "up to date")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
