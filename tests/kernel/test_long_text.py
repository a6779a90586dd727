"""Long text costs as much as it is long: an agent's command, a pasted log, a file somebody else wrote."""

import time

import pytest

from mi.contract.plan_detection import _BOX, _marked
from mi.governance.words import is_whole, list_items
from mi.kernel.shell import simple_commands
from mi.kernel.text import split_sentences
from mi.persona.proposals import find_refusal
from mi.persona.sharing import _ADDRESS
from mi.project.checks.runners.recipes import _RULE

WORK = {
    "lines": (simple_commands, "ls\n", 8_000),
    "assignments": (simple_commands, "a=b ", 16_000),
    "prefixes": (simple_commands, "sudo ", 16_000),
    "here-document": (lambda text: simple_commands(f"cat <<END\n{text}END\n"), "a\n", 40_000),
    "empty lines of a list": (list_items, "\n", 30_000),
    "blanks of a word": (lambda text: is_whole(f"a{text}b", ["go on"]), " ", 30_000),
    "abbreviations": (split_sentences, "a. b ", 6_000),
    "one word of a proposal": (find_refusal, "x", 30_000),
    "one word of an address": (_ADDRESS.findall, "x", 30_000),
    "blanks of a box": (_marked(_BOX).findall, " ", 60_000),
    "blanks of a rule": (_RULE.match, " ", 60_000),
}


@pytest.mark.parametrize("name", WORK)
def test_four_times_the_text_is_not_sixteen_times_the_work(name):
    work, unit, count = WORK[name]

    def seconds(times: int) -> float:
        text = unit * times
        spent = []
        for _ in range(3):
            began = time.process_time()
            work(text)
            spent.append(time.process_time() - began)
        return min(spent)

    assert seconds(4 * count) < 9 * seconds(count) + 0.05
