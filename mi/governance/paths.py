"""What a file is to the rules, by its path alone: secret, private, a hook, shared memory, a product of a build."""

import re
from fnmatch import fnmatchcase
from os.path import normpath
from typing import Literal

# Written as text: `re` compiles a pattern at its first use and keeps it, and most commands use none of these.
_SECRET = (
    r"(?:^|/)(?:\.env[\w.*?-]*|[\w.-]*\.env|[\w.-]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|\.(?:netrc|pgpass|pypirc|git-credentials|htpasswd)|credentials(?:\.(?:json|ya?ml|toml|ini|csv))?"
    r"|secrets?\.(?:json|ya?ml|toml|ini|env)|service[-_]account[\w-]*\.json|\.kube/config|\.docker/config\.json)$"
)
_EXAMPLE = r"(?i)(?:[._-](?:example|sample|template|dist|defaults?)s?(?:\.\w+)?|\.pub)$"
_PRIVATE = r"(?:^|/)\.([^/]+)/(?:private|[a-z]*[*?\[][^/]*)(?:/|$)"
_MEMBER_FOLDER = r"(?:^|/)persona/\.(?!git)([^/]+)$"
_HOOK = (
    r"(?:^|/)(?:\.claude|\.codex|\.claude/(?:settings(?:\.local)?\.json|hooks(?:/.*)?)|\.codex/(?:hooks\.json|config\.toml|hooks(?:/.*)?)"
    r"|\.git/hooks(?:/.*)?|\.husky(?:/.*)?|\.githooks(?:/.*)?|\.mi/(?:manifest\.json|underway\.json|hooks(?:/.*)?)|\.git/config"
    r"|\.pre-commit-config\.ya?ml|\.mind-incarnation(?:/(?:config\.json|global(?:/permissions\.json)?|hosts(?:/.*)?))?)$"
)
_SESSION = r"(?:^|/)sessions/\d{4}-\d{2}/\d{4}-\d{2}-\d{2}[^/]*\.md$|(?:^|/)persona/sessions/"
_PROPOSAL = r"(?:^|/)proposals/\d{4}-\d{2}/proposal-[^/]*\.md$|(?:^|/)persona/proposals/"
_CARD = r"(?:^|/)(?:persona/cards/|cards/(?:axioms|principles|heuristics|patterns)/[^/]*\.md$)"
_PRINCIPLES = r"(?:^|/)(?:persona/core/|core/(?:boot|principles|challenge-core)\.md$)"
_PRODUCT = (
    r"(?:^|/)(?:node_modules|dist|build|target|out|coverage|htmlcov|tmp|temp|__pycache__|\.pytest_cache|\.mypy_cache"
    r"|\.ruff_cache|\.tox|\.next|\.cache|[\w.-]+\.egg-info)(?:/|$)|^/tmp/|\.(?:pyc|o|class|tmp|log)$"
)

Memory = Literal["session", "proposal", "card", "principles", ""]


def is_secret(path: str) -> bool:
    """Return whether a file keeps credentials; examples and public keys keep none."""
    path = _plain(path)
    if re.search(_EXAMPLE, path):
        return False
    if re.search(_SECRET, path):
        return True
    return bool(re.search(r"(?:^|/)\.(?:aws|ssh|gnupg)/", path)) and not path.endswith(("/config", "/known_hosts"))


def find_private_owner(path: str) -> str:
    """Return the member in whose private space a path lies; '' for one in none."""
    for found in re.finditer(_PRIVATE, _plain(path)):
        folder = found[0].strip("/").partition("/")[2]
        if folder == "private" or fnmatchcase("private", folder):
            return found[1]
    return ""


def find_member_folder(path: str) -> str:
    """Return the member whose whole folder a path is, the private space in it too; '' for any other path."""
    found = re.search(_MEMBER_FOLDER, _plain(path))
    return found[1] if found else ""


def is_hook(path: str) -> bool:
    """Return whether a file decides which hooks run, or is one."""
    return bool(re.search(_HOOK, _plain(path)))


def find_shared_memory(path: str) -> Memory:
    """Return which part of the team's memory a file is."""
    path = _plain(path)
    parts: tuple[tuple[str, Memory], ...] = (
        (_SESSION, "session"),
        (_PROPOSAL, "proposal"),
        (_CARD, "card"),
        (_PRINCIPLES, "principles"),
    )
    return next((name for pattern, name in parts if re.search(pattern, path)), "")


def is_product(path: str) -> bool:
    """Return whether a file is made by a build or a check, so that deleting it loses nothing."""
    return bool(re.search(_PRODUCT, _plain(path)))


def _plain(path: str) -> str:
    """Return the path as it would be written without detours: `a/./b/../c` is `a/c`."""
    return normpath(path.replace("\\", "/").strip()) if path.strip() else ""
