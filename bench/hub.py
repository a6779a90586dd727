"""What a hub costs: pushing, pulling, many homes in turn, its queue; on a real PostgreSQL with TLS.

Prints figures and asserts nothing. `bench/hub.py 1000000` is the whole size; it takes 2 GB of disk and some minutes.
"""

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # in place of this folder, whose queue.py would be taken for Python's own

from concurrent.futures import ThreadPoolExecutor  # noqa: E402

from mi.fleet.queue import ClaimRules, QueuedTask, StretchEnd  # noqa: E402
from mi.hub.connection import connect_home  # noqa: E402
from mi.hub.procrastinate_queue import ProcrastinateQueue  # noqa: E402
from mi.hub.pull import HubPull  # noqa: E402
from mi.hub.push import HubPush  # noqa: E402
from mi.hub.state import need_hub  # noqa: E402
from mi.kernel.home import Home  # noqa: E402
from mi.kernel.jsontext import encode  # noqa: E402
from mi.kernel.notices import Notices  # noqa: E402
from tests.hub.postgres import Postgres  # noqa: E402
from tests.hub.team import Team, TeamHome  # noqa: E402

WORDS = "the release of this service goes out on a day when all tests were green and nobody objected to it".split()
NEW, HOMES, CONNECTIONS, JOBS = 1000, 100, 20, 2000


def write_claims(home: Home, count: int, first: int = 0) -> None:
    """Write words for the team, each a line of about 600 bytes."""
    place = Path(home.thoughts) / "claims.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("ab") as file:
        for number in range(first, first + count):
            text = " ".join(WORDS[(number * 7 + at) % len(WORDS)] for at in range(48))
            file.write(encode(make_claim(number, text)) + b"\n")


def make_claim(number: int, text: str) -> dict[str, Any]:
    return {
        "kind": "claim",
        "version": "v1",
        "claim_id": f"cl_{number:023d}",
        "claim_type": "fact",
        "text": text,
        "origin": "user",
        "tags": ["reach:team"],
        "scope": "global",
        "visibility": "global",
        "project_id": "",
        "asserted_ts": f"2026-11-{number % 28 + 1:02d}T12:00:00.000Z",
        "status": "active",
        "confidence": 1.0,
        "source_refs": [{"kind": "evidence_event", "event_id": f"ev_cli_20261118T120000Z_{number:08d}_1"}],
    }


def sync(member: TeamHome) -> tuple[float, int, int]:
    """One round as `mi sync` does it, without Python's start: seconds, records that went and that came."""
    home = Home(str(member.root))
    began = time.perf_counter()
    with connect_home(home, need_hub(home, Notices())) as connection:
        went = HubPush(connection, home, need_hub(home, Notices()), Notices()).run().records
        came = HubPull(connection, home, need_hub(home, Notices())).run()
    return time.perf_counter() - began, went, came


def main(count: int) -> None:
    server, folder = Postgres(fsync=True), Path(tempfile.mkdtemp(prefix="mi-hub-bench-"))
    try:
        team = Team(server, folder)
        ana, bo = team.join("ana"), team.join("bo")
        write_claims(Home(str(ana.root)), count)
        size = os.path.getsize(ana.root / "thoughtdb/global/claims.jsonl") / count
        began, served = time.process_time(), server.read_spent()
        took, went, _ = sync(ana)
        spent, served = time.process_time() - began, server.read_spent() - served
        print(f"push: {went:,} records of {size:.0f} bytes in {took:.1f} s: {went / took:,.0f}/s (wanted 20,000/s)")
        here, there = (seconds / went * 1e6 for seconds in (spent, served))
        print(f"      processor time of each: {here:.0f} µs here, {there:.0f} µs at the server")
        print(f"      load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        sync(bo)
        write_claims(Home(str(ana.root)), NEW, count)
        print(f"push of {NEW:,} new ones: {sync(ana)[0] * 1000:.0f} ms")
        took, _, came = sync(bo)
        print(f"pull of {came:,} new ones: {took * 1000:.0f} ms with its connection (wanted 200 ms)")
        with server.connect(team.database, "postgres") as database:
            rows = database.execute(
                "SELECT count(*), pg_database_size(current_database()) FROM mi_hub.record"
            ).fetchone()
            print(f"the hub: {rows[0]:,} records, {rows[1] / rows[0]:,.0f} bytes each with its indexes")
        measure_queue(ana)
        many = [team.join(f"m{number}") for number in range(HOMES)]
        for number, one in enumerate(many):
            write_claims(Home(str(one.root)), 1, count * 2 + number)
        times = [sync_new(one) for one in many]
        print(f"{HOMES} homes in turn: {sum(times) / HOMES * 1000:.0f} ms each")
        for number, one in enumerate(many):
            write_claims(Home(str(one.root)), 1, count * 3 + number)
        began = time.perf_counter()
        with ThreadPoolExecutor(CONNECTIONS) as at_once:
            times = [*at_once.map(sync_new, many)]
        took = time.perf_counter() - began
        worst = f"at worst {max(times):.1f} s for one"
        print(f"{HOMES} homes over {CONNECTIONS} connections at once: {took:.1f} s in all, {worst}")
    finally:
        server.remove()
        shutil.rmtree(folder)


def measure_queue(member: TeamHome) -> None:
    """A queue of many open jobs: putting them there, claiming, saying that one lives, ending."""
    home = Home(str(member.root))
    with closing(ProcrastinateQueue(home, need_hub(home, Notices()))) as queue:
        queue.counts()
        tasks = [
            QueuedTask(f"run_{number}", f"task {number}", "0" * 16, "", same=str(number)) for number in range(JOBS)
        ]
        began = time.perf_counter()
        queue.put(tasks)
        print(f"queue: put {JOBS / (time.perf_counter() - began):,.0f} tasks/s in a batch (wanted 2,000/s)")
        rules, claims = ClaimRules(), []
        print(f"       claim {median_ms(lambda _: claims.append(queue.claim('w', rules))):.1f} ms (wanted 3 ms)")
        print(f"       heartbeat {median_ms(lambda at: queue.heartbeat(claims[at].token)):.1f} ms")
        done = StretchEnd("done")
        print(f"       finish {median_ms(lambda at: queue.finish(claims[at].token, done)):.1f} ms (wanted 3 ms)")


def median_ms(call: Callable[[int], object], count: int = 100) -> float:
    times = []
    for at in range(count):
        began = time.perf_counter()
        call(at)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def sync_new(member: TeamHome) -> float:
    """A round of a home that pushes its own and pulls from others what is not the large log."""
    home = Home(str(member.root))
    began = time.perf_counter()
    with connect_home(home, need_hub(home, Notices())) as connection:
        HubPush(connection, home, need_hub(home, Notices()), Notices()).run()
    return time.perf_counter() - began


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
