"""The command classifier: what a shell command line does, as acts.

Permissions, risk signals and interrupts derive from it.
"""

import itertools
import os
import re
import shlex

from mi.governance import command_tables as tables
from mi.governance.credential_leaks import (
    Feeders,
    count_feeding,
    does_code_send,
    find_credential_senders,
    find_feeders,
)
from mi.governance.file_acts import path_acts, removed_acts, touched_acts, unbraced
from mi.governance.git_commands import afterwards, without_alias
from mi.governance.handed_commands import find_handed
from mi.governance.operations import Act, Level, gravest
from mi.governance.private_searches import search_acts
from mi.governance.program_acts import program_acts
from mi.governance.surroundings import NOWHERE, Surroundings
from mi.kernel.inline_code import inline_code
from mi.kernel.shell import SHELLS, TOP, Commands, Simple, Work, simple_commands

_DEEPEST, _MOST_PIECES = 8, 200  # texts within texts; pieces of one that cannot be read
_MOST_STEPS, _LEAST_STEPS, _STEPS_A_WORD = 80_000, 20, 4  # of a line with all in it, of a command, of its words
_STEPS_OF_GIT = 400
_MOST_FEEDING = 20_000  # what goes into what, in one line
_UNKNOWN = "$()"  # words and folders that nobody can tell
# Patterns are compiled where they are used first: the start of a hook counts.
_QUOTED = r"(?s)\\.|\$?'[^']*'|\"(?:\\.|[^\"\\])*\"|(?<!\S)#[^\n]*"
_OVER_DISK = r">\|?\s*" + tables.DISK
_PIECES = r"[\n;&|()`'\"{}]+"
_CODE_WRITES = r"""['"][wax]b?\+?['"]|write|remove|unlink|rename|rmSync|truncate|append"""
_CODE_TEXT = r"""(['"`])((?:(?!\1)[^\n]){1,200})\1"""
_CODE_RUNS = r"(?i)system|popen|subprocess|spawn|exec|check_output|shell script|`|\bsh\("
_SKIPS = r"HUSKY=0|SKIP=.+|HUSKY_SKIP_HOOKS=1"


def classify(command: str, here: Surroundings = NOWHERE, depth: int = 0, work: Work | None = None) -> list[Act]:
    """Return everything a command line does; at least one act, so that nothing is decided without one.

    The work for it and for all that is written in it is limited: what is left of it then cannot be told.
    """
    work = work or Work(_MOST_STEPS)
    if depth > _DEEPEST or not work.spend(_LEAST_STEPS):
        return [Act("unreadable", command)]
    commands = simple_commands(command, values={"IFS": " "})
    acts = _whole_acts(command, commands, here, depth, work) if work.spend(commands.steps) else []
    feeders = find_feeders(commands)
    readers = [two for two in commands if "xargs" in two.prefixes]
    for one in commands:  # in their order: a checkout or an alias changes what the next ones mean
        if not work.spend(_count_steps(one) + len(readers)):
            break
        there = here.inside(_UNKNOWN if one.folder is None else one.folder.replace(TOP, ".", 1))
        acts += [*_acts(one, there, readers, feeders, depth, work), *_code_acts(one, there, depth, work)]
        if handed := find_handed(one):
            acts += [act for act in classify(handed, there, depth + 1, work) if act.level != "none"]
        here = afterwards(["git", *one.argv[1:]], here) if one.name == "git" else here
    if not work.readable:
        acts.append(Act("unreadable", command))
    return acts or [Act("local-command", command)]


def _count_steps(one: Simple) -> int:
    """Return how much work it is to judge a command; git may have to be asked, and long paths are followed."""
    asking = _STEPS_OF_GIT if one.name == "git" else 0
    return _LEAST_STEPS + _STEPS_A_WORD * len(one.argv) + len(one.folder or "") // 10 + asking


