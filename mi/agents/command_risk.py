"""Which commands leave the project or cannot be taken back: pure rules on parsed commands, sentences never count."""

import re
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from mi.governance.command_tables import SQL_CLIENTS
from mi.kernel.shell import GIT_WITH_VALUE, Simple, simple_commands

Mode = Literal["off", "on_high_risk", "on_any_external"]
Level = Literal["high", "external"]

_SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node")
_FETCHERS = ("curl", "wget")
_SQL = re.compile(r"\b(?:drop\s+(?:table|database|schema|user|role)|truncate\s+(?:table\s+)?\w|delete\s+from)\b", re.I)
_WITH_CONTEXT = ("kubectl", "oc", "helm", "terraform", "tofu")  # options with values may stand before the subcommand
# name → subcommands, several words joined by a blank; "" is the program itself.
_HIGH = {
    "git": ("push",),
    "npm": ("publish", "unpublish", "deprecate"),
    "pnpm": ("publish",),
    "yarn": ("publish", "npm publish"),
    "bun": ("publish",),
    "twine": ("upload",),
    "poetry": ("publish",),
    "uv": ("publish",),
    "hatch": ("publish",),
    "flit": ("publish",),
    "cargo": ("publish", "yank"),
    "gem": ("push",),
    "docker": ("push", "image push", "buildx push", "system prune"),
    "podman": ("push",),
    "helm": ("push", "uninstall", "delete", "upgrade"),
    "kubectl": ("delete", "apply", "drain", "scale", "rollout"),
    "oc": ("delete", "apply"),
    "terraform": ("apply", "destroy"),
    "tofu": ("apply", "destroy"),
    "pulumi": ("up", "destroy"),
    "mvn": ("deploy",),
    "gradle": ("publish",),
    "dotnet": ("nuget push",),
    "gh": ("release create", "release delete", "repo delete", "pr merge", "pr create", "workflow run"),
    "vercel": ("", "deploy"),
    "netlify": ("deploy",),
    "fly": ("deploy",),
    "flyctl": ("deploy",),
    "heroku": ("",),
    "mkfs": ("",),
    "shutdown": ("",),
    "reboot": ("",),
}
_EXTERNAL = {
    "pip": ("install", "download"),
    "pip3": ("install", "download"),
    "pipx": ("install", "run"),
    "uv": ("add", "sync", "pip install", "tool install"),
    "poetry": ("add", "install", "update"),
    "conda": ("install", "create"),
    "npm": ("install", "i", "add", "ci", "update"),
    "pnpm": ("install", "i", "add", "update"),
    "yarn": ("add", "install", "up"),
    "bun": ("install", "add"),
    "apt": ("install", "update", "upgrade", "remove"),
    "apt-get": ("install", "update", "upgrade", "remove"),
    "yum": ("install",),
    "dnf": ("install",),
    "apk": ("add",),
    "pacman": ("-S", "-Sy", "-Syu"),
    "brew": ("install", "upgrade"),
    "cargo": ("install", "add"),
    "go": ("get", "install"),
    "gem": ("install",),
    "bundle": ("install",),
    "composer": ("require", "install"),
    "git": ("clone", "fetch", "pull", "submodule update"),
    "docker": ("pull", "login"),
    "curl": ("",),
    "wget": ("",),
    "ssh": ("",),
    "scp": ("",),
    "sftp": ("",),
}


class CommandRisk(NamedTuple):
    """A command that counts, and by which marker."""

    level: Level
    marker: str
    command: str


def interrupts(mode: Mode, risk: CommandRisk | None) -> bool:
    """Whether a mode stops the agent for a risk."""
    return risk is not None and (mode == "on_any_external" or (mode == "on_high_risk" and risk.level == "high"))


def command_risk(text: str) -> CommandRisk | None:
    """The worst risk of a command line; None when nothing in it counts."""
    commands = simple_commands(text)
    found = [*_piped_into_shell(commands), *(risk for one in commands if (risk := _simple_risk(one)))]
    return next((risk for risk in found if risk.level == "high"), found[0] if found else None)


def _simple_risk(one: Simple) -> CommandRisk | None:
    shown = " ".join(one.argv)
    if {"sudo", "doas"} & {*one.prefixes, one.name} or (one.name == "su" and len(one.argv) > 1):
        return CommandRisk("high", "sudo", shown)
    for rule in (_removal, _sql, _disk, _cloud):
        if marker := rule(one):
            return CommandRisk("high", marker, shown)
    argv = _normalised(one)
    if marker := _listed(argv, _HIGH):
        return None if "--dry-run" in argv else CommandRisk("high", marker, shown)
    if marker := _listed(argv, _EXTERNAL):
        return CommandRisk("external", marker, shown)
    return None


