"""Talking to a server process line by line, as a client would."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.conftest import MI

ROOT = Path(__file__).parent.parent.parent
BOX = (sys.executable, "-m", "tests.mcp.box_server")
SERVE = (str(MI), "mcp", "serve")
Json = dict[str, Any]


class Server:
    """A server process, and the replies it gave."""

    def __init__(self, command: Sequence[str], cwd: str | None = None, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | (env or {}),
        )
        self._number = 0

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *details: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def send(self, **message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Json:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1].decode()
        return json.loads(line)  # type: ignore[no-any-return]

    def ask(self, method: str, **params: Any) -> Json:
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        answer = self.receive()
        assert answer["id"] == self._number, answer
        return answer

    def initialize(self, client: str = "tester", version: str = "2025-11-25") -> Json:
        about = {"name": client, "version": "1"}
        answer = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=about)
        self.send(method="notifications/initialized")
        return answer["result"]  # type: ignore[no-any-return]

    def call(self, tool: str, **arguments: Any) -> Json:
        """The result of a tool call."""
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]  # type: ignore[no-any-return]

    def content(self, tool: str, **arguments: Any) -> Json:
        """The structured content of a call that must succeed."""
        result = self.call(tool, **arguments)
        assert result["isError"] is False, result
        return result["structuredContent"]  # type: ignore[no-any-return]

    def refusal(self, tool: str, **arguments: Any) -> Json:
        """The error of a call that must be refused."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True, result
        return result["structuredContent"]["error"]  # type: ignore[no-any-return]

    def end(self) -> tuple[int, str]:
        """Close standard input; the exit code and what stood on standard error."""
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors.decode()
