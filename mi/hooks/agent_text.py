"""What the agent said last, from the host's transcript: a plan in it counts as declared."""

import os
from typing import Any

from mi.hooks.event import HookEvent
from mi.kernel.jsontext import BadJson, decode

_TAIL = 65_536


def last_words(event: HookEvent) -> str:
    """The agent's text since the last prompt, as far as the end of the transcript shows it; empty when unknown."""
    if event.last_message:
        return event.last_message
    said: list[str] = []
    for line in reversed(_last_lines(event.transcript_path)):
        try:
            kind, text = _told(decode(line, dict[str, Any]))
        except BadJson:
            continue  # half a line, or a form we do not know
        if kind == "prompt":
            break
        if kind == "agent":
            said.append(text)
    return "\n\n".join(reversed(said))


def _last_lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _TAIL, 0))
            return file.read().splitlines()
    except OSError:
        return []


def _told(entry: dict[str, Any]) -> tuple[str, str]:
    """Who speaks in a line of a transcript (agent, prompt, or nobody), and the words; Claude Code's or Codex's form."""
    message = entry.get("payload") if entry.get("type") == "response_item" else entry.get("message")
    if not isinstance(message, dict) or message.get("type") not in (None, "message"):
        return "", ""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [str(part["text"]) for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if message.get("role") == "assistant":
        return "agent" if texts else "", "\n".join(texts)
    return ("prompt" if texts and message.get("role") == "user" else ""), ""