def _normalised(one: Simple) -> list[str]:
    """Name and words as the tables have them: `python -m pip install` is pip, `git -C . push` is git push."""
    argv = [one.name, *one.argv[1:]]
    if re.fullmatch(r"python[\d.]*", one.name) and "-m" in argv[:-1]:
        argv = argv[argv.index("-m") + 1 :]
    while argv[0] == "git" and len(argv) > 1 and argv[1].startswith("-"):
        argv = [argv[0], *argv[3 if argv[1] in GIT_WITH_VALUE else 2 :]]
    if re.fullmatch(r"mkfs\.\w+", argv[0]):
        argv[0] = "mkfs"
    return argv


def _listed(argv: list[str], table: dict[str, tuple[str, ...]]) -> str:
    name = argv[0]
    if name not in table:
        return ""
    words = [word for word in argv[1:] if not word.startswith("-") or word in table[name]]
    if (
        len(words) > 1
        and name in ("npm", "pnpm", "yarn", "bun", "poetry", "uv")
        and words[0] in ("run", "exec", "test")
    ):
        return ""  # a script of the project: what it runs shows up as a command of its own, if at all
    for subcommand in table[name]:
        parts = subcommand.split()
        starts = range(len(words)) if name in _WITH_CONTEXT else (0,)
        if any(words[at : at + len(parts)] == parts for at in starts) and (
            parts or len(argv) > 1 or name not in _FETCHERS
        ):
            return f"{name} {subcommand}".strip()
    return ""


def _removal(one: Simple) -> str:
    options = [word for word in one.argv[1:] if word.startswith("-")]
    if one.name == "rm" and any(word == "--recursive" or re.fullmatch(r"-\w*[rR]\w*", word) for word in options):
        return "rm -r"
    return ""


def _sql(one: Simple) -> str:
    found = _SQL.search(" ".join(one.argv[1:])) if one.name in SQL_CLIENTS else None
    return " ".join(found[0].upper().split()[:2]) if found else ""


def _disk(one: Simple) -> str:
    return "dd" if one.name == "dd" and any(word.startswith("of=/dev/") for word in one.argv) else ""


def _cloud(one: Simple) -> str:
    if one.name in ("aws", "gcloud", "az", "doctl", "gsutil"):
        ending = re.compile(r"(?:delete|destroy|terminate|rm|rb|remove)(?:-[\w-]+)?")
        return next((f"{one.name} {word}" for word in one.argv[1:] if ending.fullmatch(word)), "")
    return ""


def _piped_into_shell(commands: list[Simple]) -> Iterable[CommandRisk]:
    """`curl … | sh`, `bash <(curl …)`, `sh -c "$(curl …)"`: what was fetched is run unseen."""
    for one in commands:
        if one.name not in _FETCHERS:
            continue
        later = [two for two in commands if two.pipeline == one.pipeline and two.place > one.place]
        runs = any(two.name in _SHELLS for two in later)
        fed = any(two.name in (*_SHELLS, "eval", "source", ".") and "$()" in " ".join(two.argv) for two in commands)
        if runs or fed:
            yield CommandRisk("high", f"{one.name} | sh", " ".join(one.argv))


_ECHO = re.compile(r"^\s*(?:\$|\+{1,3}|>) +(?P<command>\S.*)$")
_FENCE = re.compile(r"^\s*(?:```|~~~)\s*(?P<language>[\w-]*)")
_SHELL_LANGUAGES = ("sh", "bash", "zsh", "shell", "console", "shell-session", "terminal")
_SHOWING = ("$", "+", ">", "`", "~")  # how a line begins that may show a command or open a block
_PROMPT = re.compile(r"^\s*[$%] +")


class TextRisks:
    """Finds risks in plain output: only in echoed commands and fenced shell blocks, across lines."""

    def __init__(self, judge: Callable[[str], CommandRisk | None] = command_risk) -> None:
        self._judge = judge
        self._fence: bool | None = None  # None: outside; True: inside a shell block; False: inside another

    def feed(self, line: str) -> CommandRisk | None:
        """The risk in one line of output, if the line shows a command."""
        if self._fence is None and line.lstrip()[:1] not in _SHOWING:
            return None
        fence = _FENCE.match(line)
        if fence:
            self._fence = fence["language"].lower() in _SHELL_LANGUAGES if self._fence is None else None
            return None
        if self._fence:
            return self._judge(_PROMPT.sub("", line))
        echo = _ECHO.match(line) if self._fence is None else None
        return self._judge(echo["command"]) if echo else None
