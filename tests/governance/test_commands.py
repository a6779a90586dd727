"""The command classifier: one table of commands, and hooks, interrupts and risk signals that agree about each."""

from pathlib import Path
from typing import NamedTuple

import pytest

from mi.agents.drive import interrupts
from mi.governance import command_tables
from mi.governance.commands import classify, risk_signal
from mi.governance.operations import LEVELS, OPERATIONS, gravest
from mi.governance.permissions import permit, state_of
from mi.governance.surroundings import Surroundings

FEATURE = Surroundings(lambda folder: "feature", member="bob")


class Row(NamedTuple):
    """A command line (⏎ is a new line) and what it means."""

    command: str
    operation: str
    level: str
    category: str
    reversible: str
    external: str


def read_rows() -> list[Row]:
    lines = Path(__file__).with_name("commands.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [Row(*line.split("\t")) for line in lines]
    return [row._replace(command=row.command.replace("⏎", "\n")) for row in rows]


ROWS = read_rows()
BY_OPERATION = [[row for row in ROWS if row.operation == name] for name in dict.fromkeys(row.operation for row in ROWS)]
of_each_operation = pytest.mark.parametrize("rows", BY_OPERATION, ids=lambda rows: rows[0].operation)
# Operations about which a hook and a run differ on purpose.
DIFFERENT = {
    "install": "the seed counts installs as external; the standard profile lets local work go on",
    "fetch": "the seed counts network fetches as external; the standard profile lets local work go on",
    "delete-products": "the seed counts every `rm -r`; the standard profile lets what a build made be removed",
    "unreadable": "a permission is at stake in a hook; a run stays quiet unless something in the text counts",
}


def test_the_table_is_large_and_each_row_is_its_own():
    assert len(ROWS) > 300
    assert len({row.command for row in ROWS}) == len(ROWS)
    assert {row.operation for row in ROWS} >= {name for name, entry in OPERATIONS.items() if entry.level != "none"}


@pytest.mark.req(
    "v1.soft.marker-git-push", "v1.soft.marker-publish", "v1.soft.marker-rm", "v1.soft.marker-sudo",
    "v1.soft.marker-pipe-shell", "v1.soft.any-external-installs", "v1.soft.any-external-fetch",
    "mi.fail.marker-curl-sh", "mi.fail.marker-rm-fr", "mi.fail.marker-git-c-push", "mi.fail.marker-cargo-publish",
    "mi.fail.marker-docker-push", "mi.fail.marker-drop-table", "mi.fail.marker-kubectl-delete",
    "mi.fail.marker-npm-i", "mi.fail.marker-apt-get", "mi.fail.commands-parsed",
)  # fmt: skip
@of_each_operation
def test_what_a_command_is(rows):
    assert [_classified(row.command) for row in rows] == rows


def _classified(command: str) -> Row:
    act = gravest(classify(command, FEATURE))
    heaviest = permit("Bash", "run", command, member="bob", here=FEATURE).operation
    reversible, external = ("yes" if act.reversible else "no"), ("yes" if act.external else "no")
    return Row(command, heaviest, act.level, act.category, reversible, external)


@pytest.mark.req("v1.cfg.interrupt-mode-behaviour", "mi.product.no-command-gating")
@of_each_operation
def test_hook_interrupt_and_risk_signal_agree(rows):
    for row in rows:
        decision = permit("Bash", "run", row.command, member="bob", here=FEATURE).decision
        signal, level = risk_signal(row.command)
        asks_and_signals = bool(signal), decision != "ALLOW"
        assert row.operation in DIFFERENT or len({*asks_and_signals}) == 1, row.command
        assert (bool(signal), level != "none") == (row.level != "none",) * 2, row.command
        assert signal.partition(":")[0] == (row.category if signal else ""), row.command
        act = gravest(classify(row.command))
        grave = row.level in ("high", "critical")
        stops = [interrupts(mode, act) for mode in ("off", "on_high_risk", "on_any_external")]
        assert stops == [False, grave, grave or row.external == "yes"], row.command


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_on_purpose_really_does(name):
    asks = state_of(name, "standard", {}) != "ALLOW"
    assert asks is (OPERATIONS[name].level == "none")


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("echo 'half of it; git push origin feature", "high"),
        ("cat \"x && rm -rf /", "critical"),
        ("I don't think so", "none"),
        ("> it's a note about git push", "none"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_asks_and_signals_only_what_would_count(text, level):
    assert permit("Bash", "run", text).decision != "ALLOW"
    assert risk_signal(text)[1] == level


def test_of_several_acts_the_tightest_state_decides():
    line = "git push origin feature; terraform destroy"
    assert permit("Bash", "run", line, here=FEATURE, settings={"deploy": "DENY"}).operation == "deploy"
    assert permit("Bash", "run", line, here=FEATURE, settings={"push": "DENY"}).operation == "push"
    loose = {"deploy": "ALLOW", "delete-remote": "ALLOW"}
    assert permit("Bash", "run", line, here=FEATURE, settings=loose).operation == "push"


@pytest.mark.parametrize(("part", "entry"), [(name, entry) for name, entry in OPERATIONS.items() if entry.part_of])
def test_a_part_is_as_tight_as_its_whole(part, entry):
    assert state_of(part, "standard", {entry.part_of: "DENY"}) == "DENY"
    assert state_of(part, "standard", {entry.part_of: "ALLOW"}) == entry.of("standard")
    assert state_of(part, "standard", {entry.part_of: "DENY", part: "PROMPT"}) == "PROMPT"


def test_denials_are_grave_and_what_only_looks_has_no_level():
    for entry in OPERATIONS.values():
        assert entry.denial is None or LEVELS.index(entry.level) >= LEVELS.index("high")
        assert entry.of("strict") != "ALLOW" or entry.level == "none"


ODD_DEPLOYS = ("kube''ctl apply -f a", 'k"ube"ctl apply -f a', "KUBECTL=1 oc apply", "a=kube; ${a}ctl apply -f a")


def test_no_text_with_a_deploy_command_is_passed_over():
    """The quick look at a message must never tell less than reading all of it as commands."""
    texts = [*(row.command for row in ROWS), *ODD_DEPLOYS]
    found = [text for text in texts if any(act.operation == "deploy" for act in classify(text))]
    assert len(found) > 25
    assert [text for text in found if not command_tables.may_deploy(f"Please run\n{text}")] == []


@pytest.mark.parametrize(
    "text", ["Read the settings from a file, with a test", "don't touch the docs; it's 'local'", "写一个测试"]
)
def test_plain_words_are_not_read_as_commands(text):
    assert not command_tables.may_deploy(text)
