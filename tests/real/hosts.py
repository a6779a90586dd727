"""A real agent with MI in its configuration: installed by MI's own commands, driven by a scripted model."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from mi.app.home_context import HomeContext
from mi.kernel.home import Home
from mi.testing import (
    Repository,
    Request,
    ScriptedServer,
    claude_environment,
    codex_environment,
    messages_server,
    responses_server,
    temporary_repository,
)
from mi.testing.replies import Script
from tests.conftest import MI
from tests.real.running import Done, run_agent

Json = dict[str, Any]


class AgentHost:
    """Codex or Claude Code in a repository, with a home of MI."""

    def __init__(self, name: str, program: str, folder: Path, stack: ExitStack) -> None:
        self.name = name
        self._program = program
        self._folder = folder / "agent"
        self._folder.mkdir()
        self._stack = stack
        self.home = Home(str(folder / "home"))
        # Codex may write to the system's own folder for temporary files.
        self.repository: Repository = stack.enter_context(temporary_repository(passing=False, parent=str(folder)))
        self.env: dict[str, str] = {}
        self.server: ScriptedServer | None = None

    def prepare(self, script: Script) -> ScriptedServer:
        """The model behind the agent, and an environment that leads to it."""
        codex = self.name == "codex"
        made = responses_server(script) if codex else messages_server(script)
        self.server = self._stack.enter_context(made)
        make = codex_environment if codex else claude_environment
        self.env = make(self.server, str(self._folder))
        programs = f"{os.path.dirname(self._program)}:{os.environ['PATH']}"
        self.env |= {"PATH": programs, "MI_HOME": self.home.root}
        return self.server

    def mi(self, *args: str) -> str:
        """Run MI as the person would who uses this agent; its standard error must be empty."""
        done = subprocess.run(
            [MI, *args],
            cwd=self.repository.path,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def look(self, area: str) -> Json:
        """What `mi doctor` says about the one thing of an area."""
        (found,) = [one for one in json.loads(self.mi("doctor", "--json"))["findings"] if one["area"] == area]
        return dict(found)

    def let_in(self, scope: str) -> None:
        """What a person confirms at the first start in a project: the project to Codex, its server to Claude Code."""
        if scope == "project" and self.name == "codex":
            config = Path(self.env["CODEX_HOME"], "config.toml")
            if self.repository.path not in config.read_text("utf-8"):
                with config.open("a", encoding="utf-8") as file:
                    file.write(f'\n[projects."{self.repository.path}"]\ntrust_level = "trusted"\n')
        if scope == "project" and self.name == "claude-code":
            settings = Path(self.env["CLAUDE_CONFIG_DIR"], "settings.json")
            settings.write_text('{"enableAllProjectMcpServers": true}', "utf-8")

    def run(self, prompt: str = "go on") -> Done:
        done = run_agent(self.command(prompt), self.env, self.repository.path)
        assert done.code == 0, done
        assert self.server is not None
        assert self.server.left == 0, done.stdout
        return done

    def command(self, prompt: str, session: str = "") -> list[str]:
        """The agent's command for one prompt, in a session that was there before or in a new one."""
        if self.name == "codex":
            words = [self._program, "exec", "--json", "--sandbox", "workspace-write"]
            return [*words, *(["resume", session] if session else []), prompt]
        tools = "Bash,mcp__mi__*"
        mode = [
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            tools,
            *(["--resume", session] if session else []),
        ]
        return [self._program, "-p", prompt, "--output-format", "stream-json", "--verbose", *mode]

    def events(self, kind: str) -> list[Json]:
        """The project's evidence of a kind."""
        log = HomeContext(self.home).for_agent(self.repository.path).project_home.evidence
        lines = Path(log).read_text("utf-8").splitlines() if os.path.exists(log) else []
        return [one for one in map(json.loads, lines) if one["kind"] == kind]

    def outputs(self) -> list[str]:
        """What the model was told about its calls, in their order."""
        assert self.server is not None
        told = {one.call_id: one.text for request in self.server.requests for one in request.tool_outputs}
        return list(told.values())


def pointer_in(request: Request) -> str:
    """The current task, from the latest result that names one."""
    for one in reversed(request.tool_outputs):
        text = one.text[one.text.find("{") :]
        try:
            found, _ = json.JSONDecoder().raw_decode(text)
        except ValueError:
            continue
        if found.get("pointer"):
            return str(found["pointer"])
    raise AssertionError("no result names a task")


def agent_host(name: str, program: str, folder: Path) -> Iterator[AgentHost]:
    with ExitStack() as stack:
        yield AgentHost(name, program, folder, stack)
