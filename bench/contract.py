"""Figures of the agents' door: the first answer after the spawn, tool calls with many memories, hooks.

Run with `python bench/contract.py [memories]` (default 10000); prints figures beside their goals, asserts nothing.
"""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from floor import install, load_average, repository, timed

ROUNDS = 21
CALLS = 300
HALVES = "ba be bi bo bu da de di do du ka ke ki ko ku la".split()
WORDS = [a + b + c for a in HALVES for b in HALVES for c in "nel rom tas vik zum".split()]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


class Server:
    """A server process that answers one request after the other."""

    def __init__(self, mi: str, project: Path, env: dict[str, str]) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            [mi, "mcp", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project, env=env
        )

    def ask(self, message: dict) -> bytes:
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def call(self, tool: str, **arguments: object) -> dict:
        params = {"name": tool, "arguments": arguments}
        return json.loads(self.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))["result"]

    def work(self) -> float:
        """Seconds that the process worked so far, which a busy machine changes little."""
        times = Path(f"/proc/{self._process.pid}/stat").read_text("utf-8").rpartition(") ")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        venv = install(work)
        project = repository(work / "project")
        mi, env = str(venv / "bin/mi"), os.environ | {"MI_HOME": str(work / "home")}
        first_answer(mi, [str(venv / "bin/python"), "-c", "pass"], project, env)
        fill(mi, project, env, size)
        calls(mi, project, env)
        hooks(venv, mi, project, env)
        team(venv, work, env, size)


def first_answer(mi: str, baseline: list[str], project: Path, env: dict[str, str]) -> None:
    times, base = [], []
    for _ in range(ROUNDS):
        base.append(timed(baseline, project, env))
        server = Server(mi, project, env)
        server.ask(INITIALIZE)
        times.append(time.perf_counter() - server.started)
        listed = server.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        server.end()
    found = statistics.median(times)
    ratio = found / statistics.median(base)
    print(f"  initialize after the spawn   {found * 1000:6.0f} ms (goal 300 ms)  {ratio:4.1f}x of python -c pass")
    print(f"  tools/list                   {len(listed):6} bytes (goal 24000)")


def fill(mi: str, project: Path, env: dict[str, str], size: int) -> None:
    """Every type, through the door itself."""
    random.seed(7)
    server = Server(mi, project, env)
    server.ask(INITIALIZE)
    server.call("memory_recent")
    server.call("memory_set_mode", mode="GUARDED")
    (project / "file.txt").write_text("content\n", "utf-8")
    more = {"fact": {"evidence": ["file_exists::file.txt"]}, "decision": {"rationale": "because"}}
    more["constraint"] = more["decision"]
    kinds = ["fact"] * 2 + ["constraint"] + ["decision"] * 7 + ["claim"] * 40 + ["note", "observation"] * 25
    start = time.perf_counter()
    for _ in range(size):
        kind = random.choice(kinds)
        server.call("memory_write", type=kind, summary=sentence(12), **more.get(kind, {}))
    print(f"  {size:,} memories written     {(time.perf_counter() - start) / size * 1000:6.1f} ms each")
    server.end()


def sentence(count: int) -> str:
    return " ".join(random.choices(WORDS, k=count))


def calls(mi: str, project: Path, env: dict[str, str]) -> None:
    server = begin(mi, project, env)
    server.call("task_add", title="One thing")
    server.call("memory_recent")
    subjects = {
        "memory_query": lambda: {"query": sentence(4)},
        "memory_recent": lambda: {"count": 10},
        "memory_check_task_authority": dict,
        "memory_write": lambda: {"type": "note", "summary": sentence(12)},
        "task_list": dict,
    }
    every = [one for tool, arguments in subjects.items() for one in repeat(server, tool, arguments)]
    show("all calls", every)
    server.end()


def begin(mi: str, project: Path, env: dict[str, str]) -> Server:
    server = Server(mi, project, env)
    server.ask(INITIALIZE)
    server.call("memory_set_mode", mode="GUARDED")
    start = time.perf_counter()
    server.call("memory_query", query="first")
    print(f"  the first recall of a server {(time.perf_counter() - start) * 1000:6.0f} ms (goal 150)")
    return server


def repeat(server: Server, tool: str, arguments: Callable[[], dict]) -> list[float]:
    times, before = [], server.work()
    for _ in range(CALLS):
        given = arguments()
        start = time.perf_counter()
        result = server.call(tool, **given)
        times.append(time.perf_counter() - start)
        assert not result["isError"], result
    show(tool, times, (server.work() - before) / CALLS)
    return times


