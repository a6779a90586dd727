"""Run the benches one after another and write their figures down: `make bench`, or `make bench BENCH="floor page"`.

Each prints its own lines; here they are put under one head that names the machine. Nothing is asserted. With `--docs`
the same goes into `docs/figures.md`, where a bench that was not run keeps its former lines.
"""

import datetime
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs/figures.md"
BENCHES = """judge judges contract floor hands loop minds asked_once thoughts rules late_imports snapshots proof
    secrets speaker answers inbox seal stream queue trees fleet page hub hub_questions""".split()
_HEAD = """# Figures

What `make bench` printed: times beside the same machine's own `python -c pass` in the same run where that says more
than seconds, and the goal where there is one. Nothing here is asserted by a test; some goals are missed, and it shows.
To repeat it: `make bench`, or one of them, `make bench BENCH=floor`; the table of a run is written to
`build/figures.md`, and `make figures` writes this page. Recall needs the LoCoMo data: `MI_LOCOMO=file make bench`.
"""


def main(words: list[str]) -> int:
    wanted = [word for word in words if word != "--docs"] or BENCHES
    if os.environ.get("MI_LOCOMO") and wanted is BENCHES:
        wanted = [*BENCHES, "recall"]
    unknown = [name for name in wanted if not (ROOT / f"bench/{name}.py").is_file()]
    if unknown:
        print(f"no bench {unknown[0]!r}; there are: {', '.join(BENCHES)}, recall", file=sys.stderr)
        return 2
    former = _read_former() if "--docs" in words else {}
    failed = []
    for name in wanted:
        code, former[name] = _run(name)
        failed += [name] if code else []
        page = _HEAD + "".join(f"\n## {one}\n\n{former[one]}" for one in [*BENCHES, "recall"] if one in former)
        for path in (ROOT / "build/figures.md", *([DOCS] if "--docs" in words else ())):
            path.parent.mkdir(exist_ok=True)
            path.write_text(page, "utf-8")
    if failed:
        print(f"these ended with a fault: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _read_former() -> dict[str, str]:
    text = DOCS.read_text("utf-8") if DOCS.exists() else ""
    return dict(re.findall(r"^## (\w+)\n\n(.*?)(?=\n## |\Z)", text, re.MULTILINE | re.DOTALL))


def _run(name: str) -> tuple[int, str]:
    began, load = time.monotonic(), os.getloadavg()[0]
    print(f"== {name}", flush=True)
    process = subprocess.Popen(
        [sys.executable, str(ROOT / f"bench/{name}.py")], cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    code = process.wait()
    said = "".join(lines).strip("\n").replace(str(ROOT), ".") or "(nothing)"
    return code, f"{_describe_machine()}, load {load:.1f}, {time.monotonic() - began:.0f} s\n\n```\n{said}\n```\n"


def _describe_machine() -> str:
    commit, git = (
        subprocess.run(["git", *words], check=True, cwd=ROOT, capture_output=True, text=True).stdout.strip()
        for words in (["rev-parse", "--short=10", "HEAD"], ["--version"])
    )
    named = (
        datetime.date.today().isoformat(),
        f"commit {commit}",
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        f"Python {platform.python_version()}",
        git.replace(" version", ""),
    )
    return ", ".join(named)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
