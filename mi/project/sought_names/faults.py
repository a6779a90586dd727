"""What is wrong with a name that a file defines: one place for all languages."""

import os
import re
from collections.abc import Collection

from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import SCRIPTED, tokens_of
from mi.project.sought_names.python import (
    find_python_fault,
    finds_unraised,
    mentions_in_python,
    python_option_names,
)
from mi.project.sought_names.recipes import find_script_fault, find_shell_fault, find_target_fault
from mi.project.sought_names.sought_name import Fault, Read, SoughtName
from mi.project.sought_names.tokens import find_option_fault, find_token_fault

_MAKEFILE = re.compile(r"(?:GNU)?[mM]akefile|.*\.mk")
_GOES_ON = re.compile(r"(?:[(\[,=>:?&|]|\b(?:throw|return))\s*$")  # how a line ends whose expression the next one holds
_READ_BY_TOKENS = SCRIPTED | {"go", "rs"}
_WITH_COMMENTS = _READ_BY_TOKENS | {"sh", "bash"}


def find_fault(path: str, text: str, sought: SoughtName, read: Read) -> Fault:
    """Return what is wrong with a name that a file defines: '' when nothing is, None when it defines none."""
    name, ending = os.path.basename(path), extension(path)
    if ending == "py":
        return find_python_fault(text, sought)
    if sought.is_option and ending in _READ_BY_TOKENS:
        return find_option_fault(text, ending, sought.name)
    if not sought.name.replace("-", "").isidentifier():
        return None
    if _MAKEFILE.fullmatch(name):
        return find_target_fault(text, sought)
    return _find_other_fault(path, text, ending, sought, read)


def _find_other_fault(path: str, text: str, ending: str, sought: SoughtName, read: Read) -> Fault:
    if path.endswith("package.json"):
        return find_script_fault(text, sought)
    if ending in ("sh", "bash"):
        return find_shell_fault(text, sought)
    if ending in _READ_BY_TOKENS:
        return find_token_fault(path, text, ending, sought, read)
    return None


def option_names(path: str, text: str, option: str) -> set[str]:
    """Return the names under which the value of an option that a file declares may be kept."""
    plain = option.removeprefix("--")
    usual = {plain.replace("-", "_"), re.sub(r"-(\w)", lambda match: match[1].upper(), plain)}
    if extension(path) != "py":
        return usual
    return python_option_names(text, option) or usual


def is_mentioned(path: str, text: str, name: str) -> bool:
    """Return whether a file holds a name outside of comments; a file that cannot be read so is taken to."""
    ending = extension(path)
    if ending == "py":
        return mentions_in_python(text, name) is not False
    if ending in ("sh", "bash"):
        return name in re.sub(r"(?m)(?:^|\s)#.*$", "", text)
    if ending not in _READ_BY_TOKENS:
        return True
    return name in " ".join(token.text for token in tokens_of(text, ending))


def is_unraised(path: str, text: str, name: str, came: Collection[str]) -> bool:
    """Return whether lines that came make an error and let nobody have it."""
    if extension(path) == "py":
        return finds_unraised(text, name, came)
    end = r";\s*$" if extension(path) == "rs" else r";?\s*$"  # without one, Rust returns it
    made = re.compile(rf"^\s*(?:new\s+)?(?:\w+(?:\.|::))?{re.escape(name)}(?:::new)?\s*\(.*\)\s*{end}")
    lost = [
        line for line, above in zip(came, ["", *came], strict=False) if made.match(line) and not _GOES_ON.search(above)
    ]
    left = re.compile(rf"\b(?:throw|raise|return|panic|Err)\b.*\b{re.escape(name)}\b")
    return bool(lost) and extension(path) in _WITH_COMMENTS and not any(map(left.search, came))
