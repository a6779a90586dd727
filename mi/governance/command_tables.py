"""Which command lines mean which operation: programs, and patterns over the words that follow their names."""

import re
from functools import cache

MAIN = ("main", "master")  # branches
SQL_CLIENTS = ("psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "duckdb", "clickhouse-client", "cockroach", "bq")
SQL_SCHEMA = r"(?i)\b(?:drop|alter|create|rename)\s+(?:table|database|schema|index|column|view|type)\b"
SQL_DATA = (
    r"(?i)\b(?:truncate\s+(?:table\s+)?\w|delete\s+from\b|drop\s+(?:table|database|schema|user|role|owned|keyspace)\b)"
)
READING = frozenset(
    """ls cat head tail less more wc file stat pwd whoami id date echo printf true false test [ grep rg egrep
    fgrep find fd tree du df ps uname which type env printenv diff cmp sort uniq cut tr jq yq column basename dirname
    realpath readlink sha256sum md5sum hexdump xxd strings nl seq sleep cd pushd popd : history man
    [[ for select""".split()
)
PRINTING = ("cat", "head", "tail", "less", "more", "bat", "nl", "sed")  # what is in the files they name
NAMING_ONLY = frozenset("ls stat test [ [[ for select file du find fd tree echo printf realpath basename".split())
WRITING = ("cp", "mv", "tee", "install", "ln", "truncate", "shred", "chmod", "chown", "touch", "rm", "unlink", "rsync")
NETWORK = frozenset("curl wget ssh scp sftp rsync nc ncat netcat socat ftp lftp telnet http https xh".split())
FETCHERS = ("curl", "wget")
DECODERS = frozenset("base64 base32 xxd openssl gpg gunzip zcat gzip bunzip2 unxz tr rev uudecode".split())
SHELLS = frozenset("sh bash zsh dash ksh ash fish python python3 perl ruby node php pwsh eval source .".split())
REMOTE_SHELLS = ("ssh", "mosh", "rsync", "scp", "sftp", "ansible", "redis-cli", "mongo", "mongosh", "pdsh", "salt")
CLOUDS = ("aws", "gcloud", "az", "doctl", "gsutil", "s3cmd", "rclone")
CLUSTERS = ("kubectl", "oc")
# Programs that run the command in their words, beside those that the shell reader follows → how many plain words
# stand before it.
RUNNERS = {
    **dict.fromkeys("toybox ltrace parallel fakeroot pkexec unshare entr torsocks".split(), 0),
    **dict.fromkeys("flock taskset chrt setarch".split(), 1),
    **dict.fromkeys(("doppler run", "op run", "nix run"), 0),
    **dict.fromkeys(("direnv exec", "aws-vault exec", "docker run", "podman run", "docker-compose run"), 1),
    "docker compose run": 1,
}
# Their options whose value is the next word.
RUNNER_VALUES = frozenset(
    "-u -w -e -n -c -v -p -i -l --user --workdir --env --name --volume --publish --network --namespace --context "
    "--container --entrypoint --env-file --with --python --extra --group --package".split()
)
_HARMLESS = r"--help|--dry-run(?:=(?:client|server|true))?|--list"
_HARMLESS_FIRST = ("version", "help", "doctor", "login")
_HARMLESS_LAST = ("-h", "-V", "--version")
_DRY_RUNS = dict.fromkeys("make just rsync sh bash zsh".split(), "-n")
# Systems whose folders nobody deletes or opens: the root, a home, and what the machine itself needs.
SYSTEM = (
    r"/|(?:~\w*|\$\{?HOME\}?|/(?:home|Users)(?:/[^/*]+)?|/(?:root|etc|usr|var|bin|sbin|lib|lib64|boot|opt|srv|dev|sys|proc"
    r"|System|Library|Applications|usr/\w+|mnt|media))(?:/\*)?|/\*|[a-zA-Z]:(?:/\*?)?"
)
DISK = r"(?:of=)?/dev/(?:r?disk|[hsv]d[a-z]|xvd|nvme|mmcblk|mapper/|loop|md)[\w/.-]*"
FORK_BOMB = r"(?<![^\s(){};|&])([^\s(){};|&]+)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}\s*+(?:;\s*+)?\1"
CODE_DELETES = r"(?i)rmtree|rmSync|rmdirSync|unlinkSync|rm_rf|rm_r\b|remove_entry|rimraf|remove_tree|removedirs"

_RUN = "npm pnpm yarn bun make just rake task poetry uv"
_SHELL_FILES = "sh bash"
_BETWEEN_NAMES = r"[^a-z0-9_-]+"
_SUB = r"(?:\S+ )*?"  # words before the one that counts
_VERB = r"(?:(?!(?:get|describe|logs|explain|top|diff|config|auth|wait) )\S+ )*?"  # none of which only looks
# Operation, programs, and a pattern over the words after the name, plain ones first; several rows may match.
_TABLE = (
    ("weaken-hooks", "pre-commit husky lefthook", r"uninstall"),
    (
        "weaken-hooks",
        "mi",
        rf"{_SUB}(?:uninstall|hooks? (?:remove|disable|off)|gate permission set|config (?:init|template|rollback))",
    ),
    (
        "weaken-hooks",
        "mi",
        rf"{_SUB}hook (?:prompt|(?:pre|post)-tool|stop|session-\w+|subagent-\w+|compact)",
    ),  # feigned
    (
        "schema-change",
        "alembic flyway liquibase knex prisma sequelize typeorm goose dbmate sqitch",
        rf"{_SUB}(?:upgrade|downgrade|migrate|up|down|update|push|reset|run|rollback)",
    ),
    ("schema-change", "manage.py", r"migrate"),
    ("schema-change", "python python3", r"\S*manage\.py migrate"),
    ("schema-change", "rails rake", r"db:\w+\S*"),
    ("schema-change", "createdb", ""),
    ("delete-data", "rails rake", r"db:(?:drop|reset|purge|truncate_all|migrate:reset|schema:load|setup)\S*"),
    ("delete-data", "manage.py", r"(?:flush|reset_db|sqlflush)"),
    ("delete-data", "python python3", r"\S*manage\.py (?:flush|reset_db|sqlflush)"),
    ("delete-data", "prisma", r"(?:migrate reset|db push .*--force-reset)"),
    ("delete-data", "php artisan", r"(?:artisan )?(?:migrate:(?:fresh|reset|refresh)|db:wipe)"),
    ("delete-data", "dropdb dropuser", ""),
    ("delete-data", "flyway liquibase", rf"{_SUB}(?:clean|drop-all|dropAll)"),
    ("delete-data", "alembic", rf"{_SUB}downgrade base"),
    ("delete-data", "mysqladmin", rf"{_SUB}drop"),
    ("delete-data", "redis-cli", rf"(?i:{_SUB}(?:flushall|flushdb))"),
    ("delete-data", "mongo mongosh", r".*(?:dropDatabase|\.drop\(|deleteMany|remove\().*"),
    ("delete-data", "etcdctl", r"del"),
    ("delete-data", "crontab", r".*-r\w*"),
    ("delete-data", "docker podman", r"(?:.* )?(?:prune|volume rm|compose (?:.* )?down (?:.* )?(?:-v|--volumes))"),
    ("delete-data", "docker-compose", r"(?:.* )?(?:down|rm) (?:.* )?(?:-v|--volumes)"),
    ("delete-data", "vgremove lvremove pvremove", ""),
    ("delete-data", "zfs zpool", r"destroy"),
    ("delete-data", "btrfs", r"subvolume delete"),
    ("delete-data", "vagrant", r"destroy"),
    ("delete-folder", "rsync", r".* --del\S*"),
    ("delete-folder", "rimraf trash del-cli", r"\S.*"),
    ("erase-disk", "wipefs blkdiscard mkswap", ""),
    ("erase-disk", "fdisk sfdisk sgdisk gdisk cfdisk parted", r"(?!.*(?:-l\b|--list|print)).+"),
    ("erase-disk", "cryptsetup", r"(?:luksFormat|erase|luksErase)"),
    ("erase-disk", "diskutil", r"(?:erase\w+|partitionDisk|zeroDisk|secureErase|apfs delete\w+)"),
    ("publish", "npm pnpm yarn bun poetry uv hatch flit cargo pdm", r"(?:npm )?(?:publish|unpublish|yank|deprecate)"),
    ("publish", "twine anaconda", r"upload"),
    ("publish", "gem", r"(?:push|yank)"),
    ("publish", "pod", r"trunk push"),
    ("publish", "docker podman buildah skopeo", r"(?:image |buildx |manifest )?push"),
    ("publish", "docker", r"buildx build .*--push"),
    ("publish", "skopeo crane", r"(?:copy|push|delete)"),
    ("publish", "mvn mvnw", rf"{_SUB}(?:deploy|release:perform)"),
    ("publish", "gradle gradlew", rf"{_SUB}:?publish\w*"),
    ("publish", "dotnet", r"nuget push"),
    ("publish", "mix", r"hex\.publish"),
    ("publish", "helm", r"push"),
    ("publish", "vsce ovsx lerna changeset", r"publish"),
    ("publish", "semantic-release", ""),
    ("publish", "goreleaser", r"release"),
    ("publish", "gh glab", r"release (?:create|delete|edit|upload)"),
    (
        "forge-write",
        "gh glab",
        r"(?:pr|mr|issue|repo|gist|snippet|workflow|secret|variable|label|ruleset|ssh-key|gpg-key|run|ci) "
        r"(?:create|new|merge|delete|edit|update|comment|note|close|reopen|run|set|review|ready|archive|rename|sync|fork"
        r"|cancel|rerun|add|approve|lock|transfer)",
    ),
    ("delete-remote", "gh glab", r"repo delete"),
    ("delete-remote", "kubectl oc", rf"{_VERB}delete"),
    ("delete-remote", "helm", rf"{_SUB}(?:uninstall|delete)"),
    ("delete-remote", "terraform tofu pulumi cdk cdktf terragrunt", rf"{_SUB}(?:destroy|state rm|workspace delete)"),
    ("delete-remote", "terraform tofu terragrunt", r"(?:run-all )?apply .*-destroy"),
    ("delete-remote", "serverless sls", r"remove"),
    ("delete-remote", "heroku", r"(?:apps:destroy|pg:reset|addons:destroy)"),
    ("delete-remote", "fly flyctl", r"(?:apps? |volumes? |machines? )?destroy"),
    ("delete-remote", "wrangler", r"(?:\S+ )?delete"),
    ("delete-remote", "eb", r"terminate"),
    ("deploy", "kubectl oc", rf"{_VERB}(?:apply|rollout|scale|drain|replace|cordon|patch|set|edit|create)"),
    ("deploy", "helm", rf"{_SUB}(?:upgrade|install|rollback)"),
    ("deploy", "terraform tofu pulumi terragrunt", rf"{_SUB}(?:apply|up|destroy)"),
    ("deploy", "cdk cdktf", r"deploy"),
    (
        "deploy",
        "netlify fly flyctl heroku firebase serverless sls wrangler eb cap argocd nomad railway skaffold",
        rf"{_SUB}(?:deploy|up|push|sync|release|run|publish|--prod)",
    ),
    ("deploy", "heroku", r"(?!(?:logs|ps|apps|info|releases|status|config|addons|whoami)(?!\S)).+"),
    ("deploy", "vercel ansible-playbook dokku", ""),
    ("deploy", "gcloud az aws", rf"{_SUB}deploy\w*"),
    ("deploy", "docker", r"stack deploy"),
    (
        "deploy",
        _RUN,
        r"(?!(?:install|i|add|ci|remove|uninstall|update|up|view|info|pip|tool|why|ls) )(?:[^-\s]\S* )*?"
        r"(?:[^-\s]\S*[:/._-])?(?:pre|post|un|re)?(?:deploy|release(?!-?notes)|ship(?!p))\S*",
    ),
    ("deploy", _SHELL_FILES, r"(?:\S*/(?:deploy|release)(?:\.sh|\.py)?|(?:deploy|release)\.(?:sh|py))"),
    ("deploy", "deploy.sh deploy.py release.sh release.py", ""),
    ("deploy", "deploy", r"\S.*"),
    ("system-change", "shutdown reboot halt poweroff", ""),
    ("system-change", "init telinit", r"[06]"),
    ("system-change", "systemctl", rf"{_SUB}(?:stop|disable|mask|kill|isolate|poweroff|reboot|halt|suspend|hibernate)"),
    ("system-change", "service rc-service", r"\S+ stop"),
    ("system-change", "launchctl", r"(?:unload|bootout|remove|disable)"),
    ("system-change", "iptables ip6tables", r"(?:.* )?(?:-F|--flush|-X|-P)"),
    ("system-change", "nft", r"flush"),
    ("system-change", "ufw", r"(?:disable|reset)"),
    ("system-change", "firewall-cmd", r".*--(?:panic-on|remove-\S+)"),
    ("system-change", "setenforce", r"(?:0|Permissive)"),
    ("system-change", "userdel groupdel deluser delgroup usermod useradd adduser passwd chpasswd visudo", ""),
    ("system-change", "sysctl", r".*(?:-w|--write)"),
    ("system-change", "kill", r"(?:-\S+ )+-1"),
    ("system-change", "crontab", r"[^-]\S*"),
    ("edit-card", "mi", rf"{_SUB}(?:proposal review|card archive)"),
    ("answer-question", "mi", rf"{_SUB}(?:answer|inbox answer)"),
    ("external-ai", "mi", rf"{_SUB}gate review"),
    ("external-ai", "codex claude gemini qwen opencode aichat llm cursor-agent copilot openclaw", ""),
    ("external-ai", "gh", r"copilot"),
    ("run-tests", "pytest tox nox jest vitest mocha ava ctest rspec phpunit unittest", ""),
    ("run-tests", _RUN, r"(?:run |exec )?(?:test|check|verify|pytest)\S*"),
    ("run-tests", "cargo go mvn gradle gradlew deno dotnet mix swift", r"(?:test|check|verify|pytest)\S*"),
    (
        "install",
        "pip pip3 pipx uv poetry conda npm pnpm yarn bun apt apt-get yum dnf apk brew cargo go gem bundle composer",
        r"(?:pip |tool )?(?:install|i|add|ci|sync|up|update|upgrade|get|require|remove|uninstall|download|create)",
    ),
    ("install", "pipx", r"run"),
    ("install", "pacman", r"(?:.* )?-S\w*"),
    ("fetch", "docker podman", r"(?:pull|login)"),
    ("fetch", "heroku", r"\S.*"),
)


@cache
def _rows(program: str) -> list[tuple[str, re.Pattern[str]]]:
    """Return the rows about a program; compiled when it is met, for most commands ask about few."""
    found = [row for row in _TABLE if program in row[1].split()]
    return [(operation, re.compile(rf"(?:{pattern})(?!\S)" if pattern else "")) for operation, _, pattern in found]


def may_deploy(text: str) -> bool:
    """Return whether anything in a text could be a command that deploys; told without reading it as commands.

    A program is named in it, or put together by signs of the shell; what is run by name says what it does.
    """
    lowered = text.lower()
    if any(sign in lowered for sign in ("deploy", "release", "ship", *"\\$`{|%")):
        return True
    named = {name for operation, names, _ in _TABLE if operation == "deploy" for name in names.split()}
    words = {*re.split(_BETWEEN_NAMES, lowered), *re.split(_BETWEEN_NAMES, re.sub("['\"]", "", lowered))}
    return bool(words & (named - {*_RUN.split(), *_SHELL_FILES.split()}))


def names_production(text: str) -> bool:
    """Return whether a text speaks of production."""
    lowered = text.lower()
    if not any(sign in lowered for sign in ("prod", "prd", "生产")):  # nearly always: no pattern is compiled for it
        return False
    return bool(re.search(r"(?<![a-z0-9])(?:prod|prd|production)(?![a-z])|生产", lowered))


def listed(program: str, words: list[str]) -> list[str]:
    """Return the operations that a program with these words means by the tables."""
    if not (rows := _rows(program)):
        return []
    line = " ".join(sorted((word.replace(" ", "·") for word in words), key=lambda word: word.startswith("-")))
    return [operation for operation, pattern in rows if pattern.match(line)]


def only_looks(program: str, words: list[str]) -> bool:
    """Return whether a flag or first word has the program only say what it is or would do."""
    words = words[: words.index("--")] if "--" in words else words
    return words[:1] != [] and (
        words[0] in _HARMLESS_FIRST
        or (words[-1] in _HARMLESS_LAST and program != "shutdown")
        or any(re.fullmatch(_HARMLESS, word) for word in words)
        or _DRY_RUNS.get(program) in words
    )
