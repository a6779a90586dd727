"""Figures of the page: ready, each view at 1,000 runs and 100,000 claims, first paint, from a record to the page.

Also its own assets, what it costs while nothing happens, and what fifty watchers cost a run. Run with `make bench`, or
`python bench/page.py [claims]`; prints figures, asserts nothing. On a busy machine the work (CPU) is what counts.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Thread
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # not this folder: its secrets.py is not Python's
from playwright.sync_api import Page, sync_playwright  # noqa: E402

from bench import fleet  # noqa: E402
from mi.web.rendering import STATIC, read_static  # noqa: E402
from mi.web.views import VIEWS  # noqa: E402
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say, write  # noqa: E402
from tests.web.browser import FLAGS, Served, find_chromium, serve_page  # noqa: E402
from tests.web.test_access import Visitor, ask, said_in  # noqa: E402
from tests.web.test_live import Watcher, since_of  # noqa: E402

RUNS, CLAIMS, PROJECTS = 1000, 100_000, 20
ROUNDS, IDLE_S, WATCHERS, TURNS = 9, 5.0, 50, 5
_STEPS = ("second", "third", "fourth")  # the same one again would be a loop
_TICK = os.sysconf("SC_CLK_TCK")
# The entry may come after the page is loaded.
_PAINT = """() => new Promise((done) => new PerformanceObserver((list) => {
  const found = list.getEntriesByName("first-contentful-paint")[0];
  if (found) done(found.startTime);
}).observe({type: "paint", buffered: true}))"""


class Measured(NamedTuple):
    """What a request took: by the clock, and of the server's work."""

    ms: float
    work_ms: float


def main() -> None:
    claims = int(sys.argv[1]) if len(sys.argv) > 1 else CLAIMS
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MI_HOME"] = str(Path(folder) / "home")
        bench = open_bench(Path(folder))
        run_id = fill(bench, claims)
        print(f"{RUNS:,} runs, {claims:,} claims of the project and as many of all; load {os.getloadavg()[0]:.1f}")
        measure_start()
        with serve_page() as served:
            measure_views(served, run_id)
            measure_idle(served)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
                measure_browser(browser.new_page(), served, bench)
                browser.close()
        size = sum(len(read_static(name)) for name in STATIC)
        print(f"own assets: {size / 1000:.1f} KB (≤ 60 KB)")
        measure_watchers(bench)


def fill(bench: Workbench, claims: int) -> str:
    """Make a home that has lived long; return a run that really ran."""
    from bench import thoughts  # puts this folder first where modules are looked for

    bench.agent([run("true"), say("Not yet. I go on.")], [MEND, TEST, say("Fixed and tested. Done.")])
    bench.values("Keep changes small. Run the tests.")
    done = bench.run()
    assert done.code == 0, done.stderr
    fleet.RUNS, fleet.PROJECTS = RUNS, PROJECTS
    fleet.fill(bench.home)
    own = next(bench.home.glob("projects/*/evidence.jsonl.seal"), None) or next(
        bench.home.glob("projects/*/overlay.json")
    )
    for root in (own.parent / "thoughtdb", bench.home / "thoughtdb/global"):
        thoughts.fill(root, 0, claims)
    for command in (["runs"], ["inbox"], ["claim", "list", "--limit", "1"]):  # what is derived is built once
        bench.mi(*command)
    return str(done.end["run_id"])


def measure_start() -> None:
    """Print how long it is until the link is there, in turn with Python alone."""
    alone, ready = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        alone.append(time.perf_counter() - began)
        began = time.perf_counter()
        with serve_page():
            ready.append(time.perf_counter() - began)
    base, took = statistics.median(alone), statistics.median(ready)
    print(f"ready: {took * 1000:.0f} ms, {took / base:.1f}× of python -c pass (≤ 500 ms)")


