"""What waits, in one line: the same in `mi status`, at a persona's boot and at a host session's start."""

import json
from pathlib import Path

import pytest

from mi.kernel.home import Home
from tests.cli.conftest import Stage
from tests.cli.test_inbox import ask
from tests.conftest import Mi

LINE = "2 wait for you in api, shop, the newest: {number}Which port? (mi inbox)"


@pytest.mark.req("person.waiting-line")
def test_status_boot_and_a_sessions_start_tell_the_same(home: Home, mi: Mi, repository) -> None:
    root = repository()
    mi("persona", "init", "--project", cwd=root)
    event = json.dumps({"session_id": "s1", "cwd": str(root), "hook_event_name": "SessionStart", "source": "startup"})

    def tell() -> list[str]:
        status = mi("status", cwd=root).stdout
        booted = mi("persona", "boot", cwd=root).stdout
        started = mi(
            "hook", "session-start", "--host", "claude-code", "--enforce", "permissions", stdin=event, cwd=root
        )
        assert started.returncode == 0, started.stderr
        lines = [line for line in (status + booted).splitlines() if "mi inbox)" in line]
        return [
            *(line.removeprefix("waiting").strip() for line in lines),
            json.loads(started.stdout).get("systemMessage"),
        ]

    assert tell() == [None]
    ask(home, "shop", 1, text="Which colour?")
    ask(home, "api", 2, text="Which port?")
    assert tell() == [LINE.format(number="")] * 3
    mi("inbox")  # gives the numbers
    assert tell() == [LINE.format(number="2 ")] * 3
    assert json.loads(mi("status", "--json", cwd=root).stdout)["inbox"] == {
        "count": 2,
        "line": LINE.format(number="2 "),
    }
    mi("answer", "1", "red")
    assert tell() == ["1 waits for you in api: 2 Which port? (mi inbox)"] * 3


def test_looking_writes_nothing(home: Home, mi: Mi, stage: Stage) -> None:
    ask(home, "shop", 1, text="Which colour?")
    before = {path: path.read_bytes() for path in Path(home.root).rglob("*") if path.is_file()}
    assert "Which colour?" in mi("status").stdout
    assert {path: path.read_bytes() for path in Path(home.root).rglob("*") if path.is_file()} == before


def test_the_line_has_no_secret_and_nothing_that_drives_a_terminal(home: Home, mi: Mi) -> None:
    ask(home, "shop", 1, text="Use " + "ghp_" + "aB3dE5gH7" * 4 + "\x1b[2J\nnow?")
    (line,) = [line for line in mi("status").stdout.splitlines() if "mi inbox)" in line]
    assert "aB3dE5gH7aB3dE5gH7" not in line
    assert "\x1b" not in line


def test_a_broken_log_or_configuration_keeps_no_session_from_starting(home: Home, mi: Mi, tmp_path: Path) -> None:
    ask(home, "shop", 1, text="Which colour?")
    ask(home, "api", 2, text="Which port?")
    log = Path(home.project("api").evidence)
    log.unlink()
    log.mkdir()
    Path(home.config).write_text("{", "utf-8")
    event = json.dumps({"session_id": "s1", "cwd": str(tmp_path), "hook_event_name": "SessionStart"})
    started = mi("hook", "session-start", "--host", "claude-code", "--enforce", "permissions", stdin=event)
    assert started.returncode == 0, started.stderr
