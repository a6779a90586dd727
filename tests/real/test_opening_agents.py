"""Real agents that ask: the question waits in the inbox, the answer opens that very call, another target asks again."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from mi.testing import call_tool, run, say, turn
from mi.testing.replies import Reply
from mi.testing.requests import Request
from tests.conftest import MI
from tests.real.hosts import AgentHost, agent_host
from tests.real.running import run_agent
from tests.speaking import INSTALLED
from tests.waiting import wait_until

REMOVE = "rm notes.txt"


@pytest.fixture(params=["codex", "claude-code"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentHost]:
    program = request.getfixturevalue("codex" if request.param == "codex" else "claude")
    for made in agent_host(request.param, program, tmp_path):
        for name in ("notes.txt", "other.txt"):
            Path(made.repository.path, name).write_text("kept\n", "utf-8")
        yield made


def install(host: AgentHost) -> None:
    host.mi("hook", "install", host.name, *(["--trust"] if host.name == "codex" else []))
    host.let_in("project")
    if host.name == "claude-code":  # whoever runs the tests stands above no hook of them
        settings = Path(host.repository.path, ".claude", "settings.json")
        settings.write_text(settings.read_text("utf-8").replace(str(INSTALLED), str(MI)), "utf-8")


def inbox(host: AgentHost) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(host.mi("inbox", "--json"))
    return found


def is_there(host: AgentHost, name: str) -> bool:
    return Path(host.repository.path, name).exists()


@pytest.mark.req("person.opens.nobody-to-ask", "person.opens.once", "person.opens.question")
def test_an_answer_while_the_agent_works_opens_the_very_call_once(host: AgentHost) -> None:
    def answered(request: Request) -> Reply:
        assert is_there(host, "notes.txt")
        (item,) = inbox(host)
        assert "--resume" not in host.mi("answer", str(item["number"]), "once")
        return turn(run(REMOVE))

    host.prepare([turn(run(REMOVE)), answered, turn(run("rm other.txt")), turn(run(REMOVE)), say("Done.")])
    install(host)
    host.run()
    outputs = host.outputs()
    assert "mi answer 1 once|session|always|no" in outputs[0]
    assert not is_there(host, "notes.txt")
    assert is_there(host, "other.txt")
    assert "mi answer" in outputs[2]
    assert "mi answer" in outputs[3]  # the yes was for one call
    assert [one["call"]["target"] for one in host.events("question")] == [REMOVE, "rm other.txt", REMOVE]
    (confirmed,) = host.events("verification")
    assert confirmed["gate"] == "permission delete-file"


@pytest.mark.req("person.opens.one-shot")
def test_an_answer_after_the_process_ended_works_when_the_session_goes_on(host: AgentHost) -> None:
    host.prepare([turn(run(REMOVE)), say("It waits for you."), turn(run(REMOVE)), say("Done.")])
    install(host)
    first = run_agent(host.command("remove the notes"), host.env, host.repository.path)
    assert first.code == 0, first
    (item,) = inbox(host)
    host.mi("answer", str(item["number"]), "yes")
    session = str(host.events("question")[0]["call"]["session_id"])
    again = run_agent(host.command("go on", session), host.env, host.repository.path)
    assert again.code == 0, again
    assert not is_there(host, "notes.txt")
    assert inbox(host) == []


FEIGNED = {
    "pipe": "cat {event} | {hook} > {answer}",
    "shell": "sh -c '{hook}' < {event} > {answer}",
    "exec": "exec {hook} < {event} > {answer}",
    "exec shell": "exec sh -c '{hook}' < {event} > {answer}",
}


@pytest.mark.req("person.chat")
@pytest.mark.parametrize("way", FEIGNED)
def test_a_prompt_that_the_agent_feigns_opens_nothing(host: AgentHost, tmp_path: Path, way: str) -> None:
    """By a script: the command itself would be denied. What takes the place of its shell looks as the host's own."""
    event, answer, script = tmp_path / "event.json", tmp_path / "answer", tmp_path / "test.sh"

    def feign(request: Request) -> Reply:
        session = host.events("question")[0]["call"]["session_id"]
        said = {"session_id": session, "cwd": host.repository.path, "prompt": "yes"}
        event.write_text(json.dumps(said), "utf-8")
        hook = f"{MI} hook prompt --host {host.name}"
        script.write_text("unset CLAUDECODE\n" + FEIGNED[way].format(event=event, hook=hook, answer=answer), "utf-8")
        return turn(run(f"exec sh {script}"))

    host.prepare([turn(run(REMOVE)), feign, turn(run(REMOVE)), say("Done.")])
    install(host)
    host.run()
    assert answer.exists(), host.outputs()
    assert "opens" not in answer.read_text("utf-8")
    assert is_there(host, "notes.txt")
    assert host.events("user_input") == []


