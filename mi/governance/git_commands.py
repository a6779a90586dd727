"""What a git command does to others: which branch a push reaches, whether by force, what work it throws away."""

import re
import shlex

from mi.governance.command_tables import MAIN
from mi.governance.operations import Act
from mi.governance.surroundings import Surroundings, joined
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.shell import GIT_WITH_VALUE

_PUSH_WITH_VALUE = ("-o", "--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules")
_READING = """status log diff show blame grep ls-files ls-tree rev-parse rev-list describe cat-file shortlog
    reflog name-rev merge-base check-ignore check-attr count-objects for-each-ref symbolic-ref var whatchanged
    diff-tree diff-index version help""".split()
# Git's own names, which no alias can take.
_OWN = frozenset(
    """add am apply archive bisect branch bundle checkout cherry-pick clean clone commit config fetch filter-branch gc
    init ls-remote merge mv notes pull push range-diff rebase remote replace reset restore revert rm send-pack stash
    submodule switch tag update-ref worktree""".split()
) | {*_READING}
_ALIASES_DEEP = 5


class _Parts(NamedTuple):
    """A git command line: where its subcommand stands, the folder it works in, settings given with -c."""

    at: int
    folder: str
    settings: tuple[str, ...]


def git_act(argv: list[str], here: Surroundings) -> Act:
    """Return what a git command line does; `argv` begins with `git`, and its aliases are put in."""
    parts = _parts(argv)
    words, shown = argv[parts.at :], " ".join(argv)
    if not words or (words[0] in _READING and words[:2] not in (["reflog", "expire"], ["reflog", "delete"])):
        return Act("read-command", shown)
    if any(setting.lower().startswith("core.hookspath") for setting in parts.settings):
        return Act("weaken-hooks", shown)
    name, rest = words[0], words[1:]
    if name == "credential" and rest[:1] == ["fill"]:
        return Act("read-secrets", shown)
    if name in ("push", "send-pack"):
        return _push(rest, here.inside(parts.folder), shown)
    if name in ("commit", "merge", "cherry-pick", "revert", "am"):
        return Act("skip-checks" if _skips_checks(name, rest) else "commit", shown)
    if name == "config" and any(re.match(r"core\.hookspath", word, re.I) for word in rest):
        reads = any(word.startswith(("--get", "--list", "-l")) for word in rest)
        return Act("read-command" if reads else "weaken-hooks", shown)
    return Act("discard-work" if _discards(name, rest) else _listing(name, rest), shown)


def without_alias(argv: list[str], here: Surroundings) -> tuple[list[str], str]:
    """Return the command line with its alias put in; and the shell text that an alias with `!` runs."""
    for _ in range(_ALIASES_DEEP):
        parts = _parts(argv)
        name = argv[parts.at] if parts.at < len(argv) else ""
        if not name or name in _OWN:
            break
        given = dict(setting[6:].split("=", 1) for setting in parts.settings if re.match(r"(?i)alias\..*=", setting))
        value = (given.get(name) or here.alias_of(parts.folder, name)).strip()
        if value.startswith("!"):
            return argv, " ".join([value[1:], shlex.join(argv[parts.at + 1 :])])
        if not value:
            break
        argv = [*argv[: parts.at], *_split(value), *argv[parts.at + 1 :]]
    return argv, ""


def afterwards(argv: list[str], here: Surroundings) -> Surroundings:
    """Return what later commands of the line meet: another branch, or an alias."""
    parts = _parts(argv)
    name, *rest = argv[parts.at :] or [""]
    if name == "config" and (found := re.match(r"(?i)alias\.(.+)", " ".join(_positional(rest)[:1]))):
        return here.knowing(found[1], " ".join(_positional(rest)[1:]))
    if name in ("checkout", "switch") and "--" not in rest:
        named = next((word for word in _positional(rest) if word != "-"), "")
        is_file = "." in named and name == "checkout" and not {"-b", "-B"} & {*rest}
        return here if is_file or not (named or "-" in rest) else here.on(named)
    if name == "branch" and any(word in ("-m", "-M", "--move") for word in rest):
        return here.on("".join(_positional(rest)[-1:]))
    return here


