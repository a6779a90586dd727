"""How an agent is known by the process that it is, and by what it leaves in the environment of its commands."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from mi.agents.registry import VENDORS
from mi.kernel.ancestry import ProcessInfo
from mi.kernel.named_tuple import NamedTuple

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
_ENDING = r"\.(?:exe|[cm]?js)$"  # a `goose.py` or `codex.sh` is somebody's own
_VERSION = r"(?<=.)(?:@|[=<>~!]=|\[).*$"
_PACKAGE = r"(?:node_modules|site-packages)/(?:@[^/]+/)?([^/]+)/"
_SCRIPT = r"/|\.(?:[cm]?[jt]sx?|py|rb|sh)$"
# Agent CLIs set these for the commands they run, also where they give them a terminal.
_MARKS = """CLAUDECODE CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_THREAD_ID CODEX_CI AI_AGENT
    GEMINI_CLI QWEN_CODE OPENCODE CURSOR_AGENT""".split()
MI = "mi"
# Of our own commands, those that start a command and are no agent's: the person's editor, the demo's run, and a worker,
# whose runs count themselves.
_HARMLESS = (("values", "edit"), ("demo",), ("bench", "judge"), ("worker",))
StartedBy = Literal["", "script", "starter"]


class Launcher(NamedTuple):
    """A program that runs another one, and how its words are read."""

    kind: Literal["interpreter", "shell", "runner"]
    valued: frozenset[str] = frozenset()  # options whose value is the next word
    code: str = ""  # options whose value is the program itself: a pattern
    verbs: tuple[str, ...] = ()  # words before the program


class FoundAgent(NamedTuple):
    """The agent that a process is; `by`: it is the agent's script, or only starts the agent."""

    name: str
    by: StartedBy = ""


_NODE = Launcher(
    "interpreter",
    frozenset(
        """-r --require --import --loader --experimental-loader -C --conditions --env-file --title --inspect-port
        --max-old-space-size --stack-size --input-type --redirect-warnings --disable-warning --tsconfig""".split()
    ),
    r"-[ep]+|--eval|--print",
    ("run", "x", "exec"),
)
_DENO = Launcher(
    "interpreter",
    frozenset("-c --config --import-map --lock --cert --location --seed --preload --env-file -L --log-level".split()),
    verbs=("run", "x"),
)
_PYTHON = Launcher("interpreter", frozenset("-X -W --check-hash-based-pycs".split()), r"-[A-Za-z]*c")
_RUBY = Launcher("interpreter", frozenset("-I -r -C".split()), "-e")
_SHELL = Launcher("shell", frozenset("-o +o -O +O --rcfile --init-file".split()), r"-[A-Za-z]*c|--command")
_NPM = Launcher(
    "runner",
    frozenset("-p --package -w --workspace --prefix --cache --loglevel --registry --userconfig --filter -C".split()),
    "-c|--call|--shell-mode",
    ("exec", "x", "dlx"),
)
_UV = Launcher(
    "runner",
    frozenset(
        """--directory --project -p --python --with --with-editable --with-requirements --from --spec --extra --group
        --only-group --index --default-index --index-url -i --extra-index-url -f --find-links --env-file --cache-dir
        --config-file --color --package -w --pip-args""".split()
    ),
    verbs=("run", "tool"),
)
_LAUNCHERS = {
    **dict.fromkeys("node nodejs bun tsx ts-node".split(), _NODE),
    **dict.fromkeys("sh bash dash zsh ksh mksh ash fish".split(), _SHELL),
    **dict.fromkeys("npx npx-cli npm npm-cli pnpm pnpx yarn yarnpkg bunx".split(), _NPM),
    **dict.fromkeys("uv uvx pipx".split(), _UV),
    "deno": _DENO,
    "ruby": _RUBY,
}
_PYTHONS = r"(?:python|pypy)[\d.]*"


def find_agent_mark(environment: Mapping[str, str]) -> str:
    """Return the variable by which an agent says that it runs this command; '' where none is set."""
    return next((name for name in _MARKS if environment.get(name)), "")


