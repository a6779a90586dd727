"""Which command lines mean which operation: patterns over a command's words, tried in this order from their start."""

import re
from functools import cache

SQL_CLIENTS = ("psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "duckdb", "clickhouse-client", "cockroach", "bq")
SQL_SCHEMA = re.compile(r"\b(?:drop|alter|create|rename)\s+(?:table|database|schema|index|column|view|type)\b", re.I)
SQL_DATA = re.compile(r"\b(?:truncate\b|delete\s+from\b|drop\s+(?:table|database|schema)\b)", re.I)
PRODUCTION = re.compile(r"(?<![a-z0-9])(?:prod|prd|production)(?![a-z])|生产", re.I)
READING = """ls cat head tail less more wc file stat pwd whoami id date echo printf true false test [ grep rg egrep
    fgrep find fd tree du df ps uname which type env printenv diff cmp sort uniq cut tr jq yq column basename dirname
    realpath readlink sha256sum md5sum hexdump xxd strings nl seq sleep cd pushd popd : history man""".split()
NAMING_ONLY = ("ls", "stat", "test", "[", "file", "du", "find", "fd", "tree", "echo", "printf", "realpath", "basename")
WRITING = ("cp", "mv", "tee", "install", "ln", "truncate", "shred", "chmod", "chown", "touch", "rm", "unlink", "rsync")
NETWORK = "curl wget ssh scp sftp rsync nc ncat netcat socat ftp lftp telnet http https xh".split()
SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "eval", "source")
REMOTE_SHELLS = ("ssh", "mosh", "rsync", "scp", "sftp", "ansible", "redis-cli", "mongo", "mongosh", "pdsh", "salt")
HARMLESS_FLAGS = ("--version", "--help", "-h", "--dry-run", "version", "help", "doctor", "login", "--list")

_RUNNERS = r"(?:npm|pnpm|yarn|bun|make|just|rake|task|poetry|uv)(?: run| exec)?"
_TABLE = (
    (
        "weaken-hooks",
        r"(?:pre-commit|husky|lefthook) uninstall",
        r"mi (?:.* )?(?:uninstall|hooks? (?:remove|disable|off)|gate permission set|config (?:init|template|rollback))",
    ),
    (
        "schema-change",
        r"(?:alembic|flyway|liquibase|knex|prisma|sequelize|typeorm|goose|dbmate|sqitch) (?:.* )?"
        r"(?:upgrade|downgrade|migrate|up|down|update|push|reset|run|rollback)",
        r"(?:python[\d.]* )?\S*manage\.py (?:migrate|flush)",
        r"(?:rails|rake|bin/rails) db:\w+",
        r"(?:dropdb|createdb)",
    ),
    (
        "publish",
        r"(?:npm|pnpm|yarn|bun|poetry|uv|hatch|flit|cargo) (?:npm )?(?:publish|unpublish|yank|deprecate)",
        r"twine upload",
        r"gem push",
        r"(?:docker|podman)(?: image| buildx)? push",
        r"mvn (?:.* )?deploy",
        r"dotnet nuget push",
        r"helm push",
        r"gh (?:release|pr|issue|repo|gist|workflow|secret) (?:create|merge|delete|edit|comment|close|run|set)",
    ),
    (
        "deploy",
        r"(?:kubectl|oc) (?:.* )?(?:apply|rollout|scale|drain|replace)",
        r"helm (?:.* )?(?:upgrade|install|rollback)",
        r"(?:terraform|tofu|pulumi) (?:.* )?(?:apply|up|destroy)",
        r"(?:netlify|fly|flyctl|heroku|firebase|serverless|sls|wrangler|eb|cap|argocd|nomad|railway|skaffold) "
        r"(?:.* )?(?:deploy|up|push|sync|release|run|--prod)",
        r"(?:vercel|ansible-playbook|dokku)",
        r"(?:gcloud|az|aws) (?:.* )?deploy\w*",
        rf"{_RUNNERS} (?:\S+ )*?\S*(?:deploy|release|ship)\S*",
        r"(?:(?:ba)?sh )?(?:\S*/(?:deploy|release)(?:\.sh|\.py)?|(?:deploy|release)\.(?:sh|py)|deploy(?= \S))",
    ),
    (
        "edit-card",
        r"mi (?:.* )?(?:proposal review|card archive)",
    ),
    (
        "answer-question",
        r"mi (?:.* )?(?:answer|inbox answer)",
    ),
    (
        "external-ai",
        r"mi (?:.* )?gate review",
        r"(?:codex|claude|gemini|qwen|opencode|aichat|llm|cursor-agent|copilot|openclaw)",
        r"gh copilot",
    ),
    (
        "run-tests",
        r"(?:pytest|tox|nox|jest|vitest|mocha|ava|ctest|rspec|phpunit|unittest)",
        rf"(?:{_RUNNERS}|(?:cargo|go|mvn|gradle|gradlew|deno|dotnet|mix|swift)) (?:test|check|verify|pytest)\S*",
    ),
    (
        "install",
        r"(?:pip3?|pipx|uv|poetry|conda|npm|pnpm|yarn|bun|apt|apt-get|yum|dnf|apk|brew|cargo|go|gem|bundle|composer) "
        r"(?:pip |tool )?(?:install|i|add|ci|sync|update|upgrade|get|require|remove|uninstall)",
        r"pacman -S\w*",
    ),
)


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Compiled at first use: most commands ask nothing about command lines."""
    return [(operation, re.compile(rf"(?:{'|'.join(patterns)})(?!\S)")) for operation, *patterns in _TABLE]


def listed(shown: str) -> str:
    """The operation that a command line means by the tables; '' for one that is not in them."""
    return next((operation for operation, pattern in _patterns() if pattern.match(shown)), "")
