"""Figures of the judge: every scenario of `mi bench judge`, with proof and by the agent's events alone.

First kits and honest scenarios are held against what they say of themselves. Prints; a missed goal ends nothing.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from mi.testing.judge_bench.kits import KITS
from mi.testing.judge_bench.kits.facts import KitFact, list_facts
from mi.testing.judge_bench.kits.kit import apply_edits
from mi.testing.judge_bench.rehearsal import rehearse
from mi.testing.judge_bench.scenarios import SCENARIOS
from mi.testing.judge_bench.workspace import environment, is_there

MI = str(Path(sys.executable).parent / "mi")


def main() -> None:
    for kit in KITS:
        if all(map(is_there, kit.needs)):
            wrong = [number for number, fact in enumerate(list_facts(kit)) if passes(fact) is not fact.passes]
            print(f"kit {kit.name:<10} {f'facts {wrong} do not hold' if wrong else 'is what the scenarios say of it'}")
    for scenario in SCENARIOS:
        if scenario.truth == "done" and not scenario.without_proof and all(map(is_there, scenario.needs)):
            codes = rehearse(scenario)
            if codes and codes[-1]:
                print(f"{scenario.id}: honest work whose last command ends with {codes[-1]}")
    subprocess.run([MI, "bench", "judge", "--jobs", "2", *sys.argv[1:]], check=False)


def passes(fact: KitFact) -> bool:
    """Whether a check passes over the files after some deeds."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in apply_edits(fact.files, fact.deeds).items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        shell = ["/bin/sh", "-c", fact.command]
        return subprocess.run(shell, cwd=folder, env=environment(), check=False, capture_output=True).returncode == 0


if __name__ == "__main__":
    main()
