"""Models behind the Mind, over real connections and through the real agents: answers, failures, what is kept."""

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from mi.agents.signals import StopFlag
from mi.kernel.config.types import CliMind, HttpMind
from mi.kernel.home import Home
from mi.mind.circuit import REST_S, Circuit
from mi.mind.mind import Judgement, Mind
from mi.mind.prompts.auto_answer_to_hands import auto_answer_to_hands
from mi.mind.prompts.decide_next import decide_next
from mi.mind.prompts.extract_evidence import extract_evidence
from mi.mind.prompts.loop_break import loop_break
from mi.mind.prompts.plan_min_checks import plan_min_checks
from mi.mind.prompts.risk_judge import risk_judge
from mi.mind.provider import Provider
from mi.mind.providers.agent_cli import ClaudeSchema, CodexSchema
from mi.mind.providers.anthropic import Anthropic
from mi.mind.providers.openai_compatible import OpenAiCompatible
from mi.mind.strict import json_schema
from mi.mind.views import BatchView, Case, CitableText, Person
from mi.testing import (
    KEY,
    Usage,
    answer_json,
    chat_server,
    claude_environment,
    codex_environment,
    cut,
    fail,
    hang,
    messages_server,
    responses_server,
    say,
    turn,
)
from mi.testing.replies import Script
from mi.testing.server import ScriptedServer
from tests.mind.answers import ANSWERS
from tests.real.conftest import claude, codex

__all__ = ["claude", "codex"]

SECRET = "ghp_" + "aB3dE5gH7" * 4
DONE = ANSWERS["decide_next"]
CASE = Case(batch=BatchView(task="fix it", last_message="Done."))
SERVERS: dict[str, Callable[..., ScriptedServer]] = {"openai_compatible": chat_server, "anthropic": messages_server}
PROVIDERS: dict[str, Callable[[HttpMind], Provider]] = {"openai_compatible": OpenAiCompatible, "anthropic": Anthropic}


class Asked:
    """A Mind over a provider, with the pauses it would have made."""

    def __init__(self, home: Home, provider: Provider, retries: int = 0, models: dict[str, str] | None = None) -> None:
        self.home = home
        self.folder = Path(home.project("p").mind_transcripts)
        self.pauses: list[float] = []
        self.mind = Mind(home, str(self.folder), provider, models, retries, self.pauses.append)

    def ask(self, case: Case = CASE) -> Judgement[Any]:
        return self.mind.ask(decide_next, case)

    def transcript(self, judgement: Judgement[Any]) -> list[dict[str, Any]]:
        return [json.loads(line) for line in Path(self.home.path(judgement.transcript_ref)).read_text().splitlines()]


@pytest.fixture(params=list(SERVERS))
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def asking(
    api: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., tuple[Asked, ScriptedServer]]]:
    """Opens a scripted server and a Mind that asks it."""
    monkeypatch.setenv("THE_KEY", KEY)
    servers: list[ScriptedServer] = []

    def make(script: Script, retries: int = 0, **settings: Any) -> tuple[Asked, ScriptedServer]:
        server = SERVERS[api](script, token=KEY).__enter__()
        servers.append(server)
        wanted = {"base_url": server.base_url, "model": "m-1", "api_key_env": "THE_KEY", "timeout_s": 5} | settings
        return Asked(home, PROVIDERS[api](HttpMind(**wanted)), retries), server

    yield make
    for server in servers:
        server.__exit__(None, None, None)


