"""Settings of the agents' contract, the team's rules, the persona, the plan, the tools and the hooks."""

import json
import shutil
from pathlib import Path

from mi.nexus.layout import NexusLayout
from mi.nexus.store import Store
from mi.testing import answer_json
from tests.autopilot.test_run_rules import verdict
from tests.autopilot.workbench import MEND, TEST, Json, say, write
from tests.conftest import git
from tests.hub.postgres import Postgres
from tests.hub.team import Team
from tests.mcp.speaking import SERVE, Server
from tests.nexus.test_memory import WAL, cycles, put, read
from tests.settings.case import Bench, setting


def agent_ready(bench: Bench) -> None:
    """An agent in the shell has recalled and declared its mode."""
    bench.env["CLAUDECODE"] = "1"
    bench.mi("memory", "recent")
    bench.mi("contract", "mode", "GUARDED")


@setting("contract.tasks.verify", ("proceed", False), ("ask", True))
def tasks_wait(bench: Bench) -> bool:
    agent_ready(bench)
    return bool(bench.json("task", "add", "Ship it", "--subtask", "build")["awaiting"])


@setting("contract.receipt_max_age_s", (3600, 0), (0, 3))
def write_after_recall(bench: Bench) -> int:
    agent_ready(bench)
    return bench.mi("memory", "write", "note", "A note.").code


@setting("contract.evidence.allow_command", (False, 1), (True, 0))
def proof_by_command(bench: Bench) -> int:
    bench.configure(contract={"evidence": {"commands": ["true"]}})
    agent_ready(bench)
    return bench.mi("memory", "write", "fact", "True is true.", "--evidence", "cmd_exit0", "true").code


@setting("contract.evidence.commands", ([], 1), (["true"], 0))
def proof_by_this_command(bench: Bench) -> int:
    bench.configure(contract={"evidence": {"allow_command": True}})
    agent_ready(bench)
    return bench.mi("memory", "write", "fact", "True is true.", "--evidence", "cmd_exit0", "true").code


@setting(
    "governance.preflight",
    ("off", (0, 1, "done")),
    ("irreversible", (1, 1, "done")),
    ("advise", (1, 1, "blocked")),
    ("enforce", (1, 0, "blocked")),
)
def many_units(bench: Bench) -> tuple[int, int, str]:
    """Whether an unclear task was looked at and begun, and how a run with many harmless changes ends."""
    parts = [write(f"part{number}.txt", "text\n") for number in range(7)]
    bench.agent([*parts, MEND, TEST, say("Fixed and tested. Done.")])
    ran = bench.run("fix", "it")
    return len(ran.of("preflight")), len(ran.of("hands_input")), ran.end["status"]


@setting("governance.profile", ("light", (0, 0)), ("standard", (0, 3)), ("strict", (3, 3)))
def edit_permitted(bench: Bench) -> tuple[int, int]:
    """An edit, and a commit past the checks."""
    past = bench.mi("gate", "permission", "bash", "run", "git commit --no-verify -m x")
    return bench.mi("gate", "permission", "edit", "edit", "a.py").code, past.code


@setting("profile", ("light", (False, 0, 0)), ("team", (True, 0, 0)), ("strict", (True, 3, 3)))
def one_word_for_all(bench: Bench) -> tuple[bool, int, int]:
    """The plan's tools over MCP, an edit by the rules, a memory of an agent that declared GUARDED."""
    agent_ready(bench)
    written = bench.mi("memory", "write", "note", "A note.").code
    return tools_offered(bench)[1], bench.mi("gate", "permission", "edit", "edit", "a.py").code, written


@setting("contract.least_mode", ("GUARDED", 0), ("STRICT", 3))
def guarded_counts(bench: Bench) -> int:
    return write_after_recall(bench)


@setting("governance.reviewers", ([], 0), (["openai_compatible"], 1))
def reviews_asked_for(bench: Bench) -> int:
    server = bench.serve(lambda request: answer_json(verdict("accept")))
    http = {"base_url": server.base_url, "model": "reviewer", "max_retries": 0}
    bench.configure(mind={"openai_compatible": http})
    (bench.project / "calc.py").write_text("def add(a, b):\n    return a + b\n", "utf-8")
    bench.mi("gate", "review")
    return len(server.requests)


