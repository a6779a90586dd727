"""What one program does with its words: by the tables, and by what it is aimed at."""

import itertools
import re

from mi.governance import command_tables as tables
from mi.governance.credential_leaks import does_stay_here
from mi.governance.file_acts import edits_in_place, removal_acts, rights_acts
from mi.governance.git_commands import git_act
from mi.governance.operations import Act
from mi.governance.surroundings import Surroundings
from mi.kernel.shell import Simple

_METHOD = r"(?i)(?:-X ?|--request[ =]|--method[ =])(POST|PUT|PATCH|DELETE)\b"
_SENDS = r"-d|--data\S*|-F|--form\S*|-T|--upload-file|--post-\S+|--json"
_CLOUD_DELETES = r"(?:batch-|force-)?(?:delete\w*|destroy|terminate|rm|rb|remove|purge|deregister|--delete)(?:-[\w-]+)?"
_PRIVATE_USES = ("boot", "decrypt", "encrypt", "note", "notes")
_CLOUD_READS = r"ls|list|describe|get|show|help"


def program_acts(one: Simple, here: Surroundings) -> list[Act]:
    """Return what a simple command does; at least one act."""
    argv = _named(one)
    name, shown = argv[0], " ".join(argv)
    if name == "git":
        return [git_act(argv, here)]
    if name == "mi" and (other := _other_member(argv, here.member)):
        return [Act("other-private", other)]
    if argv[:2] == ["gh", "api"]:
        return [_github(shown)]
    if "command" in one.prefixes and len(argv) == 1:  # `command -v NAME` looks it up
        return [Act("read-command", shown)]
    if found := _counting(argv, shown, here):
        return found
    reads = name in tables.READING and not one.writes and not edits_in_place(argv)
    return [Act("read-command" if reads else "local-command", shown)]


def _named(one: Simple) -> list[str]:
    """Name and words as the tables have them: `python -m pytest` is pytest, `npx jest@29` is jest."""
    argv = [one.name, *one.argv[1:]]
    if re.fullmatch(r"python[\d.]*", one.name) and "-m" in argv[:-1]:
        argv = argv[argv.index("-m") + 1 :]
    if {"npx", "bunx", "pnpx", "uvx", "pipx"} & {*one.prefixes}:
        argv[0] = argv[0].split("@")[0] or argv[0]
    return argv


def _counting(argv: list[str], shown: str, here: Surroundings) -> list[Act]:
    """Return what is more than a local command: from the most dangerous to what only looks."""
    operations = tables.listed(argv[0], argv[1:])
    production = tables.names_production(shown)
    if "weaken-hooks" in operations:
        return [Act("weaken-hooks", shown)]
    if argv[0] in tables.SQL_CLIENTS or "schema-change" in operations:
        operations += _database(shown, production and "delete-data" not in operations)
    deletions = [act for act in removal_acts(argv, here) if act.operation != "delete-products"]
    if production and (found := _on_production(argv, shown, [*operations, *(act.operation for act in deletions)])):
        return [found]
    if tables.only_looks(argv[0], argv[1:]) and not {"install", "fetch"} & {*operations}:
        return [Act("read-command", shown)]
    acts = [Act(operation, shown) for operation in operations]
    acts += [*removal_acts(argv, here), *rights_acts(argv, here)]
    for rule in (_disk, _cloud, _network):
        acts += [Act(operation, shown)] if (operation := rule(argv, shown)) else []
    return acts


def _database(shown: str, production: bool) -> list[str]:
    if re.search(tables.SQL_DATA, shown):
        return ["delete-data"]
    if production:
        return ["production-command"]
    return ["schema-change"] if re.search(tables.SQL_SCHEMA, shown) else []


def _on_production(argv: list[str], shown: str, operations: list[str]) -> Act | None:
    """Return a command of the agent's own choice that runs on a production machine, or deletes there."""
    deletes = any(operation.startswith(("delete-", "destroy-", "erase-")) for operation in operations)
    if deletes or _cloud(argv, shown) == "delete-remote":
        return Act("production-data", shown)
    shells = argv[0] in (*tables.CLUSTERS, "docker", "heroku", "fly", "flyctl") and {"exec", "run", "ssh"} & {*argv[1:]}
    runs = argv[0] in tables.REMOTE_SHELLS or shells or "production-command" in operations
    return Act("production-command", shown) if runs else None


def _disk(argv: list[str], shown: str) -> str:
    last = argv[-1] if argv[0] in ("cp", "tee", "mv", "truncate", "install", "shred") else ""
    overwrites = argv[0] == "dd" and any(re.fullmatch(tables.DISK, word) for word in argv[1:] if word.startswith("of="))
    return "erase-disk" if overwrites or re.fullmatch(tables.DISK, last) or argv[0].startswith("mkfs") else ""


def _cloud(argv: list[str], shown: str) -> str:
    if argv[0] not in tables.CLOUDS or len(argv) == 1:
        return ""
    if any(re.fullmatch(_CLOUD_DELETES, word) for word in argv[1:]):
        return "delete-remote"
    return "fetch" if any(re.match(_CLOUD_READS, word) for word in argv[1:]) else "remote-write"


def _network(argv: list[str], shown: str) -> str:
    if argv[0] not in tables.NETWORK or len(argv) == 1 or does_stay_here(argv):
        return ""
    if argv[0] in ("rsync", "scp", "sftp"):
        remote = any(re.match(r"[\w.@-]+:", word) for word in argv[1:])
        return "remote-write" if remote or argv[0] == "sftp" else ""
    writes = any(re.fullmatch(_SENDS, word.split("=")[0]) or re.match(r"-d.", word) for word in argv[1:])
    fetches = argv[0] in tables.FETCHERS and not writes and not re.search(_METHOD, shown)
    return "fetch" if fetches else "remote-write"


def _github(shown: str) -> Act:
    """Return a call of GitHub's own interface: moving or deleting a branch there is a push by force."""
    writes = re.search(_METHOD, shown) or re.search(r" (?:-f|-F|--field|--raw-field|--input)\b", shown)
    if not writes:
        return Act("fetch", shown)
    branch = re.search(r"git/refs/heads/([\w./-]+)", shown)
    deletes = writes[0].upper().endswith("DELETE")
    if branch and (deletes or re.search(r"force=true", shown)):
        return Act("force-push-main" if branch[1] in tables.MAIN else "force-push", shown)
    return Act("delete-remote" if deletes else "remote-write", shown)


def _other_member(argv: list[str], member: str) -> str:
    """Return whose private notes one of our own commands would open; '' for the member's own."""
    if len(argv) < 3 or argv[1] != "persona" or argv[2] not in _PRIVATE_USES:
        return ""
    pairs = [tuple(word.split("=", 1)) for word in argv if word.startswith("--member=")]
    pairs += [pair for pair in itertools.pairwise(argv) if pair[0] == "--member"]
    return next((pair[1] for pair in pairs if pair[1] != member), "")
