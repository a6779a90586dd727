"""Commands that run another command: which words, and which texts, run in turn."""

import os
import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "ash", "fish")
# Of git itself, before its subcommand.
GIT_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
# Words that run the command after them, with those of their options that take a value.
_PREFIXES = {
    "env": ("-u", "--unset", "-C", "--chdir"),
    "sudo": ("-u", "--user", "-g", "--group", "-h", "-p", "-C", "-D", "-r", "-t"),
    "doas": ("-u", "-C"),
    "nohup": (),
    "command": (),
    "builtin": (),
    "exec": ("-a",),
    "time": ("-f", "-o"),
    "nice": ("-n",),
    "ionice": ("-c", "-n"),
    "setsid": (),
    "stdbuf": ("-i", "-o", "-e"),
    "timeout": ("-s", "--signal", "-k", "--kill-after"),
    "xargs": ("-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a"),
    "watch": ("-n",),
    "caffeinate": (),
    "chroot": (),
    "strace": ("-o", "-e", "-p", "-s"),
    "busybox": (),
}
_WITH_OPERAND = ("timeout", "chroot")  # one word of their own before the command
_EXECUTES = ("-exec", "-execdir", "-ok", "-okdir")
_RUNNERS = frozenset(
    f"{name} {verb}"
    for names, verb in (("uv poetry pipenv pdm hatch rye devbox", "run"), ("bundle npm pnpm yarn mise", "exec"))
    for name in names.split()
) | {"pnpm dlx", "yarn dlx", "bun x"}
_PACKAGE_RUNNERS = ("npx", "bunx", "pnpx", "uvx", "pipx")
_CONTAINERS = ("docker", "podman", "docker-compose", "kubectl", "oc", "nerdctl")
_CONTAINER_VALUES = ("-u", "-w", "-e", "-n", "-c", "--user", "--workdir", "--env", "--namespace", "--container")
_RUNNER_VALUES = ("--with", "--python", "-p", "--package", "--project", "--directory", "--group", "--extra", "--from")


def without_prefixes(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the words of the command that really runs, the names of the prefixes before it, and its assignments."""
    prefixes: list[str] = []
    settings: list[str] = []
    at = 0
    while at < len(words):
        name = os.path.basename(words[at])
        if prefixes and _ASSIGNMENT.match(words[at]):
            settings.append(words[at])
            at += 1
        elif name in _PREFIXES and at + 1 < len(words):
            prefixes.append(name)
            at = _after_options(words, at + 1, _PREFIXES[name])
            if name == "env" and words[at - 1] in ("-S", "--split-string") and at < len(words):
                words = [*words[:at], *words[at].split(), *words[at + 1 :]]
            at += name in _WITH_OPERAND
        else:
            break
    return words[at:], prefixes, settings


def moves(prefixes: list[str], words: list[str]) -> bool:
    """Return whether the words before a command make it run in another folder."""
    options = ("-C", "--chdir", "-D") if {"env", "sudo"}.intersection(prefixes) else ()
    return "chroot" in prefixes or any(word.split("=")[0] in options for word in words)


def _after_options(words: Sequence[str], at: int, with_value: tuple[str, ...]) -> int:
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        if words[at] == "--":
            return at + 1
        at += 2 if words[at] in with_value else 1
    return at


def inner_words(argv: Sequence[str]) -> list[tuple[str, list[str], bool]]:
    """Return the commands among the words of a command: who runs them, their words, and whether it is elsewhere."""
    name = os.path.basename(argv[0])
    runner = " ".join([name, *argv[1:2]])
    if name == "find":
        return [("find", words, False) for words in _executed(argv)]
    if runner in _RUNNERS:
        return [(runner, list(argv[_after_options(argv, 2, _RUNNER_VALUES) :]), False)]
    if name in _PACKAGE_RUNNERS:
        rest = list(argv[_after_options(argv, 2 if runner == "pipx run" else 1, _RUNNER_VALUES) :])
        return [(name, rest, False)]
    if name in _CONTAINERS and "exec" in argv:
        rest = list(argv)[_after_options(argv, argv.index("exec") + 1, _CONTAINER_VALUES) :]
        return [(name, [*dropwhile(lambda word: word == "--", rest[1:])], True)]  # after the container's name
    return []


def _executed(argv: Sequence[str]) -> list[list[str]]:
    """Return what `find` runs for what it finds; the words of one of them hold no other."""
    found: list[list[str]] = []
    at = 1
    while at < len(argv):
        if argv[at] in _EXECUTES:
            found.append([*takewhile(lambda word: word not in (";", "+"), argv[at + 1 :])])
            at += len(found[-1])
        at += 1
    return found


def inner_texts(argv: Sequence[str], documents: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the shell texts that a command runs, each with whether it runs elsewhere."""
    name = os.path.basename(argv[0])
    if name in SHELLS or name == "su":
        given = next((at for at, word in enumerate(argv) if re.fullmatch(r"-[a-z]*c|--command", word)), None)
        if given is None:
            reads = all(word.startswith("-") for word in argv[1:])
            return [(text, False) for text in documents] if reads else []
        return [(word, False) for word in argv[given + 1 :] if word != "--"][:1]
    if name == "eval":
        return [(" ".join(argv[1:]), False)]
    if name == "trap" and len(argv) > 2:
        return [(argv[1], False)]
    if name == "ssh":
        return [(text, True) for text in ([" ".join(argv[2:])] if argv[2:] else documents)]
    return []


def shell_options(argv: Sequence[str]) -> dict[str, bool]:
    """Return which of the shell's options words such as `-euo pipefail` turn on (`e`, `pipefail`) or off."""
    found: dict[str, bool] = {}
    on = True
    for word in argv:
        if word[:1] in ("-", "+"):
            on = word[0] == "-"
            found |= {"e": on} if "e" in word[1:] else {}
        elif word in ("pipefail", "errexit"):
            found["e" if word == "errexit" else word] = on
    return found


def printed_texts(argv: Sequence[str], documents: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts that a command prints, as far as its words and what it reads tell them."""
    name = os.path.basename(argv[0])
    if name in ("echo", "printf"):
        words = dropwhile(lambda word: re.fullmatch(r"-[neE]+", word), argv[1:])
        return (" ".join(words).replace("\\n", "\n"),)
    return documents if name in ("cat", "tee") else ()
