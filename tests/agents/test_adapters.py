"""What is particular to each provider: its call, its configuration, its mistakes."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.agents.adapters.claude import ClaudeHands
from mi.agents.adapters.cli import CliHands
from mi.agents.adapters.codex import CodexHands
from mi.agents.adapters.replay import ReplayHands
from mi.agents.choose import open_hands, resolve_provider
from mi.agents.protocol import BatchInput, BatchResult, Observer
from mi.kernel.config.load import check
from mi.kernel.config.types import Claude, Cli, CodexConfig, Config, HandsConfig, Interrupt, Replay
from mi.kernel.errors import BadConfig, MiError, NotFound
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.testing import print_line, print_prompt, run, say, scripted_agent
from tests.conftest import Mi

Program = Callable[..., str]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes a program in a folder of its own, and gives its path."""

    def make(name: str, body: str) -> str:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def batch(home: Home, tmp_path: Path) -> Callable[..., BatchInput]:
    number = iter(range(100))

    def make(prompt: str = "go", **fields: object) -> BatchInput:
        path = home.path("transcripts", f"{next(number)}.jsonl")
        return BatchInput(
            **({"prompt": prompt, "cwd": str(tmp_path / "work"), "transcript": path, "wall_s": 30.0} | fields)
        )

    return make


def cli(steps: list, batch: BatchInput, **config: object) -> BatchResult:
    agent = scripted_agent(steps)
    return CliHands(Cli(**({"exec": tuple(agent)} | config)), Interrupt()).run(batch)


# auto


@pytest.mark.req(
    "mi.hands.auto-order", "mi.config.hands-provider", "v1.scope.hands-codex-default", "v1.prov.hands-default"
)
def test_auto_takes_codex_first_then_claude(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.path.dirname(program("claude", ""))
    monkeypatch.setenv("PATH", folder)
    assert Config().hands.provider == "auto"
    assert resolve_provider(Config()) == "claude"
    program("codex", "")
    assert resolve_provider(Config()) == "codex"


@pytest.mark.req("mi.hands.auto-error")
def test_auto_without_any_agent_names_the_three_ways_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotFound) as caught:
        resolve_provider(Config())
    for language, ways in (
        ("en", ("Codex", "Claude Code", "hands.cli.exec")),
        ("zh", ("Codex", "Claude", "hands.cli.exec")),
    ):
        assert all(way in caught.value.line(language) for way in ways)


@pytest.mark.req("v1.cli.knob-hands-provider")
@pytest.mark.parametrize("name", ["codex", "claude", "cli", "replay"])
def test_the_configured_provider_is_opened(name: str, program: Program, home: Home, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"batches": []}', "utf-8")
    raw = {
        "provider": name,
        "codex": {"path": program("codex", "echo 1.2.3 --sandbox")},
        "claude": {"path": program("claude", "echo 1.2.3 --resume")},
        "cli": {"exec": ["true"]},
        "replay": {"file": str(script)},
    }
    loaded = check({"hands": raw})
    assert loaded.problems == []
    assert open_hands(loaded.config, home, Notices()).name == name


def test_a_provider_that_is_not_installed_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("codex", "claude"):
        with pytest.raises(NotFound, match="npm install -g"):
            open_hands(Config(hands=HandsConfig(provider=name)), home, Notices())


# codex

ECHO = 'case "$1" in --version) echo 0.1.2; exit;; esac; case "$2" in --help) echo "{help}"; exit;; esac\n'
TURN = """cat > /dev/null
echo '{"type":"thread.started","thread_id":"t1"}'
for word in "$@"; do echo "arg $word" >&2; done
echo '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":1}}'"""


