"""A runner of checks is declared once: its entry is all that finding, calling and believing it takes."""

import json
import subprocess
import sys
from pathlib import Path

from mi.project.checks.runners import RUNNERS
from tests.literals import lists_of, sources

# Literals that name three runners or more and are no list of runners.
ALLOWED = {
    "mi/project/checks/judge_notices_code.py": "words by which product code looks whether it is tested",
    "mi/project/checks/judge_notices_tampering.py": "libraries of assertions that product code may not change",
    "mi/project/checks/judge_notices_python.py": "variables by which product code looks whether it is tested",
    "mi/governance/command_tables.py": "commands by what they do to the world; a floor below",
    "mi/agents/programs.py": "interpreters that an agent's script runs in",
    "mi/governance/change_units.py": "lock files",
    "mi/hooks/shell_changes.py": "programs that write the files they format",
    "mi/kernel/inline_code.py": "interpreters that take code on their line",
    "mi/mind/views.py": "how a text begins that is a command, of a check or not",
    "mi/nexus/targets.py": "languages",
    "mi/project/checks/judge_asked.py": "words that a task may use for what judges the work",
    "mi/project/checks/judge_compose.py": "tables of manifests that are judges",
    "mi/project/checks/judge_manifests.py": "tables of manifests that are judges",
    "mi/project/checks/judge_places.py": "settings files, and modules that plugins import",
    "mi/project/checks/judge_recipes.py": "how a run of tests looks anywhere in a line",
    "mi/project/checks/judge_tables.py": "packages that manifests could take from elsewhere",
    "mi/project/checks/judge_tokens.py": "languages",
    "mi/project/checks/languages.py": "languages",
    "mi/project/proof/reports/instrument.py": "how a reporter is added to each runner",
}
PROVING = {runner.name for runner in RUNNERS if runner.in_recipe or runner.by_recipe}
NEW_RUNNER = """
import json, sys
from mi.project.checks import runners
from mi.project.checks.runner import Runner

runners.RUNNERS += (
    Runner(
        "spin",
        also=("spinw",),
        is_module=True,
        marks=("spin.toml",),
        brings={"spin.toml": ("test spin all",)},
        bent_by="--easy",
        obeys="SPIN_OPTS",
        in_recipe=r"spin all",
        defined_in=("spin.toml",),
        promises=lambda file, text: {"spin all": text},
        nothing="0 spins",
        something="[1-9] spins",
    ),
)
runners.BY_NAME["spin"] = runners.RUNNERS[-1]
runners.COMMON_NAMES["spinw"] = "spin"

from mi.project.checks.files import promises, runners as runners_of
from mi.project.checks.outcome import could_not_start, ran_nothing
from mi.project.checks.recognition import detect, is_check

checks = detect(sys.argv[1])
calls = ["spin all", "./spinw all x", "python3 -m spin all", "spin all --easy", "SPIN_OPTS=1 spin all", "spin none"]
print(json.dumps({
    "found": [check.command for check in checks],
    "runs": [call for call in calls if is_check(call, checks)],
    "recipe": runners_of("@spin all; true\\n\\tspin all"),
    "promises": promises("a/spin.toml", "spin all"),
    "nothing": [ran_nothing("0 spins"), ran_nothing("0 spins, 3 spins"), ran_nothing("3 spins")],
    "missing": could_not_start(1, "python: No module named spin"),
}))
"""


def test_one_entry_is_all_it_takes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "spin.toml").write_text("", "utf-8")
    command = [sys.executable, "-c", NEW_RUNNER, str(tmp_path)]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert answer == {
        "found": ["cd sub && spin all"],
        "runs": ["spin all", "./spinw all x", "python3 -m spin all"],
        "recipe": ["spin all"],
        "promises": {"spin all": "spin all"},
        "nothing": [True, False, False],
        "missing": True,
    }


def test_every_name_is_that_of_one_runner() -> None:
    names = [name for runner in RUNNERS for name in (runner.name, *runner.also)]
    assert len(names) == len(set(names))


def test_a_list_of_runners_stands_only_where_they_are_declared() -> None:
    found = {
        path: lists
        for path, tree in sources("mi/project/checks/runners/", "mi/kernel/messages/", "mi/kernel/language/")
        if (lists := list(lists_of(PROVING, tree, at_least=3)))
    }
    assert found.keys() <= ALLOWED.keys(), found
