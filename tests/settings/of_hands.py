"""Settings of who works: each shows in how the agent is called, or in which agent it is."""

import sys

from mi.testing import print_event, print_line, print_prompt, scripted_agent
from tests.autopilot.workbench import Json
from tests.autopilot.workbench import say as says
from tests.settings.case import Bench, setting
from tests.settings.of_mind import CLAUDE_SAYS, CODEX_SAYS, calls, program

QUESTION = ("what", "does", "calc.py", "do?")
ANSWER = "It adds two numbers."


def scripted(*steps: object) -> list[str]:
    return [*scripted_agent(steps), "{prompt}"]  # type: ignore[arg-type]


@setting("hands.provider", ("replay", "replay"), ("cli", "cli"))
def worker(bench: Bench) -> str:
    bench.agent([says(ANSWER)])
    bench.configure(hands={"cli": {"exec": scripted(print_line(ANSWER))}})
    found: str = bench.run(*QUESTION).of("run_start")[0]["hands"]
    return found


@setting("hands.continue_across_runs", (False, False), (True, True))
def second_run_goes_on(bench: Bench) -> bool:
    bench.agent([says(ANSWER)], [says(ANSWER)])
    bench.run(*QUESTION)
    return bool(bench.run(*QUESTION).of("hands_input")[-1]["thread_id"])


@setting("hands.leftovers", ("tell", [False]), ("end", [True]), ("leave", []))
def left_running(bench: Bench) -> list[bool]:
    bench.agent([{"run": "setsid sleep 5 >/dev/null 2>&1 </dev/null &"}, says(ANSWER)])
    return [record["ended"] for record in bench.run(*QUESTION).of("hands_leftovers")]


@setting("hands.replay.file", ("{folder}/one.json", "One."), ("{folder}/two.json", "Two."))
def played(bench: Bench) -> str:
    for name, said in {"one.json": "One.", "two.json": "Two."}.items():
        bench.file(name).write_text(f'{{"version": "v1", "batches": [{{"steps": [{{"say": "{said}"}}]}}]}}', "utf-8")
    found: str = bench.run(*QUESTION).of("batch_end")[0]["last_message"]
    return found


def agent_settings(name: str, events: list[Json]) -> None:
    """The same cases for Codex and Claude Code."""

    @setting(f"hands.{name}.path", *((f"{{folder}}/{name}-{one}", f"{name}-{one}") for one in ("one", "two")))
    def called(bench: Bench) -> str:
        return call(bench, name, events)[0]

    @setting(f"hands.{name}.args", ([], False), (["--model", "large"], True))
    def with_more(bench: Bench) -> bool:
        return "--model large" in " ".join(call(bench, name, events))


def call(bench: Bench, name: str, events: list[Json]) -> list[str]:
    """How the agent was called in a run."""
    for one in ("one", "two"):
        program(bench, f"{name}-{one}", events, ANSWER)
    bench.configure(hands={"provider": name, name: {"path": str(bench.file(f"{name}-one"))}})
    bench.run(*QUESTION).ended("done")
    return calls(bench)[-1]


agent_settings("codex", CODEX_SAYS)
agent_settings("claude", CLAUDE_SAYS)


@setting("hands.codex.sandbox", *((one, one) for one in ("read-only", "workspace-write", "danger-full-access")))
def sandbox(bench: Bench) -> str:
    words = call(bench, "codex", CODEX_SAYS)
    return words[words.index("--sandbox") + 1]


@setting("hands.claude.permission_mode", ("acceptEdits", "acceptEdits"), ("plan", "plan"))
def permissions(bench: Bench) -> str:
    words = call(bench, "claude", CLAUDE_SAYS)
    return words[words.index("--permission-mode") + 1]


@setting("hands.claude.allowed_tools", ([], (False, False)), (["WebSearch"], (True, True)))
def tools(bench: Bench) -> tuple[bool, bool]:
    """What Claude Code is allowed, and what doctor says it is."""
    return "WebSearch" in call(bench, "claude", CLAUDE_SAYS), "WebSearch" in bench.mi("doctor").stdout


