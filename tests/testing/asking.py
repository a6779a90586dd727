"""Asking a scripted server over plain HTTP."""

import http.client
import json
import urllib.parse
from typing import Any

from mi.testing import ScriptedServer


class Answer:
    """A response, read to its end or to the point where it broke."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        try:
            self.data, self.broken = response.read(), False
        except http.client.IncompleteRead as error:
            self.data, self.broken = error.partial, True

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def events(self) -> list[Any]:
        lines = [line.removeprefix("data: ") for line in self.data.decode().splitlines() if line.startswith("data: ")]
        return [line if line == "[DONE]" else json.loads(line) for line in lines]


def post(server: ScriptedServer, body: dict[str, Any], path: str | None = None, method: str = "POST") -> Answer:
    address = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=20)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer key"}
    try:
        connection.request(method, path or server.wire.path, json.dumps(body), headers)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def chat(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "small", "messages": [{"role": "user", "content": text}], **more}
