"""The official judges of MCP servers: the conformance suite on HTTP, the inspector's command line on both doors."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MI
from tests.real.installed import installed

NODE = "node@24.21.0"  # both judges need a newer one than distributions have
CONFORMANCE = "@modelcontextprotocol/conformance@0.1.16"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
# The scenarios about servers as such; the others are about tools, prompts and streams of an example server.
SCENARIOS = ("server-initialize", "ping", "tools-list", "dns-rebinding-protection", "server-sse-multiple-streams")


@pytest.fixture(scope="module")
def node() -> str:
    return str(installed(NODE) / "node" / "bin" / "node")


@pytest.fixture
def address(repository: Any) -> Iterator[str]:
    """A server on loopback; the token stands in the path."""
    process = subprocess.Popen(
        [MI, "mcp", "serve", "--http", "0", "--json"],
        stdout=subprocess.PIPE,
        cwd=repository("served"),
        encoding="utf-8",
    )
    assert process.stdout
    told = json.loads(process.stdout.readline())
    token = Path(told["token_file"]).read_text("utf-8").strip()
    yield told["url"].replace("/mcp", f"/{token}/mcp")
    process.terminate()
    process.communicate(timeout=30)


def judged(argv: list[str], **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | env,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_conformance(node: str, address: str, scenario: str, tmp_path: Path) -> None:
    suite = installed(CONFORMANCE) / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    output = str(tmp_path / "out")
    done = judged([node, str(suite), "server", "--url", address, "--scenario", scenario, "--output-dir", output])
    checks = [one for path in Path(output).rglob("checks.json") for one in json.loads(path.read_text("utf-8"))]
    assert [one for one in checks if one["status"] in ("FAILURE", "WARNING")] == [], done.stdout
    assert any(one["status"] == "SUCCESS" for one in checks)
    assert done.returncode == 0, done.stdout


def inspected(node: str, target: list[str], *args: str) -> Any:
    launcher = (
        installed(INSPECTOR) / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    )
    path = f"{os.path.dirname(node)}:{os.environ['PATH']}"
    done = judged([node, str(launcher), "--cli", *target, *args], PATH=path)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("door", ["stdio", "http"])
def test_inspector(node: str, address: str, door: str) -> None:
    target = [address] if door == "http" else ["-e", f"MI_HOME={os.environ['MI_HOME']}", str(MI), "mcp", "serve"]
    listed = inspected(node, target, "--method", "tools/list")
    names = [one["name"] for one in listed["tools"]]
    assert {"memory_query", "memory_write", "task_add"} <= set(names)
    call = ["--method", "tools/call", "--tool-name"]
    found = inspected(node, target, *call, "memory_query", "--tool-arg", "query=NOT C++", "--tool-arg", "limit=3")
    assert found["structuredContent"]["results"] == []
    mode = inspected(node, target, *call, "memory_set_mode", "--tool-arg", "mode=PASSIVE")
    assert mode["structuredContent"]["mode"] == "PASSIVE"