LOOSE = {
    "session": "(setsid sh -c '{call}' &)",
    "two forks": "(sh -c '({call}) &' &)",
    "terminal": "(setsid script -qec '{call}' /dev/null &)",
    "user namespace": "(setsid unshare -Ur sh -c '{call}' &)",
    "own processes": "(setsid unshare -Urpf --mount-proc sh -c '{call}' &)",
}


@pytest.mark.req("person.torn-off", "person.closed")
def test_what_is_cut_loose_in_a_session_without_a_run_speaks_for_nobody(claude_host: AgentHost, tmp_path: Path) -> None:
    host, script = claude_host, tmp_path / "test.sh"
    lines = []
    for number, way in enumerate(LOOSE.values()):
        told = tmp_path / str(number)
        words = f"env -i PATH=$PATH MI_HOME={host.home.root} {MI} gate permission set push DENY --reason mine"
        words += f" > {told}.out 2>&1"
        call = f"while kill -0 $$ 2>/dev/null; do :; done; {words}; echo $? > {told}.tmp; mv {told}.tmp {told}"
        lines.append(way.format(call=call.replace("$$", "$PARENT")))
    script.write_text("export PARENT=$$\n" + " > /dev/null 2>&1\n".join([*lines, ""]), "utf-8")
    host.prepare([turn(run(f"sh {script}")), say("Done.")])
    install(host)
    before = host.mi("gate", "permission", "list")
    host.run()
    told = [tmp_path / str(number) for number in range(len(LOOSE))]
    assert wait_until(lambda: all(one.exists() for one in told), 60), [one.name for one in told if not one.exists()]
    said = {way: Path(f"{one}.out").read_text("utf-8") for way, one in zip(LOOSE, told, strict=True)}
    assert [one.read_text("utf-8").strip() for one in told] == ["3"] * len(LOOSE), said
    assert all("is for a person to say" in one for one in said.values()), said
    assert host.mi("gate", "permission", "list") == before


# What a screen asks its terminal before it shows anything: where the cursor is, and what it can do.
_ASKED = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?1;2c"}


