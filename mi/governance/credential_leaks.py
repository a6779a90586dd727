"""Whether commands carry credentials away: a secret, a secret file or the environment into something that sends."""

import itertools
import re
from collections import Counter
from collections.abc import Container
from typing import Protocol

from mi.governance import paths
from mi.kernel.secrets import find_secrets, redact
from mi.kernel.shell import Simple

_SENDERS = """curl wget nc ncat netcat socat telnet scp sftp rsync ftp lftp mail mutt sendmail http https xh ssh
    aws gsutil gcloud az rclone gh codex claude gemini llm""".split()
_LOGIN_WITH = ("-i", "--key", "--cert", "-E", "--cacert", "--identity", "--netrc-file")  # used, not sent
_DUMPS = ("env", "printenv", "set", "export")
_TELLS = (
    r"gh auth token|git credential fill|pass show|op read|security find-|vault (?:read|kv get)|aws configure get"
    r"|gcloud auth print-"
)
_COPIES = "cp mv ln install rsync tar zip 7z gzip base64 openssl gpg dd xxd".split()
_CURL_WITH_VALUE = frozenset(
    """-H -d -F -T -o -X -u -A -e -b -c -x -K -m -w -E --header --data --data-raw --data-binary --data-urlencode --json
    --form --upload-file --output --request --user --user-agent --referer --cookie --cookie-jar --proxy --config
    --max-time --write-out --cert --key --cacert --connect-timeout --retry --post-data --post-file --method""".split()
)
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_LOCAL = r"(?i)(?:[a-z]+://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d+)?(?:[/?#].*)?"
_KEYS = r"(?:^|/)\.(?:ssh|aws|gnupg)/?$"  # folders of keys
_CODE_SENDS = r"\b(?:requests|urllib|urlopen|http|https|httpx|aiohttp|socket|fetch|axios|smtplib|net)\b"


class Feeders(Protocol):
    """Whoever tells which commands' output goes into one; of those with one of the `names`, if some are given."""

    def __call__(self, one: Simple, names: Container[str] | None = None) -> list[Simple]: ...


def find_credential_senders(commands: list[Simple]) -> list[str]:
    """Return the commands that would send a credential out of this machine, without the credential."""
    feeders = find_feeders(commands)
    copies = _copies(commands, feeders)
    kept = [one for one in commands if one.within]  # what they print may be in a variable: `X=$(cat .env)`
    return [
        _shown(one)
        for one in commands
        if _is_sender(one)
        and _gets_credentials(one, [*feeders(one), *(kept if "$()" in " ".join(one.argv) else [])], copies)
    ]


def does_code_send(code: str, named: list[str]) -> bool:
    """Return whether a program given on the command line reads a secret file and speaks to the network."""
    return bool(re.search(_CODE_SENDS, code)) and any(paths.is_secret(path) for path in named)


def does_stay_here(argv: list[str]) -> bool:
    """Return whether a network command only speaks to this machine."""
    if argv[0] in ("curl", "wget"):
        pairs = itertools.pairwise(argv)
        words = [word for before, word in pairs if not word.startswith("-") and before not in _CURL_WITH_VALUE]
    else:
        words = [word for word in argv[1:] if not word.startswith("-") and word not in _METHODS][:1]
    return bool(words) and all(re.fullmatch(_LOCAL, word) for word in words)


def _is_sender(one: Simple) -> bool:
    if one.name in ("scp", "rsync", "sftp"):
        return any(re.match(r"(?:[\w.-]+@)?[\w.-]+:(?!\\)", word) for word in one.argv[1:])
    return one.name in _SENDERS and not does_stay_here([one.name, *one.argv[1:]])


def count_feeding(commands: list[Simple]) -> int:
    """Return how much work it is to look at whatever goes into each command: pairs, and the words of each."""
    places, words, nested = Counter[int](), Counter[int](), 0
    for one in commands:
        nested += len(one.argv) if one.within else 0
        for pipeline in _pipelines(one):
            places[pipeline] += 1 + len(one.within)  # each is compared with each of the other's
            words[pipeline] += len(one.argv) + len(one.reads)
    taking = sum("$()" in " ".join(one.argv) for one in commands if one.name in _SENDERS)
    return (
        sum(count * (count // 4 + words[pipeline]) for pipeline, count in places.items() if count > 1) + taking * nested
    )


def find_feeders(commands: list[Simple]) -> Feeders:
    """Return for a command those whose output goes into it.

    Looked for in its pipelines only, a line may hold thousands.
    """
    by_pipeline: dict[int, list[Simple]] = {}
    for one in commands:
        for pipeline in _pipelines(one):
            by_pipeline.setdefault(pipeline, []).append(one)

    def find(one: Simple, names: Container[str] | None = None) -> list[Simple]:
        near = (two for pipeline in _pipelines(one) for two in by_pipeline[pipeline])
        return [two for two in near if (names is None or two.name in names) and two.feeds(one)]

    return find


def _pipelines(one: Simple) -> set[int]:
    return {one.pipeline, *(pipeline for pipeline, _ in one.within)}


def _gets_credentials(one: Simple, fed_by: list[Simple], copies: set[str]) -> bool:
    if find_secrets(" ".join(one.argv)):
        return True
    named = [word for before, word in itertools.pairwise(one.argv) if before not in _LOGIN_WITH]
    if any(_keeps_secret(word, copies) for word in [*(named if one.name != "ssh" else []), *one.reads]):
        return True
    return any(_gives_credentials(two, copies) for two in fed_by)


def _gives_credentials(one: Simple, copies: set[str]) -> bool:
    return (
        one.name in _DUMPS
        or bool(re.match(_TELLS, " ".join([one.name, *one.argv[1:]])))
        or any(_keeps_secret(word, copies) for word in [*one.argv[1:], *one.reads])
    )


def _copies(commands: list[Simple], feeders: Feeders) -> set[str]:
    """Files that earlier commands fill from a secret file: `cp .env x`, `cat .env > x`, `tar cf x .env`."""
    found: set[str] = set()
    for one in commands:
        fed_by = [one, *feeders(one)]
        if any(_keeps_secret(word, found) for two in fed_by for word in [*two.argv[1:], *two.reads]):
            found |= {*one.writes}
            if one.name in _COPIES:
                found |= {word.removeprefix("of=") for word in one.argv[1:] if not word.startswith("-")}
    return found


def _keeps_secret(word: str, copies: set[str]) -> bool:
    """`.env`, `@.env`, `file=@.env`, `-T.env`; or a copy of one."""
    if word.startswith("--") and "=" in word:
        word = word.partition("=")[2]
    path = word.rpartition("@")[2] if "@" in word else word.removeprefix("-T")
    return paths.is_secret(path) or path in copies or bool(re.search(_KEYS, path))


def _shown(one: Simple) -> str:
    return redact(" ".join(one.argv))
