"""Settings of who judges: each shows in the requests that reach the model, or in how its silence is taken."""

import json
import re
from collections.abc import Callable
from typing import Any

from mi.testing import fail, messages_server, say, slow
from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import MEND, TEST, Json
from tests.autopilot.workbench import say as says
from tests.learning.models import compiled
from tests.mind.answers import asked, model
from tests.settings.case import Bench, setting

VALUE = "Be kind."
ANSWER = json.dumps(compiled(VALUE))
HONEST = [MEND, TEST, says("Fixed and tested. Done.")]


@setting("version", ("v1", 0), ("v2", 1))
def checked(bench: Bench) -> int:
    return bench.mi("config", "validate").code


@setting("language", ("en", True), ("zh", False))
def english(bench: Bench) -> bool:
    return not re.search("[\u4e00-\u9fff]", bench.mi("status").stdout)


@setting("mind.provider", ("rules", 0), ("openai_compatible", 2))
def requests_of_a_run(bench: Bench) -> int:
    server = bench.serve(model())
    bench.configure(mind={"openai_compatible": {"base_url": server.base_url, "model": "m"}})
    bench.agent(HONEST)
    bench.run().ended("done")
    return len(server.requests)


@setting("mind.models", ({}, {"m"}), ({"decide_next": "better"}, {"m", "better"}))
def models_asked(bench: Bench) -> set[str]:
    server = bench.judged(model())
    bench.agent(HONEST)
    bench.run().ended("done")
    assert all(one.body["model"] == "m" for one in server.requests if asked(one) != "decide_next")
    return {one.body["model"] for one in server.requests}


def ask_once(bench: Bench, api: str, script: Any = None, **more: Any) -> tuple[ScriptedServer, str]:
    """One question to a model behind an API, and what the command complains about."""
    bench.env = {"KEY_ONE": "first-key-0001", "KEY_TWO": "second-key-0002"}
    kind = {"server": messages_server} if api == "anthropic" else {}
    server = bench.serve(script or (lambda request: say(ANSWER)), **kind)
    http = {"base_url": server.base_url, "model": "m", "max_retries": 0, "api_key_env": "KEY_ONE", **more}
    bench.configure(mind={"provider": api, api: http})
    return server, bench.mi("init", "--values", VALUE, "--dry-run").stderr


def http_settings(api: str) -> None:
    """The same cases for each API."""

    def request(look: Callable[[Any], Any], **more: Any) -> Callable[[Bench], Any]:
        return lambda bench: look(ask_once(bench, api, **more)[0].requests[0])

    at = f"mind.{api}."
    setting(at + "model", ("small", "small"), ("large", "large"))(request(lambda one: one.body["model"]))
    setting(at + "api_key_env", ("KEY_ONE", "first-key-0001"), ("KEY_TWO", "second-key-0002"))(
        request(lambda one: one.token)
    )
    setting(at + "api_key", ("one-key-0001", "one-key-0001"), ("other-key-0002", "other-key-0002"))(
        request(lambda one: one.token, api_key_env="")
    )
    setting(at + "max_tokens", (111, 111), (222, 222))(request(lambda one: one.body["max_tokens"]))

    @setting(at + "base_url", ("{server}", 1), ("http://127.0.0.1:9", 0))
    def reached(bench: Bench) -> int:
        return len(ask_once(bench, api)[0].requests)

    @setting(at + "timeout_s", (1, True), (30, False))
    def given_up(bench: Bench) -> bool:
        return "could not judge" in ask_once(bench, api, lambda request: slow(say(ANSWER), 1.5))[1]

    @setting(at + "max_retries", (0, 1), (1, 2))
    def tries(bench: Bench) -> int:
        refused = fail(429, "later", headers={"Retry-After": "0"})
        return len(ask_once(bench, api, lambda request: refused)[0].requests)


http_settings("openai_compatible")
http_settings("anthropic")

CODEX_SAYS: list[Json] = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "{said}"}},
    {"type": "turn.completed", "usage": {"input_tokens": 1, "cached_input_tokens": 0, "output_tokens": 1}},
]
CLAUDE_SAYS: list[Json] = [
    {"type": "system", "subtype": "init", "session_id": "s"},
    {"type": "result", "subtype": "success", "is_error": False, "session_id": "s", "result": "{said}"},
]


def program(bench: Bench, name: str, events: list[Json], said: str, wait_s: float = 0) -> None:
    """A program in the place of an agent's: it notes how it was called, and says one thing."""
    lines = "\n".join(json.dumps(one | {}) for one in events).replace('"{said}"', json.dumps(said))
    bench.file(f"{name}.says").write_text(lines + "\n", "utf-8")
    path = bench.file(name)
    path.write_text(
        f'#!/bin/sh\nprintf "%s " {name} "$@" >> {bench.file("called")}\necho >> {bench.file("called")}\n'
        f'case "$*" in *--help*|*--version*) exit 0;; esac\n'
        f"cat > /dev/null\nsleep {wait_s}\ncat {bench.file(f'{name}.says')}\n",
        "utf-8",
    )
    path.chmod(0o755)


def calls(bench: Bench) -> list[list[str]]:
    """How the programs were called, without what they were asked about themselves."""
    lines = bench.file("called").read_text("utf-8").splitlines()
    return [line.split() for line in lines if "--help" not in line and "--version" not in line]


def cli_settings(name: str, program_name: str, events: list[Json], flag: str) -> None:
    """The same cases for each agent CLI that judges."""

    def judge(bench: Bench, wait_s: float = 0) -> str:
        for one in ("one", "two"):
            program(bench, f"{program_name}-{one}", events, ANSWER, wait_s)
        bench.configure(mind={"provider": name, name: {"path": str(bench.file(f"{program_name}-one"))}})
        return bench.mi("init", "--values", VALUE, "--dry-run").stderr

    at = f"mind.{name}."

    @setting(at + "path", *((f"{{folder}}/{program_name}-{one}", f"{program_name}-{one}") for one in ("one", "two")))
    def called(bench: Bench) -> str:
        judge(bench)
        return calls(bench)[0][0]

    @setting(at + "model", ("", None), ("large", "large"))
    def asked_for(bench: Bench) -> str | None:
        judge(bench)
        (words,) = calls(bench)
        return words[words.index(flag) + 1] if flag in words else None

    @setting(at + "timeout_s", (1, True), (30, False))
    def given_up(bench: Bench) -> bool:
        return "could not judge" in judge(bench, 2)


cli_settings("codex_schema", "codex", CODEX_SAYS, "-m")
cli_settings("claude_schema", "claude", CLAUDE_SAYS, "--model")