def read_work(pid: int) -> float:
    """Return the seconds of work that a process has done."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def measure_views(served: Served, run_id: str) -> None:
    """Print what each view takes once it was looked at."""
    visitor = Visitor(served.port)
    place = visitor.enter(served.link)
    known = {"run_id": run_id, "ref": run_id, "form": "html"}
    more = {"runs": ["?q=task+99", "?most=300"], "knowledge": ["?q=topic+33"]}
    for view in VIEWS:
        for query in ("", *more.get(view.name, ())):
            address = view.path.format(**known) + query
            while (answer := visitor.ask(place + address))[0] == 503:  # what is derived is built at the first look
                pass
            status, _, body = answer
            taken = measure_request(visitor, place + address, served.process.pid)
            told = f"{taken.ms:.0f} ms, work {taken.work_ms:.0f} ms, {len(body) / 1000:.0f} KB (≤ 150 ms)"
            print(f"{view.name + query:<24} {status} {told}")


def measure_request(visitor: Visitor, address: str, pid: int) -> Measured:
    before, times = read_work(pid), []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        visitor.ask(address)
        times.append(time.perf_counter() - began)
    return Measured(statistics.median(times) * 1000, (read_work(pid) - before) / ROUNDS * 1000)


def measure_idle(served: Served) -> None:
    """Print what the page costs while nothing happens: with nobody there, and with somebody who watches."""
    link = subprocess.run([fleet.MI, "web", "link", "--json"], check=True, capture_output=True, encoding="utf-8").stdout
    visitor = Visitor(served.port)
    place = visitor.enter(link.partition('"link":')[2].strip(' "}\n'))
    for name, watchers in (("nobody there", 0), ("one watcher", 1), (f"{WATCHERS} watchers", WATCHERS)):
        with ExitStack() as opened:
            for _ in range(watchers):
                opened.enter_context(closing(Watcher(visitor, place)))
            before = read_work(served.process.pid)
            time.sleep(IDLE_S)
            print(f"idle, {name}: {(read_work(served.process.pid) - before) / IDLE_S * 100:.1f} % of a core")


def measure_browser(page: Page, served: Served, bench: Workbench) -> None:
    """Print the first paint of the home view, and how soon a record is on the page."""
    link = subprocess.run([fleet.MI, "web", "link", "--json"], check=True, capture_output=True, encoding="utf-8").stdout
    page.goto(link.partition('"link":')[2].strip(' "}\n'))
    page.wait_for_selector("main#main")
    paints = []
    for _ in range(ROUNDS):
        page.reload()
        page.wait_for_load_state()
        paints.append(page.evaluate(_PAINT))
    print(f"first paint of Needs you: {statistics.median(paints):.0f} ms (≤ 300 ms)")
    home = fleet.Home(str(bench.home))
    times = []
    for number in range(ROUNDS):
        began = time.perf_counter()
        asked = ask(home, f"Which colour, number {number}?")
        page.wait_for_selector(f"article#{asked}")
        times.append(time.perf_counter() - began)
    assert said_in(home) == []
    typical, worst = statistics.median(times) * 1000, max(times) * 1000
    print(f"record appended → on the page: {typical:.0f} ms, worst {worst:.0f} ms (≤ 300 ms)")


def measure_watchers(bench: Workbench) -> None:
    """Print what a run takes with fifty pages that watch it beside what it takes alone, in turn."""
    alone, watched, served_work = [], [], []
    for _ in range(TURNS):
        alone.append(time_run(bench))
        with serve_page() as served:
            visitor = Visitor(served.port)
            place = visitor.enter(served.link)
            since = since_of(visitor.ask(f"{place}/runs")[2])
            watchers = [Watcher(visitor, place, since) for _ in range(WATCHERS)]
            for watcher in watchers:
                Thread(target=follow, args=(watcher, visitor, f"{place}/runs"), daemon=True).start()
            before = read_work(served.process.pid)
            watched.append(time_run(bench))
            served_work.append(read_work(served.process.pid) - before)
    for what, name in ((0, "clock"), (1, "work")):
        base, with_it = (statistics.median(one[what] for one in taken) for taken in (alone, watched))
        figures = f"{with_it:.2f} s beside {base:.2f} s, {with_it / base:.3f}× (≤ 1.02×)"
        print(f"a run with {WATCHERS} watchers, {name}: {figures}")
    told = f"{statistics.median(served_work):.2f} s of work meanwhile; load {os.getloadavg()[0]:.1f}"
    print(f"what the page does for {WATCHERS} watchers of a run: {told}")


def follow(watcher: Watcher, visitor: Visitor, address: str) -> None:
    """Do what an open page does: hear, and look again."""
    try:
        while True:
            watcher.hear()
            began = time.perf_counter()
            visitor.ask(address, Accept="text/html; fragment")
            time.sleep(min(2 * (time.perf_counter() - began), 2.0))  # as page.js does
    except (OSError, ValueError, KeyError):
        return  # the page is closed


def time_run(bench: Workbench) -> tuple[float, float]:
    """Return what a run of some batches took: by the clock, and of work."""
    (bench.project / "calc.py").write_text("def add(a, b):\n    return a\n", "utf-8")
    steps = [[write("notes.txt", word), TEST, say(f"I go on with the {word} step.")] for word in _STEPS]
    bench.agent(*steps, [MEND, TEST, say("Done.")])
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    words = [str(fleet.MI), "run", "--max-batches", str(len(_STEPS) + 1), "--quiet", "fix it"]
    done = subprocess.run(words, cwd=bench.project, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 3), (
        done.stderr
    )  # the rules may not believe in the steps: it is the same work each time
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
