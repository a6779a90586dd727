"""What a shell command line does, as operations: every simple command in it counts, however it is wrapped."""

import itertools
import os
import re
import shlex

from mi.governance import command_tables as tables
from mi.governance import paths
from mi.governance.git_commands import BranchOf, git_act
from mi.governance.operations import Act
from mi.governance.sending import sends_credentials
from mi.kernel.shell import Simple, simple_commands


def command_acts(text: str, member: str, branch_of: BranchOf) -> list[Act]:
    """Everything a command line does; at least one act, so that nothing is decided without one."""
    commands = simple_commands(text)
    acts = [act for one in commands for act in _acts(one, member, branch_of)]
    acts += [Act("credentials-out", sent) for sent in sends_credentials(commands)]
    if _runs_what_it_fetched(commands):
        acts.append(Act("run-fetched", text))
    return acts or [Act("local-command", text)]


def _acts(one: Simple, member: str, branch_of: BranchOf) -> list[Act]:
    shown = " ".join(one.argv)
    acts = [_act(one, branch_of), *_touched(one, member), *_in_code(one, member)]
    if inner := _inside(list(one.argv)):
        acts += command_acts(inner, member, branch_of)
    if {"sudo", "doas"} & {*one.prefixes, one.name} or (one.name == "su" and len(one.argv) > 1):
        acts.append(Act("privileged", shown))
    return acts


def _inside(argv: list[str]) -> str:
    """The command line that runs inside a container: `docker exec -it db psql …`; '' when there is none."""
    if os.path.basename(argv[0]) not in ("docker", "podman", "docker-compose", "kubectl", "oc") or "exec" not in argv:
        return ""
    rest = argv[argv.index("exec") + 1 :]
    while rest and rest[0].startswith("-") and rest[0] != "--":
        rest = rest[2 if rest[0] in ("-u", "-w", "-e", "-n", "-c", "--user", "--workdir", "--env") else 1 :]
    rest = [word for word in rest[1:] if word != "--"]  # after the container's name
    return shlex.join(rest)


def _in_code(one: Simple, member: str) -> list[Act]:
    """Files that a program given on the command line names: `python -c "open('.env')"`."""
    if not re.fullmatch(r"python[\d.]*|node|ruby|perl|deno|bun|php", one.name):
        return []
    pairs = itertools.pairwise(one.argv)
    code = next((word for option, word in pairs if option in ("-c", "-e", "-E", "--eval", "-r", "-p", "-pe")), "")
    writes = re.search(r"""['"][wax]b?\+?['"]|write|remove|unlink|rename|rmSync|truncate|append""", code)
    named = re.findall(r"""['"]([^'"\n]{1,200})['"]""", code)
    return [act for path in named for act in path_acts(path, "edit" if writes else "read", member)]


def _act(one: Simple, branch_of: BranchOf) -> Act:
    argv = _named(one)
    shown = " ".join(argv)
    if argv[0] == "git":
        return git_act(argv, branch_of)
    if found := _listed(argv, shown):
        return found
    if argv[0] in tables.READING and not one.writes and not _edits_in_place(argv):
        return Act("read-command", shown)
    if argv[0] in tables.NETWORK:
        return _network(argv, shown)
    return Act("local-command", shown)


def _listed(argv: list[str], shown: str) -> Act | None:
    """By the tables: from the most dangerous to the harmless."""
    operation = tables.listed(shown)
    production = bool(tables.PRODUCTION.search(shown))
    if operation == "weaken-hooks":
        return Act(operation, shown)
    if argv[0] in tables.SQL_CLIENTS or operation == "schema-change":
        return _database(shown, operation, production)
    if production and (found := _on_production(argv, shown)):
        return found
    if any(word in tables.HARMLESS_FLAGS for word in argv[1:]):
        return Act("read-command", shown)
    return Act(operation, shown) if operation else _deletion(argv, shown) or _cloud(argv, shown)


def _named(one: Simple) -> list[str]:
    """Name and words as the tables have them: `python -m pytest` is pytest, `npx jest` is jest."""
    argv = [one.name, *one.argv[1:]]
    if re.fullmatch(r"python[\d.]*", one.name) and "-m" in argv[:-1]:
        argv = argv[argv.index("-m") + 1 :]
    while len(argv) > 1 and argv[0] in ("npx", "bunx", "pnpx", "uvx") and not argv[1].startswith("-"):
        argv = [argv[1].rsplit("/", 1)[-1].split("@")[0] or argv[1], *argv[2:]]
    return argv


def _database(shown: str, operation: str, production: bool) -> Act:
    if tables.SQL_DATA.search(shown):
        return Act("production-data" if production else "delete-data", shown)
    changes = operation or tables.SQL_SCHEMA.search(shown)
    return Act("production-command" if production else "schema-change" if changes else "local-command", shown)