def _whole_acts(command: str, commands: Commands, here: Surroundings, depth: int, work: Work) -> list[Act]:
    """Return what commands do together, or in a text of which only pieces can be read."""
    feeding = count_feeding(commands)
    if feeding > _MOST_FEEDING or not work.spend(feeding):
        return [Act("unreadable", command)]
    acts = [*_line_acts(command, commands), *_unread_acts(command, commands, here, depth, work)]
    for script in _printed_scripts(commands):
        acts += classify(script, here, depth + 1, work)
    return acts


def risk_signal(command: str) -> tuple[str, Level]:
    """Return the signal that a command raises, as the Mind and the person read it, and its level; '' for none."""
    act = gravest(classify(command))
    about = act.text if " " in act.text else command  # a path alone says too little
    return (f"{act.category}: {about}", act.level) if act.level != "none" else ("", "none")


def _line_acts(command: str, commands: Commands) -> list[Act]:
    """Return what only the whole line shows."""
    acts = [Act("credentials-out", sent) for sent in find_credential_senders(commands)]
    if _runs_unseen(commands):
        acts.append(Act("run-fetched", command))
    bare = re.sub(_QUOTED, "", command) if "()" in command or "/dev/" in command else ""
    acts += [Act("destroy-system", command)] if re.search(tables.FORK_BOMB, bare) else []
    return [*acts, Act("erase-disk", command)] if re.search(_OVER_DISK, bare) else acts


def _unread_acts(command: str, commands: Commands, here: Surroundings, depth: int, work: Work) -> list[Act]:
    """Return, of a text that is no shell text, that nobody can tell, and the pieces of it that count."""
    if commands.readable:
        return []
    pieces = [piece.strip() for piece in re.split(_PIECES, command)[:_MOST_PIECES] if piece.strip()]
    pieces = [piece for piece in dict.fromkeys(pieces) if piece != command]
    acts = [act for piece in pieces for act in classify(piece, here, depth + 1, work) if act.level != "none"]
    return [Act("unreadable", command), *acts]


def _printed_scripts(commands: list[Simple]) -> list[str]:
    """Texts that are printed for a shell: `sh -c "$(echo git push)"`, `echo git push > x; sh x`."""
    shells = [one for one in commands if one.name in (*SHELLS, "eval")]
    if not shells:
        return []
    feeders, named = find_feeders(commands), {word for one in shells for word in one.argv[1:]}
    fed = [two for one in shells if _runs_fed(one) for two in feeders(one)]
    kept = [two for two in commands if not named.isdisjoint(two.writes)]
    printers = [two for two in [*fed, *kept] if two.name in ("echo", "printf")]
    return [*dict.fromkeys(" ".join(two.argv[1:]).replace("\\n", "\n") for two in printers)]


def _runs_fed(one: Simple) -> bool:
    """Return whether a shell or interpreter runs what other commands print."""
    return _reads_program(one) or (one.name in tables.SHELLS and "$()" in " ".join(one.argv))


def _reads_program(one: Simple) -> bool:
    """Return whether a shell or interpreter takes its program from standard input."""
    words = one.argv[1:]
    if one.name not in tables.SHELLS or one.name in ("eval", "source", "."):
        return False
    plain = [word for word in words if not word.startswith("-") or word == "-"]
    given = any(re.fullmatch(r"-\w*[cemp]|--eval|--command", word) for word in words)
    return "-s" in words or (not given and plain[:1] in ([], ["-"], ["/dev/stdin"]))


def _runs_unseen(commands: list[Simple]) -> bool:
    """`curl … | sh`, `bash <(curl …)`, `curl -o x … && sh x`, `… | base64 -d | sh`: nobody saw what runs."""
    feeders, fetched = find_feeders(commands), set[str]()
    for one in commands:
        if fetched & {*one.argv, *one.reads} and (one.argv[0] in fetched or one.name in tables.SHELLS):
            return True
        if one.name in tables.FETCHERS:
            fetched |= _fetched(one)
        if _runs_fed(one) and any(two.name in (*tables.FETCHERS, *tables.DECODERS) for two in feeders(one)):
            return True
    return False