def find_agent(process: ProcessInfo) -> str:
    """Return the name of the agent that a process is; '' when it is none. A command of ours that drives one is `mi`."""
    return look_at(process).name


def look_at(process: ProcessInfo) -> FoundAgent:
    """Return the agent that a process is, and whether it is its script, or only starts it."""
    words = list(process.words)
    if words and " " in words[0] and not words[0].startswith("/"):  # a title, such as `npm exec @openai/codex`
        words = [*words[0].split(), *words[1:]]
    launcher = _find_launcher(words[0]) if words else None
    if launcher is None and (launcher := _find_launcher(process.name)):
        words = [process.name, *words[1:]]
    if started := _find_started(words, launcher):
        return started
    names = [process.name, os.path.basename(process.program), *map(os.path.basename, words[:1])]
    if process.name == "bwrap":  # it is called by the agent whose sandbox it is, and is all that is seen from inside
        names += [os.path.basename(word) for word in words]
    name = next((_AGENTS[name] for name in map(_plain, names) if name in _AGENTS), "")
    by: StartedBy = "starter" if launcher and launcher.kind != "interpreter" else "script" if launcher else ""
    return FoundAgent(name, by if name else "")


def is_shell(process: ProcessInfo) -> bool:
    """Return whether a process is a shell."""
    return bool(process.words) and _find_launcher(process.words[0]) is _SHELL


def _find_started(words: Sequence[str], launcher: Launcher | None, direct: bool = True) -> FoundAgent | None:
    """Return the agent whose program a launcher runs; None when it runs another."""
    if launcher is None:
        return None
    by: StartedBy = "script" if launcher.kind == "interpreter" else "starter"
    for rest in _list_programs(launcher, words[1:]):
        name = _plain(os.path.basename(rest[0]))
        if name == MI and direct and launcher is _PYTHON:  # what only starts a command, such as `uv run`, is none
            return None if _is_harmless(rest[1:]) else FoundAgent(MI, "script")
        if found := _AGENTS.get(name) or next(
            (_AGENTS[one] for one in re.findall(_PACKAGE, rest[0]) if one in _AGENTS), ""
        ):
            return FoundAgent(found, by)
        if (inner := _find_launcher(rest[0])) and (deeper := _find_started(rest, inner, False)):
            return FoundAgent(deeper.name, "starter" if "starter" in (by, deeper.by) else "script")
    return None


def _list_programs(launcher: Launcher, words: Sequence[str]) -> Iterator[list[str]]:
    """Yield what may be the program and its words: behind an option that nobody knows stands its value, or that."""
    rest, sure = list(words), True
    while rest:
        word = rest[0]
        if word in ("-m", "--module") and launcher in (_PYTHON, _UV):
            yield from [rest[1:]] if rest[1:] else []
            return
        if launcher.code and re.fullmatch(launcher.code, word):
            return
        if word in launcher.valued:
            rest = rest[2:]
        elif word.startswith(("-", "+")) and word != "-":
            sure = word == "--" or not word.startswith("--") or "=" in word or word.startswith("--no-")
            rest = rest[1:]
        elif word in launcher.verbs and len(rest) > 1:
            rest = rest[1:]
        else:
            yield rest
            if sure or re.search(_SCRIPT, word):
                return
            rest, sure = rest[1:], True


def _find_launcher(word: str) -> Launcher | None:
    name = _plain(os.path.basename(word))
    return _PYTHON if re.fullmatch(_PYTHONS, name) else _LAUNCHERS.get(name)


def _is_harmless(words: Sequence[str]) -> bool:
    """Return whether a command of ours starts no agent, by its own words and not by those of a task."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("--home", "--cd", "-C") else rest[1:]
    return any(tuple(rest[: len(one)]) == one for one in _HARMLESS)


def _plain(name: str) -> str:
    return re.sub(_ENDING, "", re.sub(_VERSION, "", name.lstrip("-").removeprefix("npm:")))