@setting("hands.cli.exec", (scripted(print_line("One.")), "One."), (scripted(print_line("Two.")), "Two."))
def wrapped(bench: Bench) -> str:
    bench.configure(hands={"provider": "cli"})
    found: str = bench.run(*QUESTION).of("batch_end")[0]["last_message"]
    return found


SESSION = print_event({"type": "system", "subtype": "init", "session_id": "s-1"})


def result(text: str) -> object:
    return print_event({"type": "result", "is_error": False, "result": text, "session_id": "s-1"})


@setting("hands.cli.resume", ([], ANSWER), (scripted(SESSION, result("Resumed.")), "Resumed."))
def wrapped_again(bench: Bench) -> str:
    bench.configure(
        hands={"provider": "cli", "continue_across_runs": True, "cli": {"exec": scripted(SESSION, result(ANSWER))}}
    )
    bench.run(*QUESTION)
    found: str = bench.run(*QUESTION).of("batch_end")[-1]["last_message"]
    return found


@setting("hands.cli.prompt_mode", ("arg", True), ("stdin", False))
def prompt_by_argument(bench: Bench) -> bool:
    """An agent that prints its arguments: the question is there, or it came on standard input."""
    code = "import sys; print('arguments:', sys.argv[1:])"
    bench.configure(hands={"provider": "cli", "cli": {"exec": [sys.executable, "-c", code]}})
    return "calc.py" in bench.run(*QUESTION).of("batch_end")[0]["last_message"]


@setting("hands.cli.thread_id_regex", ("", ""), (r"session: (\w+)", "abc"))
def thread_seen(bench: Bench) -> str:
    bench.configure(hands={"provider": "cli", "cli": {"exec": scripted(print_line("session: abc"), print_prompt())}})
    bench.run(*QUESTION)
    found: str = bench.json("project", "show")["overlay"]["hands_state"]["thread_id"]
    return found


def _used(command: str) -> list[object]:
    """Lines in the form of Claude Code: a command and that it succeeded."""
    call = {"type": "tool_use", "id": command, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": command, "content": "ok"}
    return [
        print_event({"type": "assistant", "session_id": "s", "message": {"content": [call]}}),
        print_event({"type": "user", "session_id": "s", "message": {"content": [result]}}),
    ]


CHECKED = [
    print_event({"type": "tool", "command": "own", "exit_code": 0}),
    print_event({"type": "item.completed", "item": {"type": "command_execution", "command": "codex", "exit_code": 0}}),
    *_used("claude"),
    print_event({"type": "item.completed", "item": {"type": "agent_message", "text": ANSWER}}),
]


@setting(
    "hands.cli.events",
    ("none", ("", "")),
    ("auto", ("", "codex")),
    ("codex", ("codex", "codex")),
    ("claude", ("claude", "claude")),
    ("jsonl", ("own codex", "own codex")),
)
def proved_commands(bench: Bench) -> tuple[str, str]:
    """The commands that are seen of an agent that prints lines of any form, when its call asks for none or for one."""
    agent = scripted(*CHECKED)
    bench.configure(hands={"provider": "cli", "cli": {"exec": agent}})
    plain = bench.run(*QUESTION).of("batch_end")[-1]["seen"]["commands"]
    bench.configure(hands={"provider": "cli", "cli": {"exec": [*agent, "exec", "--json"]}})
    asked_for = bench.run(*QUESTION).of("batch_end")[-1]["seen"]["commands"]
    return " ".join(one["command"] for one in plain), " ".join(one["command"] for one in asked_for)


@setting("hands.cli.env", ({}, "-"), ({"TONE": "calm"}, "calm"))
def environment(bench: Bench) -> str:
    code = "import os; print(os.environ.get('TONE', '-'))"
    bench.configure(hands={"provider": "cli", "cli": {"exec": [sys.executable, "-c", code]}})
    found: str = bench.run(*QUESTION).of("batch_end")[0]["last_message"]
    return found
