"""Figures of the floor: start-up and everyday reads beside the venv's own `python -c pass`, memory, two writers.

Builds a wheel, installs it into a new venv, and measures the work of the installed command
with output not on a terminal.
Run with `make bench`; prints ratios, asserts nothing.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from mi.kernel.seal import seal_anew  # noqa: E402

RECORDS = 200_000
ROUNDS = 21
SUBJECTS = {
    "mi --version": (["--version"], 2),
    "mi status": (["status"], 6),
    "mi tail -n 20": (["tail", "-n", "20"], 6),
    "mi show <id>": (["show", "{middle}"], 6),
    "mi show last": (["show", "last"], 6),
    "mi values show": (["values", "show"], 6),
    "mi project status": (["project", "status"], 6),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        venv = install(work)
        project = repository(work / "project")
        small, large = home(venv, work / "small", project, 200), home(venv, work / "large", project, RECORDS)
        for place in (small, large):
            size = sum(file.stat().st_size for file in place["home"].rglob("evidence.jsonl")) / 1e6
            print(f"\n{place['records']:,} evidence records, {size:.0f} MB")
            report(venv, place, project)
        two_writers(venv, work / "race")


def install(work: Path) -> Path:
    venv = work / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([str(venv / "bin/pip"), "install", "-q", str(ROOT)], check=True, cwd=work)
    return venv


def repository(path: Path) -> Path:
    path.mkdir()
    for args in (
        ["init", "-q"],
        ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "--allow-empty", "-m", "b"],
    ):
        subprocess.run(["git", *args], cwd=path, check=True)
    return path


def home(venv: Path, path: Path, project: Path, records: int) -> dict:
    env = os.environ | {"MI_HOME": str(path)}
    subprocess.run(
        [venv / "bin/mi", "init", "--values", "Keep changes small. Run the tests."],
        env=env,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run([venv / "bin/mi", "project", "use", "--cd", project], env=env, check=True, stdout=subprocess.DEVNULL)
    answer = subprocess.run(
        [venv / "bin/mi", "-C", project, "project", "show", "--json"], env=env, check=True, capture_output=True
    )
    log = Path(json.loads(answer.stdout)["paths"]["evidence"])
    run = "run_20260101T000000Z_bench000"
    filler = "x" * 560
    with log.open("w") as file:
        for seq in range(1, records + 1):
            record = {
                "kind": "run_start" if seq == 1 else "hands_input" if seq % 50 == 0 else "evidence",
                "v": 1,
                "event_id": f"ev_{run}_{seq}",
                "run_id": run,
                "seq": seq,
                "ts": "2026-01-01T00:00:00.000Z",
                "batch_id": f"b{seq // 50}",
                "thread_id": "",
                "facts": [filler],
                "results": [f"record {seq}"],
            }
            if seq == 1:
                record |= {"task": "Mend it.", "project_root": str(project)}
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
    seal_anew(str(log))
    return {"home": path, "records": records, "middle": f"ev_{run}_{records // 2}"}


def report(venv: Path, place: dict, project: Path) -> None:
    env = os.environ | {"MI_HOME": str(place["home"])}
    baseline = [str(venv / "bin/python"), "-c", "pass"]
    commands = {
        name: [str(venv / "bin/mi"), *[word.format(**place) for word in words]] for name, (words, _) in SUBJECTS.items()
    }
    for command in commands.values():
        subprocess.run(command, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    times: dict[str, list[float]] = {name: [] for name in ("base", *commands)}
    for _ in range(ROUNDS):  # interleaved, so that a busy moment touches all alike
        times["base"].append(worked(baseline, project, env)[1])
        for name, command in commands.items():
            times[name].append(worked(command, project, env)[1])
    base = statistics.median(times.pop("base"))
    print(f"  {'python -c pass':<20} {base * 1000:6.1f} ms of work, {load_average()}")
    for name, one in times.items():
        ratio = statistics.median(one) / base
        memory = peak_memory(commands[name], project, env)
        print(
            f"  {name:<20} {statistics.median(one) * 1000:6.1f} ms"
            f"  {ratio:4.2f}x (goal {SUBJECTS[name][1]}x)  {memory:5.1f} MB"
        )


def timed(command: list[str], cwd: Path, env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def worked(command: list[str], cwd: Path, env: dict[str, str]) -> tuple[float, float]:
    """Seconds by the clock and seconds of work: the second figure also holds on a busy machine."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - start, used.ru_utime + used.ru_stime


def medians(times: list[tuple[float, float]]) -> tuple[float, float]:
    """Of the clock and of the work."""
    return statistics.median(one for one, _ in times), statistics.median(work for _, work in times)


def load_average() -> str:
    """How busy the machine is: figures by the clock mean little where it is over the number of cores."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def peak_memory(command: list[str], cwd: Path, env: dict[str, str]) -> float:
    """In a process of its own: the peak of all children is kept per parent."""
    code = (
        "import resource,subprocess,sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    answer = subprocess.run([sys.executable, "-c", code, *command], cwd=cwd, env=env, check=True, capture_output=True)
    return int(answer.stdout) / 1000


def two_writers(venv: Path, path: Path) -> None:
    code = """
import sys
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.hands import HandsInput
from mi.kernel.notices import Notices
writer = EvidenceWriter.for_command(sys.argv[1], Notices())
for number in range(10_000):
    writer.append(HandsInput(input=f"record {number}"))
"""
    log = path / "evidence.jsonl"
    start = time.perf_counter()
    writers = [subprocess.Popen([venv / "bin/python", "-c", code, log]) for _ in range(2)]
    codes = [writer.wait() for writer in writers]
    seconds = time.perf_counter() - start
    lines = log.read_bytes().splitlines()
    ids = {json.loads(line)["event_id"] for line in lines}
    print(
        f"\ntwo writers, 10,000 records each: exit {codes}, {len(lines)} lines, {len(ids)} distinct ids, "
        f"{len(lines) / seconds:,.0f} records/s"
    )


if __name__ == "__main__":
    main()
