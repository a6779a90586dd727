"""What every command has in common: help with an example, --home, --json, version, exit codes."""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mi import __version__
from mi.cli.commands import COMMANDS, EXAMPLES
from mi.cli.main import build_parser
from mi.kernel.language import LANGUAGES
from mi.kernel.messages import text
from tests.conftest import MI


def all_commands() -> dict[str, argparse.ArgumentParser]:
    """Every command and subcommand by its words."""
    found: dict[str, argparse.ArgumentParser] = {}

    def add(words: str, one: argparse.ArgumentParser) -> None:
        found[words] = one
        for action in one._actions:
            if isinstance(action, argparse._SubParsersAction):
                for name, inner in action.choices.items():
                    add(f"{words} {name}", inner)

    for name in COMMANDS:
        add(name, build_parser(name))
    return found


ALL = all_commands()
GROUPS = {words for words in ALL if any(other.startswith(words + " ") for other in ALL)}
NEEDED = {
    "remember": ["Be kind."],
    "bench judge": ["--list"],
    "init": ["--values", "Be kind."],
    "values set": ["--text", "Be kind."],
    "values add": ["Be kind."],
    "values what-if": ["--text", "Be kind."],
    "settings set": ["--ask-when-uncertain", "ask"],
    "show": ["project"],
    "config template": ["rules"],
    "config get": ["language"],
    "config set": ["language", "en"],
    "config unset": ["language"],
    "config apply-template": ["rules"],
    "project alias add": ["app"],
    "project alias rm": ["app"],
}
PREPARED = {
    "config rollback": ["config", "apply-template", "rules"],
    "project alias rm": ["project", "alias", "add", "app"],
}


@pytest.mark.req("mi.cli.help-example", "mi.cli.json-everywhere")
@pytest.mark.parametrize("words", ALL)
def test_help_has_an_example_that_is_a_command(words):
    shown = ALL[words].format_help()
    assert shown.startswith(f"usage: mi {words} ")
    example = shown.partition("example:\n")[2].strip()
    assert any(example.startswith(f"mi {one}") for one in ALL if one.startswith(words))
    assert "--home DIR" in shown
    assert "--json" in shown or words in GROUPS


@pytest.mark.parametrize("words", ["tail", "project alias add", *sorted(GROUPS)])
def test_help_as_it_is_printed(mi, words):
    done = mi(*words.split(), "--help")
    assert (done.returncode, done.stdout, done.stderr) == (0, ALL[words].format_help(), "")


def test_help_of_a_command_in_both_ways(mi):
    for words in (["tail"], ["config", "init"], ["project", "alias", "add"]):
        assert mi("help", *words).stdout == mi(*words, "--help").stdout != ""
    assert mi("--help", "tail").stdout == mi("tail", "-h").stdout


def test_the_overview_shows_the_dozen_of_every_day(mi):
    shown = mi("--help").stdout
    for args in (["help"], ["--home", "/tmp", "-h"]):
        assert mi(*args).stdout == shown
    everyday = [name for name, entry in COMMANDS.items() if entry.purpose]
    assert 10 <= len(everyday) <= 14
    for name in COMMANDS:
        assert shown.count(f"\n  {name:<10}  ") == (name in everyday)
    assert "example:\n  mi init" in shown
    assert "mi help all" in shown
    assert "130" in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_all_lists_every_command_with_what_its_group_is_for(mi, language):
    shown = mi("help", "all", env={"MI_LANG": language}).stdout
    for name, entry in COMMANDS.items():
        assert shown.count(f"\n  {name:<10}  ") == 1
        assert text("overview.group-" + entry.group, language) in shown
        example = EXAMPLES[entry.group]
        assert example in shown
        assert COMMANDS[example.split()[1]].group == entry.group


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(GROUPS & set(COMMANDS)))
def test_every_group_tells_what_it_is_for(mi, name, language):
    story = text(f"about.{name}", language)
    assert len(re.findall(r"\.(?: |$)|。", story)) > 1
    shown = mi(name, "--help", env={"MI_LANG": language}).stdout
    assert "".join(story.split()) in "".join(shown.split())


