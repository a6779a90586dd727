"""Commands in plain output: behind a prompt or in a fenced shell block, never in sentences."""

import pytest

from mi.agents.text_scan import ShownCommands
from mi.governance.commands import classify
from mi.governance.operations import gravest


def risks_in(text: str) -> list[str]:
    reader = ShownCommands()
    acts = [gravest(classify(command)) for line in text.splitlines() if (command := reader.feed(line))]
    return [act.category for act in acts if act.level != "none"]


SHOWN = [
    "$ git push",
    "+ git push origin main",
    "> git push",
    "   $ git push",
    "```bash\ngit push\n```",
    "```sh\n$ git push\n```",
    "~~~console\n$ ls\n$ git push\n~~~",
]
SENTENCES = [
    "I will NOT run git push",
    "Next I would git push, but I ask first.",
    "git push",
    "Run `git push` when you are ready.",
    "```python\nos.system('git push')\ngit push\n```",
    "```\ngit push\n```",
    "> I did not run git push.",
    "> I didn't run git push.",
    "```bash\nls\n```\ngit push is for you to do",
    "$ echo 'git push'",
]


@pytest.mark.req("v1.prov.cli-risk-scan", "mi.fail.text-shell-echo")
@pytest.mark.parametrize("text", SHOWN)
def test_plain_output_counts_where_it_shows_a_command(text: str) -> None:
    assert risks_in(text) == ["push"]


@pytest.mark.req("mi.fail.sentences-never", "mi.fail.marker-negated")
@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_never_count(text: str) -> None:
    assert risks_in(text) == []
