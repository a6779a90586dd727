"""What a shell command line does, as operations: every simple command in it counts, however it is wrapped."""

import itertools
import re

from mi.governance import command_tables as tables
from mi.governance import paths
from mi.governance.credential_leaks import code_sends, feeders_of, sends_credentials, stays_here
from mi.governance.git_commands import MAIN, afterwards, git_act, named_paths, without_alias
from mi.governance.operations import RULES, Act
from mi.governance.private_searches import search_acts
from mi.governance.surroundings import Surroundings, joined
from mi.kernel.inline_code import inline_code
from mi.kernel.shell import SHELLS, Simple, simple_commands

_METHOD = re.compile(r"(?:-X ?|--request[ =]|--method[ =])(POST|PUT|PATCH|DELETE)\b", re.I)
_ASSIGNED = re.compile(
    r"(?:^|[\s;&|(])([A-Za-z_]\w*)=(?:\"([^\"`$]*|\$\([^()]*\))\"|'([^']*)'|(\$\([^()]*\)|[^\s;&|()'\"`$]+))(?=[\s;&|)]|$)"
)


def command_acts(text: str, member: str, here: Surroundings) -> list[Act]:
    """Everything a command line does; at least one act, so that nothing is decided without one."""
    filled = _with_values(text)
    commands = simple_commands(filled)
    acts = [Act("credentials-out", sent) for sent in sends_credentials(commands)]
    for inner in _piped_scripts(commands):
        acts += command_acts(inner, member, here)
    folder = ""
    for one in commands:  # in their order: one that goes elsewhere changes what the next ones mean
        there = here.inside(folder) if folder else here
        acts += [*_acts(one, member, there, commands), *_in_code(one, member, there)]
        if one.name in ("cd", "pushd"):
            folder = joined(folder, _goes_to(one))
        elif one.name == "git":
            here = afterwards(["git", *one.argv[1:]], here)
    if _runs_what_it_fetched(commands):
        acts.append(Act("run-fetched", text))
    if re.search(r"(?:^|[\s;&|])(?:HUSKY=0|SKIP=\S+|HUSKY_SKIP_HOOKS=1)\s+git\s", text):
        acts.append(Act("skip-checks", text))
    return acts or [Act("local-command", text)]


def _with_values(text: str) -> str:
    """The text with its own plain variables put in: `b=main; git push -f origin $b`."""
    values = {found[1]: (found[2] or found[3] or found[4] or "") for found in _ASSIGNED.finditer(text)}
    if not values:
        return text
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda found: values.get(found[1] or found[2], found[0]), text)


def _piped_scripts(commands: list[Simple]) -> list[str]:
    """Texts that are piped into a shell: `echo git push | sh`."""
    feeders = feeders_of(commands)
    readers = [one for one in commands if one.name in SHELLS and all(word.startswith("-") for word in one.argv[1:])]
    texts = [two for one in readers for two in feeders(one) if two.name in ("echo", "printf")]
    return [" ".join(two.argv[1:]).replace("\\n", "\n") for two in texts]


def _goes_to(one: Simple) -> str:
    return next((word for word in one.argv[1:] if not word.startswith("-") or word == "-"), "~")


def _acts(one: Simple, member: str, here: Surroundings, line: list[Simple]) -> list[Act]:
    if "xargs" in one.prefixes:
        one = one._replace(argv=(*one.argv, "$()"))  # words that nobody can tell
    by_shell = ""
    if one.name == "git":
        argv, by_shell = without_alias(["git", *one.argv[1:]], here)
        one = one._replace(argv=tuple(argv))
    acts = [_act(one, member, here), *_touched(one, member, here), *search_acts(one, member, here, line)]
    acts += command_acts(by_shell, member, here) if by_shell.strip() else []
    if {"sudo", "doas"} & {*one.prefixes, one.name} or (one.name == "su" and len(one.argv) > 1):
        acts.append(Act("privileged", " ".join(one.argv)))
    return acts


def _in_code(one: Simple, member: str, here: Surroundings) -> list[Act]:
    """What a program in the text names: `python -c "open('.env')"`, `os.system('git push …')` in a here-document."""
    code = "\n".join(inline_code(one.name, list(one.argv[1:]), list(one.documents)))
    if not code:
        return []
    writes = re.search(r"""['"][wax]b?\+?['"]|write|remove|unlink|rename|rmSync|truncate|append""", code)
    named = re.findall(r"""['"]([^'"\n]{1,200})['"]""", code)
    acts = [act for path in named for act in path_acts(path, "edit" if writes else "read", member, here)]
    acts += [Act("credentials-out", one.name)] if code_sends(code, named) else []
    if re.search(r"system|popen|subprocess|spawn|exec|check_output|shell script|`|\bsh\(", code, re.I):
        for text in [*(text for text in named if " " in text), " ".join(named)]:
            acts += [act for act in command_acts(text, member, here) if RULES[act.operation].denial]
    return acts