class Arguments(Observer):
    """The words the program was called with."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def line(self, stream: str, text: str) -> None:
        if stream == "stderr" and text.startswith("arg "):
            self.words.append(text[4:])


@pytest.mark.req("v1.prov.codex-exec", "v1.prov.codex-resume")
@pytest.mark.parametrize(
    ("help_text", "flags"),
    [
        ("--json --full-auto", ["--full-auto"]),
        ("--json --full-auto --sandbox", ["--sandbox", "workspace-write"]),
        ("--json --sandbox", ["--sandbox", "workspace-write"]),
    ],
)
def test_codex_gets_the_sandbox_its_version_understands_on_every_call(
    help_text: str, flags: list[str], program: Program, home: Home, batch: Callable[..., BatchInput]
) -> None:
    path = program("codex", ECHO.replace("{help}", help_text) + TURN)
    hands = CodexHands(CodexConfig(path=path), Interrupt(), home, Notices())
    fresh, resumed = Arguments(), Arguments()
    hands.run(batch(), fresh)
    hands.run(batch(thread_id="t1"), resumed)
    assert fresh.words == ["exec", "--json", *flags, "-"]
    assert resumed.words == ["exec", "--json", *flags, "resume", "t1", "-"]


@pytest.mark.req("mi.config.hands-codex-path", "mi.config.hands-codex-sandbox", "mi.config.hands-codex-args")
def test_codex_settings_reach_the_call(program: Program, home: Home, batch: Callable[..., BatchInput]) -> None:
    assert CodexConfig().sandbox == "workspace-write"
    path = program("codex", ECHO.replace("{help}", "--sandbox --full-auto") + TURN)
    config = CodexConfig(path=path, sandbox="read-only", args=("-c", "model=x"))
    seen = Arguments()
    CodexHands(config, Interrupt(), home, Notices()).run(batch(), seen)
    assert seen.words == ["exec", "--json", "--sandbox", "read-only", "-c", "model=x", "-"]


def test_usage_of_a_resumed_thread_is_unknown_when_its_past_is(
    program: Program, home: Home, batch: Callable[..., BatchInput]
) -> None:
    hands = CodexHands(CodexConfig(path=program("codex", ECHO + TURN)), Interrupt(), home, Notices())
    assert hands.run(batch(thread_id="t1")).usage.input_tokens is None
    assert hands.run(batch(thread_id="t1")).usage.input_tokens == 0


# claude


@pytest.mark.req(
    "mi.hands.claude-accept-edits",
    "mi.hands.claude-allowed-tools",
    "mi.hands.claude-tools-resume",
    "mi.hands.claude-tools-config",
    "mi.config.hands-claude-path",
    "mi.config.hands-claude-permission",
    "mi.config.hands-claude-tools",
    "mi.config.hands-claude-args",
)
def test_claude_gets_its_permissions_on_every_call(
    program: Program, home: Home, batch: Callable[..., BatchInput], tmp_path: Path
) -> None:
    (tmp_path / "work" / "Cargo.toml").write_text("", "utf-8")
    body = (
        'cat > /dev/null; for word in "$@"; do echo "arg $word" >&2; done; echo \'{"type":"result","is_error":false}\''
    )
    config = Claude(path=program("claude", body), allowed_tools=("Bash(make docs:*)",), args=("--model", "x"))
    hands = ClaudeHands(config, Interrupt(), home, Notices())
    fresh, resumed = Arguments(), Arguments()
    hands.run(batch(), fresh)
    hands.run(batch(thread_id="s1"), resumed)
    for seen in (fresh, resumed):
        assert seen.words[:6] == [
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--permission-mode",
            "acceptEdits",
        ]
        assert {"Bash(cargo test:*)", "Bash(git status:*)", "Bash(make docs:*)"} <= set(seen.words)
        assert seen.words[-2:] == ["--model", "x"]
    assert resumed.words[resumed.words.index("--resume") + 1] == "s1"
    assert "--resume" not in fresh.words


READING = "status diff log show ls-files rev-parse blame grep describe shortlog".split()
PROJECTS = {
    "pytest": ("pytest.ini", "", ["pytest", "python -m pytest", "python3 -m pytest"]),
    "make": ("Makefile", "test:\n\tpytest\n\ndeploy:\n\t./deploy.sh\n", ["make test"]),
    "npm": (
        "package.json",
        '{"scripts": {"test": "jest", "publish-all": "npm publish"}}',
        ["npm test", "npm run test", "npx jest"],
    ),
    "go": ("go.mod", "module m\n", ["go test ./...", "go test", "go build ./...", "go build", "go vet"]),
    "nothing": ("notes.txt", "", []),
}


@pytest.mark.req("mi.hands.claude-allowed-tools")
@pytest.mark.parametrize("project", PROJECTS)
def test_without_configuration_claude_may_run_the_projects_checks_and_reading_git_only(
    program: Program, home: Home, batch: Callable[..., BatchInput], tmp_path: Path, project: str
) -> None:
    """What a project has beside its checks (a deploy target, a publishing script) is not among them."""
    name, content, checks = PROJECTS[project]
    (tmp_path / "work" / name).write_text(content, "utf-8")
    body = (
        'cat > /dev/null; for word in "$@"; do echo "arg $word" >&2; done; echo \'{"type":"result","is_error":false}\''
    )
    seen = Arguments()
    ClaudeHands(Claude(path=program("claude", body)), Interrupt(), home, Notices()).run(batch(), seen)
    allowed = {word.removeprefix("Bash(").removesuffix(":*)") for word in seen.words if word.startswith("Bash")}
    assert allowed == {f"git {word}" for word in READING} | set(checks)


@pytest.mark.req("mi.hands.claude-tools-doctor")
def test_doctor_shows_what_claude_may_run(mi: Mi, program: Program, home: Home, tmp_path: Path) -> None:
    (tmp_path / "work" / "go.mod").write_text("", "utf-8")
    folder = os.path.dirname(program("claude", ""))
    env = {"PATH": f"{folder}:/usr/bin:/bin"}
    shown = json.loads(mi("doctor", "--json", env=env).stdout)
    assert any("Bash(go test:*)" in finding["text"] for finding in shown["findings"])


# cli


@pytest.mark.req(
    "v1.cli.cli-exec",
    "v1.cli.cli-prompt-mode",
    "v1.cli.cli-prompt-placeholder",
    "mi.config.hands-cli-exec",
    "mi.config.hands-cli-prompt-mode",
)
def test_the_prompt_goes_where_the_placeholder_is_or_to_the_end_or_to_stdin(batch: Callable[..., BatchInput]) -> None:
    text = "fix {thread_id} {prompt} $HOME"
    agent = tuple(scripted_agent([print_prompt()]))
    placed = cli([], batch(text), exec=(*agent, "before {prompt} after"))
    assert placed.last_message == f"prompt: before {text} after"
    assert cli([print_prompt()], batch(text)).last_message == f"prompt: {text}"
    assert cli([print_prompt()], batch(text), prompt_mode="stdin").last_message == f"prompt: {text}"


@pytest.mark.req(
    "v1.cli.cli-resume",
    "v1.cli.cli-thread-placeholder",
    "v1.prov.cli-resume-optional",
    "mi.config.hands-cli-resume",
    "mi.config.hands-cli-thread-regex",
)
def test_a_thread_is_resumed_only_where_the_cli_can(batch: Callable[..., BatchInput]) -> None:
    agent = tuple(scripted_agent([print_line("id=abc"), print_prompt()]))
    with_resume = Cli(
        exec=(*agent, "{prompt}"), resume=(*agent, "--resume", "{thread_id}", "{prompt}"), thread_id_regex=r"id=(\w+)"
    )
    hands = CliHands(with_resume, Interrupt())
    first = hands.run(batch("one"))
    assert first.thread_id == "abc"
    assert hands.run(batch("two", thread_id="abc")).last_message.endswith("prompt: --resume abc two")
    without = CliHands(Cli(exec=(*agent, "{prompt}")), Interrupt())
    assert not without.can_resume("abc")
    again = without.run(batch("two", thread_id="abc"))
    assert again.last_message.endswith("prompt: two")
    assert "--resume" not in again.last_message


@pytest.mark.req("v1.cli.cli-env", "v1.cli.cli-env-inherited", "mi.config.hands-cli-env")
def test_the_agent_has_the_shells_environment_and_what_is_configured(
    batch: Callable[..., BatchInput], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FROM_SHELL", "one")
    result = cli([run("echo $FROM_SHELL $FROM_CONFIG")], batch(), env={"FROM_CONFIG": "two"})
    assert result.last_message.endswith("one two")


@pytest.mark.req("v1.prov.cli-text-fallback")
def test_plain_output_is_searched_for_files_and_errors(batch: Callable[..., BatchInput], tmp_path: Path) -> None:
    (tmp_path / "work" / "calc.py").write_text("", "utf-8")
    result = cli(
        [say("I changed calc.py, not gone.py."), print_line("ValueError: bad", to="stderr"), say("Done")], batch()
    )
    assert result.observed.file_paths == ("calc.py",)
    assert result.observed.errors == ("ValueError: bad",)


def test_an_agent_that_leaves_with_an_error_failed_with_its_last_words(batch: Callable[..., BatchInput]) -> None:
    result = CliHands(Cli(exec=("sh", "-c", "echo wrong key >&2; exit 4")), Interrupt()).run(batch())
    assert (result.outcome, result.error, result.exit_code) == ("failed", "wrong key", 4)


def test_mistakes_in_the_configuration_are_named(batch: Callable[..., BatchInput]) -> None:
    with pytest.raises(BadConfig, match=r"hands\.cli\.exec is empty"):
        CliHands(Cli(), Interrupt())
    with pytest.raises(BadConfig, match="thread_id_regex"):
        CliHands(Cli(exec=("true",), thread_id_regex="("), Interrupt())
    with pytest.raises(NotFound, match="no-such-agent"):
        CliHands(Cli(exec=("no-such-agent", "{prompt}")), Interrupt()).run(batch())
    with pytest.raises(MiError, match="prompt_mode to stdin"):
        CliHands(Cli(exec=("true", "{prompt}")), Interrupt()).run(batch("x" * 200_000))


# replay


@pytest.mark.req("mi.hands.replay", "mi.config.hands-replay-file")
def test_a_replay_really_writes_edits_deletes_and_runs(
    home: Home, batch: Callable[..., BatchInput], tmp_path: Path
) -> None:
    steps = [
        {"think": "hm"},
        {"write": {"path": "src/a.txt", "content": "one two"}},
        {"edit": {"path": "src/a.txt", "old": "two", "new": "three"}},
        {"run": "cat src/a.txt && touch b.txt"},
        {"delete": "b.txt"},
        {"say": "done"},
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"batches": [{"steps": steps}]}), "utf-8")
    hands = ReplayHands(Replay(file=str(script)), Interrupt(), home, Notices())
    result = hands.run(batch())
    assert (result.outcome, result.last_message) == ("ended", "done")
    assert (tmp_path / "work" / "src" / "a.txt").read_text("utf-8") == "one three"
    assert not (tmp_path / "work" / "b.txt").exists()
    assert "one three" in [getattr(event, "output", "") for event in result.events]
    assert hands.run(batch(thread_id=result.thread_id)).last_message == "(end of script)"


BROKEN = [
    ("{", "line 1"),
    ('{"batches": [{"steps": [{"sing": "x"}]}]}', "sing"),
    ('{"batches": [{"steps": [{"say": "x", "run": "y"}]}]}', "batches[0].steps[0]"),
    ('{"batches": [{"steps": [{}]}]}', "batches[0].steps[0]"),
]


@pytest.mark.parametrize(("text", "named"), BROKEN)
def test_a_broken_script_is_refused_before_anything_runs(text: str, named: str, home: Home, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(text, "utf-8")
    with pytest.raises(BadConfig) as caught:
        ReplayHands(Replay(file=str(script)), Interrupt(), home, Notices())
    assert named in str(caught.value)
    for file in ("", "/nowhere/script.json"):
        with pytest.raises(BadConfig, match=r"hands\.replay\.file"):
            ReplayHands(Replay(file=file), Interrupt(), home, Notices())


def test_a_replay_edits_nothing_outside_the_project(
    home: Home, batch: Callable[..., BatchInput], tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    outside = tmp_path / "outside.txt"
    steps = [{"write": {"path": "../outside.txt", "content": "x"}}]
    script.write_text(json.dumps({"batches": [{"steps": steps}]}), "utf-8")
    result = ReplayHands(Replay(file=str(script)), Interrupt(), home, Notices()).run(batch())
    assert result.outcome == "failed"
    assert not outside.exists()


@pytest.mark.req("mi.hands.replay")
def test_a_recorded_run_is_done_again_for_real(home: Home, batch: Callable[..., BatchInput], tmp_path: Path) -> None:
    """What Claude Code once did elsewhere: the same edits and commands happen in this project."""

    def block(**fields: object) -> dict[str, object]:
        return {"type": "assistant", "session_id": "s", "message": {"content": [fields]}}

    def call(name: str, **given: object) -> dict[str, object]:
        return block(type="tool_use", id=name, name=name, input=given)

    said = [
        call("Write", file_path="/elsewhere/a.txt", content="one"),
        call("Edit", file_path="/elsewhere/a.txt", old_string="one", new_string="two"),
        call("Bash", command="cat a.txt"),
        block(type="text", text="done"),
    ]
    recording = tmp_path / "recorded.jsonl"
    lines = [{"type": "mi.transcript.header", "v": 1, "cwd": "/elsewhere"}]
    lines += [{"ts": "", "stream": "stdout", "line": json.dumps(one)} for one in said]
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    result = ReplayHands(Replay(file=str(recording)), Interrupt(), home, Notices()).run(batch())
    assert (result.outcome, result.last_message) == ("ended", "done")
    assert (tmp_path / "work" / "a.txt").read_text("utf-8") == "two"
    assert "two" in [getattr(event, "output", "") for event in result.events]


def test_a_recording_that_lacks_what_was_changed_is_refused(home: Home, tmp_path: Path) -> None:
    change = {"type": "item.completed", "item": {"type": "file_change", "changes": [{"path": "/a", "kind": "add"}]}}
    recording = tmp_path / "recorded.jsonl"
    entry = {"stream": "stdout", "line": json.dumps(change)}
    recording.write_text('{"type":"mi.transcript.header","cwd":"/x"}\n' + json.dumps(entry) + "\n", "utf-8")
    with pytest.raises(BadConfig, match="not how"):
        ReplayHands(Replay(file=str(recording)), Interrupt(), home, Notices())
    recording.write_text("no transcript\n", "utf-8")
    with pytest.raises(BadConfig, match="no transcript header"):
        ReplayHands(Replay(file=str(recording)), Interrupt(), home, Notices())