def _fetched(one: Simple) -> set[str]:
    """Return the files that a download is kept in, as a later command may name them."""
    named = [word for before, word in itertools.pairwise(one.argv) if re.fullmatch(r"-\w*[oO]|--output\S*", before)]
    urls = [os.path.basename(word.partition("?")[0]) for word in one.argv[1:] if "/" in word]
    files = {*one.writes, *named, *urls} - {"", "-"}
    return files | {f"./{file}" for file in files}


def _acts(
    one: Simple, here: Surroundings, readers: list[Simple], feeders: Feeders, depth: int, work: Work
) -> list[Act]:
    inner = _inside(list(one.argv))
    if one.name == "git":
        argv, inner = without_alias(["git", *one.argv[1:]], here)
        one = one._replace(argv=tuple(argv))
    one = one._replace(argv=(*unbraced(one.argv[0]), *one.argv[1:], *_unseen_words(one, feeders)))
    acts = [*program_acts(one, here), *touched_acts(one, here), *search_acts(one, here, readers)]
    acts += classify(inner, here, depth + 1, work) if inner.strip() else []
    if {"sudo", "doas"} & {*one.prefixes, one.name} or (one.name == "su" and len(one.argv) > 1):
        acts.append(Act("privileged", " ".join([*one.prefixes, *one.argv])))
    if one.name == "git" and any(re.fullmatch(_SKIPS, setting) for setting in one.settings):
        acts.append(Act("skip-checks", " ".join([*one.settings, *one.argv])))
    return acts


def _unseen_words(one: Simple, feeders: Feeders) -> list[str]:
    """Return what a command is given beside its words.

    By xargs something nobody can tell, a database what is said to it.
    """
    unknown = [_UNKNOWN] if "xargs" in one.prefixes else []
    if one.name not in tables.SQL_CLIENTS:
        return unknown
    printed = [" ".join(two.argv[1:]) for two in feeders(one, ("echo", "printf"))]
    return [*unknown, *printed, *one.documents]


def _inside(argv: list[str]) -> str:
    """Return the command line that a runner runs which the shell reader does not follow: `flock x git push`.

    Else ''.
    """
    plain = [os.path.basename(argv[0]), *itertools.islice((word for word in argv[1:] if not word.startswith("-")), 2)]
    for verbs in range(len(plain), 0, -1):
        if (runner := " ".join(plain[:verbs])) in tables.RUNNERS:
            return shlex.join(_after_runner(argv, plain[verbs - 1] if verbs > 1 else "", tables.RUNNERS[runner]))
    return ""


def _after_runner(argv: list[str], verb: str, skipped: int) -> list[str]:
    """Return the words of the command that a runner runs: after its verb, its options and so many plain words."""
    at = argv.index(verb) + 1 if verb else 1
    while at < len(argv) and (argv[at].startswith("-") or skipped):
        skipped -= not argv[at].startswith("-")
        at += 2 if argv[at] in tables.RUNNER_VALUES else 1
    return argv[at:]


def _code_acts(one: Simple, here: Surroundings, depth: int, work: Work) -> list[Act]:
    """Return what a program in the text does.

    `python -c "open('.env')"`, `os.system('git push …')` in a here-document.
    """
    is_awk = one.name in ("awk", "gawk", "mawk")
    code = "\n".join(one.argv[1:] if is_awk else inline_code(one.name, list(one.argv[1:]), list(one.documents)))
    if not code:
        return []
    named = [found[2] for found in re.finditer(_CODE_TEXT, code)]
    if not work.spend(_STEPS_A_WORD * len(named)):
        return []
    verb = "edit" if re.search(_CODE_WRITES, code) else "read"
    acts = [act for path in named for act in path_acts(path, verb, here)]
    acts += [Act("credentials-out", one.name)] if does_code_send(code, named) else []
    if re.search(tables.CODE_DELETES, code):
        acts += removed_acts([path for path in named if not re.search(r"\s", path)], True, one.name, here)
    if re.search(_CODE_RUNS, code):
        for text in [*(text for text in named if " " in text), " ".join(named)]:
            acts += [act for act in classify(text, here, depth + 1, work) if act.is_grave]
    return acts
