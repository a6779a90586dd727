"""Who speaks: the chain of processes above a command tells, and what cannot be told is no person's word."""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from mi.app import speaker
from mi.app.home_context import HomeContext
from mi.app.speaker import Speaker, find_chat_host, find_speaker
from mi.autopilot.run_lock import Owner
from mi.autopilot.run_times import keep_run_times, note_session
from mi.hosts.hook_line import build_hook_line
from mi.kernel.ancestry import ProcessInfo, read_start
from mi.kernel.home import Home

BEFORE = time.time() - 3600  # anything that stood before the run
RUN = "run_20260101T000000Z_aaaaaaaa"
Chain = list[ProcessInfo]


@pytest.fixture
def context(home: Home) -> HomeContext:
    return HomeContext(home)


def process(name: str, *words: str, started: float = BEFORE, parent: int = 2, owner: int = 1000) -> ProcessInfo:
    return ProcessInfo(77, name, words or (name,), started, parent, f"/usr/bin/{name}", owner)


MI = process("mi", "python3", "/usr/bin/mi", "values", "set")
BASH = process("bash")
INIT = ProcessInfo(1, "systemd", ("/sbin/init",), BEFORE - 3600, 0, "", 0)
MANAGER = process("systemd", "/usr/lib/systemd/systemd", "--user", parent=1)
CLAUDE = process("claude")


def speaks(context: HomeContext, *chain: ProcessInfo) -> Speaker:
    return find_speaker(context, lambda pid: list(chain))


