"""A judgement by an agent CLI with structured output: Codex or Claude Code, in a process of its own, read-only."""

import os
import tempfile

import msgspec

from mi.agents.claude_events import ClaudeEvents
from mi.agents.codex_events import CodexEvents
from mi.agents.events import AgentEnd, AgentMessage, AgentUsage, Error, Event, VendorLimit
from mi.agents.find import find, find_native
from mi.agents.process import AgentProcess, ProcessLimits
from mi.agents.signals import StopFlag
from mi.agents.stream import Interpreter, parse_json_object
from mi.agents.transcript import Captured
from mi.kernel import text
from mi.kernel.config.types import CliMind
from mi.kernel.secrets import redact_end
from mi.mind.provider import ModelReply, ModelRequest, ProviderError

_TIMEOUT_S = 180.0
_MAX_OUTPUT = 16 << 20


class CodexSchema:
    """`codex exec --output-schema`: Mind and Hands share no thread."""

    name = "codex_schema"

    def __init__(self, settings: CliMind) -> None:
        self._settings = settings
        self._path = find_native("codex", settings.path)

    def ask(self, request: ModelRequest) -> ModelReply:
        model = request.model or self._settings.model
        with tempfile.TemporaryDirectory(prefix="mi-mind-") as folder:
            schema = os.path.join(folder, "schema.json")
            with open(schema, "wb") as file:
                file.write(msgspec.json.encode(request.schema))
            argv = [self._path, "exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check"]
            argv += ["-c", "features.unbounded_connection_retries=false"]  # else it waits for a network for ever
            argv += ["--output-schema", schema, *(["-m", model] if model else []), "-"]
            lines = _run(argv, folder, f"{request.system}\n\n{request.user}", self._settings.timeout_s, request.stop)
        events = _events(lines, CodexEvents())
        messages = [event.text for event in events if isinstance(event, AgentMessage) and not event.reasoning]
        return _reply(events, messages[-1] if messages else "")


class ClaudeSchema:
    """`claude -p --json-schema`: no second key is needed."""

    name = "claude_schema"

    def __init__(self, settings: CliMind) -> None:
        self._settings = settings
        self._path = find("claude", settings.path)

    def ask(self, request: ModelRequest) -> ModelReply:
        model = request.model or self._settings.model
        argv = [self._path, "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "plan"]
        argv += ["--json-schema", msgspec.json.encode(request.schema).decode(), *(["--model", model] if model else [])]
        with tempfile.TemporaryDirectory(prefix="mi-mind-") as folder:
            lines = _run(argv, folder, f"{request.system}\n\n{request.user}", self._settings.timeout_s, request.stop)
        events = _events(lines, ClaudeEvents())
        results = [found for line in lines if (found := parse_json_object(line)) and found.get("type") == "result"]
        structured = results[-1].get("structured_output") if results else None
        said = msgspec.json.encode(structured).decode() if structured is not None else ""
        return _reply(events, said or str(results[-1].get("result") or "") if results else "")


def _run(argv: list[str], cwd: str, prompt: str, timeout_s: int | None, stop: StopFlag | None) -> list[Captured]:
    """Return the lines a CLI printed on standard output for one prompt."""
    out, err = bytearray(), bytearray()

    def take(stream: str, data: bytes) -> None:
        target = out if stream == "stdout" else err
        target += data[: max(0, _MAX_OUTPUT - len(target))]

    limits = ProcessLimits(wall_s=float(timeout_s or _TIMEOUT_S))
    with AgentProcess(argv, cwd, None, prompt.encode("utf-8", "replace"), limits, stop=stop) as process:
        ended = process.pump(take)
    if stop is not None and stop.reason:
        raise ProviderError("stopped", stop.reason)
    if ended.stopped:
        raise ProviderError("timeout", f"{os.path.basename(argv[0])} did not answer within {limits.wall_s:g} s")
    lines = [Captured("stdout", line, text.decode(line)) for line in bytes(out).split(b"\n") if line]
    if not lines:
        said = redact_end(text.decode(bytes(err)), 500).strip()
        raise ProviderError("protocol", said or f"exit code {ended.code}, no output")
    return lines


def _events(lines: list[Captured], interpreter: Interpreter) -> list[Event]:
    found = [event for line in lines for event in interpreter.feed(line)]
    return [*found, *interpreter.end()]


def _reply(events: list[Event], said: str) -> ModelReply:
    limit = next((event for event in events if isinstance(event, VendorLimit)), None)
    if limit is not None:
        raise ProviderError("rate_limit", limit.message)
    end = next((event for event in reversed(events) if isinstance(event, AgentEnd)), None)
    if end is None or not end.ok:
        errors = [event.message for event in events if isinstance(event, Error)]
        raise ProviderError("protocol", (end.message if end else "") or "; ".join(errors[-2:]) or "no terminal event")
    usage = next((event for event in reversed(events) if isinstance(event, AgentUsage)), AgentUsage())
    return ModelReply(said, usage.input_tokens, usage.output_tokens, usage.cost_usd)
