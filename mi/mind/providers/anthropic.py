"""Anthropic's Messages API."""

from typing import Any

from mi.kernel.config.types import HttpMind
from mi.mind.provider import ModelReply, ModelRequest, ProviderError
from mi.mind.providers.http import api_key, count_at, post

_DEFAULT_MAX_TOKENS = 4096


class Anthropic:
    """One POST; the answer is in the text blocks of `content`."""

    name = "anthropic"

    def __init__(self, settings: HttpMind) -> None:
        self._settings = settings

    def ask(self, request: ModelRequest) -> ModelReply:
        body = {
            "model": request.model or self._settings.model,
            "max_tokens": self._settings.max_tokens or _DEFAULT_MAX_TOKENS,
            # The system part is the same at every call of a prompt: the vendor may keep it.
            "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": request.user}],
        }
        headers = {"x-api-key": api_key(self._settings, self.name), "anthropic-version": "2023-06-01"}
        url = self._settings.base_url.rstrip("/") + "/v1/messages"
        answer = post(url, headers, body, self._settings.timeout_s, request.stop)
        tokens = count_at(answer, "usage", "input_tokens"), count_at(answer, "usage", "output_tokens")
        return ModelReply(_text_blocks(answer), *tokens)


def _text_blocks(answer: Any) -> str:
    blocks = answer.get("content") if isinstance(answer, dict) else None
    if not isinstance(blocks, list):
        raise ProviderError("protocol", "the answer has no content blocks")
    texts = [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]
    if not texts:
        raise ProviderError("protocol", "the answer has no text block")
    return "\n".join(texts)
