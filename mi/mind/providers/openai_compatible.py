"""Any service that speaks OpenAI's Chat Completions."""

from typing import Any

from mi.kernel.config.types import HttpMind
from mi.mind.provider import ModelReply, ModelRequest, ProviderError
from mi.mind.providers.http import api_key, count_at, post, text_at


class OpenAiCompatible:
    """Asks for structured output, and without it where a vendor does not know it: the prompt holds the schema, too."""

    name = "openai_compatible"

    def __init__(self, settings: HttpMind) -> None:
        self._settings = settings
        self._structured = True

    def ask(self, request: ModelRequest) -> ModelReply:
        try:
            answer = self._post(request)
        except ProviderError as error:
            if error.kind != "refused" or not self._structured:
                raise
            self._structured = False
            answer = self._post(request)
        text = text_at(answer, "choices", 0, "message", "content")
        return ModelReply(
            text, count_at(answer, "usage", "prompt_tokens"), count_at(answer, "usage", "completion_tokens")
        )

    def _post(self, request: ModelRequest) -> Any:
        body: dict[str, Any] = {
            "model": request.model or self._settings.model,
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
        }
        if self._settings.max_tokens:
            body["max_tokens"] = self._settings.max_tokens
        if self._structured:
            schema = {"name": request.name, "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        key = api_key(self._settings, self.name)
        headers = {"authorization": f"Bearer {key}"} if key else {}
        url = self._settings.base_url.rstrip("/") + "/chat/completions"
        return post(url, headers, body, self._settings.timeout_s, request.stop)
