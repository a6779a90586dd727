"""What commands and tools do to files: delete them, open them to others, touch secrets, hooks or private memory."""

import os
import re
from typing import TYPE_CHECKING

from mi.governance import command_tables as tables
from mi.governance import paths
from mi.governance.operations import Act
from mi.governance.surroundings import Surroundings, joined

if TYPE_CHECKING:  # most calls run nothing
    from mi.kernel.shell import Simple

_PROJECT = r"\.|\*|\.\*|\.git|\.\[\S*|(?:\.\./)*\.\.(?:/\*)?|\$\{?PWD\}?(?:/\*)?"
_FILTERS = r"-(?:i?name|i?path|i?regex|i?wholename|newer\w*|empty|size|[acm]time|[acm]min|user|perm|maxdepth)"
_OPENS = r"[0-7]*[0-7]{2}[2367]|0?000|(?:[ug]*[oa]\w*)?[+=]\w*w\w*|[ao]-\S+"
_OWN_RIGHTS = r"[ug]*\+\w*s|[2467][0-7]{3}"  # runs with the rights of the owner
_BRACES = r"\{([^{}\s]*,[^{}\s]*)\}"
_MOST_WORDS = 256  # that one word with braces is opened to
_MEMORY = {
    "session": "edit-session-log",
    "proposal": "write-proposal",
    "card": "edit-card",
    "principles": "edit-principles",
}


def removal_acts(argv: list[str], here: Surroundings) -> list[Act]:
    """Return what deleting by a command means, by what is deleted; [] where it deletes nothing that counts."""
    files, recursive = _removed(argv)
    return removed_acts(files, recursive, " ".join(argv), here)


def removed_acts(files: list[str], recursive: bool, shown: str, here: Surroundings) -> list[Act]:
    """Return what it means that these files, or folders with all that is in them, are deleted."""
    found = (_removal(path, recursive, here) for file in files for path in unbraced(file))
    return [Act(operation, shown) for operation in dict.fromkeys(found) if operation]


def _removed(argv: list[str]) -> tuple[list[str], bool]:
    """Return the files that a command deletes, and whether with everything below them."""
    name, words = argv[0], argv[1:]
    options = [word for word in words if word.startswith("-") and word != "-"]
    plain = [word for word in words if not word.startswith("-") or word == "-"]
    match name:
        case "rm" | "rmdir" | "unlink" | "shred":
            deep = any(word == "--recursive" or re.fullmatch(r"-\w*[rR]\w*", word) for word in options)
            return plain, name == "rm" and deep
        case "find" if "-delete" in words:
            first = next((place for place, word in enumerate(words) if word.startswith(("-", "(", "!"))), 0)
            filtered = any(re.fullmatch(_FILTERS, word) for word in words)
            return words[:first] or ["."], not filtered
        case "mv" if plain[-1:] == ["/dev/null"]:
            return plain[:-1], True
    return [], False


def _removal(path: str, recursive: bool, here: Surroundings) -> str:
    if re.fullmatch(tables.DISK, path):
        return "erase-disk"
    if not recursive:
        return "" if paths.is_product(path) else "delete-file"
    if is_system(path, here):
        return "destroy-system"
    if re.fullmatch(_PROJECT, _written(path, here)):
        return "delete-project"
    return "delete-products" if paths.is_product(joined(here.folder, path)) else "delete-folder"


def is_system(path: str, here: Surroundings) -> bool:
    """Return whether a path is the root, a home, or a folder that the machine needs."""
    return any(re.fullmatch(tables.SYSTEM, one) for one in (_written(path, here), here.real(path)))


def _written(path: str, here: Surroundings) -> str:
    whole = os.path.normpath(joined(here.folder, path).replace("\\", "/"))
    return "~" if whole == os.path.expanduser("~") else re.sub(r"^/+", "/", whole)


def unbraced(word: str) -> list[str]:
    """Return the words that a word with braces stands for: `{a,b}/c` is `a/c` and `b/c`; of too many, some."""
    words = [word]
    while len(word) <= 500 and len(words) < _MOST_WORDS:
        opened = [*dict.fromkeys(one for known in words for one in _open_brace(known))]
        if opened == words:
            break
        words = opened[:_MOST_WORDS]
    return words


def _open_brace(word: str) -> list[str]:
    found = re.search(_BRACES, word) if "{" in word else None
    if found is None:
        return [word]
    return [word[: found.start()] + part + word[found.end() :] for part in found[1].split(",")[:20]]


def rights_acts(argv: list[str], here: Surroundings) -> list[Act]:
    """Return what changing the rights of files means: of many at once, for everybody, or of the machine's own."""
    if argv[0] not in ("chmod", "chown", "chgrp", "setfacl"):
        return []
    deep = any(word == "--recursive" or re.fullmatch(r"-[a-zA-Z]*R\w*", word) for word in argv[1:])
    mode, *files = [word for word in argv[1:] if not word.startswith("-")] or [""]
    system = any(is_system(file, here) for file in files)
    opens = argv[0] != "chmod" or bool(re.fullmatch(_OPENS, mode))
    if system and deep:
        return [Act("destroy-system", " ".join(argv))]
    wide = deep and opens and not all(map(paths.is_product, files))
    gives_rights = argv[0] == "chmod" and re.fullmatch(_OWN_RIGHTS, mode)
    return [Act("change-rights", " ".join(argv))] if wide or system or gives_rights else []


def touched_acts(one: "Simple", here: Surroundings) -> list[Act]:
    """Return what the files that a command names add: private memory, secrets, hooks, the team's memory."""
    by_git = set[str]()
    if one.name == "git":
        from mi.governance.git_commands import named_paths

        by_git = {*named_paths(list(one.argv))}
    copied = {*one.argv[1:-1]} if one.name == "cp" else set[str]()
    by_signs = {*one.writes}
    writes = one.name in tables.WRITING or edits_in_place([one.name, *one.argv[1:]])
    acts = []
    for word in [*one.argv[1:], *one.reads, *one.writes]:
        if word.startswith("-") and "=" not in word:
            continue
        is_option = word.startswith("-") or one.name == "dd"
        path = word.rpartition("=")[2] if is_option else word.lstrip("@")
        written = writes or word in by_signs or word in by_git or (one.name == "dd" and word.startswith("of="))
        written = written and word not in copied
        verb = "edit" if written else "read"
        acts += path_acts(path, verb, here, named_only=one.name in tables.NAMING_ONLY)
    return acts


def edits_in_place(argv: list[str]) -> bool:
    """Return whether a command that otherwise prints changes the files it names."""
    return argv[0] in ("sed", "perl", "yq") and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in argv[1:])


def path_acts(path: str, verb: str, here: Surroundings, named_only: bool = False) -> list[Act]:
    """Return what reading, editing, creating or deleting a path means beyond that; [] for an ordinary file."""
    found = _path_act(here.real(path), verb, here.member, named_only)
    return [Act(found, path)] if found else []


def _path_act(path: str, verb: str, member: str, named_only: bool) -> str:
    owner = paths.find_private_owner(path) or ("" if named_only else paths.find_member_folder(path))
    if owner:
        return "own-private" if owner in ("self", member) else "other-private"
    if paths.is_secret(path):
        return "edit-secrets" if verb != "read" else "" if named_only else "read-secrets"
    if verb == "read":
        return ""
    return "weaken-hooks" if paths.is_hook(path) else _MEMORY.get(paths.find_shared_memory(path), "")