@pytest.mark.req("mi.cli.exit-2")
@pytest.mark.parametrize(
    ("args", "near"),
    [(["stauts"], "mi status"), (["help", "tial"], "mi tail"), (["xyzzy"], "mi --help"), (["Status"], "mi status")],
)
def test_unknown_command_names_the_nearest(mi, args, near):
    done = mi(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mi: unknown command {args[-1]!r} (did you mean: {near})\n"


@pytest.mark.parametrize("columns", ["abc", "20"])
def test_help_in_a_terminal_of_any_width(mi, columns):
    done = mi("tail", "--help", env={"COLUMNS": columns})
    assert (done.returncode, done.stderr) == (0, "")


WRITING = {
    *(
        "trust",
        "remember",
        "init",
        "values set",
        "values add",
        "settings set",
        "config set",
        "project use",
        "project pin",
        "project unpin",
        "project alias add",
    ),
    *("project alias rm", "config init", "config apply-template", "config rollback"),
}


# These need an agent, an answer or a stored thought first; the tests of their rooms run them with --json.
ELSEWHERE = {
    *("demo", "run", "attach", "stop", "answer", "inbox dismiss", "undo", "redo", "search", "memory search"),
    *("values edit", "worker", "queue add", "queue cancel", "queue retry"),
    *("memory write", "memory query", "memory recent", "memory verify"),
    *("uninstall", "diff", "report", "race", "merge", "merge-file", "setup", "runs watch", "web", "tell", "sync"),
    *("export", "import", "completion", "prove", "proof export", "proof verify"),
}
for group in (
    "checks",
    "plan",
    "nexus",
    "gate",
    "hook",
    "mcp",
    "task",
    "contract",
    "host",
    "gate",
    "workflow",
    "why",
    "claim",
    "node",
    "edge",
    "plan",
    "nexus",
    "persona",
    "card",
    "proposal",
    "session",
    "handoff",
    "hub",
):
    ELSEWHERE |= {words for words in ALL if words.startswith(f"{group} ")}


@pytest.mark.req("v1.cli.home-everywhere", "v1.storage.home-flag")
@pytest.mark.parametrize("words", [words for words in ALL if words not in GROUPS | ELSEWHERE])
def test_home_and_json_of_every_command(mi, tmp_path: Path, words):
    named = ["--home", str(tmp_path / "named")]
    if words in PREPARED:
        mi(*PREPARED[words], *named)
    done = mi(*named, *words.split(), *NEEDED.get(words, []), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    json.loads(done.stdout)
    assert (tmp_path / "named").exists() is (words in WRITING)
    assert not (tmp_path / "home").exists()
    assert not (tmp_path / "user/.mind-incarnation").exists()


@pytest.mark.req("v1.storage.home-env", "v1.storage.home-default", "v1.cli.home-everywhere")
def test_home_by_variable_and_by_default(mi, tmp_path: Path):
    mi("config", "init")
    assert (tmp_path / "home/config.json").exists()
    mi("config", "init", env={"MI_HOME": ""})
    assert (tmp_path / "user/.mind-incarnation/config.json").exists()
    mi("config", "init", "--home", "~/mine")
    assert (tmp_path / "user/mine/config.json").exists()


@pytest.mark.req("v1.cli.version")
def test_version(mi):
    for args in (["version"], ["--version"], ["--here", "-V"]):
        assert mi(*args).stdout == f"mi {__version__}\n"
    assert json.loads(mi("version", "--json").stdout) == {"version": __version__, "python": sys.version.split()[0]}


@pytest.mark.req("mi.fail.version-imports")
def test_version_imports_next_to_nothing():
    def modules(code: str) -> set[str]:
        script = f"import sys\nsys.argv = ['mi', 'version']\n{code}\nprint(*sys.modules, file=sys.stderr)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
        return set(done.stderr.split())

    assert modules("from mi.__main__ import main; main()") - modules("pass") == {"gc", "mi", "mi.__main__"}


@pytest.mark.parametrize("words", [["status"], ["hook", "stop", "--host", "claude-code"]])
def test_reading_and_hooks_do_not_load_what_only_slows_the_start(words, home):
    script = (
        f"import os, sys\nsys.argv = ['mi', *{words}]\nfrom mi import __main__\n"
        "__main__._leave = lambda code: code\n__main__.main()\nprint(*sys.modules, file=sys.stderr)\n"
        # whoever needs it later finds it
        "import typing_extensions, platform, gettext, msgspec\n"
        "class Shown(msgspec.Struct):\n    'What it is for.'\n"
        "assert msgspec.json.schema(Shown) and platform.python_version() and gettext.NullTranslations"
    )
    done = subprocess.run([sys.executable, "-c", script], input=b"{}", capture_output=True, check=True)
    slow = {b"typing_extensions", b"inspect", b"locale", b"platform", b"textwrap", b"gettext"}
    assert slow.isdisjoint(done.stderr.split())


@pytest.mark.req("v1.cli.python-m", "v1.cli.install")
def test_as_a_module_and_as_a_command(mi):
    done = subprocess.run([sys.executable, "-m", "mi", "status", "--json"], capture_output=True, check=True)
    assert json.loads(done.stdout) == json.loads(mi("status", "--json").stdout)
    assert os.access(MI, os.X_OK)


@pytest.mark.req("mi.cli.exit-0", "mi.cli.exit-1", "mi.cli.exit-2")
def test_exit_codes(mi):
    assert mi("status").returncode == 0
    assert mi("show", "last").returncode == 1
    assert mi("show").returncode == 2


@pytest.mark.parametrize(("closed", "code"), [("0<&-", 0), ("1>&-", 0), ("2>&-", 0), ("0<&- 1>&- 2>&-", 0)])
def test_closed_streams(closed, code, home):
    command = f"{MI} settings set --ask-when-uncertain ask {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (code, b"")
    for line in Path(home.evidence).read_text("utf-8").splitlines():
        json.loads(line)  # nothing was printed into the log that took the stream's place


def test_closed_stderr_keeps_the_exit_code():
    done = subprocess.run(["sh", "-c", f"{MI} show nothing 2>&-"], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize("args", ["--version", "status", "status --json"])
def test_output_that_cannot_be_written(args):
    done = subprocess.run(
        ["sh", "-c", f"{MI} {args} >/dev/full"], capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.startswith("mi: stdout: no space left")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_output_without_the_characters(mi, encoding):
    done = subprocess.run(
        [MI, "doctor"],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": encoding, "MI_LANG": "zh"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    done.stdout.decode(encoding)
