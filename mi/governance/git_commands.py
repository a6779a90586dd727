"""What a git command does to others: which branch a push reaches, whether by force, what work it throws away."""

import re
from collections.abc import Callable

from mi.governance.operations import Act

BranchOf = Callable[[str], str]  # the branch that is checked out in a folder ('' the current one); '' when unknown
MAIN = ("main", "master")
_GLOBAL_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
_PUSH_WITH_VALUE = ("-o", "--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules")
_READING = """status log diff show blame grep ls-files ls-tree rev-parse rev-list describe cat-file shortlog
    reflog name-rev merge-base check-ignore check-attr count-objects for-each-ref symbolic-ref var whatchanged
    diff-tree diff-index version help""".split()


def git_act(argv: list[str], branch_of: BranchOf) -> Act:
    """What a git command line does; `argv` begins with `git`."""
    words, folder = _subcommand(argv[1:])
    shown = " ".join(argv)
    if not words or words[0] in _READING:
        return Act("read-command", shown)
    name, rest = words[0], words[1:]
    if name == "push":
        return _push(rest, folder, branch_of, shown)
    if name in ("commit", "merge", "cherry-pick", "revert", "am"):
        return Act("skip-checks" if _skips_checks(name, rest) else "commit", shown)
    if name == "config" and any(re.match(r"core\.hookspath|alias\.", word, re.I) for word in rest):
        reads = any(word.startswith(("--get", "--list", "-l")) for word in rest)
        return Act("read-command" if reads else "weaken-hooks", shown)
    return Act("discard-work" if _discards(name, rest) else _listing(name, rest), shown)


def _subcommand(words: list[str]) -> tuple[list[str], str]:
    """The words from the subcommand on, with an alias given on the spot put in; and the folder it works in."""
    folder, aliases = "", dict[str, list[str]]()
    while words and words[0].startswith("-"):
        option, equals, value = words[0].partition("=")
        if option in _GLOBAL_WITH_VALUE and not equals:
            value = words[1] if len(words) > 1 else ""
            words = words[2:]
        else:
            words = words[1:]
        if option == "-C":
            folder = f"{folder}/{value}" if folder and not value.startswith("/") else value
        elif option in ("--git-dir", "--work-tree"):
            folder = value
        elif option == "-c" and value.lower().startswith("alias."):
            alias, _, command = value[6:].partition("=")
            aliases[alias] = command.split()
    if words and words[0] in aliases:
        words = [*aliases[words[0]], *words[1:]]
    return words, folder


def _skips_checks(name: str, words: list[str]) -> bool:
    short = any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", word) for word in words) and name == "commit"
    return short or "--no-verify" in words


def _push(words: list[str], folder: str, branch_of: BranchOf, shown: str) -> Act:
    if any(word in ("--dry-run", "-n", "--help", "-h") for word in words):
        return Act("read-command", shown)
    forced = any(_is_force(word) for word in words)
    named = _positional(words)
    has_remote = any(word.startswith("--repo") for word in words)
    refs = named if has_remote else named[1:]
    removes = any(word in ("-d", "--delete") for word in words)
    targets = [_target(ref, folder, branch_of) for ref in refs]
    everything = any(word in ("--mirror", "--all", "--branches", "--prune") for word in words)
    if not refs and not everything and "--tags" not in words:
        targets = [branch_of(folder)]
    unknown = any(not target or {*"*${"} & {*target} for target in targets) or everything
    reaches_main = any(target in MAIN for target in targets)
    overwrites = forced or removes or any(ref.startswith(("+", ":")) for ref in refs) or "--mirror" in words
    if overwrites:  # a branch that cannot be told may be main
        return Act("force-push-main" if reaches_main or unknown else "force-push", shown)
    if "--no-verify" in words:
        return Act("skip-checks", shown)
    return Act("push-main" if reaches_main else "push", shown)


def _is_force(word: str) -> bool:
    return word.startswith("--force") or bool(re.fullmatch(r"-[a-zA-Z46]*f[a-zA-Z46]*", word))


def _positional(words: list[str]) -> list[str]:
    found, skip = list[str](), False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = word in _PUSH_WITH_VALUE
        else:
            found.append(word)
    return found


def _target(ref: str, folder: str, branch_of: BranchOf) -> str:
    """The branch on the other side that a refspec writes."""
    source, colon, target = ref.lstrip("+").partition(":")
    name = (target if colon and target else source).removeprefix("refs/heads/").removeprefix("heads/")
    return branch_of(folder) if name in ("HEAD", "@") else name


def _discards(name: str, words: list[str]) -> bool:
    """Whether work that is nowhere else may be lost."""
    forced = any(re.fullmatch(r"-[a-zA-Z]*[fD][a-zA-Z]*|--force", word) for word in words)
    if name == "reset":
        return "--hard" in words
    if name in ("clean", "branch", "tag", "worktree", "submodule"):
        return forced and not any(word in ("-n", "--dry-run") for word in words)
    if name == "checkout":
        return forced or "--" in words or "." in words
    if name == "restore":
        return "--staged" not in words or "--worktree" in words
    if name == "stash":
        return bool(words) and words[0] in ("drop", "clear")
    return name in ("filter-branch", "filter-repo", "update-ref")


def _listing(name: str, words: list[str]) -> str:
    """Branch, tag, remote and stash only list when nothing is named."""
    lists = {"branch": ("-a", "-r", "-v", "-vv", "--list", "--show-current"), "tag": ("-l", "--list", "-n")}
    if name in lists and all(word in lists[name] for word in words):
        return "read-command"
    if name == "remote" and (not words or words[0] in ("-v", "show", "get-url")):
        return "read-command"
    if name == "stash" and words[:1] in (["list"], ["show"]):
        return "read-command"
    return "fetch" if name in ("clone", "fetch", "pull", "ls-remote", "submodule") else "local-command"
