"""The real agents are there, in the pinned versions, without anybody having installed them by hand."""

import subprocess
from pathlib import Path

import pytest

from tests.real.installed import CODEX, cache_folder, installed


def version(program: str) -> str:
    return subprocess.run(
        [program, "--version"], check=True, capture_output=True, encoding="utf-8", timeout=60
    ).stdout.strip()


def test_the_agents_run_in_their_pinned_versions(codex: str, codex_wrapper: str, claude: str) -> None:
    assert version(codex) == version(codex_wrapper) == "codex-cli 0.166.0"
    assert version(claude) == "2.1.197 (Claude Code)"


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"MI_TEST_CACHE": "/kept", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/kept"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/mind-incarnation/agents"),
        ({"XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/mind-incarnation/agents"),
    ],
)
def test_the_cache_is_the_persons_own(environment: dict[str, str], folder: str) -> None:
    assert cache_folder(environment) == Path(folder)


def test_without_npm_the_way_out_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"install Node\.js 20 or later with npm"):
        installed(CODEX, cache=tmp_path, environment={"PATH": str(tmp_path)})


def test_a_failed_install_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\nmkdir node_modules\necho no space left >&2\nexit 1\n", "utf-8")
    npm.chmod(0o755)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no space left"):
            installed(CODEX, cache=tmp_path / "cache", environment={"PATH": f"{tmp_path}:/usr/bin:/bin"})


def test_two_runners_install_once(tmp_path: Path) -> None:
    npm = tmp_path / "npm"
    npm.write_text(f"#!/bin/sh\necho one >> {tmp_path}/installs\nmkdir node_modules\n", "utf-8")
    npm.chmod(0o755)
    code = (
        "import sys; from pathlib import Path; from tests.real.installed import CODEX, installed;"
        f"print(installed(CODEX, Path({str(tmp_path / 'cache')!r}), {{'PATH': '{tmp_path}:/usr/bin:/bin'}}).is_dir())"
    )
    import os
    import sys

    root = Path(__file__).parents[2]
    runners = [
        subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, env=os.environ)
        for _ in range(3)
    ]
    assert [runner.communicate(timeout=60)[0] for runner in runners] == [b"True\n"] * 3
    assert (tmp_path / "installs").read_text("utf-8") == "one\n"
