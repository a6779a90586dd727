"""A scripted model for what is learned: answers by the name of the prompt, over real HTTP."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mi.kernel.config.types import HttpMind
from mi.kernel.home import Home
from mi.mind.mind import Mind
from mi.mind.providers.openai_compatible import OpenAiCompatible
from mi.testing import Request, chat_server, fail, say
from mi.testing.replies import Reply
from mi.testing.server import ScriptedServer

Json = dict[str, Any]
Answers = dict[str, Json | Callable[[Request], Json]]
PROCEDURE = {"summary": "Small steps; ask before pushing.", "mermaid": "flowchart TD\n  A[choice] --> B[ask]"}


def name_of(request: Request) -> str:
    """The prompt a request is about."""
    return str(request.body["response_format"]["json_schema"]["name"])


@contextmanager
def answering(**answers: Json | Callable[[Request], Json]) -> Iterator[ScriptedServer]:
    """A model that answers the named prompts and is out of order for any other."""

    def reply(request: Request) -> Reply:
        answer = answers.get(name_of(request))
        if answer is None:
            return fail(500, "out of order")
        return say(json.dumps(answer(request) if callable(answer) else answer, ensure_ascii=False))

    with chat_server(reply) as server:
        yield server


def settings(server: ScriptedServer) -> Json:
    """The configuration of a Mind that asks this server."""
    http = {"base_url": server.base_url, "model": "m", "api_key_env": "", "max_retries": 0}
    return {"mind": {"provider": "openai_compatible", "openai_compatible": http}}


def mind_of(server: ScriptedServer, home: Home) -> Mind:
    """A Mind that asks this server."""
    provider = OpenAiCompatible(HttpMind(base_url=server.base_url, model="m", api_key_env=""))
    return Mind(home, home.mind_transcripts, provider, max_retries=0)


def compiled(*values: str) -> Json:
    return {"version": "v1", "values_summary": list(values), "decision_procedure": PROCEDURE}


def claim(text: str, *event_ids: str, local_id: str = "", **changes: Any) -> Json:
    """A claim as a model proposes it."""
    return {
        "local_id": local_id or text[:8],
        "claim_type": "preference",
        "text": text,
        "scope": "global",
        "visibility": "global",
        "valid_from": None,
        "valid_to": None,
        "confidence": 0.9,
        "source_event_ids": list(event_ids),
        "tags": [],
        "notes": "",
    } | changes


def edge(edge_type: str, from_id: str, to_id: str, *event_ids: str) -> Json:
    """An edge as a model proposes it."""
    ends = {"edge_type": edge_type, "from_claim_id": from_id, "to_claim_id": to_id}
    return ends | {"confidence": 0.9, "source_event_ids": list(event_ids), "notes": ""}