@pytest.mark.req(
    "v1.prov.mind-openai-call",
    "v1.prov.mind-openai-shape",
    "v1.prov.mind-anthropic-call",
    "v1.prov.mind-anthropic-shape",
    "mi.mind.openai-compatible",
    "mi.mind.anthropic",
    "mi.config.openai-base-url",
    "mi.config.openai-model",
    "mi.config.openai-api-key-env",
    "mi.config.openai-max-tokens",
    "mi.config.anthropic-base-url",
    "mi.config.anthropic-model",
    "mi.config.anthropic-api-key-env",
    "mi.config.anthropic-max-tokens",
)
def test_one_post_gives_a_typed_answer_and_what_it_cost(api: str, asking: Callable[..., Any]) -> None:
    asked, server = asking([turn(say(json.dumps(DONE)), usage=Usage(input=70, output=7))], max_tokens=900)
    judgement = asked.ask()
    assert (judgement.state, judgement.by) == ("ok", api)
    assert judgement.value.status == "done"
    assert (judgement.spent.calls, judgement.spent.input_tokens, judgement.spent.output_tokens) == (1, 70, 7)
    (request,) = server.requests
    assert request.token == KEY
    assert (request.body["model"], request.body["max_tokens"]) == ("m-1", 900)
    assert "fix it" in request.user_texts[-1]


@pytest.mark.req("mi.config.mind-models")
def test_a_prompt_can_have_a_model_of_its_own(api: str, asking: Callable[..., Any], home: Home) -> None:
    _, server = asking([say(json.dumps(DONE))])
    settings = HttpMind(base_url=server.base_url, model="m-1", api_key_env="THE_KEY")
    asked = Asked(home, PROVIDERS[api](settings), models={"decide_next": "m-large"})
    assert asked.ask().state == "ok"
    assert server.requests[0].body["model"] == "m-large"


@pytest.mark.parametrize("wrapped", ["```json\n{}\n```", "Here you are: {} — that is all."])
def test_an_answer_in_a_fence_or_a_sentence_is_read(asking: Callable[..., Any], wrapped: str) -> None:
    asked, _ = asking([say(wrapped.replace("{}", json.dumps(DONE)))])
    assert asked.ask().value.status == "done"


@pytest.mark.parametrize(
    "broken",
    [
        "I think it is done.",
        '{"next_action": "stop"',
        json.dumps({key: value for key, value in DONE.items() if key != "notes"}),
        json.dumps(DONE | {"status": "finished"}),
        json.dumps(DONE | {"extra": 1}),
    ],
    ids=["no JSON", "cut JSON", "missing key", "unknown value", "unknown key"],
)
@pytest.mark.req(
    "v1.prov.mind-openai-validate",
    "v1.prov.mind-anthropic-validate",
    "v1.plan.api-minds-validate",
    "mi.prompt.checked-types",
)
def test_an_answer_that_does_not_fit_is_sent_back_for_repair(asking: Callable[..., Any], broken: str) -> None:
    asked, server = asking([say(broken), say(json.dumps(DONE))])
    judgement = asked.ask()
    assert judgement.state == "ok"
    assert judgement.spent.calls == 2
    again = server.requests[1].user_texts[-1]
    assert "does not fit the schema" in again
    assert broken[:15] in again
    assert asked.mind.circuit.failures_total == 0


@pytest.mark.req("v0.plan.safe-fallbacks")
def test_an_answer_that_never_fits_is_a_failure_with_its_reason(asking: Callable[..., Any]) -> None:
    asked, server = asking([say("no"), say("still no"), say("no, no")])
    judgement = asked.ask()
    assert (judgement.value, judgement.state) == (None, "error")
    assert "JSON" in judgement.error
    assert len(server.requests) == 3
    assert asked.mind.circuit.failures_total == 1


OTHER_SHAPES = {
    "openai_compatible": [
        '{"choices": [{"text": "{}"}]}',
        '{"output": [{"content": [{"text": "{}"}]}]}',
        "[]",
        "<html>",
    ],
    "anthropic": ['{"completion": "{}"}', '{"content": []}', '{"content": [{"type": "tool_use"}]}', "null", "<html>"],
}


@pytest.mark.req("v1.prov.mind-openai-unsupported", "v1.prov.mind-anthropic-shape")
def test_another_shape_of_answer_is_an_error_and_never_guessed(api: str, asking: Callable[..., Any]) -> None:
    for body in OTHER_SHAPES[api]:
        asked, _ = asking([fail(200, body=body)])
        judgement = asked.ask()
        assert (judgement.value, judgement.state) == (None, "error"), body


