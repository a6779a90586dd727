"""Settings of how a run behaves: what it tells the agent, what it asks, where it stops, what it shows."""

import json
import socket
import time

from mi.testing import print_line, scripted_agent, stay, write
from tests.autopilot.test_run_limits import LIMITED, failing
from tests.autopilot.workbench import CHECK, MEND, TEST, Json, run, say
from tests.conftest import git
from tests.settings.case import Bench, setting
from tests.waiting import wait_until

COLOUR = "Which colour should the button have?"
DONE = [MEND, TEST, say("Fixed and tested. Done.")]
INSTALL = [MEND, TEST, run("pip install --dry-run --no-index nothing-of-that-name || true"), say("Done.")]
FETCH = [MEND, TEST, run("curl --max-time 1 http://nowhere.invalid/nothing || true"), say("Done.")]
PUSH = [MEND, TEST, run("git push origin main"), say("Fixed and pushed. Done.")]


@setting("notify", ("", False), ("touch {folder}/told", True))
def told(bench: Bench) -> bool:
    bench.agent([say(COLOUR)])
    bench.run().ended("blocked")
    expected = bool(json.loads((bench.home / "config.json").read_text("utf-8"))["notify"])
    return wait_until(bench.file("told").exists, 30) if expected else bench.file("told").exists()


@setting("runtime.verification.no_tests_policy", ("ask_once_per_project_then_remember", 1), ("never_ask", 0))
def questions_without_tests(bench: Bench) -> int:
    (bench.project / "test_calc.py").unlink()
    bench.agent([{"write": {"path": "data.csv", "content": "one\n"}}, say("Done.")], [say("Here it is.")])
    return len(bench.run("write the data").of("question"))


@setting("runtime.verification.command", ("", "blocked"), (CHECK, "done"))
def end_without_command_events(bench: Bench) -> str:
    mended = write("calc.py", "def add(a, b):\n    return a + b\n")
    bench.configure(hands={"provider": "cli", "cli": {"exec": scripted_agent([mended, print_line("Done.")])}})
    found: str = bench.run("--max-batches", "2", "fix it").end["status"]
    return found


def after_risk(bench: Bench, steps: list[Json]) -> tuple[str, str]:
    """How a run with a risky command ends, and the rule that its agent was told."""
    bench.agent(steps)
    ran = bench.run()
    told = ran.of("hands_input")[0]["light_injection"]
    shown = bench.mi("values", "show", "--injection").stdout
    assert told.splitlines()[-2] in shown  # what MI says it tells is what it tells
    return ran.end["status"], next(line for line in told.splitlines() if "stop and ask" in line).partition("ask.")[2]


@setting(
    "runtime.external_actions.network_policy",
    ("values_judged", ("done", "")),
    ("ask", ("blocked", " Ask before anything goes over the network.")),
    ("allow", ("done", " The network may be used.")),
)
def network(bench: Bench) -> tuple[str, str]:
    return after_risk(bench, FETCH)


@setting(
    "runtime.external_actions.install_policy",
    ("values_judged", ("done", "")),
    ("ask", ("blocked", " Ask before you install anything.")),
    ("allow", ("done", " Installing what the work needs is allowed.")),
)
def installing(bench: Bench) -> tuple[str, str]:
    return after_risk(bench, INSTALL)


# Says which command it runs, notes the signal that ends it, and is not alone when it goes.
STAYS = """
trap 'echo INT >> {noted}; exit' INT
trap 'echo TERM >> {noted}; exit' TERM
{first}
echo '$ {command}'
sleep 6 &
wait
"""


def interrupted(bench: Bench, command: str, first: str = "", **knobs: object) -> str:
    """How a batch ended whose agent shows a command and stays."""
    script = STAYS.format(noted=bench.file("noted"), first=first, command=command)
    bench.configure(
        hands={"provider": "cli", "cli": {"exec": ["sh", "-c", script]}},
        runtime={"interrupt": {"mode": "on_high_risk", **knobs}},
    )
    found: str = bench.run("--max-batches", "1", "publish it").of("batch_end")[-1]["outcome"]
    return found


@setting(
    "runtime.interrupt.mode",
    ("off", ("ended", "ended")),
    ("on_high_risk", ("ended", "interrupted")),
    ("on_any_external", ("interrupted", "interrupted")),
)
def stopped_at(bench: Bench) -> tuple[str, str]:
    """An agent at an installation, and one at a push."""
    return interrupted(bench, "pip install nothing"), interrupted(bench, "git push origin main")