# Chains above a command, and the agent that stands in them ('': none, it is a person's).
CHAINS: list[tuple[str, tuple[ProcessInfo, ...]]] = [
    # people
    ("", (BASH, process("gnome-terminal-", parent=1), MANAGER, INIT)),
    ("", (BASH, process("sshd", owner=0), INIT)),
    ("", (process("make"), BASH, process("cron", parent=1), INIT)),
    ("", (process("sh"), process("cron", owner=0), process("cron", parent=1, owner=0), INIT)),
    ("", (process("node", "node", "/opt/runner/index.js", "claude"), INIT)),  # CI that is told about an agent
    ("", (process("node", "node", "--no-warnings", "/opt/runner/index.js", "claude"), INIT)),
    ("", (process("node", "node", "--enable-source-maps", "dist/main.js", "codex"), INIT)),
    ("", (process("python3", "python3", "-m", "pytest", "tests/codex"), BASH, INIT)),
    ("", (process("python3", "python3", "-u", "manage", "codex"), BASH, INIT)),
    ("", (process("python3", "python3", "-c", "import this", "claude"), BASH, INIT)),
    ("", (process("node", "node", "/home/ada/src/codex/build.js"), BASH, INIT)),  # a folder that is called so
    ("", (process("goose.py", "/usr/bin/python3", "./goose.py"), BASH, INIT)),  # a script of their own
    ("", (process("python3", "python3", "tools/goose.py", "--fast"), BASH, INIT)),
    ("", (process("bash", "bash", "/home/ada/bin/codex.sh"), BASH, INIT)),
    ("", (process("bash", "bash", "-c", "claude -p x > out; mi values set"), BASH, INIT)),
    ("", (process("bash", "bash", "-o", "pipefail", "release.sh", "claude"), BASH, INIT)),
    ("", (process("zsh", "-zsh"), INIT)),
    ("", (process("uv", "uv", "run", "mi", "values", "set"), BASH, INIT)),
    ("", (process("uv", "uv", "run", "--directory", "codex", "mi", "values", "set"), BASH, INIT)),
    ("", (process("uv", "uv", "run", "--project", "claude", "--", "mi", "values", "set"), BASH, INIT)),
    ("", (process("uv", "uv", "run", "--with", "aider-chat", "report.py"), BASH, INIT)),
    ("", (process("uv", "uv", "run", "python", "-m", "mi", "values", "set"), BASH, INIT)),
    ("", (process("uv", "uv", "pip", "install", "aider-chat"), BASH, INIT)),
    ("", (process("pipx", "pipx", "run", "--spec", "aider-chat", "report"), BASH, INIT)),
    ("", (process("npm", "npm", "install", "@openai/codex"), BASH, INIT)),
    ("", (process("npm run codex", "npm run codex"), BASH, INIT)),  # a script of the project
    ("", (process("pnpm", "pnpm", "--filter", "codex", "test"), BASH, INIT)),
    ("", (process("npx", "npx", "-p", "@openai/codex", "true"), BASH, INIT)),
    ("", (process("deno", "deno", "run", "-A", "--config", "codex", "main.ts"), BASH, INIT)),
    ("", (process("ruby", "ruby", "-I", "claude", "rake"), BASH, INIT)),
    ("", (process("git", "git", "commit", "-m", "claude"), BASH, INIT)),
    ("", (process("bash", "-bash", parent=0),)),  # entered a container
    ("", (process("vim"), process("mi", "python3", "/usr/bin/mi", "values", "edit"), BASH, INIT)),
    ("", (process("vim"), process("mi", "python3", "/usr/bin/mi", "--home", "/x", "values", "edit"), BASH, INIT)),
    ("", (process("sh"), process("mi", "python3", "-P", "-m", "mi", "-C", "run", "demo"), BASH, INIT)),
    ("", (INIT,)),
    # agents
    ("claude", (CLAUDE,)),
    ("claude", (process("claude.exe"),)),
    ("codex", (process("codex", "/opt/codex-linux-x64/vendor/bin/codex", "exec"),)),
    ("codex", (process("node", "node", "/usr/bin/codex", "exec"),)),
    ("codex", (process("MainThread", "node", "/x/node_modules/@openai/codex/bin/codex.js"),)),
    ("claude", (process("node", "node", "--no-warnings", "/x/node_modules/@anthropic-ai/claude-code/cli.js"),)),
    ("codex", (process("node", "node", "-r", "x", "/usr/bin/codex"),)),
    ("codex", (process("node", "node", "--require", "./x.js", "/usr/bin/codex"),)),
    ("codex", (process("node", "node", "--import=tsx", "/usr/bin/codex"),)),
    ("codex", (process("node", "node", "--max-old-space-size", "4096", "/usr/bin/codex"),)),
    ("codex", (process("node", "node", "--max-semi-space-size", "64", "/usr/bin/codex"),)),  # one nobody knows
    ("gemini", (process("node", "node", "/usr/bin/gemini"),)),
    ("gemini", (process("node", "node", "bundle/gemini.js"),)),
    ("qwen", (process("node", "node", "/x/node_modules/@qwen-code/qwen-code/dist/index.js"),)),
    ("codex", (process("codex", "bash", "/home/ada/bin/codex"),)),
    ("codex", (process("bash", "bash", "/path/codex", "exec"),)),
    ("codex", (process("bash", "bash", "-e", "-o", "pipefail", "/path/codex"),)),
    ("claude", (process("zsh", "zsh", "-f", "/home/ada/bin/claude"),)),
    ("aider", (process("python3.12", "python3.12", "/home/ada/.local/bin/aider"),)),
    ("aider", (process("python", "python", "-m", "aider"),)),
    ("aider", (process("python", "python", "-X", "utf8", "-m", "aider"),)),
    ("aider", (process("python", "python", "-W", "ignore", "/x/bin/aider"),)),
    ("aider", (process("python3", "python3", "/x/lib/python3.12/site-packages/aider/main.py"),)),
    ("opencode", (process("npx", "npx", "-y", "opencode-ai"),)),
    ("codex", (process("npm exec @opena", "npm exec @openai/codex"),)),
    ("codex", (process("node", "node", "/usr/bin/npx", "-y", "@openai/codex@latest", "exec"),)),
    ("codex", (process("npx", "npx", "-p", "@openai/codex", "codex"),)),
    ("claude", (process("bunx", "bunx", "@anthropic-ai/claude-code"),)),
    ("claude", (process("bun", "bun", "x", "@anthropic-ai/claude-code@2"),)),
    ("codex", (process("bun", "bun", "run", "codex"),)),
    ("codex", (process("pnpm", "pnpm", "dlx", "@openai/codex"),)),
    ("codex", (process("node", "node", "/x/pnpm.cjs", "--silent", "dlx", "@openai/codex"),)),
    ("gemini", (process("yarn", "yarn", "dlx", "@google/gemini-cli"),)),
    ("codex", (process("yarn", "yarn", "codex"),)),
    ("codex", (process("deno", "deno", "run", "-A", "npm:@openai/codex@1"),)),
    ("claude", (process("deno", "deno", "run", "--allow-all", "npm:@anthropic-ai/claude-code"),)),
    ("aider", (process("uvx", "uvx", "--python", "3.12", "aider"),)),
    ("aider", (process("uvx", "uvx", "--from", "aider-chat", "aider"),)),
    ("aider", (process("uv", "uv", "tool", "run", "--python", "3.12", "aider-chat==0.80"),)),
    ("aider", (process("uv", "uv", "run", "--with", "aider-chat", "-m", "aider"),)),
    ("aider", (process("uv", "uv", "run", "python", "-m", "aider"),)),
    ("aider", (process("pipx", "pipx", "run", "aider-chat"),)),
    ("codex", (process("bwrap", "bwrap", "--unshare-pid", "--argv0", "codex-linux-sandbox", "--", "x"),)),
    ("mi", (process("mi", "python3", "/usr/bin/mi", "run", "fix it"),)),
    ("mi", (process("python3", "python3", "-m", "mi", "fix", "it"),)),
    ("mi", (process("mi", "python3", "/usr/bin/mi", "run", "values", "edit"),)),
    ("mi", (process("mi", "python3", "/usr/bin/mi", "fix", "the", "demo"),)),
    ("mi", (process("mi", "python3", "/usr/bin/mi", "--home", "demo", "run", "x"),)),
    ("mi", (process("mi", "python3", "/usr/bin/mi", "please", "bench judge"),)),
]


