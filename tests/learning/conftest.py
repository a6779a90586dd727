"""A bench that learns, and a model that judges its runs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mi.testing import chat_server
from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import Workbench, open_bench
from tests.learning.stored import RECALL_OFF

Judged = Callable[..., ScriptedServer]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A repository whose only test fails, and a home in which runs learn as they do by default."""
    bench = open_bench(tmp_path)
    bench.configure(runtime=RECALL_OFF)
    return bench


@pytest.fixture
def judged(bench: Workbench) -> Iterator[Judged]:
    """Opens a model and lets it judge the bench's runs."""
    servers: list[ScriptedServer] = []

    def make(script: Any) -> ScriptedServer:
        server = chat_server(script).__enter__()
        servers.append(server)
        settings = {"base_url": server.base_url, "model": "m", "api_key_env": "", "max_retries": 0}
        bench.configure(mind={"provider": "openai_compatible", "openai_compatible": settings})
        return server

    yield make
    for server in servers:
        server.__exit__(None, None, None)
