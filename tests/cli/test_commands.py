"""Commands are declared once; what is a person's own word is refused to agents before the command runs."""

import argparse
from itertools import groupby
from pathlib import Path

import pytest

from mi.app import speaker
from mi.cli.arguments import Parser
from mi.cli.commands import COMMANDS
from mi.cli.main import run
from mi.hooks.shell_changes import changed_files
from mi.kernel.ancestry import ProcessInfo
from mi.kernel.home import Home
from mi.kernel.language import LANGUAGES
from mi.kernel.messages import help_text, text
from tests.cli.test_help import ALL
from tests.literals import lists_of, sources
from tests.speaking import SHELL

# Literals with four names of commands or more that are no list of commands.
ALLOWED = {
    "mi/cli/commands.py": "the table of commands",
    "mi/cli/status.py": "the parts of a status",
    "mi/cli/doctor.py": "what doctor looks at",
    "mi/agents/programs.py": "commands of MI that start something and drive no agent; each is tested there",
    "mi/evidence/records/table.py": "kinds of records",
    "mi/governance/git_commands.py": "words of git",
    "mi/project/checks/judge_places.py": "names of files",
    "mi/hooks/shell_changes.py": "what of MI is no agent's to call; compared with the parsers below",
    "mi/governance/command_tables.py": "programs and what their words do, those of MI among them",
    "mi/knowledge/search/backend.py": "kinds of documents",
    "mi/learning/reach.py": "kinds of what cites a lesson",
    "mi/learning/transfer.py": "kinds of records",
    "mi/web/views/run.py": "acts of the page on a run",
    "mi/web/views/run_acts.py": "acts of the page on a run",
    "mi/kernel/messages/": "texts by their keys",
    "mi/kernel/language/": "words that people and agents use",
}


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


# Whether an agent may call a command: every command is here, so that a new one is thought about.
OPEN = """
    attach autonomy bench runs runs/watch
    demo doctor completion context cost diff export inbox project repair report run search show status stop tail version
    bench/judge card card/archive card/health card/index card/list card/match card/show
    checks claim claim/list claim/mine claim/show config config/examples config/path config/get config/show
    config/template config/validate contract contract/audit contract/mode contract/status edge edge/list edge/show
    gate gate/assess gate/deploy gate/deploy/after gate/deploy/rollback gate/diff gate/review gate/signals gc
    handoff handoff/accept handoff/done handoff/new handoff/reject handoff/send handoff/show
    hook hook/compact hook/post-tool hook/pre-tool hook/prompt hook/session-end hook/session-start hook/stop
    hook/subagent-start hook/subagent-stop host host/bind host/list host/sync host/unbind mcp mcp/list mcp/serve
    memory memory/index memory/index/rebuild memory/index/status memory/query memory/recent memory/search memory/verify
    memory/write nexus nexus/artifact nexus/artifact/write nexus/context nexus/event nexus/history nexus/init
    nexus/manifest nexus/memory nexus/memory/add nexus/memory/gc nexus/memory/lint nexus/memory/list
    nexus/memory/merge-access nexus/memory/restore nexus/memory/show nexus/task nexus/task/add nexus/task/close
    merge-file notify notify/test runs
    nexus/task/list nexus/task/targets nexus/task/update nexus/validate node node/list node/show
    persona persona/boot persona/conformance persona/init persona/lint persona/note persona/notes persona/publish
    plan plan/add plan/decide plan/edit plan/lint plan/remove plan/reopen plan/start plan/status
    project/alias project/alias/add project/alias/list project/alias/rm project/pin project/show project/status
    project/unpin project/use proof proof/export proposal proposal/add proposal/list
    hub hub/status queue queue/list seal seal/show seal/verify session session/save session/show
    settings settings/show task task/add task/complete task/list task/next task/update values values/show values/what-if
    why why/claim why/event why/last
    workflow workflow/create workflow/delete workflow/disable workflow/edit workflow/enable workflow/export
    workflow/habits workflow/import workflow/keep workflow/list workflow/show
"""
PERSONS = """
    hub/init hub/invite hub/remove hub/join hub/leave hub/offer persona/decrypt persona/encrypt sync
    queue/add queue/cancel queue/rebuild queue/retry worker merge runs/clean tell
    answer inbox/dismiss init restore seal/accept task/adopt trust prove remember undo redo import uninstall
    checks/clear checks/run checks/set claim/apply-suggested claim/retract claim/same-as claim/supersede
    claim/confirm claim/drop web config/apply-template config/init config/rollback config/set config/unset
    contract/install contract/remove contract/update
    edge/create edge/retract gc/snapshots gc/thoughtdb gc/transcripts hook/install hook/uninstall
    mcp/install mcp/uninstall setup node/create node/retract proof/verify settings/set values/add values/edit values/set
"""
# A person's word with some arguments; without them an agent may call it.
BY_ARGUMENTS = {
    "run": (
        ["fix it", "--prove"],
        ["fix it", "--no-prove"],
        ["fix it", "--detach"],
        ["fix it", "--override", "x"],
        ["--resume", "--max-cost", "9"],
        ["fix it", "--worktree"],
    ),
    "gate permission": (["set", "push", "ALLOW", "--reason", "x"], ["bash", "run", "rm -rf /", "--override", "x"]),
    "gate deploy check": (["--diff", "seen"], ["--environment", "x"], ["--rollback", "x"], ["--window", "x"]),
    "persona member": (["x"],),
    "race": (["fix it"], ["pick", "run_x"]),
    "proposal review": (["x", "--verdict", "accept", "--by", "human", "--reason", "x"],),
}
OPEN_ARGUMENTS = {
    "persona member": [],
    "race": [],
    "gate permission": ["list"],
    "gate deploy check": ["--tests", "true"],
}