@setting("runtime.interrupt.signal_sequence", (["SIGINT"], "INT\n"), (["SIGTERM"], "TERM\n"))
def ended_by(bench: Bench) -> str:
    assert interrupted(bench, "git push origin main") == "interrupted"
    return bench.file("noted").read_text("utf-8")


@setting("runtime.interrupt.escalation_ms", ([200, 200], True), ([3000, 200], False))
def quickly(bench: Bench) -> bool:
    """Whether an agent that does not listen is gone before the first pause of the longer sequence is over."""
    began = time.monotonic()
    assert interrupted(bench, "git push origin main", first="trap '' INT TERM") == "interrupted"
    return time.monotonic() - began < 3


@setting("runtime.transparency.store_raw_transcript", (True, 0), (False, 1))
def transcripts_kept(bench: Bench) -> int:
    return kept_anyway(bench, "projects/*/transcripts/hands/*.jsonl")


@setting("runtime.transparency.store_evidence_log", (True, 0), (False, 1))
def log_kept(bench: Bench) -> int:
    return kept_anyway(bench, "projects/*/evidence.jsonl")


def kept_anyway(bench: Bench, pattern: str) -> int:
    """Switching it off is refused, and it is kept all the same."""
    bench.agent(DONE)
    bench.run().ended("done")
    assert list(bench.home.glob(pattern))
    return bench.mi("config", "validate").code


@setting("runtime.transparency.ui_expandable_transcript", (True, False), (False, True))
def shown_whole(bench: Bench) -> bool:
    bench.agent([MEND, TEST, say("Done. " + "A long story. " * 200 + "The very end.")])
    bench.run().ended("done")
    return "The very end." in bench.mi("show", "last").stdout


@setting("runtime.project_selection.auto_update_last", (True, True), (False, False))
def remembered(bench: Bench) -> bool:
    bench.mi("values", "set", "--text", "Be kind.")
    bench.mi("project", "show")
    chosen = bench.home / "global/project_selection.json"
    return chosen.exists() and str(bench.project) in chosen.read_text("utf-8")


@setting("runtime.injection.max_chars", (420, False), (2000, True))
def last_value_told(bench: Bench) -> bool:
    bench.values("Keep changes small. " + " ".join(f"Value number {n} is long." for n in range(9)) + " Be kind.")
    bench.agent(DONE)
    told = bench.run().of("hands_input")[0]["light_injection"]
    assert told == bench.json("values", "show", "--injection")["injection"].rstrip("\n")
    return "Be kind." in told


@setting("runtime.limits.batches", (1, 1), (2, 2))
def batches(bench: Bench) -> int:
    bench.agent(*[failing(number) for number in range(3)])
    return len(bench.run().of("hands_input"))


@setting("runtime.limits.tokens", (150, 2), (250, 3))
def batches_by_tokens(bench: Bench) -> int:
    bench.agent(*[failing(number) for number in range(4)], tokens=100)
    return len(bench.run("--max-batches", "4", "fix it").of("hands_input"))


@setting("runtime.limits.minutes", (0.03, "interrupted"), (None, "ended"))
def long_batch(bench: Bench) -> str:
    bench.configure(hands={"provider": "cli", "cli": {"exec": scripted_agent([stay(4), print_line("Done.")])}})
    found: str = bench.run("--max-batches", "1", "fix it").of("batch_end")[0]["outcome"]
    return found


@setting("runtime.limits.cost_usd", (0.03, 2), (0.05, 3))
def batches_by_cost(bench: Bench) -> int:
    says = {"type": "result", "session_id": "s1", "is_error": False, "result": "I am Looking.", "total_cost_usd": 0.02}
    line = f"printf '%s\\n' '{json.dumps(says)}' | sed s/Looking/Looking$n/"  # each time a little differently
    agent = f"n=$(cat tries 2>/dev/null || true); printf x >> tries; {line}"  # and each time something changes
    bench.mi("settings", "set", "--ask-when-uncertain", "proceed")
    bench.configure(hands={"provider": "cli", "cli": {"exec": ["sh", "-c", agent], "events": "claude"}})
    return len(bench.run("--max-batches", "4", "fix it").of("hands_input"))


@setting("runtime.limits.wait", (False, "blocked"), (True, "done"))
def after_a_vendors_limit(bench: Bench) -> str:
    bench.agent([LIMITED], DONE)
    ended: str = bench.run("fix it").end["status"]
    return ended


OVERLOADED = {"fail": "the model is overloaded"}