def _on_production(argv: list[str], shown: str) -> Act | None:
    """A command of the agent's own choice that runs on a production machine, or deletes there."""
    if _deletion(argv, shown) or _cloud(argv, shown):
        return Act("production-data", shown)
    if argv[0] in ("kubectl", "oc") and "delete" in argv:
        return Act("production-data", shown)
    shells = argv[0] in ("kubectl", "oc", "docker", "heroku", "fly", "flyctl") and {"exec", "run", "ssh"} & {*argv[1:]}
    return Act("production-command", shown) if argv[0] in tables.REMOTE_SHELLS or shells else None


def _deletion(argv: list[str], shown: str) -> Act | None:
    if argv[0] in ("rm", "rmdir", "unlink", "shred") or (argv[0] == "find" and "-delete" in argv):
        files = [word for word in argv[1:] if not word.startswith("-")]
        harmless = files and argv[0] != "find" and all(paths.is_product(file) for file in files)
        return Act("local-command" if harmless else "delete-file", shown)
    overwrites = argv[0] == "dd" and any(word.startswith("of=/dev/") for word in argv)
    if overwrites or argv[0].startswith("mkfs"):
        return Act("delete-data", shown)
    return None


def _cloud(argv: list[str], shown: str) -> Act | None:
    if argv[0] in ("aws", "gcloud", "az", "doctl", "gsutil", "s3cmd", "rclone"):
        if any(re.fullmatch(r"(?:delete|destroy|terminate|rm|rb|remove|purge)(?:-[\w-]+)?", word) for word in argv[1:]):
            return Act("delete-data", shown)
        reads = any(re.match(r"(?:ls|list|describe|get|show|help)", word) for word in argv[1:])
        return Act("fetch" if reads else "remote-write", shown)
    if argv[0] in ("kubectl", "oc", "docker", "podman") and {"delete", "prune"} & {*argv[1:4]}:
        return Act("delete-data", shown)
    return None


def _network(argv: list[str], shown: str) -> Act:
    data = re.compile(r"-d|--data\S*|-F|--form\S*|-T|--upload-file|--post-\S+|--json")
    method = re.search(r"(?:-X ?|--request[ =]|--method[ =])(POST|PUT|PATCH|DELETE)\b", shown, re.I)
    local = re.search(r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\])", shown)
    if argv[0] in ("curl", "wget"):
        writes = method or any(data.fullmatch(word.split("=")[0]) or re.match(r"-d.", word) for word in argv[1:])
        return Act("remote-write" if writes and not local else "fetch" if not local else "local-command", shown)
    if argv[0] in ("rsync", "scp") and not any(re.match(r"[\w.@-]+:", word) for word in argv[1:]):
        return Act("local-command", shown)
    return Act("remote-write", shown)


def _edits_in_place(argv: list[str]) -> bool:
    return argv[0] in ("sed", "perl", "yq") and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in argv[1:])


def _touched(one: Simple, member: str) -> list[Act]:
    """What the files that a command names add: private memory, secrets, hooks, the team's memory."""
    writes = one.name in tables.WRITING or _edits_in_place([one.name, *one.argv[1:]])
    acts = []
    for word in [*one.argv[1:], *one.writes]:
        path = word.rpartition("=")[2] if word.startswith("-") and "=" in word else word.lstrip("@")
        if word.startswith("-") and "=" not in word:
            continue
        written = writes or word in one.writes
        if one.name == "cp" and word in one.argv[1:-1]:
            written = False
        acts += path_acts(path, "edit" if written else "read", member, named_only=one.name in tables.NAMING_ONLY)
    return acts


def path_acts(path: str, verb: str, member: str, named_only: bool = False) -> list[Act]:
    """What reading, editing, creating or deleting a path means beyond that; [] for an ordinary file."""
    owner = paths.private_owner(path)
    if owner:
        own = owner in ("self", member)
        return [Act("own-private" if own else "other-private", path)]
    if verb == "read":
        return [Act("read-secrets", path)] if paths.is_secret(path) and not named_only else []
    if paths.is_secret(path):
        return [Act("edit-secrets", path)]
    if paths.is_hook(path):
        return [Act("weaken-hooks", path)]
    memory = {
        "session": "edit-session-log",
        "proposal": "write-proposal",
        "card": "edit-card",
        "principles": "edit-principles",
    }
    kind = paths.shared_memory(path)
    return [Act(memory[kind], path)] if kind else []


def _runs_what_it_fetched(commands: list[Simple]) -> bool:
    """`curl … | sh`, `bash <(curl …)`: nobody saw what runs."""
    for one in commands:
        if one.name in ("curl", "wget"):
            later = [two for two in commands if two.pipeline == one.pipeline and two.place > one.place]
            fed = any(two.name in tables.SHELLS and "$()" in " ".join(two.argv) for two in commands)
            if fed or any(two.name in tables.SHELLS for two in later):
                return True
    return False
