"""Searches that go down into folders: whose private files they would show on the way."""

import itertools
import os
import re
from fnmatch import fnmatchcase

from mi.governance import command_tables as tables
from mi.governance import paths
from mi.governance.operations import Act
from mi.governance.surroundings import Surroundings
from mi.kernel.shell import SHELLS, Simple

_GREPS = ("grep", "egrep", "fgrep", "zgrep", "rgrep")
_RIPS = ("rg", "ripgrep", "ag")
_VALUED = (  # options whose value is the next word
    r"-[a-zA-Z]*[efmABCdDgtT]|--(?:regexp|file|include|exclude|exclude-dir|glob|iglob|max-count|context"
    r"|after-context|before-context|directories|type|max-depth)"
)
_PATTERN = r"-[a-zA-Z]*[ef]|--(?:regexp|file)(?:=.*)?"
_DOWN = r"-[a-zA-Z]*[rR][a-zA-Z]*|--(?:dereference-)?recursive|--directories=recurse"
_EVERYTHING = r"-[a-zA-Z]*u[a-zA-Z]*u[a-zA-Z]*|--unrestricted=2"


def search_acts(one: Simple, here: Surroundings, readers: list[Simple]) -> list[Act]:
    """Return the private spaces of other members that a search from above enters.

    One that leaves them out enters none. `readers` are the commands of the line that xargs runs.
    """
    argv = [one.name, *one.argv[1:]]
    read_on = one.name == "find" and any(_shows(two.name) and one.feeds(two) for two in readers)
    starts = _starts(argv, read_on)
    acts = []
    for start in starts:
        files = [file for file in here.private_below(start) if _is_shown(argv, file)]
        owners = {paths.find_private_owner(file) for file in files} - {"", "self", here.member}
        acts += [Act("other-private", start)] if owners else []
    return acts


def _starts(argv: list[str], read_on: bool) -> list[str]:
    """Return where a command that shows the contents of hidden files, too, begins to go down."""
    goes_down = argv[0] == "rgrep" or any(re.fullmatch(_DOWN, word) or word == "recurse" for word in argv[1:])
    if argv[0] in _GREPS and goes_down:
        return _searched(argv)
    if argv[0] in _RIPS and _shows_all(argv):
        return _searched(argv)
    if argv[0] == "find" and (read_on or _runs_reader(argv)):
        return list(itertools.takewhile(lambda word: word[:1] not in ("-", "(", "!"), argv[1:])) or ["."]
    return []


def _searched(argv: list[str]) -> list[str]:
    """Return the paths of a search: the words that are neither options, nor their values, nor what is looked for."""
    words, patterned = list[str](), False
    rest = iter(argv[1:])
    for word in rest:
        if word == "--":
            words += rest
        elif word.startswith("-") and word != "-":
            patterned = patterned or bool(re.fullmatch(_PATTERN, word))
            if re.fullmatch(_VALUED, word):
                next(rest, None)
        else:
            words.append(word)
    return (words if patterned else words[1:]) or ["."]


def _shows_all(argv: list[str]) -> bool:
    """Return whether hidden files are searched that git is told to leave alone.

    Either alone would pass private spaces by.
    """
    hidden = any(word in ("--hidden", "-.") for word in argv)
    unignored = any(word in ("--no-ignore", "--no-ignore-vcs", "-u", "--unrestricted", "-U") for word in argv)
    often = sum(word in ("-u", "--unrestricted") for word in argv) + (argv[0] == "ag")  # ag has it mean all at once
    return (hidden and unignored) or often > 1 or any(re.fullmatch(_EVERYTHING, word) for word in argv)


def _runs_reader(argv: list[str]) -> bool:
    runs = [argv[at + 1] for at, word in enumerate(argv[:-1]) if word in ("-exec", "-execdir", "-ok", "-okdir")]
    return any(_shows(os.path.basename(name)) for name in runs)


def _shows(name: str) -> bool:
    """Return whether a program shows what is in files, or may: what a shell does with them is not looked at."""
    return name in SHELLS or (name in tables.READING and name not in tables.NAMING_ONLY)


def _is_shown(argv: list[str], file: str) -> bool:
    """Return whether a file passes what a search leaves out and what it is limited to."""
    *folders, name = file.split("/")
    globs = _values(argv, "glob", "iglob", "g")
    anywhere = [re.sub(r"^(?:\*\*/|/)?|/?(?:\*\*)?$", "", one[1:]) for one in globs if one.startswith("!")]
    left_out = _matches(folders, [*_values(argv, "exclude-dir"), *anywhere])
    if left_out or _matches([name], [*_values(argv, "exclude"), *anywhere]):
        return False
    only = [*_values(argv, "include"), *(one.rpartition("/")[2] for one in globs if not one.startswith("!"))]
    if not {"!", "-not", "-o", "-or"}.intersection(argv):
        only += [argv[at + 1] for at, word in enumerate(argv[:-1]) if word in ("-name", "-iname")]
    return not only or _matches([name], only)


def _matches(names: list[str], patterns: list[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _values(argv: list[str], *options: str) -> list[str]:
    found = []
    for word, following in itertools.zip_longest(argv, argv[1:], fillvalue=""):
        for option in options:
            dashed = f"--{option}" if len(option) > 1 else f"-{option}"
            if word == dashed:
                found.append(following)
            elif word.startswith(f"{dashed}="):
                found.append(word.partition("=")[2])
    return found