@setting("runtime.retry.attempts", (0, 1), (1, 2), (2, 3))
def starts_after_failures(bench: Bench) -> int:
    """Starts of an agent whose vendor fails at each."""
    bench.configure(runtime={"retry": {"wait_s": [0]}})
    bench.agent(*[[OVERLOADED]] * 4)
    return len(bench.run().of("hands_input"))


@setting("runtime.retry.wait_s", ([0, 0.1], [0, 0.1]), ([0.1], [0.1, 0.1]))
def waits(bench: Bench) -> list[float]:
    bench.configure(runtime={"retry": {"attempts": 2}})
    bench.agent(*[[OVERLOADED]] * 3)
    return [record["wait_s"] for record in bench.run().of("hands_retry")]


def asked_about(bench: Bench, steps: list[Json]) -> bool:
    bench.agent(steps)
    return bool(bench.run().of("question"))


@setting("runtime.violation_response.ask_user_on_high_risk", (True, True), (False, False))
def any_risk(bench: Bench) -> bool:
    return asked_about(bench, PUSH)


@setting("runtime.violation_response.ask_user_risk_severities", (["high"], True), (["critical"], False))
def by_severity(bench: Bench) -> bool:
    return asked_about(bench, PUSH)


@setting("runtime.violation_response.ask_user_risk_categories", (["push"], True), (["publish"], False))
def by_category(bench: Bench) -> bool:
    return asked_about(bench, PUSH)


@setting("runtime.violation_response.ask_user_respect_should_ask_user", (True, False), (False, True))
def against_the_judge(bench: Bench) -> bool:
    bench.configure(runtime={"violation_response": {"ask_user_risk_severities": ["low", "medium", "high"]}})
    return asked_about(bench, INSTALL)


_MORE = "import unittest\n\n\nclass MoreTest(unittest.TestCase):\n    def test_more(self):\n        {}\n"


def _add_test(bench: Bench, line: str) -> None:
    (bench.project / "test_more.py").write_text(_MORE.format(line), "utf-8")
    git(bench.project, "add", "-A")
    git(bench.project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "more")


@setting("runtime.verification.scope", ("all", "blocked"), ("related", "done"))
def by_the_nearest_tests(bench: Bench) -> str:
    _add_test(bench, "pass")
    bench.agent([MEND, run("python3 -m unittest -q test_calc"), say("Fixed.")], [say("Fixed, as I said.")])
    return str(bench.run("fix add").end["status"])


def _prove(bench: Bench, line: str) -> Json:
    _add_test(bench, line)
    bench.agent([MEND, TEST, say("Fixed.")])
    bench.mi("trust")
    return bench.run("--prove", "fix add").of("proof")[-1]


@setting("runtime.verification.prove_seconds", (1, None), (60, True))
def proved_in_time(bench: Bench) -> bool | None:
    proved: bool | None = _prove(bench, "__import__('time').sleep(3)")["proved"]
    return proved


@setting("runtime.verification.prove_network", (True, []), (False, ["test_more.py::MoreTest::test_more"]))
def red_without_the_machines_network(bench: Bench) -> list[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = f"__import__('socket').create_connection(('127.0.0.1', {server.getsockname()[1]}), 5).close()"
        red: list[str] = _prove(bench, line)["checks"][0]["red_before"]
    return red


@setting("snapshot.enabled", (True, True), (False, False))
def kept_before_a_batch(bench: Bench) -> bool:
    bench.agent(DONE)
    return bool(bench.run().of("tree_snapshot"))


def _left_out(bench: Bench, content: str) -> list[str]:
    (bench.project / "given.txt").write_text(content, "utf-8")
    bench.agent(DONE)
    return [one["path"] for one in bench.run().of("tree_snapshot")[0]["left_out"]]


@setting("snapshot.max_file", (10, ["given.txt"]), (1000, []))
def left_out_by_size(bench: Bench) -> list[str]:
    return _left_out(bench, "x" * 100)


@setting("snapshot.secrets", ("skip", ["given.txt"]), ("keep", []))
def left_out_by_secret(bench: Bench) -> list[str]:
    return _left_out(bench, "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY\n")


@setting("fleet.tick", ("merge", ["- [ ] 1. fix the failing test"]), ("done", ["- [x] 1. fix the failing test"]))
def ticked_before_the_merge(bench: Bench) -> list[str]:
    listed = bench.project / "tinyTasks.md"
    listed.write_text("# Goal\n\n- [ ] 1. fix the failing test\n", "utf-8")
    git(bench.project, "add", "-A")
    git(bench.project, "commit", "-qm", "list")
    bench.agent(DONE)
    bench.run("--worktree", "--task").ended("done")
    return [line for line in listed.read_text("utf-8").splitlines() if line.startswith("- ")]