@setting("governance.urgency_words", ([], False), (["pronto"], True))
def urgency(bench: Bench) -> bool:
    return "S1" in bench.json("gate", "signals", "write the report pronto")["speed"]


@setting("governance.preferred_speed", ([], ["S1", "S3"]), ([2, 4], ["S1", "S2", "S3", "S4"]))
def urgent_speed(bench: Bench) -> list[str]:
    levels: list[str] = bench.json("gate", "signals", "urgent: write the report")["speed"]
    return levels


@setting("governance.prompt_to_allow", (False, True), (True, False))
def loosening_is_off(bench: Bench) -> bool:
    refused = bench.mi("gate", "permission", "set", "push", "ALLOW", "--reason", "it always went well")
    return "prompt_to_allow" in refused.stderr


@setting("persona.root", ("{folder}/one", "one"), ("{folder}/two", "two"))
def persona_in(bench: Bench) -> str:
    root: str = bench.json("persona", "init")["root"]
    return root.rpartition("/")[2]


@setting("persona.member", ("", "mi"), ("human", "human"))
def member(bench: Bench) -> str:
    bench.mi("persona", "init")
    found: str = bench.json("persona", "boot")["member"]
    return found


@setting("persona.key", ("{folder}/one.key", "one.key"), ("{folder}/two.key", "two.key"))
def key_in(bench: Bench) -> str:
    bench.mi("persona", "init")
    key: str = bench.json("persona", "encrypt", "--yes")["key"]
    return key.rpartition("/")[2]


@setting("persona.email", ("", "note"), ("nobody@example.org", "not you"))
def whose_member(bench: Bench) -> str:
    bench.configure(persona={"member": "human"})
    bench.mi("persona", "init")
    return "note" if bench.mi("persona", "note", "short").code == 0 else "not you"


@setting("nexus.harness_id", ("mi", "mi"), ("house-two", "house-two"))
def harness(bench: Bench) -> str:
    found: str = json.loads(bench.mi("nexus", "event", "session_start", stdin="{}").stdout)["harness_id"]
    return found


def memory_file(bench: Bench) -> Store:
    """A file that was written 200 days and 7 cycles ago and read once since; something else was read, too."""
    store = Store(NexusLayout(str(bench.project)))
    cycles(store, 7)
    old = put(store, "wal-time.md", WAL, days=200)
    read(store, old, 190)
    return store


def signals(bench: Bench, name: str) -> bool:
    memory_file(bench)
    found = bench.json("nexus", "memory", "gc")["candidates"]
    return any(one["signals"].get(name, False) for one in found)


@setting("nexus.memory_gc.days", (180, True), (500, False), (None, None))
def old_enough(bench: Bench) -> bool | None:
    memory_file(bench)
    (found,) = bench.json("nexus", "memory", "gc")["candidates"]
    answer: bool | None = found["signals"].get("days")
    return answer


@setting("nexus.memory_gc.cycles", (6, True), (9, False))
def cycles_enough(bench: Bench) -> bool:
    return signals(bench, "cycles")


@setting("nexus.memory_gc.accesses", (0, False), (1, True))
def read_seldom_enough(bench: Bench) -> bool:
    return signals(bench, "accesses")


@setting("nexus.memory_gc.auto", (False, True), (True, False))
def still_there(bench: Bench) -> bool:
    bench.configure(nexus={"memory_gc": {"accesses": 1}})
    store = memory_file(bench)
    both = ("NAME", "EMAIL")
    bench.env = {f"GIT_{who}_{what}": "t@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in both}
    bench.mi("nexus", "event", "session_start", stdin="{}")
    return Path(store.place.memory, "wal-time.md").exists()


@setting("nexus.memory_overlap", (0.5, 1), (1.0, 2))
def memory_files(bench: Bench) -> int:
    """How many files two memories with most words in common take."""
    bench.mi("nexus", "memory", "add", WAL, "--name", "wal-time", "--category", "empirical")
    again = WAL.replace("laptops", "desktops")
    bench.mi("nexus", "memory", "add", again, "--name", "wal-desktop", "--category", "empirical")
    return len(list((bench.project / ".nexus/memory").glob("*.md")))


@setting("nexus.memory_categories", ([], 2), (["legal"], 0))
def own_category(bench: Bench) -> int:
    words = ("nexus", "memory", "add", "Keep invoices for ten years.", "--name", "invoices-kept", "--category", "legal")
    return bench.mi(*words).code


def decided(bench: Bench, *flags: str, **event: object) -> str:
    """What the hook before a tool decides."""
    told = {"session_id": "s1", "cwd": str(bench.project), "permission_mode": "default", **event}
    done = bench.mi("hook", "pre-tool", "--host", "codex", *flags, stdin=json.dumps(told))
    answer: Json = json.loads(done.stdout).get("hookSpecificOutput", {})
    return str(answer.get("permissionDecisionReason", "")).partition(":")[0]


@setting("nexus.agent_capabilities", ({}, False), ({"tester": ["no_shell_exec"]}, True))
def agent_bound(bench: Bench) -> bool:
    bench.mi("nexus", "init")
    shell = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "agent_type": "tester"}
    return bool(decided(bench, "--enforce", "nexus", **shell))


