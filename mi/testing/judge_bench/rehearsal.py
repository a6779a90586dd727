"""Play a scenario's agent without any judge, to see that the scenario itself is what it says."""

import os
import subprocess
import tempfile

from mi.testing.judge_bench.scenario import Scenario
from mi.testing.judge_bench.workspace import BenchPlace
from mi.testing.replies import Delete, Edit, Run, Write
from mi.testing.wire import ScriptError

_COMMAND_S = 120.0


def rehearse(scenario: Scenario) -> list[int]:
    """Return the exit codes of the commands that the agent runs until its batch with the most work is over."""
    with tempfile.TemporaryDirectory(prefix="mi-judge-", ignore_cleanup_errors=True) as folder:
        place = BenchPlace(folder)
        place.lay_out(scenario)
        codes: list[int] = []
        for batch in scenario.batches[:-2]:
            for deed in batch:
                if isinstance(deed, Run):
                    codes.append(_run(place, deed.command))
                elif isinstance(deed, Write | Edit | Delete):
                    _change(os.path.join(place.project, deed.path), deed)
    return codes


def _run(place: BenchPlace, command: str) -> int:
    shell = ["/bin/sh", "-c", command]
    done = subprocess.run(
        shell,
        cwd=place.project,
        env=place.environment(),
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_COMMAND_S,
    )
    return done.returncode


def _change(path: str, deed: Write | Edit | Delete) -> None:
    if isinstance(deed, Delete):
        os.unlink(path)
        return
    text = deed.content if isinstance(deed, Write) else _edited(path, deed)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _edited(path: str, deed: Edit) -> str:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if deed.old not in text:
        raise ScriptError(f"{deed.path} does not hold {deed.old!r}")
    return text.replace(deed.old, deed.new, 1)
