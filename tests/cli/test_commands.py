"""Commands are declared once; what is a person's own word is refused to agents before the command runs."""

import argparse
import fcntl
from itertools import groupby
from pathlib import Path

import pytest

from mi.agents.leftovers import VARIABLE
from mi.cli.arguments import Parser
from mi.cli.commands import COMMANDS
from mi.cli.main import run
from mi.hooks.shell_changes import changed_files
from mi.kernel.home import Home
from mi.kernel.language import LANGUAGES
from mi.kernel.messages import help_text, text
from tests.cli.test_help import ALL
from tests.literals import lists_of, sources

# Literals with four names of commands or more that are no list of commands.
ALLOWED = {
    "mi/cli/commands.py": "the table of commands",
    "mi/cli/status.py": "the parts of a status",
    "mi/evidence/records/table.py": "kinds of records",
    "mi/governance/git_commands.py": "words of git",
    "mi/hooks/shell_changes.py": "what of MI is no agent's to call; compared with the parsers below",
    "mi/governance/command_tables.py": "programs and what their words do, those of MI among them",
    "mi/knowledge/search/backend.py": "kinds of documents",
    "mi/learning/transfer.py": "kinds of records",
    "mi/kernel/messages/": "texts by their keys",
    "mi/kernel/language/": "words that people and agents use",
}
PERSONS = {words: one for words, one in ALL.items() if one.get_default("person_only")}


def test_nobody_else_keeps_a_list_of_commands() -> None:
    found = [(path, names) for path, tree in sources(*ALLOWED) for names in lists_of(set(COMMANDS), tree, 4)]
    assert found == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_is_told_of_in_every_language(language: str) -> None:
    for entry in COMMANDS.values():
        assert text("overview.group-" + entry.group, language)
        assert (help_text(entry.summary, language) == entry.summary) is (language == "en")


def test_the_commands_of_a_group_stand_together() -> None:
    groups = [entry.group for entry in COMMANDS.values()]
    assert len([name for name, _ in groupby(groups)]) == len(set(groups))


def test_what_a_person_alone_may_say() -> None:
    assert {words for words, one in PERSONS.items() if one.get_default("person_only") == "always"} == {
        *("uninstall", "hook install", "hook uninstall", "trust", "prove", "proof verify", "restore"),
        *("checks set", "checks clear", "checks run"),
    }
    assert {words for words, one in PERSONS.items() if one.get_default("person_only") == "in-runs"} == {
        *("answer", "inbox dismiss", "init", "values set", "values edit", "settings set", "undo", "redo", "import"),
        *("claim retract", "claim supersede", "claim same-as", "claim apply-suggested"),
        *("node create", "node retract", "edge create", "edge retract"),
        *("config init", "config apply-template", "config rollback", "gc snapshots"),
    }


def arguments_of(parser: argparse.ArgumentParser) -> list[str]:
    """The least that a command must be given to do what it is for."""
    assert isinstance(parser, Parser)
    parser.format_help()  # adds the arguments that are added late
    given = []
    for action in parser._actions:
        value = str(next(iter(action.choices or ["x"])))
        if not action.option_strings and action.nargs != "?":
            given.append(value)
        elif action.required and action.option_strings:
            given += [action.option_strings[0], value]
        elif action.dest == "apply":
            given.append(action.option_strings[0])
    return given


@pytest.mark.parametrize("words", PERSONS)
def test_a_persons_word_is_not_taken_from_an_agent(
    words: str, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = Path(home.project("p_other").run_lock)
    lock.parent.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    always = PERSONS[words].get_default("person_only") == "always"
    monkeypatch.setenv("CLAUDECODE" if always else VARIABLE, "1")
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code = run(["--home", home.root, *words.split(), *arguments_of(PERSONS[words])])
    said = text("error.not-for-agents", "en", command=f"mi {words}") if always else text("error.not-for-hands", "en")
    assert (code, capsys.readouterr().err) == (3, f"mi: {said}\n")


def test_the_hooks_know_the_commands_that_are_no_agents(tmp_path: Path) -> None:
    """They see such a command as a change of the settings that hold the hooks."""
    for words, one in PERSONS.items():
        touched = changed_files(f"mi {words}", str(tmp_path))
        assert bool(touched) is (one.get_default("person_only") == "always"), words