@setting("mcp.tools", ([], (True, False)), (["memory", "nexus"], (True, True)), (["nexus"], (False, True)))
def tools_offered(bench: Bench) -> tuple[bool, bool]:
    with Server(SERVE, str(bench.project)) as server:
        server.initialize()
        names = {one["name"] for one in server.ask("tools/list")["result"]["tools"]}
    return "memory_write" in names, "nx_task_add" in names


@setting("hooks.enforce", ([], (False, True)), (["contract"], (True, False)))
def hook_decides(bench: Bench) -> tuple[bool, bool]:
    """On an edit without recall, and on a force-push."""
    edit = decided(bench, tool_name="Write", tool_input={"file_path": str(bench.project / "a.py")})
    push = decided(bench, tool_name="Bash", tool_input={"command": "git push --force origin main"})
    return bool(edit), bool(push)


@setting("hub.share", ("off", (1, False)), ("team", (0, True)))
def kept_for_the_hub(bench: Bench) -> tuple[int, bool]:
    """What is said for the team where there are no files of a team and a hub was joined."""
    (bench.home / "hub.json").write_text('{"dsn": "host=127.0.0.1", "member": "ana"}', "utf-8")
    done = bench.mi("remember", "Releases go out on Tuesdays.", "--team")
    return done.code, "mi sync brings it to the others" in done.stdout


@setting("hub.devices", ("off", False), ("on", True))
def leaves_for_my_devices(bench: Bench) -> bool:
    """What is said for nobody else, as it would leave to a real hub."""
    server = Postgres()
    try:
        desk = Team(server, bench.home.parent).join("ana", "desk")
        bench.configure()
        shutil.copy(bench.home / "config.json", desk.root)
        desk.mi("remember", "Releases go out on Tuesdays.")
        return "Tuesdays" in desk.mi("sync", "--dry-run").stdout
    finally:
        server.remove()


@setting("memory.semantic", ("off", False), ("on", True))
def found_by_meaning(bench: Bench) -> bool:
    """What shares no word with the question, among claims that have nothing to do with it."""
    said = ["The doctor saw the sick child at the hospital.", *(f"Invoice {n} was paid by bank." for n in range(40))]
    told = [
        {"kind": "claim", "claim_id": f"cl_{at}", "claim_type": "fact", "text": text} for at, text in enumerate(said)
    ]
    log = bench.home / "thoughtdb/global/claims.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(json.dumps(one) + "\n" for one in told), "utf-8")
    found = bench.json("memory", "search", "physician, patient, clinic, nurse")["hits"]
    return any("hospital" in hit["text"] for hit in found)


@setting("fleet.push", (False, True), (True, False))
def must_be_pushed_first(bench: Bench) -> bool:
    """A commit that the remote lacks, for a run that another machine is to begin."""
    join_a_hub(bench)
    remote = bench.home.parent / "remote.git"
    git(bench.project, "init", "-q", "--bare", str(remote))
    git(bench.project, "remote", "add", "origin", str(remote))
    return "git push" in bench.mi("queue", "add", "--hub", "fix it").stderr


def join_a_hub(bench: Bench) -> None:
    """Have a home take part in a hub that nobody serves."""
    bench.home.mkdir(exist_ok=True)
    told = {"dsn": "host=127.0.0.1 port=1", "member": "ana", "home_id": "home_0123456789"}
    (bench.home / "hub.json").write_text(json.dumps(told), "utf-8")
