"""The Mind: asks a provider, checks the answer, has it repaired; a failure is a value, not an exception."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import Redacted, redact, redact_start
from mi.mind.circuit import Circuit
from mi.mind.prompt import Prompt
from mi.mind.provider import ModelReply, ModelRequest, Provider, ProviderError
from mi.mind.strict import json_schema, read_answer
from mi.mind.transcript import MindTranscript

if TYPE_CHECKING:
    from mi.agents.signals import StopFlag

Input = TypeVar("Input")
Output = TypeVar("Output")
_REPAIRS = 2
_LONGEST_WAIT_S = 60.0


class MindCost(NamedTuple):
    """What a judgement cost; null is unknown."""

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = 0.0


class Judgement(NamedTuple, Generic[Output]):
    """An answer, or why there is none. `by` is the provider, or `rules` when the fixed rules answered."""

    value: Output | None
    state: Literal["ok", "error", "skipped"]
    by: str
    transcript_ref: str = ""
    error: str = ""
    spent: MindCost = MindCost()
    circuit: Literal["", "open", "closed"] = ""  # the circuit's change, if this call made one


class Mind:
    """Judges with a model, or with the fixed rules when there is none or it fails."""

    def __init__(
        self,
        home: Home,
        transcripts: str,
        provider: Provider | None,
        models: dict[str, str] | None = None,
        max_retries: int = 2,
        sleep: Callable[[float], None] | None = None,
        stop: "StopFlag | None" = None,
    ) -> None:
        self.circuit = Circuit()
        self._home = home
        self._transcripts = transcripts
        self._provider = provider
        self._models = models or {}
        self._max_retries = max_retries
        self._stop = stop
        self._sleep = sleep or self._rest

    @property
    def name(self) -> str:
        return self._provider.name if self._provider else "rules"

    def ask(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        """Return the answer to a prompt. A model that fails leaves `value` None.

        With the circuit open the rules answer.
        """
        if self._provider is None:
            return Judgement(prompt.rules(given), "ok", "rules")
        if not self.circuit.allows():
            return Judgement(prompt.rules(given), "skipped", "rules", error="the circuit is open")
        request = ModelRequest(
            prompt.name,
            prompt.system(),
            prompt.user(given),
            json_schema(prompt.output),
            self._models.get(prompt.name, ""),
            self._stop,
        )
        transcript = MindTranscript(self._home, self._transcripts, prompt.name, self._provider.name)
        return self._ask_model(self._provider, request, prompt.output, transcript)

    def ask_together(self, *questions: Callable[[], Judgement[Any]]) -> list[Judgement[Any]]:
        """Return the answers to questions that do not depend on each other, asked side by side."""
        if self._provider is None or len(questions) == 1:
            return [question() for question in questions]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max_workers=len(questions)) as pool:
            return [future.result() for future in [pool.submit(question) for question in questions]]

    def _ask_model(
        self, provider: Provider, request: ModelRequest, output: type[Output], transcript: MindTranscript
    ) -> Judgement[Output]:
        transcript.add("prompt", f"{request.system}\n\n{request.user}")
        spent = MindCost()
        problem = ""
        for _ in range(1 + _REPAIRS):
            try:
                reply = self._ask_patiently(provider, request, transcript)
            except ProviderError as error:
                return self._failure(
                    provider, transcript, str(error), spent, counts=error.kind not in ("rate_limit", "stopped")
                )
            spent = _added(spent, reply)
            transcript.add("answer", reply.text)
            try:
                value = read_answer(reply.text, output)
            except BadJson as error:
                problem = str(error)
                transcript.add("error", problem)
                request = request._replace(user=_repair(request.user, reply.text, problem))
                continue
            change: Literal["", "closed"] = "closed" if self.circuit.succeeded() else ""
            return Judgement(value, "ok", provider.name, transcript.ref, spent=spent, circuit=change)
        return self._failure(provider, transcript, problem, spent, counts=True)

    def _ask_patiently(self, provider: Provider, request: ModelRequest, transcript: MindTranscript) -> ModelReply:
        for attempt in range(self._max_retries + 1):
            try:
                return provider.ask(request)
            except ProviderError as error:
                transcript.add("error", f"{error.kind}: {error}")
                wait = error.retry_after_s if error.retry_after_s is not None else float(2**attempt)
                if attempt == self._max_retries or not error.worth_repeating or wait > _LONGEST_WAIT_S:
                    raise
            self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _rest(self, seconds: float) -> None:
        """Wait, but not longer than anybody waits for the answer."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._stop is not None and self._stop.reason:
                raise ProviderError("stopped", self._stop.reason)
            time.sleep(min(left, 0.2))

    def _failure(
        self, provider: Provider, transcript: MindTranscript, error: str, spent: MindCost, counts: bool
    ) -> Judgement[Any]:
        change: Literal["", "open"] = "open" if counts and self.circuit.failed() else ""
        transcript.add("error", error)
        return Judgement(None, "error", provider.name, transcript.ref, error, spent, change)


def _repair(user: Redacted, answer: str, problem: str) -> Redacted:
    shown = redact_start(answer, 4000).replace(">>>", "> > >")
    ending = f"It does not fit the schema: {problem}. Answer again, with the JSON object only."
    return Redacted(f"{user}\n<<<YOUR LAST ANSWER\n{shown}\n>>>\n{redact(ending)}")


def _added(spent: MindCost, reply: ModelReply) -> MindCost:
    return MindCost(
        spent.calls + 1,
        _sum(spent.input_tokens, reply.input_tokens),
        _sum(spent.output_tokens, reply.output_tokens),
        _sum(spent.cost_usd, reply.cost_usd),
    )


def _sum(total: Any, more: Any) -> Any:
    """Unknown plus something is unknown."""
    return None if total is None or more is None else total + more