def test_a_wrong_key_is_not_tried_again(asking: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", "wrong")
    asked, server = asking([], retries=2)
    judgement = asked.ask()
    assert judgement.state == "error"
    assert "401" in judgement.error
    assert len(server.requests) == 1
    assert asked.pauses == []


def test_without_its_key_nothing_is_sent_and_the_variable_is_named(
    asking: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THE_KEY")
    asked, server = asking([])
    judgement = asked.ask()
    assert judgement.state == "error"
    assert "$THE_KEY" in judgement.error
    assert server.requests == []


@pytest.mark.req("mi.config.openai-api-key", "mi.config.anthropic-api-key")
def test_a_key_in_the_configuration_is_used(asking: Callable[..., Any]) -> None:
    asked, server = asking([say(json.dumps(DONE))], api_key_env="", api_key=KEY)
    assert asked.ask().state == "ok"
    assert server.requests[0].token == KEY


BUSY = fail(429, headers={"retry-after": "7"})


@pytest.mark.req(
    "mi.fail.429-retry-after",
    "mi.fail.429-not-circuit",
    "mi.config.openai-max-retries",
    "mi.config.anthropic-max-retries",
)
def test_not_now_is_waited_for_as_long_as_the_vendor_asks(asking: Callable[..., Any]) -> None:
    asked, server = asking([BUSY, fail(429), say(json.dumps(DONE))], retries=HttpMind().max_retries)
    assert asked.ask().state == "ok"
    assert len(server.requests) == 3
    assert asked.pauses[0] == 7.0
    assert 0 < asked.pauses[1] <= 60


@pytest.mark.req("mi.fail.429-not-circuit")
def test_not_now_never_opens_the_circuit(asking: Callable[..., Any]) -> None:
    asked, _ = asking([BUSY, BUSY, BUSY, say(json.dumps(DONE))])
    assert [asked.ask().state for _ in range(4)] == ["error", "error", "error", "ok"]
    assert asked.mind.circuit.failures_total == 0


@pytest.mark.req(
    "v1.mindfail.threshold", "v1.mindfail.circuit-once", "mi.fail.circuit-closes", "mi.mind.rules-circuit-fallback"
)
def test_two_failures_open_the_circuit_and_after_a_rest_a_success_closes_it(asking: Callable[..., Any]) -> None:
    asked, server = asking([fail(500), fail(503), say(json.dumps(DONE))])
    now = [1000.0]
    asked.mind.circuit = Circuit(clock=lambda: now[0])
    assert [asked.ask().circuit for _ in range(2)] == ["", "open"]
    skipped = asked.ask()
    assert (skipped.state, skipped.by, skipped.circuit) == ("skipped", "rules", "")
    assert skipped.value == decide_next.rules(CASE)
    assert len(server.requests) == 2
    now[0] += REST_S
    again = asked.ask()
    assert (again.state, again.circuit) == ("ok", "closed")
    assert not asked.mind.circuit.open


@pytest.mark.req("mi.fail.wall-clock-mind", "mi.config.openai-timeout", "mi.config.anthropic-timeout")
def test_a_model_that_does_not_answer_is_given_up(asking: Callable[..., Any]) -> None:
    assert HttpMind().timeout_s == 60
    asked, _ = asking([hang()], timeout_s=1)
    judgement = asked.ask()
    assert judgement.state == "error"
    assert "within 1 s" in judgement.error


@pytest.mark.req("mi.fail.wall-clock-mind")
def test_a_service_that_answers_a_byte_at_a_time_is_given_up_all_the_same(api: str, home: Home) -> None:
    ended = threading.Event()
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n")
                while not ended.wait(0.1):
                    connection.sendall(b" ")

        thread = threading.Thread(target=drip)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        asked = Asked(home, PROVIDERS[api](HttpMind(base_url=url, model="m", timeout_s=1)))
        began = time.monotonic()
        judgement = asked.ask()
        assert time.monotonic() - began < 5
        assert "within 1 s" in judgement.error
        ended.set()
        thread.join()


def test_a_moment_to_come_back_at_is_waited_for(asking: Callable[..., Any]) -> None:
    later = formatdate(time.time() + 30, usegmt=True)
    asked, _ = asking([fail(429, headers={"retry-after": later}), say(json.dumps(DONE))], retries=1)
    assert asked.ask().state == "ok"
    assert 20 < asked.pauses[0] <= 31


@pytest.mark.parametrize("script", [[hang()], [fail(429, headers={"retry-after": "30"})]], ids=["answer", "pause"])
@pytest.mark.req("mi.fail.signal-marked")
def test_nobody_waits_for_a_judgement_that_nobody_wants_any_more(
    api: str, asking: Callable[..., Any], home: Home, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    asked, server = asking(script, timeout_s=30)
    stop = StopFlag()
    settings = HttpMind(base_url=server.base_url, model="m-1", api_key_env="THE_KEY", timeout_s=30)
    mind = Mind(home, str(asked.folder), PROVIDERS[api](settings), stop=stop)
    threading.Timer(0.3, stop.request, ["SIGINT"]).start()
    began = time.monotonic()
    judgement = mind.ask(decide_next, CASE)
    assert time.monotonic() - began < 5
    assert (judgement.state, mind.circuit.failures_total) == ("error", 0)


def test_a_cut_connection_is_tried_again(asking: Callable[..., Any]) -> None:
    asked, server = asking([cut(), say(json.dumps(DONE))], retries=1)
    assert asked.ask().state == "ok"
    assert len(server.requests) == 2
    assert len(asked.pauses) == 1


@pytest.mark.parametrize(
    "sent",
    [b'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{"half":', b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 999999 ?\r\n\r\n"],
    ids=["half an answer", "another protocol", "no status"],
)
def test_whatever_a_server_sends_is_no_crash(api: str, home: Home, sent: bytes) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(sent)

        thread = threading.Thread(target=answer)
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        judgement = Asked(home, PROVIDERS[api](HttpMind(base_url=address, model="m"))).ask()
        thread.join()
    assert judgement.state == "error"
    assert address in judgement.error


def test_nobody_listening_is_an_error(api: str, home: Home) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    asked = Asked(home, PROVIDERS[api](HttpMind(base_url=address, model="m")))
    judgement = asked.ask()
    assert judgement.state == "error"
    assert address in judgement.error


def test_a_redirect_never_carries_the_key_elsewhere(asking: Callable[..., Any]) -> None:
    other, second = asking([])
    asked, _ = asking(lambda request: fail(307, headers={"location": second.url + "/v1/messages"}))
    assert asked.ask().state == "error"
    assert second.requests == []
    assert other.pauses == []


@pytest.mark.req("mi.inject.secret-scan-mind")
def test_secrets_do_not_leave_the_machine(asking: Callable[..., Any]) -> None:
    asked, server = asking([say(json.dumps(DONE))])
    asked.ask(
        Case(
            batch=BatchView(task=f"use {SECRET}", last_message=f"The key {SECRET} works.", errors=[SECRET]),
            person=Person(values=[CitableText(id="cl_1", text=f"Remember {SECRET}")]),
        )
    )
    assert "aB3dE5gH7" not in json.dumps(server.requests[0].body)


@pytest.mark.req("v1.prov.mind-transcripts", "v1.storage.mind-transcripts", "mi.fail.mind-prompts-stored")
def test_the_prompt_is_stored_before_the_call_and_the_answer_after_it(asking: Callable[..., Any]) -> None:
    stored: list[list[str]] = []

    def look(request: Any) -> Any:
        (file,) = asked.folder.glob("*.jsonl")
        stored.append([json.loads(line).get("stream") for line in file.read_text().splitlines()])
        return say(json.dumps(DONE))

    asked, _ = asking(look)
    judgement = asked.ask()
    assert stored == [[None, "prompt"]]
    lines = asked.transcript(judgement)
    assert lines[0]["type"] == "mi.transcript.header"
    assert [line["stream"] for line in lines[1:]] == ["prompt", "answer"]
    assert json.loads(lines[2]["line"]) == DONE
    (file,) = asked.folder.glob("*.jsonl")
    assert file.stat().st_mode & 0o777 == 0o600
    assert ":" not in file.name
    assert "decide_next" in file.name


@pytest.mark.req("v1.mindfail.transcript-pointer")
def test_a_failure_is_in_the_transcript_it_points_to(asking: Callable[..., Any]) -> None:
    asked, _ = asking([fail(500, "out of order")])
    judgement = asked.ask()
    assert any("out of order" in line.get("line", "") for line in asked.transcript(judgement)[2:])


@pytest.mark.req("mi.mind.parallel-calls")
def test_questions_that_do_not_depend_on_each_other_are_asked_side_by_side(asking: Callable[..., Any]) -> None:
    """The model answers the first only when the second has arrived."""

    def both(request: Any) -> Any:
        server.wait_for_requests(2)
        return say(json.dumps(DONE))

    asked, server = asking(both)
    answers = asked.mind.ask_together(asked.ask, asked.ask)
    assert [one.state for one in answers] == ["ok", "ok"]


def test_a_vendor_without_structured_output_is_asked_without_it(home: Home) -> None:
    with chat_server([fail(400, "unknown response_format"), say(json.dumps(DONE)), say(json.dumps(DONE))]) as server:
        asked = Asked(home, OpenAiCompatible(HttpMind(base_url=server.base_url, model="m")))
        assert [asked.ask().state for _ in range(2)] == ["ok", "ok"]
        assert [request.schema is not None for request in server.requests] == [True, False, False]


PROMPTS = (extract_evidence, risk_judge, plan_min_checks, auto_answer_to_hands, decide_next, loop_break)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
@pytest.mark.req(
    "v1.prov.schema-all-required",
    "v1.prompt.extract-out",
    "v1.prompt.answer-out",
    "v1.prompt.loop-break-out",
    "mi.prompt.extract-evidence",
    "mi.prompt.risk-judge",
    "mi.prompt.plan-min-checks",
    "mi.prompt.loop-break",
    "mi.prompt.auto-answer",
    "mi.prompt.decide-next",
    "v1.rec.check-plan-checks",
    "v1.prov.schema-null-optional",
    "mi.prompt.all-required",
    "v1.prompt.strict-json",
)
def test_every_schema_names_all_its_keys_as_required(prompt: Any) -> None:
    def objects(node: Any) -> Iterator[dict[str, Any]]:
        if isinstance(node, dict):
            if node.get("type") == "object":
                yield node
            for value in node.values():
                yield from objects(value)
        elif isinstance(node, list):
            for value in node:
                yield from objects(value)

    schema = json_schema(prompt.output)
    found = list(objects(schema))
    assert found
    for node in found:
        assert sorted(node["required"]) == sorted(node["properties"])
        assert node["additionalProperties"] is False
    assert set(schema["properties"]) == set(ANSWERS[prompt.name])


@pytest.mark.req(
    "v1.risk.category",
    "v1.risk.severity",
    "v1.rec.loop-break-actions",
    "mi.prompt.extract-evidence-actions",
    "mi.prompt.risk-judge-learn",
    "mi.prompt.decide-next-overlay",
)
def test_closed_lists_are_closed_in_the_schema() -> None:
    risk = json_schema(risk_judge.output)["properties"]
    categories = "network|install|push|publish|delete|privilege|privacy|cost|other"
    assert sorted(risk["category"]["enum"]) == sorted(categories.split("|"))
    assert sorted(risk["severity"]["enum"]) == sorted("low|medium|high|critical".split("|"))
    suggested = risk["learn_suggested"]["items"]
    assert sorted(suggested["required"]) == ["rationale", "scope", "severity", "text"]
    action = json_schema(extract_evidence.output)["properties"]["actions"]["items"]
    assert sorted(action["required"]) == ["detail", "kind"]
    assert sorted(action["properties"]["kind"]["enum"]) == ["command", "edit", "other"]
    overlay = json_schema(decide_next.output)["properties"]["update_project_overlay"]
    shapes = {one["type"]: one for one in overlay["properties"]["set_testless_strategy"]["anyOf"]}
    assert set(shapes) == {"null", "object"}
    assert sorted(shapes["object"]["required"]) == ["rationale", "strategy"]
    actions = "rewrite_next_input|run_checks_then_continue|stop_done|stop_blocked|ask_user"
    assert sorted(json_schema(loop_break.output)["properties"]["action"]["enum"]) == sorted(actions.split("|"))


# the agents' own command lines


@pytest.fixture
def codex_mind(codex: str, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Asked]:
    def make(server: ScriptedServer, **settings: Any) -> Asked:
        for name, value in codex_environment(server, str(tmp_path / "agent")).items():
            monkeypatch.setenv(name, value)
        return Asked(home, CodexSchema(CliMind(path=codex, **settings)))

    return make


@pytest.fixture
def claude_mind(claude: str, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Asked]:
    def make(server: ScriptedServer, **settings: Any) -> Asked:
        for name, value in claude_environment(server, str(tmp_path / "agent")).items():
            monkeypatch.setenv(name, value)
        return Asked(home, ClaudeSchema(CliMind(path=claude, **settings)))

    return make


@pytest.mark.req(
    "v1.prov.mind-codex-call",
    "v1.prov.mind-codex-parse",
    "v1.plan.prompts-strict-json",
    "mi.mind.codex-schema",
    "mi.config.codex-schema-path",
    "mi.config.codex-schema-model",
)
def test_codex_judges_by_the_schema_and_leaves_no_file_behind(codex_mind: Callable[..., Asked], tmp_path: Path) -> None:
    with responses_server([turn(answer_json(DONE), usage=Usage(input=80, output=8))]) as server:
        judgement = codex_mind(server, model="gpt-5.5").ask()
        assert (judgement.state, judgement.by) == ("ok", "codex_schema")
        assert judgement.value.status == "done"
        assert (judgement.spent.input_tokens, judgement.spent.output_tokens) == (80, 8)
        assert server.requests[0].schema == json_schema(decide_next.output)
        assert server.requests[0].body["model"] == "gpt-5.5"
        assert "read-only" in json.dumps(server.requests[0].headers) + json.dumps(server.requests[0].body)
    assert [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("mi-mind-")] == []


def test_codex_without_json_is_asked_again_and_a_broken_one_is_an_error(codex_mind: Callable[..., Asked]) -> None:
    with responses_server([say("It is done."), answer_json(DONE), fail(400, "no such model")]) as server:
        asked = codex_mind(server)
        assert asked.ask().spent.calls == 2
        assert "no such model" in asked.ask().error


@pytest.mark.req("mi.config.codex-schema-timeout")
def test_codex_that_does_not_answer_is_ended(codex_mind: Callable[..., Asked]) -> None:
    with responses_server([hang()]) as server:
        judgement = codex_mind(server, timeout_s=2).ask()
    assert "within 2 s" in judgement.error


@pytest.mark.req("mi.mind.claude-schema", "mi.config.claude-schema-path", "mi.config.claude-schema-model")
def test_claude_judges_by_the_schema(claude_mind: Callable[..., Asked]) -> None:
    with messages_server(lambda request: answer_json(DONE)) as server:
        judgement = claude_mind(server, model="claude-opus-4-5").ask()
        assert (judgement.state, judgement.by, judgement.error) == ("ok", "claude_schema", "")
        assert judgement.value.status == "done"
        assert judgement.spent.calls == 1
        assert server.requests[0].schema == json_schema(decide_next.output)
        assert server.requests[0].body["model"] == "claude-opus-4-5"


def test_claude_with_a_wrong_key_is_an_error(claude_mind: Callable[..., Asked]) -> None:
    with messages_server([], token="another") as server:
        judgement = claude_mind(server).ask()
    assert judgement.state == "error"
    assert judgement.value is None


@pytest.mark.req("mi.config.claude-schema-timeout")
def test_claude_that_does_not_answer_is_ended(claude_mind: Callable[..., Asked]) -> None:
    with messages_server([hang()]) as server:
        judgement = claude_mind(server, timeout_s=3).ask()
    assert "within 3 s" in judgement.error
