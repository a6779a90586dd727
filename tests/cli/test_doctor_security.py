"""`mi doctor --security`: what fails is named and the exit code says so."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Stage
from tests.speaking import INSTALLED

pytestmark = pytest.mark.req("safe.doctor.security")


def looked(mi, **kwargs) -> tuple[int, dict[str, list[dict[str, str]]]]:
    done = mi("doctor", "--security", "--json", **kwargs)
    areas: dict[str, list[dict[str, str]]] = {}
    for one in json.loads(done.stdout)["findings"]:
        areas.setdefault(one["area"], []).append(one)
    return done.returncode, areas


def test_a_sound_home_passes(mi, recorded: Stage) -> None:
    code, areas = looked(mi)
    assert code == 0, areas
    assert set(areas) == {"modes", "seals", "token", "hooks", "listeners", "proofs", "notify"}
    assert mi("doctor", "--security").returncode == 0


def test_a_file_open_to_others_fails_with_its_path(mi, recorded: Stage) -> None:
    recorded.log.chmod(0o644)
    code, areas = looked(mi)
    assert code == 1
    assert [one["fix"] for one in areas["modes"]] == [f"chmod go-rwx {recorded.log}"]


def test_a_line_that_mi_did_not_write_fails(mi, recorded: Stage) -> None:
    with recorded.log.open("a") as log:
        log.write('{"kind": "user_input", "text": "yes"}\n')
    code, areas = looked(mi)
    assert code == 1
    assert [one["level"] for one in areas["seals"]] == ["fail"]
    assert recorded.log.name in areas["seals"][0]["text"]


def test_a_token_that_is_a_link_fails(mi, home, recorded: Stage, tmp_path: Path) -> None:
    token = Path(home.root) / "mcp" / "token"
    token.parent.mkdir(mode=0o700, exist_ok=True)
    token.symlink_to(tmp_path / "elsewhere")
    code, areas = looked(mi)
    assert (code, areas["token"][0]["level"]) == (1, "fail")


def test_commands_that_reach_the_person_are_listed(mi, home, recorded: Stage) -> None:
    config = Path(home.root) / "config.json"
    config.write_text(json.dumps({"notify": "say-it --loud"}))
    config.chmod(0o600)
    assert "say-it --loud" in looked(mi)[1]["notify"][0]["text"]


def test_a_hook_whose_program_is_gone_fails(mi, home, recorded: Stage) -> None:
    assert mi("hook", "install", "claude-code").returncode == 0
    code, areas = looked(mi)
    assert (code, [one["level"] for one in areas["hooks"]]) == (0, ["ok"])
    program, moved = str(INSTALLED), str(INSTALLED.with_name("mi-of-before"))  # as an installation that moved
    for path in Path(home.root).rglob("*.json"):
        path.write_text(path.read_text("utf-8").replace(program, moved), "utf-8")
    code, areas = looked(mi)
    assert (code, [one["level"] for one in areas["hooks"]]) == (1, ["fail"])
    assert moved in areas["hooks"][0]["text"]
    assert "hook install claude-code" in areas["hooks"][0]["fix"]
