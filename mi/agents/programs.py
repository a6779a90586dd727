"""How an agent is known by the process that it is, and by what it leaves in the environment of its commands."""

import os
import re
from collections.abc import Mapping

from mi.agents.registry import VENDORS
from mi.kernel.ancestry import ProcessInfo

# Agents that MI does not drive itself, by their program's name, or by their package where that differs.
_OTHERS = {
    **{name: name for name in "aider amp auggie cline codebuff copilot crush cursor-agent devin droid gemini".split()},
    **{name: name for name in "goose iflow kimi kiro-cli openclaw opencode openhands plandex qwen qchat".split()},
    "gemini-cli": "gemini",
    "qwen-code": "qwen",
    "opencode-ai": "opencode",
    "aider-chat": "aider",
    "codex-linux-sandbox": "codex",
    "claude-code": "claude",
    "claude-agent-sdk": "claude",
}
_AGENTS = {entry.name: entry.name for entry in VENDORS} | _OTHERS
_INTERPRETERS = re.compile(r"(?:node|nodejs|bun|deno|npx|npm|uv|uvx|pipx|python[\d.]*|pypy[\d.]*|ruby|tsx|ts-node)")
_RUNNERS = {"npx": (), "uvx": (), "npm": ("exec", "x"), "uv": ("run", "tool"), "pipx": ("run",), "bun": ("run", "x")}
_ENDING = re.compile(r"\.(?:exe|[cm]?js|ts|py|sh)$")
_PACKAGE = re.compile(r"(?:node_modules|site-packages)/(?:@[^/]+/)?([^/]+)/")
# Agent CLIs set these for the commands they run, also where they give them a terminal.
_MARKS = """CLAUDECODE CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_THREAD_ID CODEX_CI AI_AGENT
    GEMINI_CLI QWEN_CODE OPENCODE CURSOR_AGENT""".split()
MI = "mi"
# Of our own commands, those that start a command and are no agent's: the person's editor, and the demo's run.
_HARMLESS = re.compile(r"(?!.* run\b).* (?:values edit|demo|bench judge)\b")


def find_agent_mark(environment: Mapping[str, str]) -> str:
    """Return the variable by which an agent says that it runs this command; '' where none is set."""
    return next((name for name in _MARKS if environment.get(name)), "")


def find_agent(process: ProcessInfo) -> str:
    """Return the name of the agent that a process is; '' when it is none. A command of ours that drives one is `mi`."""
    if wrapped := find_wrapped(process):
        return wrapped
    names = [process.name, os.path.basename(process.program), *map(os.path.basename, process.words[:1])]
    if process.name == "bwrap":  # it is called by the agent whose sandbox it is, and is all that is seen from inside
        names += [os.path.basename(word) for word in process.words]
    return next((_AGENTS[name] for name in map(_plain, names) if name in _AGENTS), "")


def find_wrapped(process: ProcessInfo) -> str:
    """Return the agent whose script an interpreter runs; '' when the process is no interpreter, or runs another."""
    called = _plain(os.path.basename(process.words[0])) if process.words else ""
    if not (_INTERPRETERS.fullmatch(called) or _INTERPRETERS.fullmatch(process.name)):
        return ""
    words = [word for word in process.words[1:] if not word.startswith("-")]
    if called in _RUNNERS:
        words = [word for word in words if word not in _RUNNERS[called]]
    script = words[0] if words else ""
    name = _plain(os.path.basename(script))
    if name == MI and called.startswith(("python", "pypy")):  # what only starts a command, such as `uv run`, is none
        return "" if _HARMLESS.match(" ".join(process.words)) else MI
    return _AGENTS.get(name) or next((_AGENTS[one] for one in _PACKAGE.findall(script) if one in _AGENTS), "")


def _plain(name: str) -> str:
    return _ENDING.sub("", name.lstrip("-"))