def named_paths(argv: list[str]) -> list[str]:
    """Return the files that a git command changes or takes away by name."""
    words = argv[_parts(argv).at :]
    if not words or words[0] not in ("rm", "mv", "restore", "checkout"):
        return []
    rest = words[words.index("--") + 1 :] if "--" in words else [] if words[0] == "checkout" else words[1:]
    return [word for word in rest if not word.startswith("-")]


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is not closed
        return text.split()


def _parts(argv: list[str]) -> _Parts:
    at, folder, settings = 1, "", list[str]()
    while at < len(argv) and argv[at].startswith("-"):
        option, equals, value = argv[at].partition("=")
        at += 1
        if option in GIT_WITH_VALUE and not equals:
            value = argv[at] if at < len(argv) else ""
            at += 1
        if option == "-C":
            folder = joined(folder, value)
        elif option in ("--git-dir", "--work-tree"):
            folder = value
        elif option in ("-c", "--config-env"):
            settings.append(value)
    return _Parts(min(at, len(argv)), folder, tuple(settings))


def _skips_checks(name: str, words: list[str]) -> bool:
    short = any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", word) for word in words) and name == "commit"
    return short or "--no-verify" in words


def _push(words: list[str], here: Surroundings, shown: str) -> Act:
    options = _options(words)
    if any(word in ("--dry-run", "-n", "--help", "-h") for word in options):
        return Act("read-command", shown)
    named = _positional(words)
    refs = named if any(word.startswith("--repo") for word in options) else named[1:]
    removes = any(word in ("-d", "--delete", "--prune", "--mirror") for word in options)
    targets = [_target(ref, here) for ref in refs]
    everything = any(word in ("--mirror", "--all", "--branches", "--prune") for word in options)
    if not refs and not everything and "--tags" not in options:
        targets = [here.pushes_to("") or here.branch_of("")]
    unknown = any(not target or {*"*${"} & {*target} for target in targets) or everything
    reaches_main = any(target in MAIN for target in targets)
    if removes or any(_is_force(word) for word in options) or any(ref.startswith(("+", ":")) for ref in refs):
        return Act("force-push-main" if reaches_main or unknown else "force-push", shown)  # unknown: it may be main
    if "--no-verify" in options:
        return Act("skip-checks", shown)
    return Act("push-main" if reaches_main else "push", shown)


def _is_force(word: str) -> bool:
    return word.startswith("--force") or bool(re.fullmatch(r"-[a-zA-Z46]*f[a-zA-Z46]*", word))


def _positional(words: list[str]) -> list[str]:
    return [word for word, is_value in _marked(words) if not is_value and (not word.startswith("-") or word == "-")]


def _options(words: list[str]) -> list[str]:
    return [word for word, is_value in _marked(words) if not is_value and word.startswith("-")]


def _marked(words: list[str]) -> list[tuple[str, bool]]:
    """Return each word, and whether it is the value of the option before it."""
    pairs = zip(["", *words], words, strict=False)
    return [(word, before in _PUSH_WITH_VALUE) for before, word in pairs]


def _target(ref: str, here: Surroundings) -> str:
    """Return the branch on the other side that a refspec writes."""
    source, colon, target = ref.lstrip("+").partition(":")
    name = (target if colon and target else source).removeprefix("refs/heads/").removeprefix("heads/")
    return here.branch_of("") if name in ("HEAD", "@") else name


def _discards(name: str, words: list[str]) -> bool:
    """Return whether work that is nowhere else may be lost."""
    forced = any(re.fullmatch(r"-[a-zA-Z]*[fD][a-zA-Z]*|--force", word) for word in words)
    if name == "reset":
        return "--hard" in words
    if name in ("clean", "branch", "tag", "worktree", "submodule"):
        return forced and not any(word in ("-n", "--dry-run") for word in words)
    if name in ("checkout", "switch"):
        return forced or "--discard-changes" in words or (name == "checkout" and ("--" in words or "." in words))
    if name == "rm":
        return forced and "--cached" not in words
    if name == "gc":
        return any(word.startswith("--prune=") for word in words)
    if name == "restore":
        return "--staged" not in words or "--worktree" in words
    if name == "stash":
        return bool(words) and words[0] in ("drop", "clear")
    return name in ("filter-branch", "filter-repo", "update-ref", "reflog")


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
