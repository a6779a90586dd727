"""How long an answer takes from one machine to the run that waits on another, and what a run costs at the hub.

Two homes of a member, `mi sync --watch` in both, a real PostgreSQL with TLS. Prints figures and asserts nothing.
"""

import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # in place of this folder, whose queue.py would be taken for Python's own

from mi.hub import membership  # noqa: E402
from mi.kernel.home import Home  # noqa: E402
from mi.kernel.notices import Notices  # noqa: E402
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say  # noqa: E402
from tests.conftest import MI  # noqa: E402
from tests.hub.postgres import Postgres  # noqa: E402
from tests.hub.team import Team, TeamHome  # noqa: E402
from tests.hub.test_questions import write_question  # noqa: E402
from tests.waiting import wait_until  # noqa: E402

TIMES = 10
SIZES = """SELECT count(DISTINCT run), count(*), sum(octet_length(body)), sum(pg_column_size(record.*))
    FROM mi_hub.record WHERE run <> ''"""


def open_desk(team: Team, folder: Path) -> Workbench:
    """A home in which one run was done, and one ended with a question; both are shared."""
    folder.mkdir()
    bench = open_bench(folder)
    bench.env = {"MI_HOME": str(bench.home)}
    bench.agent([say("Red or green?")], [MEND, TEST, say("Fixed and tested. Done.")])
    bench.mi("settings", "set", "--prove", "no")
    membership.join(Home(str(bench.home)), Notices(), *team.invite("ana"))
    bench.configure(hub={"share": "runs"})
    bench.mi("sync")
    bench.run("fix it")
    bench.mi("answer", "1", "green")
    bench.run("--resume")
    bench.mi("sync")
    return bench


def watch(home: str, folder: Path) -> "subprocess.Popen[bytes]":
    words = [str(MI), "sync", "--watch"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(words, env=os.environ | {"MI_HOME": home}, cwd=folder, stdout=quiet, stderr=quiet)


def measure(bench: Workbench, laptop: TeamHome, number: int) -> tuple[float, float]:
    """Seconds from a question to the other machine's inbox, and from `mi answer` there to the log here."""
    (log,) = bench.home.glob("projects/*/evidence.jsonl")
    known, question = laptop.root / "hub" / "questions.json", f"qu_bench_{number:08d}"
    began = time.perf_counter()
    write_question(bench, question, f"Question {number}, yes or no?")
    assert wait_until(lambda: known.exists() and question in known.read_text("utf-8"), 60)
    asked = time.perf_counter() - began
    before, began = log.stat().st_size, time.perf_counter()
    env = os.environ | {"MI_HOME": str(laptop.root)}
    words = [str(MI), "answer", question, "yes"]
    answering = subprocess.Popen(words, env=env, cwd=laptop.clone, stdout=subprocess.DEVNULL)
    assert wait_until(lambda: log.stat().st_size > before, 60)
    took = time.perf_counter() - began
    answering.wait(60)
    return asked, took


def measure_start() -> float:
    """Seconds that a command takes which does nothing, beside the same load."""
    began = time.perf_counter()
    subprocess.run([str(MI), "--version"], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    server, folder = Postgres(fsync=True), Path(tempfile.mkdtemp(prefix="mi-hub-bench-"))
    try:
        team = Team(server, folder)
        bench, laptop = open_desk(team, folder / "desk"), team.join("ana", "laptop")
        with server.connect(team.database, "postgres") as database:
            runs, rows, texts, sizes = database.execute(SIZES).fetchone()
        print(f"a shared run: {rows / runs:.0f} rows, {texts / runs:,.0f} bytes of text, {sizes / runs:,.0f} as rows")
        (log,) = bench.home.glob("projects/*/evidence.jsonl")
        print(f"its whole log, as a run of the hub's queue: {len(bench.records())} rows, {log.stat().st_size:,} bytes")
        watching = [watch(str(bench.home), bench.project), watch(str(laptop.root), laptop.clone)]
        try:
            times = [measure(bench, laptop, number) for number in range(TIMES)]
        finally:
            for one in watching:
                one.send_signal(signal.SIGINT)
                one.wait(60)
        start = statistics.median(measure_start() for _ in range(TIMES))
        asked, took = ([row[at] for row in times] for at in (0, 1))
        print(f"a question to the other inbox: {statistics.median(asked):.2f} s, at worst {max(asked):.2f} s")
        print(f"mi answer to the waiting log: {statistics.median(took):.2f} s, at worst {max(took):.2f} s (wanted 1 s)")
        print(f"mi --version beside the same load: {start:.2f} s; load of the machine {os.getloadavg()[0]:.1f}")
    finally:
        server.remove()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