def team(venv: Path, work: Path, env: dict[str, str], size: int) -> None:
    """Recall where the team's files are many, and in a home of many projects."""
    mi, project = str(venv / "bin/mi"), repository(work / "team")
    for folder in (".nexus/memory", ".nexus/rules"):
        (project / folder).mkdir(parents=True)
    for number in range(size):
        (project / f".nexus/memory/empirical-{number}.md").write_text(sentence(12) + "\n", "utf-8")
    for number in range(20):
        (project / f".nexus/rules/rule-{number}.md").write_text(sentence(12) + "\n", "utf-8")
        other = repository(work / f"other-{number}")
        (other / ".nexus/rules").mkdir(parents=True)
        subprocess.run([mi, "memory", "recent"], cwd=other, env=env, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["git", "add", "-A"], cwd=project, check=True)
    subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "b"], cwd=project, check=True)
    subprocess.run([mi, "trust", "--team"], cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    print(f"  {size:,} team files, 20 other projects:")
    begin(mi, project, env).end()  # takes them in
    server = begin(mi, project, env)
    repeat(server, "memory_query", lambda: {"query": sentence(4)})
    server.end()


def show(what: str, times: list[float], work: float = 0.0) -> None:
    p95 = statistics.quantiles(times, n=20)[-1]
    worked = f"  {work * 1000:5.1f} ms of work each" if work else ""
    p50 = statistics.median(times)
    print(f"  {what:<28} p50 {p50 * 1000:5.1f} ms (goal 5)  p95 {p95 * 1000:5.1f} ms (goal 20){worked}")


def hooks(venv: Path, mi: str, project: Path, env: dict[str, str]) -> None:
    """Print the work of the processor, which a busy machine changes little: each profile whole, as set up."""
    env = env | {"PATH": f"{venv / 'bin'}{os.pathsep}{env['PATH']}", "HOME": str(venv.parent / "user")}
    Path(env["HOME"]).mkdir(exist_ok=True)
    for profile in ("light", "team", "strict"):
        set_up([mi, "setup", "claude-code", "--profile", profile, "--yes"], project, env)
        words = ["--profile", profile] if profile != "light" else []
        subjects = {
            f"{profile}, {what}": ([mi, "hook", event, "--host", "claude-code", *words], json.dumps(data), goal)
            for what, (event, data, goal) in events(project).items()
        }
        if profile == "light":
            subjects |= {f"mi {' '.join(one)}": ([mi, *one], "", 6) for one in (["status"], ["memory", "recent"])}
        report(venv, subjects, project, env)
        set_up([mi, "setup", "--remove", "--yes"], project, env)


def set_up(words: list[str], project: Path, env: dict[str, str]) -> None:
    subprocess.run(words, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)


def events(project: Path) -> dict[str, tuple[str, dict, int]]:
    """Return what a host tells a hook, and how many starts of Python its work may take."""
    told = {"session_id": "s1", "cwd": str(project), "permission_mode": "acceptEdits"}
    change = told | {"tool_name": "Write", "tool_input": {"file_path": str(project / "a.py"), "content": "x"}}
    recall = told | {"tool_name": "mcp__mi__memory_recent", "tool_input": {}, "tool_response": '{"results": []}'}
    return {
        "look": ("pre-tool", told | {"tool_name": "Read", "tool_input": {"file_path": "a.py"}}, 6),
        "command": ("pre-tool", told | {"tool_name": "Bash", "tool_input": {"command": "cat a.py | head"}}, 6),
        "edit": ("pre-tool", change, 6),
        "prompt": ("prompt", told | {"prompt": "Read the settings from a file, with a test"}, 8),
        "prompt with a match": ("prompt", told | {"prompt": f"{WORDS[0]} {WORDS[1]}"}, 8),
        "session-start": ("session-start", told | {"source": "startup"}, 8),
        "after a recall": ("post-tool", recall, 8),
        "after an edit": ("post-tool", change | {"tool_response": "ok"}, 8),
        "stop": ("stop", told, 8),
    }


def report(venv: Path, subjects: dict[str, tuple[list[str], str, int]], project: Path, env: dict[str, str]) -> None:
    times: dict[str, list[float]] = {what: [] for what in ("base", *subjects)}
    for _ in range(ROUNDS):  # interleaved, so that a busy moment touches all alike
        times["base"].append(work_of([str(venv / "bin/python"), "-c", "pass"], "", project, env))
        for what, (words, data, _) in subjects.items():
            times[what].append(work_of(words, data, project, env))
    base = statistics.median(times.pop("base"))
    print(f"  python -c pass                      {base * 1000:6.1f} ms of work, {load_average()}")
    for what, one in times.items():
        found = statistics.median(one)
        print(f"  {what:<35} {found * 1000:6.1f} ms  {found / base:4.1f}x (goal {subjects[what][2]}x)")


def work_of(words: list[str], data: str, project: Path, env: dict[str, str]) -> float:
    """Seconds that the process and the system worked for one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, input=data.encode(), env=env, cwd=project, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
