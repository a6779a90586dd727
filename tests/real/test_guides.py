"""The blocks of the guides that need an agent, as they stand, with the real ones; only the model is a script."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mi.testing import (
    Request,
    claude_environment,
    codex_environment,
    messages_server,
    read,
    responses_server,
    run,
    say,
    temporary_repository,
)
from mi.testing.replies import Reply
from tests.conftest import MI
from tests.mind.answers import model

GUIDES = Path(__file__).resolve().parent.parent.parent / "docs/guides"


def first_block(page: str) -> str:
    """The first block of a guide, without the step that installs the agent."""
    found = re.search(r"(?ms)^```bash\n(.*?)^```", (GUIDES / page).read_text("utf-8"))
    assert found
    return "\n".join(line for line in found[1].splitlines() if not line.startswith("npm install"))


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize(("page", "agent"), [("codex.md", "codex"), ("claude-code.md", "claude"), ("ci.md", "codex")])
def test_the_block_runs(page: str, agent: str, request: pytest.FixtureRequest, tmp_path: Path, opened: ExitStack):
    program: str = request.getfixturevalue(agent)
    repo = opened.enter_context(temporary_repository(passing=False, parent=str(tmp_path)))
    Path(repo.path, "task.md").write_text("Fix the failing test.\n", "utf-8")
    steps = iter([run(repo.check), read("calc.py"), repo.mend, run(repo.check), say("All tests pass. Done.")])

    def answer(asked: Request) -> Reply:
        return model(structured=True)(asked) if asked.schema else next(steps)

    server = opened.enter_context((responses_server if agent == "codex" else messages_server)(answer))
    make = codex_environment if agent == "codex" else claude_environment
    env = make(server, str(tmp_path / "agent"))
    path = f"{MI.parent}:{os.path.dirname(program)}:/usr/bin:/bin:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-uc", first_block(page)],
        cwd=repo.path,
        env=env | {"PATH": path, "MI_HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "verified" in done.stdout
    assert repo.read("calc.py").endswith("return a + b\n")