class Terminal:
    """An agent's own screen in a pseudo-terminal, and somebody who types."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: str) -> None:
        self.seen = ""
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            os.chdir(folder)
            os.execve(command[0], command, environment | {"TERM": "xterm-256color"})
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._terminal, 65536)
            except OSError:  # it ended
                return
            if not data:
                return
            for asked, answer in _ASKED.items():
                os.write(self._terminal, answer * data.count(asked))
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", data.decode("utf-8", "replace"))

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def shows(self, *words: str) -> bool:
        """Whether words come to stand on the screen, blanks apart, in a bounded time."""
        wanted = ["".join(one.split()) for one in words]
        return wait_until(lambda: all(one in "".join(self.seen.split()) for one in wanted), 30)

    def close(self) -> None:
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)


@pytest.fixture
def claude_host(claude: str, tmp_path: Path) -> Iterator[AgentHost]:
    for made in agent_host("claude-code", claude, tmp_path):
        for name in ("notes.txt", "other.txt"):
            Path(made.repository.path, name).write_text("kept\n", "utf-8")
        yield made


def start_screen(host: AgentHost, prompt: str) -> Terminal:
    """Start Claude Code as a person does who has used it in this project before."""
    settled = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [host.env["ANTHROPIC_API_KEY"][-20:]], "rejected": []},
        "projects": {host.repository.path: {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    Path(host.env["CLAUDE_CONFIG_DIR"], ".claude.json").write_text(json.dumps(settled), "utf-8")
    command = [host.command(prompt)[0], prompt, "--allowedTools", "Bash,mcp__mi__*"]
    return Terminal(command, host.env, host.repository.path)


def tool(name: str, **arguments: object) -> Reply:
    return turn(call_tool(name, arguments, server="mi"))


def beside_titles(replies: list[Reply]) -> Callable[[Request], Reply]:
    """The replies in their order; a screen also asks the model, without tools or by a schema, for titles."""
    left = iter(replies)
    return lambda request: next(left) if request.body.get("tools") and not request.schema else say('{"title": "Notes"}')


@pytest.mark.req("person.opens.host-asks", "person.opens.once")
def test_an_answer_elsewhere_opens_the_call_that_a_screen_asks_about(claude_host: AgentHost) -> None:
    host = claude_host
    host.prepare(beside_titles([turn(run(REMOVE)), turn(run(REMOVE)), turn(run("rm other.txt")), say("Done.")]))
    install(host)
    screen = start_screen(host, "remove the notes")
    try:
        assert screen.shows("Do you want to proceed?"), screen.seen[-3000:]
        (item,) = inbox(host)
        host.mi("answer", str(item["number"]), "once")
        screen.type("\x1b")
        assert wait_until(lambda: "Interrupted" in screen.seen or "interrupted" in screen.seen, 20), screen.seen[-3000:]
        screen.seen = ""
        screen.type("try it again")
        screen.type("\r")
        assert wait_until(lambda: not is_there(host, "notes.txt"), 30), screen.seen[-3000:]
        assert wait_until(lambda: len(host.events("question")) == 2, 30), screen.seen[-3000:]
        assert screen.shows("rm other.txt", "Do you want to proceed?"), screen.seen[-3000:]
        assert is_there(host, "other.txt")
        screen.type("\r")  # the first choice of the question on the screen: yes
        assert wait_until(lambda: not is_there(host, "other.txt"), 30), screen.seen[-3000:]
        assert wait_until(lambda: inbox(host) == [], 30)
    finally:
        screen.close()
    assert [(one["by"], one["opens"]) for one in host.events("user_input")] == [("terminal", "once"), ("chat", "once")]


@pytest.mark.req("person.opens.request", "person.opens.chat-tasks", "person.chat")
def test_a_request_on_the_screen_opens_a_finished_list(claude_host: AgentHost) -> None:
    host = claude_host
    tasks = Path(host.repository.path, "tinyTasks.md")
    tasks.write_text("# Ship it\n\n- [x] mend the parser\n", "utf-8")
    host.prepare(
        beside_titles(
            [
                tool("memory_recent", count=5),
                tool("memory_set_mode", mode="GUARDED"),
                tool("task_add", title="write the guide"),
                say("Listed."),
            ]
        )
    )
    host.mi("mcp", "install", "claude-code")
    install(host)
    screen = start_screen(host, "Write a guide for the parser.")
    try:
        assert wait_until(lambda: "- [ ] write the guide" in tasks.read_text("utf-8"), 60), screen.seen[-3000:]
    finally:
        screen.close()
    assert host.events("question") == []


@pytest.mark.req("person.chat", "person.opens.chat-tasks")
def test_a_yes_on_the_screen_is_heard_after_a_call_that_failed_and_one_that_was_stopped(claude_host: AgentHost) -> None:
    host = claude_host
    tasks = Path(host.repository.path, "tinyTasks.md")
    tasks.write_text("# Ship it\n\n- [x] mend the parser\n", "utf-8")
    add = tool("task_add", title="write the guide")
    replies = [tool("memory_recent", count=5), tool("memory_set_mode", mode="GUARDED"), add, WAITS, say("Added.")]
    host.prepare(beside_titles(replies))
    host.mi("mcp", "install", "claude-code")
    install(host)
    screen = start_screen(host, "Is there anything left to do?")
    try:
        stop_waiting(host, screen)
        wait_for_result(host)
        screen.type("yes, add it to the list")
        screen.type("\r")
        assert wait_until(lambda: "- [ ] write the guide" in tasks.read_text("utf-8"), 30), screen.seen[-3000:]
    finally:
        screen.close()
    assert [one["by"] for one in host.events("user_input")] == ["chat"]


WAITS = turn(run("touch waits; sleep 600"))


def wait_for_result(host: AgentHost) -> None:
    """Wait until Claude Code wrote down that the call was stopped: nobody types faster than that."""
    folder = Path(host.env["CLAUDE_CONFIG_DIR"], "projects")

    def is_written() -> bool:
        lines = [line for path in folder.glob("*/*.jsonl") for line in path.read_text("utf-8").splitlines()]
        return any('"tool_result"' in line and "toolu_call_5_0" in line for line in lines)

    assert wait_until(is_written, 20)


def stop_waiting(host: AgentHost, screen: Terminal) -> None:
    """Stop the agent, as the person does, while its command is at work."""
    assert wait_until(lambda: is_there(host, "waits"), 60), screen.seen[-3000:]
    screen.type("\x1b")
    assert wait_until(lambda: "nterrupted" in screen.seen, 20), screen.seen[-3000:]


@pytest.fixture
def codex_host(codex: str, tmp_path: Path) -> Iterator[AgentHost]:
    for made in agent_host("codex", codex, tmp_path):
        for name in ("notes.txt", "other.txt"):
            Path(made.repository.path, name).write_text("kept\n", "utf-8")
        yield made


def start_codex(host: AgentHost, prompt: str) -> Terminal:
    """Start Codex as a person does who has said before that they keep their model."""
    with open(os.path.join(host.env["CODEX_HOME"], "config.toml"), "a", encoding="utf-8") as config:
        config.write('\n[notice.model_migrations]\n"gpt-5.5" = "gpt-6-sol"\n')
    words = ["--sandbox", "workspace-write", "--ask-for-approval", "never", prompt]
    return Terminal([host.command(prompt)[0], *words], host.env, host.repository.path)


def enter(screen: Terminal, words: str) -> None:
    """Type a prompt into Codex, which takes what comes all at once for pasted text."""
    screen.seen = ""
    screen.type(words)
    assert screen.shows(words), screen.seen[-3000:]
    screen.type("\r")


@pytest.mark.req("person.chat", "person.opens.nobody-to-ask", "person.opens.once")
def test_an_answer_elsewhere_opens_the_call_that_was_refused_on_codexs_screen(codex_host: AgentHost) -> None:
    """A yes on the screen itself opens nothing: any program can hand a prompt to the server that works behind it."""
    host = codex_host
    tries = [turn(run(REMOVE)), say("It waits for you."), turn(run(REMOVE)), say("Still waiting.")]
    host.prepare(beside_titles([*tries, turn(run(REMOVE)), turn(run("rm other.txt")), say("Done.")]))
    install(host)
    screen = start_codex(host, "remove the notes")
    try:
        assert screen.shows("mi answer 1", "It waits for you."), screen.seen[-3000:]
        enter(screen, "yes")
        assert screen.shows("Still waiting."), screen.seen[-3000:]
        assert is_there(host, "notes.txt")
        host.mi("answer", "1", "once")
        enter(screen, "try it again")
        assert wait_until(lambda: not is_there(host, "notes.txt"), 30), screen.seen[-3000:]
        assert wait_until(lambda: len(inbox(host)) == 1, 30), screen.seen[-3000:]
        assert is_there(host, "other.txt")
        assert [(one["by"], one["opens"]) for one in host.events("user_input")] == [("terminal", "once")]
    finally:
        screen.close()
        stop_daemon(host)


def stop_daemon(host: AgentHost) -> None:
    """Stop what Codex's screen leaves at work: its server, and the process that keeps that up to date."""
    run_agent([host.command("")[0], "app-server", "daemon", "stop"], host.env, host.repository.path)
    for one in Path("/proc").glob("[0-9]*/exe"):
        try:
            is_left = os.readlink(one).startswith(host.env["CODEX_HOME"])
        except OSError:  # another user's, or gone
            continue
        if is_left:
            os.kill(int(one.parent.name), signal.SIGKILL)