@pytest.mark.req("person.scripts", "person.chain")
@pytest.mark.parametrize(
    ("agent", "above"), CHAINS, ids=[" ".join(above[0].words) + f" → {agent}" for agent, above in CHAINS]
)
def test_an_agent_above_is_found_however_it_was_started_and_nobody_else(
    context: HomeContext, agent: str, above: tuple[ProcessInfo, ...]
) -> None:
    if agent:
        expected = Speaker("agent", "program", agent, 77)
        assert speaks(context, MI, BASH, *above, BASH, INIT) == expected
    else:
        assert speaks(context, MI, *above) == Speaker("terminal")


@pytest.mark.req("person.marks")
@pytest.mark.parametrize("mark", ["CLAUDECODE", "CODEX_CI", "CODEX_SANDBOX", "CURSOR_AGENT", "MI_BATCH_MARK"])
def test_a_mark_counts_and_a_missing_one_proves_nothing(
    context: HomeContext, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setenv(mark, "1")
    assert speaks(context, MI, BASH, INIT) == Speaker("agent", "mark", mark)
    monkeypatch.delenv(mark)
    assert speaks(context, MI, BASH, CLAUDE, INIT).by == "agent"


@pytest.mark.req("person.chain")
def test_whatever_a_run_of_this_home_started_is_an_agent(context: HomeContext) -> None:
    lock = Path(context.home.project("0123456789abcdef").run_lock)
    lock.parent.mkdir(parents=True)
    lock.write_bytes(msgspec.json.encode(Owner(run_id=RUN, pid=BASH.pid)))
    chain = (MI, process("my-agent"), BASH, INIT)
    assert speaks(context, *chain).by == "terminal"  # nobody holds the lock
    with lock.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert speaks(context, *chain) == Speaker("agent", "run", RUN, BASH.pid)
        assert speaks(context, MI._replace(pid=5), BASH._replace(pid=6), INIT).by == "terminal"


@pytest.mark.req("person.closed")
@pytest.mark.parametrize(
    "chain",
    [None, [], [MI, BASH], [MI, process("sh", owner=1000)]],
    ids=["unreadable", "nothing", "hidden above", "hidden above a shell"],
)
def test_what_cannot_be_read_is_no_persons_word(context: HomeContext, chain: Chain | None) -> None:
    assert find_speaker(context, lambda pid: chain) == Speaker("unknown", "unreadable")


def test_a_log_in_below_what_is_hidden_is_a_persons(context: HomeContext) -> None:
    assert speaks(context, MI, BASH, process("sshd", owner=0)).by == "terminal"


def during_a_run(context: HomeContext, look: Callable[[float], None]) -> None:
    """Look while a run is active, and again when it ended; with the moment of something that began meanwhile."""
    with keep_run_times(context.home, context.home.project("0123456789abcdef").run_lock, RUN):
        began = time.time()
        look(began)
    look(began)


@pytest.mark.req("person.torn-off", "person.closed")
@pytest.mark.parametrize("manager", [(INIT,), (MANAGER, INIT), ()], ids=["init", "service manager", "not shown"])
def test_what_lost_its_parents_during_a_run_is_no_persons(context: HomeContext, manager: tuple[ProcessInfo]) -> None:
    def look(began: float) -> None:
        waiter = process("sh", "sh", "-c", "sleep 60; mi answer 1 yes", started=began, parent=1)
        later = MI._replace(started=began + 60)
        assert speaks(context, later, waiter, *manager) == Speaker("unknown", "torn-off", RUN)
        assert speaks(context, MI._replace(started=began, parent=1), *manager).because == "torn-off"

    during_a_run(context, look)


@pytest.mark.req("person.torn-off")
@pytest.mark.parametrize(
    "manager",
    [(INIT,), (MANAGER, INIT), (process("cron", owner=0), process("cron", owner=0, parent=1), INIT)],
    ids=["init", "service manager", "cron"],
)
def test_what_lost_its_parents_during_a_hosts_session_is_no_persons(
    context: HomeContext, manager: tuple[ProcessInfo]
) -> None:
    note_session(context.home, "claude-code s1", os.getpid(), read_start(os.getpid()))
    waiter = process("sh", "sh", "-c", "sleep 60; mi answer 1 yes", started=time.time(), parent=1)
    assert speaks(context, MI, waiter, *manager) == Speaker("unknown", "torn-off", "claude-code s1")
    assert speaks(context, MI, waiter._replace(started=BEFORE), *manager).by == "terminal"  # it stood before


@pytest.mark.req("person.closed")
def test_in_a_user_namespace_of_ones_own_nobody_is_a_person(
    context: HomeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speaker, "sees_users", lambda: False)
    assert speaks(context, MI, BASH, process("sshd", owner=0), INIT) == Speaker("unknown", "unreadable")


def test_a_terminal_that_was_upgraded_since_is_still_one(context: HomeContext) -> None:
    def look(began: float) -> None:
        desktop = process("konsole", started=began, parent=1)
        upgraded = desktop._replace(program="/usr/bin/konsole (deleted)")
        assert speaks(context, MI, BASH, upgraded, INIT).by == "terminal"
        own = desktop._replace(program="/home/ada/konsole (deleted)")
        assert speaks(context, MI, BASH, own, INIT).because == "torn-off"

    during_a_run(context, look)


@pytest.mark.req("person.torn-off")
def test_a_room_of_its_own_is_no_way_out(context: HomeContext) -> None:
    """In a new pid namespace the first process is number 1; another may be let in from outside later."""

    def look(began: float) -> None:
        first = ProcessInfo(1, "sh", ("sh",), began, 0, "/bin/sh", 1000)
        assert speaks(context, MI, first).because == "torn-off"
        let_in = process("sh", started=began + 1, parent=0)
        seen = find_speaker(context, lambda pid: [first] if pid == 1 else [MI, let_in])
        assert seen.because == "torn-off"
        entered = find_speaker(context, lambda pid: [INIT] if pid == 1 else [MI, let_in])
        assert entered.by == "terminal"  # as `docker exec` does, into a container that stood before

    during_a_run(context, look)


@pytest.mark.req("person.tmux", "person.torn-off")
def test_what_stood_before_the_run_or_is_a_way_in_is_the_persons(
    context: HomeContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(began: float) -> None:
        new_window = process("bash", started=began)
        tmux = process("tmux: server", "tmux", parent=1)
        assert speaks(context, MI, new_window, tmux, INIT).by == "terminal"
        begun_now = tmux._replace(started=began)
        assert speaks(context, MI, new_window, begun_now, INIT).because == "torn-off"
        ssh = process("sshd", started=began, parent=1, owner=0)
        assert speaks(context, MI, new_window, ssh, INIT).by == "terminal"
        named_so = ssh._replace(program=str(tmp_path / "sshd"))  # root may call anything so
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        assert speaks(context, MI, new_window, named_so, INIT).because == "torn-off"
        desktop = process("x", started=began, parent=1)._replace(program=str(tmp_path / "konsole"))
        assert speaks(context, MI, new_window, desktop, INIT).because == "torn-off"  # its file is not there

    during_a_run(context, look)


def test_a_terminal_of_the_desktop_is_known_by_a_file_of_the_systems(
    context: HomeContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speaker, "_TERMINALS", frozenset({"sh"}))
    own = tmp_path / "sh"
    own.touch()
    if os.geteuid() == 0:
        os.chown(own, 1000, -1)

    def look(began: float) -> None:
        desktop = process("sh", started=began, parent=1)
        assert speaks(context, MI, desktop._replace(program="/bin/sh"), INIT).by == "terminal"
        assert speaks(context, MI, desktop._replace(program=str(own)), INIT).because == "torn-off"

    during_a_run(context, look)


def test_a_process_that_began_between_two_runs_is_the_persons(context: HomeContext) -> None:
    during_a_run(context, lambda began: None)
    assert speaks(context, MI, process("sh", started=time.time() + 60, parent=1), INIT).by == "terminal"


HOOKED = process("mi", "python3", "/usr/bin/mi", "hook", "prompt", "--host", "claude-code")
HOOK = "/usr/bin/mi hook prompt --host claude-code"
GUARDED = "command -v /usr/bin/mi >/dev/null || exit 0; "
NODE_CODEX = process("node", "node", "/usr/bin/codex")
CODEX = process("codex", "/x/vendor/bin/codex")
SERVER = process("codex", "/x/vendor/bin/codex", "app-server", "--listen", "unix://", "--managed-daemon")
NODE_CLAUDE = process("node", "node", "/x/node_modules/@anthropic-ai/claude-code/cli.js")
WRAPPER = process("codex", "/bin/sh", "/home/ada/bin/codex")
NPX = process("npm exec @opena", "npm exec @openai/codex")


@pytest.mark.req("person.chat")
@pytest.mark.parametrize(
    ("host", "above", "is_persons"),
    [
        ("claude-code", (CLAUDE, BASH, INIT), True),
        ("claude-code", (process("sh", "sh", "-c", HOOK), CLAUDE, BASH, INIT), True),
        ("codex", (process("bash", "bash", "-lc", HOOK), CODEX, BASH, INIT), True),
        ("codex", (process("bash", "bash", "-lc", build_hook_line(HOOK.split())), CODEX, BASH, INIT), True),
        ("codex", (process("bash", "bash", "-c", build_hook_line(HOOK.split(), "gone")), CODEX, BASH, INIT), True),
        ("codex", (CODEX, NODE_CODEX, BASH, INIT), True),  # one program, started by its script
        ("codex", (CODEX, BASH, INIT), True),
        ("codex", (CLAUDE, BASH, INIT), False),
        ("claude-code", (BASH, INIT), False),  # no host at all: somebody pipes JSON into the hook
        ("claude-code", (CLAUDE, BASH, CLAUDE, BASH, INIT), False),
        ("claude-code", (CLAUDE, CLAUDE, BASH, INIT), False),  # one that took its shell's place
        ("codex", (CODEX, NODE_CODEX, CODEX, BASH, INIT), False),
        ("claude-code", (CLAUDE, BASH, CODEX, BASH, INIT), False),
        ("claude-code", (CLAUDE, process("mi", "python3", "/usr/bin/mi", "run", "x"), BASH, INIT), False),
        ("claude-code", (CLAUDE, BASH), False),  # what stands above is hidden
        # whatever only starts its host counts with it
        ("codex", (CODEX, NODE_CODEX, WRAPPER, BASH, INIT), True),
        ("codex", (CODEX, WRAPPER, BASH, INIT), True),
        ("codex", (CODEX, NODE_CODEX, process("sh", "sh", "-c", "codex"), NPX, BASH, INIT), True),
        ("claude-code", (CLAUDE, process("bunx", "bunx", "@anthropic-ai/claude-code"), BASH, INIT), True),
        ("codex", (process("codex", "codex", "app-server"), process("code"), INIT), True),  # of an editor, by a pipe
        ("codex", (SERVER, process("codex", "codex", "fix it"), BASH, INIT), False),  # anybody can hand it a prompt
        ("codex", (SERVER, INIT), False),
        ("codex", (WRAPPER, BASH, INIT), False),  # a script of that name is no host
        ("codex", (CODEX, NODE_CODEX, BASH, CODEX, NODE_CODEX, NPX, BASH, INIT), False),
        ("codex", (CODEX, BASH, NODE_CODEX, BASH, INIT), False),
        ("claude-code", (CLAUDE, NODE_CLAUDE, BASH, INIT), False),  # the script is an agent itself
        ("claude-code", (NODE_CLAUDE, NODE_CLAUDE, BASH, INIT), False),
        # between a host and its hook stands nothing but the shell that was given the hook's command alone
        ("claude-code", (process("bash", "bash", "-c", f"echo '{{}}' | {HOOK}"), CLAUDE, BASH, INIT), False),
        ("claude-code", (process("bash", "bash", "-c", f"{HOOK} < event.json"), CLAUDE, BASH, INIT), False),
        ("claude-code", (process("bash", "bash", "-c", f"eval '{HOOK}'"), CLAUDE, BASH, INIT), False),
        ("claude-code", (process("sh", "sh", "-c", f"{build_hook_line(HOOK.split())} < x"), CLAUDE, BASH, INIT), False),
        ("claude-code", (process("sh", "sh", "-c", GUARDED + f"echo '{{}}' | {HOOK}"), CLAUDE, BASH, INIT), False),
        ("claude-code", (process("bash", "bash", "say.sh"), CLAUDE, BASH, INIT), False),
        ("claude-code", (process("bash"), CLAUDE, BASH, INIT), False),
        ("claude-code", (process("sh", "sh", "-c", HOOK), BASH, CLAUDE, BASH, INIT), False),
        ("claude-code", (process("python3", "python3", "-c", HOOK), CLAUDE, BASH, INIT), False),
        ("claude-code", (process("script", "script", "-qec", HOOK), CLAUDE, BASH, INIT), False),
        ("codex", (process("bash", "bash", "-lc", "unbalanced '"), CODEX, BASH, INIT), False),
    ],
)
def test_a_prompt_is_the_persons_where_only_its_host_stands_above(
    context: HomeContext, host: str, above: tuple[ProcessInfo, ...], is_persons: bool
) -> None:
    assert (find_chat_host(context, host, lambda pid: [HOOKED, *above]) is not None) is is_persons


@pytest.mark.req("person.chat")
def test_no_prompt_is_the_persons_in_a_session_of_a_run(context: HomeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not find_chat_host(context, "claude-code", lambda pid: None)

    def look(began: float) -> None:
        torn_off = CLAUDE._replace(started=began, parent=1)
        assert not find_chat_host(context, "claude-code", lambda pid: [MI, torn_off, INIT])
        assert find_chat_host(context, "claude-code", lambda pid: [MI, torn_off, BASH, INIT])

    during_a_run(context, look)
    monkeypatch.setenv("MI_BATCH_MARK", "1")
    assert not find_chat_host(context, "claude-code", lambda pid: [MI, CLAUDE, BASH, INIT])