def _words(table: str) -> set[str]:
    return {words.replace("/", " ") for words in table.split()}


@pytest.mark.req("person.walk")
def test_it_is_known_of_every_command_whether_an_agent_may_call_it() -> None:
    declared = {words: one.get_default("person_only") for words, one in ALL.items()}
    assert {words for words, only in declared.items() if only is True} == _words(PERSONS)
    assert {words for words, only in declared.items() if callable(only)} == set(BY_ARGUMENTS)
    assert {words for words, only in declared.items() if not only} == _words(OPEN) - {"run"}


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


CALLS = [
    *((words, arguments_of(ALL[words])) for words in sorted(_words(PERSONS))),
    *((words, given) for words, many in BY_ARGUMENTS.items() for given in many),
]


@pytest.mark.req("person.one-line")
@pytest.mark.parametrize(("words", "given"), CALLS)
def test_a_persons_word_is_not_taken_from_an_agent(
    words: str,
    given: list[str],
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if words == "proposal review":  # who is human is said there
        run(["--home", home.root, "persona", "init"])
        capsys.readouterr()
    claude = ProcessInfo(77, "claude", ("claude",), 1.0, 2)
    monkeypatch.setattr(speaker, "read_ancestry", lambda pid: [SHELL, SHELL, claude, SHELL])
    assert run(["--home", home.root, *words.split(), *given]) == 3
    why = text("speaker.program", "en", what="claude")
    assert capsys.readouterr().err == f"mi: {text('error.not-for-agents', 'en', command=f'mi {words}', why=why)}\n"


def test_the_hooks_take_no_command_for_a_persons_that_is_an_agents(tmp_path: Path) -> None:
    """They see a person's command as a change of the settings that hold the hooks."""
    for words in _words(OPEN):
        assert not changed_files(f"mi {words}", str(tmp_path)), words
    for words in ("hook install", "uninstall", "trust", "checks set", "prove"):
        assert changed_files(f"mi {words}", str(tmp_path)), words


@pytest.mark.req("mi.cli.near")
@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("rnu fix it", "mi run"),
        ("config sett x", "mi config set"),
        ("memory serch x", "mi memory search"),
        ("run --max-batch 3 fix", "--max-batches"),
        ("settings set --prov yes", "--prove"),
        ("report --format htm", "html"),
    ],
)
def test_a_misspelt_word_is_told_what_was_probably_meant(mi, words: str, near: str):
    done = mi(*words.split())
    assert done.returncode == 2
    assert f"did you mean {near}?" in done.stderr.replace(": ", " ").replace(")", "?"), done.stderr
    assert len(done.stderr.splitlines()) == 1
