"""Each kit is what the scenarios say of it: its checks fail and pass where an agent's deeds make them."""

import subprocess
from itertools import islice
from pathlib import Path

import pytest

from mi.testing.judge_bench.kits import KITS, Kit
from mi.testing.judge_bench.kits.facts import KitFact, list_facts
from mi.testing.judge_bench.kits.kit import apply_edits
from mi.testing.judge_bench.workspace import environment, is_there

QUICK = 4  # `make bench` looks at all of them


def passes(folder: Path, fact: KitFact) -> bool:
    """Whether a check passes over the files after some deeds."""
    for name, text in apply_edits(fact.files, fact.deeds).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shell = ["/bin/sh", "-c", fact.command]
    return subprocess.run(shell, cwd=folder, env=environment(), check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.name)
def test_a_kits_checks_tell_right_from_wrong(kit: Kit, tmp_path: Path) -> None:
    assert [program for program in kit.needs if not is_there(program)] == []
    facts = list(islice(list_facts(kit), QUICK))
    assert [passes(tmp_path / "shop", fact) for fact in facts] == [fact.passes for fact in facts]


@pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.name)
def test_every_deed_of_a_kit_finds_its_place(kit: Kit) -> None:
    for fact in list_facts(kit):
        assert fact.deeds == () or apply_edits(fact.files, fact.deeds) != fact.files