def _act(one: Simple, member: str, here: Surroundings) -> Act:
    argv = _named(one)
    shown = " ".join(argv)
    if argv[0] == "git":
        return git_act(argv, here)
    if argv[0] == "mi" and (other := _other_member(argv, member)):
        return Act("other-private", other)
    if argv[:2] == ["gh", "api"]:
        return _github(shown)
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
    if argv[0] in ("rsync", "scp", "sftp"):
        remote = any(re.match(r"[\w.@-]+:", word) for word in argv[1:])
        return Act("remote-write" if remote or argv[0] == "sftp" else "local-command", shown)
    if stays_here(argv):
        return Act("local-command", shown)
    data = re.compile(r"-d|--data\S*|-F|--form\S*|-T|--upload-file|--post-\S+|--json")
    writes = any(data.fullmatch(word.split("=")[0]) or re.match(r"-d.", word) for word in argv[1:])
    fetches = argv[0] in ("curl", "wget") and not writes and not _METHOD.search(shown)
    return Act("fetch" if fetches else "remote-write", shown)


def _github(shown: str) -> Act:
    """A call of GitHub's own interface: moving or deleting a branch there is a push by force."""
    writes = _METHOD.search(shown) or re.search(r" (?:-f|-F|--field|--raw-field|--input)\b", shown)
    if not writes:
        return Act("fetch", shown)
    branch = re.search(r"git/refs/heads/([\w./-]+)", shown)
    overwrites = writes[0].upper().endswith("DELETE") or re.search(r"force=true", shown)
    if branch and overwrites:
        return Act("force-push-main" if branch[1] in MAIN else "force-push", shown)
    return Act("remote-write", shown)


def _other_member(argv: list[str], member: str) -> str:
    """Whose private notes one of our own commands would open; '' for the member's own."""
    if len(argv) < 3 or argv[1] != "persona" or argv[2] not in ("boot", "note", "notes"):
        return ""
    pairs = [tuple(word.split("=", 1)) for word in argv if word.startswith("--member=")]
    pairs += [pair for pair in itertools.pairwise(argv) if pair[0] == "--member"]
    return next((pair[1] for pair in pairs if pair[1] != member), "")


def _edits_in_place(argv: list[str]) -> bool:
    return argv[0] in ("sed", "perl", "yq") and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in argv[1:])


def _touched(one: Simple, member: str, here: Surroundings) -> list[Act]:
    """What the files that a command names add: private memory, secrets, hooks, the team's memory."""
    by_git = named_paths(list(one.argv)) if one.name == "git" else []
    writes = one.name in tables.WRITING or _edits_in_place([one.name, *one.argv[1:]])
    acts = []
    for word in [*one.argv[1:], *one.reads, *one.writes]:
        if word.startswith("-") and "=" not in word:
            continue
        is_option = word.startswith("-") or one.name == "dd"
        path = word.rpartition("=")[2] if is_option else word.lstrip("@")
        written = writes or word in one.writes or word in by_git or (one.name == "dd" and word.startswith("of="))
        if one.name == "cp" and word in one.argv[1:-1]:
            written = False
        verb = "edit" if written else "read"
        acts += path_acts(path, verb, member, here, named_only=one.name in tables.NAMING_ONLY)
    return acts


def path_acts(path: str, verb: str, member: str, here: Surroundings, named_only: bool = False) -> list[Act]:
    """What reading, editing, creating or deleting a path means beyond that; [] for an ordinary file."""
    written, path = path, here.real(path)
    found = _path_act(path, verb, member, named_only)
    return [Act(found, written)] if found else []


def _path_act(path: str, verb: str, member: str, named_only: bool) -> str:
    owner = paths.private_owner(path) or ("" if named_only else paths.member_folder(path))
    if owner:
        return "own-private" if owner in ("self", member) else "other-private"
    if paths.is_secret(path):
        return "edit-secrets" if verb != "read" else "" if named_only else "read-secrets"
    if verb == "read":
        return ""
    if paths.is_hook(path):
        return "weaken-hooks"
    memory = {
        "session": "edit-session-log",
        "proposal": "write-proposal",
        "card": "edit-card",
        "principles": "edit-principles",
    }
    return memory.get(paths.shared_memory(path), "")


def _runs_what_it_fetched(commands: list[Simple]) -> bool:
    """`curl … | sh`, `bash <(curl …)`: nobody saw what runs."""
    for one in commands:
        if one.name in ("curl", "wget"):
            later = [two for two in commands if two.pipeline == one.pipeline and two.place > one.place]
            fed = any(two.name in tables.SHELLS and "$()" in " ".join(two.argv) for two in commands)
            if fed or any(two.name in tables.SHELLS for two in later):
                return True
    return False
