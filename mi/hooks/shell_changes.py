"""Which files a shell text would change, as far as its words tell; where that is uncertain it counts as a change."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mi.kernel.inline_code import inline_code
from mi.kernel.shell import GIT_WITH_VALUE, TOP, Simple, simple_commands

# Commands that change every file they name.
_ALL_WORDS = frozenset("rm rmdir unlink touch truncate tee sponge shred ed ex vi vim nvim nano emacs dos2unix".split())
# Commands that change every file they name, or all below here, unless an option lets them only look.
_UNLESS = {
    **dict.fromkeys(("black", "isort", "rustfmt"), "--check.*|--diff|-c"),
    **dict.fromkeys("gzip gunzip bzip2 bunzip2 xz unxz zstd".split(), r"-\w*[ctl]|--stdout|--test|--list"),
    **dict.fromkeys(("split", "csplit"), "--version|--help"),
}
_FORMATTERS = {"ruff": "format", "cargo": "fmt", "go": "fmt"}  # by their first word, unless they only look
_COPIES = frozenset("cp install rsync scp".split())  # the last word is where they write
_MOVES = frozenset("mv ln".split())
_IN_PLACE = {
    "sed": r"-(?![-ef])\w*i|--in-place",
    "perl": r"-(?![-MmIeE])\w*i",
    "ruby": r"-(?![-IreE])\w*i",
    **dict.fromkeys(("gofmt", "shfmt", "2to3"), "-w"),
    **dict.fromkeys(("autopep8", "yapf", "clang-format"), "-i|--in-place"),
    "prettier": "-w|--write",
    "eslint": "--fix",
}
# Options that name a file to write.
_OUTPUTS = {"sort": r"-o|--output", "curl": r"-\w*o|--output", "wget": r"-\w*O|--output-document", "tar": r"-C"}
_GIT = frozenset(
    "apply am checkout checkout-index cherry-pick clean merge mv pull rebase reset restore revert rm stash"
    " switch".split()
)
_NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-")
_HERE = ["."]
_PERSONS_COMMANDS = (
    *(("hook", "install"), ("hook", "uninstall"), ("proof", "verify")),
    *(("checks", "set"), ("checks", "clear"), ("checks", "run")),
)
# What writing looks like in these languages; compiled when a command holds code.
_WRITES = r"""(?x)open\s*\((?:(?!open\s*\()[^)])*,\s*(?:mode\s*=\s*)?['"][rbt]*[wax+]
    |\.(?:write_?(?:text|bytes)|(?:write|append|copy)File|unlink|rename|rm|truncate|touch|symlink_to|createWriteStream)
        (?:Sync)?\s*\(
    |\b(?:os|shutil|fs|File|FileUtils|IO|Deno)\.
        (?:remove|replace|move|copy\w*|rmtree|makedirs|mkdir|write\w*|delete|cp|mv|rm\w*|binwrite)\b
    |\b(?:file_put_contents|unlink|rename)\s*\(
    |\.open\s*\(\s*(?:mode\s*=\s*)?['"][rbt]*[wax+][bt+]*['"]
    |\bfrom\s+(?:os|shutil)\s+import\b[^\n;]*\b(?:copy|move|re(?:name|place|move)|unlink|rmtree|truncate|(?:sym)?link)
    |\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b|\binplace\s*=
    |['"]\s*>{1,2}"""
_RUNS = r"system|[pP]open|subprocess|spawn|exec|check_output|`"  # code that runs commands
_DEEPEST = 3  # commands within code within commands …
_AWK_WRITES = r"""print[^;}\n>]{0,200}+>{1,2}[ \t]{0,20}+(?:"([^"\n]{1,300})"|[\w$(])"""
_SED_WRITES = r"(?:^|[;{}\n\d$]|/[a-vx-zA-Z\d]{0,9}+)[ \t]{0,20}+w[ \t]{1,20}+([^\s;}]{1,300})"
_LITERAL = r"""(['"])([^'"\n]{1,300})\1"""


def changed_files(text: str, folder: str, depth: int = 0) -> list[str]:
    """Return the files as whole paths; `folder`, where the text would run, counts if nobody can tell.

    What runs in a folder that cannot be told may run there, too.
    """
    found: list[str] = []
    commands = simple_commands(text, folder, {"HOME": os.path.expanduser("~")})
    searches = {(command.pipeline, command.place): command for command in commands if command.name == "find"}
    for command in commands:
        at = command.folder if command.folder is not None and not command.folder.startswith(TOP) else folder
        named = [name for name in _named(command, at, depth) if name not in _NOWHERE]
        if "find" in command.prefixes:  # it changes what the search finds
            searched = [searches[place] for place in command.within if place in searches] if named else []
            named = [name for search in searched for name in _found_by(search.argv[1:])]
        found += [path for name in named for path in _meant(os.path.join(at, os.path.expanduser(name)))]
    return list(dict.fromkeys([*found, *([] if commands.readable else [os.path.normpath(folder)])]))


def _named(one: Simple, at: str, depth: int) -> Iterator[str]:
    words = list(one.argv[1:])
    yield from one.writes
    yield from by_command(one.name, words, at)
    yield from code_files(one.name, words, list(one.documents))
    for text in _run_by_code(one.name, words, list(one.documents)) if depth < _DEEPEST else ():
        yield from changed_files(text, at, depth + 1)


def _meant(path: str) -> list[str]:
    """Return the path, or the files that its pattern matches now."""
    if any(sign in path for sign in "*?["):
        from glob import glob

        return [os.path.normpath(one) for one in sorted(glob(path))] or [path]
    return [os.path.normpath(path)]


def by_command(name: str, words: list[str], at: str) -> list[str]:
    """Return the files that a command with these words changes."""
    plain = [word for word in words if not word.startswith("-")]
    if name in _ALL_WORDS:
        return plain or _HERE
    if name in _COPIES or name in _MOVES:
        return _copied(words, plain, at, moved=name in _MOVES)
    if name in _IN_PLACE:
        changed = _without_script(words, plain) if name in ("sed", "perl", "ruby") else plain
        written = re.findall(_SED_WRITES, "\n".join(words)) if name == "sed" else []
        return [*written, *((changed or _HERE) if any(re.match(_IN_PLACE[name], word) for word in words) else [])]
    if name in _UNLESS:
        return [] if any(re.fullmatch(_UNLESS[name], word) for word in words) else plain or _HERE
    if name in _FORMATTERS:
        looks = any(word.startswith(("--check", "--diff")) for word in words)
        return _HERE if "--fix" in words or (plain[:1] == [_FORMATTERS[name]] and not looks) else []
    match name:
        case "mkdir":
            return [one for one in plain if not os.path.isdir(os.path.join(at, one))]
        case "awk" | "gawk" | "mawk":
            named = re.findall(_AWK_WRITES, "\n".join(words))
            return [*(plain if "inplace" in words else []), *(one or "." for one in named)]
        case "zip":
            return plain[:1]
        case "dd":
            return [word.removeprefix("of=") for word in words if word.startswith("of=")]
        case "patch":
            return plain[:1] or _HERE
        case "git":
            return _by_git(words, at)
        case "find":
            return _found_by(words) if "-delete" in words else []
        case "tar" | "unzip" | "sort" | "curl" | "wget":
            return _by_output(name, words)
        case "mi":
            return _by_mi(words)
    return []


def _without_script(words: list[str], plain: list[str]) -> list[str]:
    """Return the files after a program's own text: given by `-e`, else the first word."""
    given = {after for word, after in pairwise(words) if re.fullmatch(r"-\w*[eE]|--expression", word)}
    return [word for word in plain if word not in given] if given else plain[1:]


def _by_mi(words: list[str]) -> list[str]:
    """Our own command takes hooks out and puts them in, trusts and proves: for a person, not for the agent it binds."""
    first = next((word for word in words if not word.startswith("-")), "")
    taken = first in ("uninstall", "trust", "prove", "restore") or any(
        pair in _PERSONS_COMMANDS for pair in pairwise(words)
    )
    return [".claude/settings.json", ".codex/hooks.json"] if taken else []


def _copied(words: list[str], plain: list[str], at: str, *, moved: bool) -> list[str]:
    """Return where a copy goes: into a folder, under the names of what is copied; what is moved changes itself, too."""
    target = next((words[place + 1] for place, word in enumerate(words[:-1]) if word == "-t"), "")
    sources = [word for word in plain if word != target] if target else plain[:-1]
    target = target or (plain[-1] if plain else ".")
    places = [target]
    if sources and (target.endswith("/") or os.path.isdir(os.path.join(at, os.path.expanduser(target)))):
        places = [os.path.join(target, os.path.basename(source)) for source in sources]
    return [*(sources if moved else []), *places]


def _by_git(words: list[str], at: str) -> list[str]:
    folder = "."
    while words and words[0].startswith("-"):
        taken = 2 if words[0] in GIT_WITH_VALUE else 1
        folder = words[1] if words[0] == "-C" and len(words) > 1 else folder
        words = words[taken:]
    if not words or words[0] not in _GIT:
        return [word.removeprefix("--output=") for word in words if word.startswith("--output=")]
    files = [os.path.join(folder, word) for word in words[1:] if not word.startswith("-")]
    return [folder, *(file for file in files if os.path.lexists(os.path.join(at, file)))]


def _found_by(words: Sequence[str]) -> list[str]:
    """Anything below the roots of a search, and what it looks for."""
    first = next((place for place, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
    roots = list(words[:first]) or _HERE
    names = [words[place + 1] for place, word in enumerate(words[:-1]) if word in ("-name", "-iname")]
    return [*roots, *(os.path.join(root, name) for root in roots for name in names)]


def _by_output(name: str, words: list[str]) -> list[str]:
    option = "-d" if name == "unzip" else _OUTPUTS[name]
    named = [words[place + 1] for place, word in enumerate(words[:-1]) if re.fullmatch(option, word)]
    named += [value for word in words if (value := re.sub(rf"^(?:{option})=", "", word)) != word]
    match name:
        case "tar":
            return (named or _HERE) if any(re.match(r"-?[a-zA-Z]*x|--extract", word) for word in words[:2]) else []
        case "unzip":
            return (named or _HERE) if not any(re.match(r"-\w*[lptvz]", word) for word in words) else []
        case "wget":
            return named if named or any(re.match(r"-\w*O-", word) for word in words) else _HERE
        case "curl" if any(re.match(r"-\w*O|--remote-name", word) for word in words):
            return [*named, "."]
    return named


def code_files(name: str, words: list[str], bodies: list[str]) -> list[str]:
    """Return the files that inline code names, when it writes at all; "." when it names none."""
    found: list[str] = []
    for code in inline_code(name, words, bodies):
        if re.search(_WRITES, code):
            named = [text.lstrip("> ") for _, text in re.findall(_LITERAL, code)]
            found += [text for text in named if "." in text or "/" in text] or ["."]
    return found


def _run_by_code(name: str, words: list[str], bodies: list[str]) -> Iterator[str]:
    """Yield the commands that code may run: each of its texts with a blank, and all of them as the words of one."""
    codes = words if name in ("awk", "gawk", "mawk") else inline_code(name, words, bodies)
    for code in codes:
        if re.search(_RUNS if codes is not words else r"system|\|", code):
            texts = [text for _, text in re.findall(_LITERAL, code)]
            yield from (text for text in texts if " " in text)
            yield " ".join(texts)
